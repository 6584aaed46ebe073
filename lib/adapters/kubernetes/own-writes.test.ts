import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { KINDS } from '../../sources/source.ts';
import type { KubernetesRequest } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { rememberReports, rememberWrites } from './own-writes.ts';

const WWW: ObjectRef = { kind: 'Record', namespace: 'n', name: 'www' };
const OTHER: ObjectRef = { kind: 'Record', namespace: 'n', name: 'other' };

describe('rememberWrites()', () => {
  it('knows the versions that our writes made, and no others', () => {
    const writes = rememberWrites();
    writes.begin(WWW)('7');
    writes.begin(WWW)(null);
    expect([writes.has(WWW, '7'), writes.has(WWW, '8'), writes.has(OTHER, '9')]).toEqual([true, false, false]);
  });

  it('waits for our write of that object, and for no other', async () => {
    const writes = rememberWrites();
    const ended = writes.begin(WWW);
    const [own, foreign] = [writes.has(WWW, '7'), writes.has(WWW, '6')];
    expect([own, foreign]).toEqual([expect.any(Promise), expect.any(Promise)]);
    expect(writes.has(OTHER, '7')).toBe(false);
    ended('7');
    expect([await own, await foreign]).toEqual([true, false]);
  });

  it('stops waiting soon, because somebody else may edit while we write', async () => {
    const writes = rememberWrites();
    writes.begin(WWW);
    expect(await writes.has(WWW, '7')).toBe(false);
  });

  it('forgets the oldest versions', () => {
    const writes = rememberWrites();
    for (let version = 1; version <= 10_001; version += 1) writes.begin(WWW)(String(version));
    expect(['1', '2', '10001'].map((version) => writes.has(WWW, version))).toEqual([false, true, true]);
  });
});

describe('kubernetesCluster() as the author of a write', () => {
  it.each([
    ['takes a write without an edit of somebody else for its own', 1, true],
    ['does not take a write that comes back with an edit of the spec for its own', 2, false],
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

describe('rememberReports()', () => {
  function memory() {
    const reports = rememberReports();
    const report = (uid: string, text: string, nowMs: number) => {
      const verdict = reports.judge(uid, text, nowMs);
      if (verdict === 'write') reports.written(uid, text);
      return verdict;
    };
    return { ...reports, report };
  }

  it('leaves the object alone for ten minutes after its report was replaced five times within a minute', () => {
    const { report } = memory();
    const verdicts = Array.from({ length: 8 }, (_, second) => report('u', 'ours', second * 1_000));
    expect(verdicts).toEqual(['write', 'write', 'write', 'write', 'write', 'begins', 'left', 'left']);
    expect(report('u', 'ours', 600_000)).toBe('left');
    expect(report('other', 'ours', 600_000)).toBe('write');
    expect(report('u', 'ours', 605_000)).toBe('write');
  });

  it('sees no conflict when each report is another one, or when few are replaced', () => {
    const { report } = memory();
    for (let count = 0; count < 20; count += 1) expect(report('u', `report ${count}`, count)).toBe('write');
    for (let minute = 1; minute < 20; minute += 1) expect(report('v', 'ours', minute * 30_000)).toBe('write');
  });

  it('sees no conflict in a report that could not be written, also after one that was', () => {
    const { report, judge } = memory();
    for (let second = 0; second < 20; second += 1) expect(judge('u', 'ours', second)).toBe('write');
    report('u', 'ours', 21);
    for (let second = 22; second < 40; second += 1) expect(judge('u', 'ours', second)).toBe('write');
  });
});

describe('kubernetesCluster() beside another author of statuses', () => {
  it('stops writing, names itself in an Event and the log, and tries again later', async () => {
    const requests: KubernetesRequest[] = [];
    const managedFields = [
      { manager: 'kubectl', time: '2026-11-22T10:00:00Z' },
      { manager: 'zone53', subresource: 'status', time: '2026-11-22T11:00:00Z' },
      { manager: 'green', subresource: 'status', time: '2026-11-22T12:00:00Z' },
    ];
    const object = { metadata: { ...WWW, uid: 'u', resourceVersion: '1', managedFields }, status: { fqdn: 'theirs.' } };
    const transport = {
      requests: { count: 0 },
      send: async (request: KubernetesRequest) => {
        requests.push(request);
        return object;
      },
      lines: async function* () {},
      close: () => {},
    } satisfies KubernetesTransport;
    let nowMs = 0;
    const logged: string[] = [];
    const cluster = kubernetesCluster({
      kinds: KINDS,
      clusterId: 'blue',
      transport,
      clock: { nowMs: () => nowMs },
      log: (level, message) => void logged.push(`${level} ${message}`),
    });
    const report = async () => {
      nowMs += 1_000;
      await cluster.report(WWW, { fqdn: 'ours.', parent: null, conditions: [] }, null);
    };
    for (let count = 0; count < 20; count += 1) await report();
    const writes = () => requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/status')).length;
    expect(writes()).toBe(5);
    const events = requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    const note =
      'The status of Record n/www is replaced again and again by somebody (field manager green). This zone53 (clusterId blue) leaves it alone for 10 minutes. Stop that writer: the status belongs to zone53.';
    expect(events).toMatchObject([{ reason: 'StatusContested', type: 'Warning', action: 'Report', note }]);
    expect(logged).toEqual([`warn ${note}`]);
    nowMs += 600_000;
    await report();
    expect(writes()).toBe(6);
  });
});
