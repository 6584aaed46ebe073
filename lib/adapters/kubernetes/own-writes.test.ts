import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { KINDS } from '../../sources/source.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { rememberWrites } from './own-writes.ts';
import type { KubernetesRequest } from './request.ts';
import type { KubernetesTransport } from './transport.ts';

const WWW: ObjectRef = { kind: 'Record', namespace: 'n', name: 'www' };
const OTHER: ObjectRef = { kind: 'Record', namespace: 'n', name: 'other' };

describe('rememberWrites()', () => {
  it('knows the versions that a write led to, and no others', () => {
    const writes = rememberWrites();
    writes.begin(WWW)('7');
    writes.begin(WWW)(null);
    expect([writes.has(WWW, '7'), writes.has(WWW, '8'), writes.has(OTHER, '9')]).toEqual([true, false, false]);
  });

  it('waits for a write that is under way, of that object alone', async () => {
    const writes = rememberWrites();
    const ended = writes.begin(WWW);
    const [own, foreign] = [writes.has(WWW, '7'), writes.has(WWW, '6')];
    expect([own, foreign]).toEqual([expect.any(Promise), expect.any(Promise)]);
    expect(writes.has(OTHER, '7')).toBe(false);
    ended('7');
    expect([await own, await foreign]).toEqual([true, false]);
  });

  it('waits not for long: somebody’s edit may come while ours is written', async () => {
    const writes = rememberWrites();
    writes.begin(WWW);
    expect(await writes.has(WWW, '7')).toBe(false);
  });

  it('forgets the oldest', () => {
    const writes = rememberWrites(2);
    for (const version of ['1', '2', '3']) writes.begin(WWW)(version);
    expect(['1', '2', '3'].map((version) => writes.has(WWW, version))).toEqual([false, true, true]);
  });
});

describe('kubernetesCluster() as the author of a write', () => {
  it.each([
    ['that carries nobody’s edit is ours', 1, true],
    ['that comes back with an edit of the spec is not', 2, false],
  ])('%s', async (_title, generation, ours) => {
    const ownWrites = rememberWrites();
    const metadata = { ...WWW, uid: 'u', resourceVersion: '1', generation: 1 };
    const written = { metadata: { ...metadata, resourceVersion: '3', generation }, status: {} };
    const transport = {
      requests: { count: 0 },
      send: async ({ method }: KubernetesRequest) => (method === 'GET' ? { metadata, status: {} } : written),
      lines: async function* () {},
      close: () => {},
    } satisfies KubernetesTransport;
    const cluster = kubernetesCluster({
      kinds: KINDS,
      clusterId: 'c',
      transport,
      clock: { nowMs: () => 0 },
      ownWrites,
    });
    await cluster.report(WWW, { fqdn: 'www.e.', parent: null, conditions: [] }, null);
    expect(ownWrites.has(WWW, '3')).toBe(ours);
  });
});
