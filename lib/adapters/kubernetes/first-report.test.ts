// The first report of an object: a process that dies at any request is followed by one that reports again.
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import { type ObjectStatus, ReportRefusedError } from '../../ports/cluster.ts';
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

/** An API server with one object. `event` is the answer to a new Event; `around` is called with each request. */
function apiServer(
  around: (send: () => Promise<Mapping>, request: KubernetesRequest) => Promise<Mapping> = (send) => send(),
  event: () => Mapping = () => ({}),
) {
  let object: Mapping = { metadata: { ...WWW, uid: 'u1', resourceVersion: '1', generation: 1 }, status: {} };
  const events: unknown[] = [];
  const answer = async ({ method, path, body }: KubernetesRequest): Promise<Mapping> => {
    if (method === 'POST') {
      const made = event();
      events.push(mapping(body).reason);
      return made;
    }
    const { labels } = mapping(mapping(body).metadata);
    const metadata = mapping(object.metadata);
    if (path.endsWith('/status')) object = { ...object, status: mapping(body).status };
    else if (method === 'PATCH') object = { ...object, metadata: { ...metadata, labels } };
    return object;
  };
  const transport: KubernetesTransport = {
    requests: { count: 0 },
    lines: async function* () {},
    close: () => {},
    send: (request) => around(() => answer(request), request),
  };
  const clock = { nowMs: () => 0 };
  const report = () =>
    kubernetesCluster({ kinds: kindsRead(SOURCES), clusterId: 'c', transport, clock }).report(WWW, STATUS, null);
  return { report, events, fqdn: () => mapping(object.status).fqdn };
}

describe.each([true, false])('a process that dies at a request (after it: %s)', (after) => {
  it.each([1, 2, 3, 4])('number %i loses neither the status nor the Event', async (at) => {
    let requests = 0;
    const { report, events, fqdn } = apiServer(async (send) => {
      requests += 1;
      if (requests !== at) return send();
      if (after) await send();
      throw new Error('the process died');
    });
    await expect(report()).rejects.toThrow('the process died');
    await report();
    expect(fqdn()).toBe(STATUS.fqdn);
    expect(events).toContain('Adopted');
  });
});

it('records one Event if nothing happens', async () => {
  const { report, events } = apiServer();
  await report();
  expect(events).toEqual(['Adopted']);
});

it.each([
  ['writes the status although it may not record Events, and fails', 403, STATUS.fqdn],
  ['writes no status while the API server is too busy for the Event', 503, undefined],
])('%s', async (_title, status, fqdn) => {
  const server = apiServer(undefined, () => {
    throw new KubernetesError(`${status}: no`, { status });
  });
  await expect(server.report()).rejects.toThrow(`${status}: no`);
  expect(server.fqdn()).toBe(fqdn);
});

/** A server that refuses the requests of this path with this error. */
const refusing = (isRefused: (request: KubernetesRequest) => boolean, error: KubernetesError) =>
  apiServer((send, request) => (isRefused(request) ? Promise.reject(error) : send()));
const isLabel = ({ method, path }: KubernetesRequest) => method === 'PATCH' && !path.endsWith('/status');
const isStatus = ({ path }: KubernetesRequest) => path.endsWith('/status');

it('writes the status although a policy refuses the label, and fails', async () => {
  const error = new KubernetesError('422: label team is required', { status: 422, fields: [''] });
  const { report, events, fqdn } = refusing(isLabel, error);
  await expect(report()).rejects.toThrow(ReportRefusedError);
  expect([fqdn(), events]).toEqual([STATUS.fqdn, ['Adopted']]);
});

it.each([
  ['the object is as large as etcd takes', isStatus, { status: 500 }, 'etcdserver: request is too large'],
  ['annotations have no room for the parent', isLabel, { status: 422, fields: ['metadata.annotations'] }, 'Too long'],
])('records only the Event, and does not fail, if %s', async (_title, isRefused, facts, message) => {
  const { report, events, fqdn } = refusing(isRefused, new KubernetesError(message, facts));
  await report();
  expect([fqdn(), events]).toEqual([undefined, ['Adopted']]);
});

it.each([401, 429, 500, null])('fails with an error that is not only about its object: %s', async (status) => {
  const { report } = refusing(isStatus, new KubernetesError('no', { status }));
  const error = await report().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KubernetesError);
});
