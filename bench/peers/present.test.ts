import { expect, test } from 'vitest';
import { presentPeers } from './present.ts';
import type { PeerRow } from './session.ts';

const ROW: PeerRow = {
  case: 'one change',
  names: 1_000,
  peer: 'zone53',
  samples: 10,
  median: 0.1,
  p99: 0.2,
  calls: { ChangeResourceRecordSets: 1 },
  per: 'a change',
  throttled: 0,
  cpuSeconds: 0.05,
  peakMiB: 200,
  ledgerCpuSeconds: 0.02,
  remark: '',
};
const REST = { notes: [], backlogAtMs: [], ledger: 'DynamoDB Local', quick: false };

test('the calls of a backlog come within a second', () => {
  const limits = (atMs: readonly number[]) => presentPeers({ ...REST, rows: [], backlogAtMs: atMs }).limits;
  const what = 'backlog: s from the first of 3 calls to the last';
  expect(limits([5_000, 5_100, 5_900])).toContainEqual({ what, value: 0.9, limit: 1, kept: true });
  expect(limits([5_000, 5_100, 6_100])).toContainEqual({ what, value: 1.1, limit: 1, kept: false });
});

test('many changes at once are compared in time and CPU, and their statuses by themselves', () => {
  const burst: PeerRow = { ...ROW, case: '500 changes at once', median: 4, cpuSeconds: 6 };
  const rows: PeerRow[] = [
    burst,
    { ...burst, case: '500 changes at once, its statuses, after that', cpuSeconds: 0.9 },
    { ...burst, peer: 'external-dns, events', median: 8, cpuSeconds: 1.5 },
    { ...ROW, case: 'a bad record among the changes', median: 4, cpuSeconds: 2 },
    { ...ROW, case: 'a bad record among the changes', peer: 'external-dns, events', median: 2, cpuSeconds: 1 },
  ];
  const { limits } = presentPeers({ ...REST, rows });
  const found = limits.filter(({ what }) => what.includes('changes at once'));
  expect(found.map(({ value, limit, kept }) => [value, limit, kept])).toEqual([
    [2, 1, true],
    [4, 3, false],
    [1.8, 2, true],
    [0.5, 1, false],
    [2, 3, true],
  ]);
});

test('ratios are of the largest zone that both were measured in', () => {
  const rows: PeerRow[] = [ROW, { ...ROW, peer: 'external-dns, events', median: 6, calls: { ListHostedZones: 3 } }];
  const { limits, rows: shown } = presentPeers({ ...REST, rows });
  expect(limits).toContainEqual({
    what: 'times sooner than external-dns, events, at 1000 names',
    value: 60,
    limit: 50,
    kept: true,
  });
  expect(limits.find(({ what }) => what.startsWith('Route 53 calls of one change'))).toMatchObject({ value: 1 });
  expect(shown[1]).toMatchObject({ 'median s': '6.0', calls: 3, 'by kind': '3 list zones' });
});

test('a case that did not end is in the table, and took at least as long as it was waited for', () => {
  const rows: PeerRow[] = [
    ROW,
    { ...ROW, peer: 'external-dns, events', median: null, p99: null, remark: 'not finished' },
  ];
  const { limits, rows: shown } = presentPeers({ ...REST, rows });
  expect(shown[1]).toMatchObject({ 'median s': '-', remark: 'not finished' });
  expect(limits.find(({ what }) => what.includes('sooner than external-dns, events'))).toMatchObject({
    what: 'times sooner than external-dns, events, at 1000 names (at least: it did not end)',
    value: 3_000,
  });
});

test('a goal that was not measured is named', () => {
  const { notes } = presentPeers({ ...REST, rows: [ROW] });
  expect(notes).toContain('goal not measured: times sooner than external-dns, events');
  expect(notes).not.toContain('goal not measured: times sooner than the default interval');
});

test('a throttled call of zone53 misses its limit', () => {
  const { limits } = presentPeers({ ...REST, rows: [{ ...ROW, throttled: 1 }] });
  expect(limits.find(({ what }) => what.startsWith('throttles'))).toMatchObject({ value: 1, kept: false });
});

test('a first publish is compared with its ledger beside it and within it, and its statuses by themselves', () => {
  const published: PeerRow = { ...ROW, case: 'first publish', cpuSeconds: 6, peakMiB: 300 };
  const rows: PeerRow[] = [
    { ...published, peer: 'bare loop', cpuSeconds: 1 },
    published,
    { ...published, case: 'its statuses, after that', cpuSeconds: 5 },
    { ...published, peer: 'zone53, SQLite', cpuSeconds: 3 },
    { ...published, peer: 'zone53, SQLite', case: 'its statuses, after that', cpuSeconds: 2 },
    { ...published, peer: 'external-dns, events', cpuSeconds: 4, peakMiB: 200 },
  ];
  const { limits } = presentPeers({ ...REST, rows });
  const used = limits.filter(({ what }) => /^(CPU|peak memory)/.test(what)).map(({ what, value }) => [what, value]);
  expect(used).toEqual([
    ['CPU of the first publish of 1000 names, over that of external-dns, events', 1.5],
    ['peak memory of the first publish of 1000 names, over that of external-dns, events', 1.5],
    ['CPU of the first publish of 1000 names by zone53, SQLite, over that of external-dns, events', 0.75],
    ['peak memory of the first publish of 1000 names by zone53, SQLite, over that of external-dns, events', 1.5],
    ['CPU of its statuses at 1000 names, over that of the first publish of external-dns, events', 1.25],
    [
      'CPU of its statuses at 1000 names by zone53, SQLite, over that of the first publish of external-dns, events',
      0.5,
    ],
  ]);
});
