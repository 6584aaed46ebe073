import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import type { ListedObject, ObjectStatus } from '../../ports/cluster.ts';
import { kindsRead, SOURCES } from '../../sources/source.ts';
import { KubernetesError, type KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';

const WWW: ObjectRef = { kind: 'Record', namespace: 'n', name: 'www' };
const STATUS: ObjectStatus = {
  fqdn: 'www.example.org.',
  parent: 'n/z',
  conditions: [{ type: 'Accepted', status: 'True', reason: 'Adopted', message: 'by it' }],
};

/**
 * One object of an API server, which compares the version of a write where it states one, and in a write of the status
 * ignores the uid, as API servers do with custom resources. `meanwhile` runs before each write of a status.
 */
function oneObject(meanwhile: (object: Mapping, write: number) => Mapping) {
  let version = 1;
  let object: Mapping = { metadata: { ...WWW, uid: 'u1', resourceVersion: '1', generation: 1 }, status: {} };
  let writes = 0;
  const stamp = (next: Mapping): Mapping => {
    version += 1;
    return { ...next, metadata: { ...mapping(next.metadata), resourceVersion: String(version) } };
  };
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    lines: async function* () {},
    close: () => {},
    send: async ({ method, path, body }: KubernetesRequest) => {
      if (method === 'POST') return {};
      if (path === '/apis/externaldns.k8s.io') return { versions: [{ version: 'v1alpha1' }] };
      if (path === '/apis/externaldns.k8s.io/v1alpha1') return { resources: [{ name: 'dnsendpoints' }] };
      if (method === 'GET') return object;
      if (path.endsWith('/status')) {
        writes += 1;
        const next = meanwhile(object, writes);
        if (next !== object) object = stamp(next);
      }
      const { metadata, status } = mapping(body);
      const { resourceVersion: wanted, labels } = mapping(metadata);
      if (wanted !== undefined && wanted !== mapping(object.metadata).resourceVersion)
        throw new KubernetesError('409: the object has been modified', { status: 409, reason: 'Conflict' });
      if (path.endsWith('/status')) object = stamp({ ...object, status });
      else object = stamp({ ...object, metadata: { ...mapping(object.metadata), labels } });
      return object;
    },
  };
  return { transport, object: () => object, writes: () => writes };
}

const edited = (object: Mapping): Mapping => ({ ...object, edited: true });

describe('a report to an object that changes while it is written', () => {
  const report = (transport: KubernetesTransport, ref = WWW, listed?: ListedObject) =>
    kubernetesCluster({
      kinds: kindsRead(SOURCES),
      clusterId: 'c',
      transport,
      clock: { nowMs: () => 0 },
    }).report(ref, STATUS, null, listed);

  it('reads the object again, and writes', async () => {
    const { transport, object, writes } = oneObject((before, write) => (write <= 2 ? edited(before) : before));
    await report(transport);
    expect(writes()).toBe(3);
    expect(object()).toMatchObject({ edited: true, status: { fqdn: 'www.example.org.' } });
  });

  it.each([
    ['as it is read', undefined],
    ['as it was listed', { uid: 'u1', version: '1', generation: 1, labels: {}, annotations: {}, status: {} }],
  ])('records the Event of a first report once, %s, although the answer of the write was lost', async (_, listed) => {
    const { transport, object } = oneObject((before) => before);
    const events: unknown[] = [];
    let isLost = false;
    const losing: KubernetesTransport = {
      ...transport,
      send: async (request) => {
        if (request.method === 'POST') events.push(mapping(request.body).reason);
        const answer = await transport.send(request);
        if (isLost || !request.path.endsWith('/status')) return answer;
        isLost = true;
        // The request is sent again, and the object has another version by now.
        return transport.send(request);
      },
    };
    await report(losing, WWW, listed);
    expect(object()).toMatchObject({ status: { fqdn: 'www.example.org.' } });
    expect(events).toEqual(['Adopted']);
  });

  it.each(['Record', 'DNSEndpoint'])(
    'writes to a %s whose write is refused as a conflict although nobody changed it',
    async (kind) => {
      const { transport, object } = oneObject((before) => before);
      let refusals = 3;
      const refusing: KubernetesTransport = {
        ...transport,
        send: async (request) => {
          if (!request.path.endsWith('/status') || refusals === 0) return transport.send(request);
          refusals -= 1;
          throw new KubernetesError('409: try again', { status: 409, reason: 'Conflict' });
        },
      };
      await report(refusing, { ...WWW, kind });
      expect(mapping(object().status)).not.toEqual({});
    },
  );

  it('does so for a kind of others, too', async () => {
    const { transport, object, writes } = oneObject((before, write) => (write === 1 ? edited(before) : before));
    await report(transport, { ...WWW, kind: 'DNSEndpoint' });
    expect(writes()).toBe(2);
    expect(object()).toMatchObject({ edited: true, status: { observedGeneration: 1 } });
  });

  it('writes nothing to another object that has the name now', async () => {
    const next = { metadata: { ...WWW, uid: 'u2', generation: 1 }, status: {} };
    const { transport, object, writes } = oneObject((before, write) => (write === 1 ? next : before));
    await report(transport);
    expect(writes()).toBe(1);
    expect(object()).toMatchObject({ metadata: { uid: 'u2' }, status: {} });
    expect(mapping(object().status)).toEqual({});
  });

  it.each(['Record', 'DNSEndpoint'])(
    'writes only the Event to a %s whose type has no status subresource',
    async (kind) => {
      const { transport, object } = oneObject((before) => before);
      const sent: string[] = [];
      const without: KubernetesTransport = {
        ...transport,
        send: async (request) => {
          if (request.method !== 'GET') sent.push(`${request.method} ${request.path.split('/').at(-1)}`);
          if (!request.path.endsWith('/status')) return transport.send(request);
          throw new KubernetesError('404: "www" not found', { status: 404, reason: 'NotFound', objectName: 'www' });
        },
      };
      await report(without, { ...WWW, kind });
      expect(mapping(object().status)).toEqual({});
      const label = kind === 'Record' ? ['PATCH www'] : [];
      expect(sent).toEqual(['POST events', ...label, 'PATCH status', ...label.map(() => 'PATCH status')]);
    },
  );

  it('fails, so that it is tried again later, when others change the object at every try', async () => {
    const { transport, object } = oneObject(edited);
    await expect(report(transport)).rejects.toThrow(
      'Cannot report to Record n/www: others changed it at each of 5 tries',
    );
    expect(mapping(object().status)).toEqual({});
  });
});
