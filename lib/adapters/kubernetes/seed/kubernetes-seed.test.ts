import { describe, expect, it } from 'vitest';
import { DNS_RECORD_KIND } from '../../../sources/gardener/dns-record.ts';
import { KubernetesError, type KubernetesRequest } from '../http/kubernetes-error.ts';
import type { KubernetesTransport } from '../http/transport.ts';
import { rememberWrites } from '../own-writes.ts';
import { kubernetesSeed } from './kubernetes-seed.ts';

const REF = { kind: 'DNSRecord', namespace: 'shoot--foo--bar', name: 'api' };
const PATH = '/apis/extensions.gardener.cloud/v1alpha1/namespaces/shoot--foo--bar/dnsrecords/api';
const SERVED: Readonly<Record<string, unknown>> = {
  '/apis/extensions.gardener.cloud': { preferredVersion: { version: 'v1alpha1' }, versions: [{ version: 'v1alpha1' }] },
  '/apis/extensions.gardener.cloud/v1alpha1': { resources: [{ name: 'dnsrecords' }] },
};

type Answers = Readonly<Record<string, unknown>>;

/**
 * A server with answers for these paths. An Error is thrown; a path without an answer is a 404 that names the object.
 */
function seedOver(answers: Answers) {
  const sent: KubernetesRequest[] = [];
  const ownWrites = rememberWrites();
  const send = async (request: KubernetesRequest) => {
    sent.push(request);
    const answer = { ...SERVED, ...answers }[request.path];
    if (answer instanceof Error) throw answer;
    if (answer !== undefined) return answer;
    const objectName = request.path.split('/').at(-1) ?? null;
    throw new KubernetesError('not found', { status: 404, objectName });
  };
  const transport: KubernetesTransport = {
    send,
    lines: () => {
      throw new Error('nobody watches');
    },
    requests: { count: 0 },
    close: () => {},
  };
  const clock = { nowMs: () => 0 };
  const seed = kubernetesSeed({ clusterId: 'seed', kind: DNS_RECORD_KIND, transport, clock, ownWrites });
  return { seed, sent, ownWrites };
}

const conflict = new KubernetesError('conflict', { status: 409, objectName: 'api' });
const identity = { ref: REF, uid: 'u1', resourceVersion: '7' };

describe('kubernetesSeed()', () => {
  it('distinguishes an object that does not exist from one that cannot be read', async () => {
    expect(await seedOver({}).seed.get(REF)).toBeNull();
    const denied = new KubernetesError('forbidden', { status: 403 });
    await expect(seedOver({ [PATH]: denied }).seed.get(REF)).rejects.toBe(denied);
  });

  it('writes metadata at the version that was read, and a status to the object of that uid', async () => {
    const written = { metadata: { resourceVersion: '8' } };
    const { seed, sent, ownWrites } = seedOver({ [PATH]: written, [`${PATH}/status`]: written });
    await seed.patchMetadata(identity, { annotations: { a: null }, finalizers: ['f'] });
    await seed.patchStatus(identity, { zone: 'Z1' });
    const patches = sent.filter(({ method }) => method === 'PATCH');
    expect(patches.map(({ path, body, contentType }) => [path, contentType, body])).toEqual([
      [
        PATH,
        'application/merge-patch+json',
        {
          apiVersion: 'extensions.gardener.cloud/v1alpha1',
          kind: 'DNSRecord',
          metadata: { uid: 'u1', resourceVersion: '7', annotations: { a: null }, finalizers: ['f'] },
        },
      ],
      [
        `${PATH}/status`,
        'application/merge-patch+json',
        {
          apiVersion: 'extensions.gardener.cloud/v1alpha1',
          kind: 'DNSRecord',
          metadata: { uid: 'u1' },
          status: { zone: 'Z1' },
        },
      ],
    ]);
    expect(await ownWrites.has(REF, '8')).toBe(true);
  });

  it('writes a status at the version that the caller names, and no other', async () => {
    const { seed, sent } = seedOver({ [`${PATH}/status`]: { metadata: { resourceVersion: '8' } } });
    await seed.patchStatus(identity, { zone: 'Z1' }, '7');
    expect(sent.at(-1)?.body).toMatchObject({ metadata: { uid: 'u1', resourceVersion: '7' }, status: { zone: 'Z1' } });
    const stale = seedOver({ [`${PATH}/status`]: conflict });
    expect(await stale.seed.patchStatus(identity, {}, '7')).toEqual({ kind: 'changed' });
  });

  it("does not take somebody's edit of the annotation for its own write", async () => {
    const asked = { metadata: { resourceVersion: '8', annotations: { 'gardener.cloud/operation': 'reconcile' } } };
    const { seed, ownWrites } = seedOver({ [`${PATH}/status`]: asked });
    await seed.patchStatus(identity, {});
    expect(await ownWrites.has(REF, '8')).toBe(false);
  });

  it('reports that somebody else wrote in the meantime, and that the object is gone', async () => {
    expect(await seedOver({ [PATH]: conflict }).seed.patchMetadata(identity, {})).toEqual({ kind: 'changed' });
    expect(await seedOver({}).seed.patchMetadata(identity, {})).toEqual({ kind: 'gone' });
  });

  it('decodes a Secret', async () => {
    const data = { accessKeyID: Buffer.from('AKIA').toString('base64'), empty: '' };
    const { seed } = seedOver({ '/api/v1/namespaces/ns/secrets/creds': { data } });
    expect(await seed.readSecret('ns', 'creds')).toEqual({ accessKeyID: 'AKIA', empty: '' });
    expect(await seed.readSecret('ns', 'other')).toBeNull();
  });

  it("reads the Cluster of a shoot's namespace, and reads none for other namespaces", async () => {
    const cluster = { spec: { shoot: {} } };
    const shoot = { metadata: { labels: { 'gardener.cloud/role': 'shoot' } } };
    const clusters = '/apis/extensions.gardener.cloud/v1alpha1/clusters';
    const answers = {
      '/api/v1/namespaces/a': shoot,
      '/api/v1/namespaces/b': { metadata: {} },
      [`${clusters}/a`]: cluster,
    };
    const { seed, sent } = seedOver(answers);
    expect(await seed.readShoot('a')).toEqual(cluster);
    expect(await seed.readShoot('b')).toBeNull();
    expect(sent.some(({ path }) => path === `${clusters}/b`)).toBe(false);
  });
});
