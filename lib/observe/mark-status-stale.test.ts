import { expect, it } from 'vitest';
import { memoryLedger } from '../adapters/ledger/memory-ledger.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { noteOverwritten } from './mark-status-stale.ts';
import { digestEntries, type StatusItem, statusCodec, statusKey } from './status-item.ts';

const ref = { kind: 'Zone', namespace: 'team', name: 'zone' } as const;
const root = { type: 'Accepted', status: 'True', reason: 'Root', message: 'm', observedGeneration: 1 } as const;
const entries = [{ fqdn: 'e.', type: 'A', class: 'IN', ttl: 1, rdata: '192.0.2.1' }];
const reported: StatusItem = {
  uid: 'u',
  fqdn: 'e.',
  parent: 'team/parent',
  conditions: [root],
  hash: 'v1:a',
  serial: 2026030100,
  entries: digestEntries(entries),
};

const status = {
  fqdn: 'e.',
  conditions: [{ ...root, lastTransitionTime: '2026-03-01T00:00:00Z' }, { type: 'Other' }],
  hash: 'v1:a',
  serial: 2026030100,
  entries,
};

const refused = { ...root, status: 'False', reason: 'InvalidSpec' } as const;
const shown: ClusterObject = {
  ref,
  uid: 'u',
  creationTimestamp: null,
  order: '',
  version: '2',
  generation: 1,
  annotations: {},
  labels: { 'kubi.zone/parent-zone': 'parent.team' },
  spec: {},
  status,
  origin: null,
};

it.each<[string, Partial<ClusterObject>, Partial<StatusItem>, boolean]>([
  ['what was reported, as it was reported', {}, {}, false],
  ['another label', { labels: { 'kubi.zone/parent-zone': 'bank.team' } }, {}, true],
  ['no label', { labels: {} }, {}, true],
  ['an annotation beside the label', { annotations: { 'kubi.zone/parent-zone': 'bank.team' } }, {}, true],
  ['a label without a parent', {}, { parent: null }, true],
  ['another name', { status: { ...status, fqdn: 'bank.' } }, {}, true],
  ['another verdict', { status: { ...status, conditions: [refused] } }, {}, true],
  ['no conditions', { status: { ...status, conditions: [] } }, {}, true],
  ['no status', { status: null }, {}, true],
  ['another hash', { status: { ...status, hash: 'v1:b' } }, {}, true],
  ['another serial', { status: { ...status, serial: 1 } }, {}, true],
  ['an additional entry', { status: { ...status, entries: [...entries, ...entries] } }, {}, true],
  ['omitted entries, which cannot be compared', { status: { ...status, entriesOmitted: 1 } }, {}, true],
  ['another object of the same name that was not reported yet', { uid: 'v', status: null }, {}, true],
  ['a manifest, which has no status', { status: undefined, labels: {} }, {}, false],
  [
    'a Zone that is not live, whose serial is saved and not shown',
    { labels: {}, status: { fqdn: 'e.', conditions: [refused], entries: [], hash: null, serial: null } },
    { parent: null, conditions: [refused], entries: digestEntries([]) },
    false,
  ],
])('noteOverwritten() of %s', async (_title, object, item, expected) => {
  const ledger = memoryLedger();
  const context = { ledger, config: { clusterId: 'test' } } as unknown as Context;
  await ledger.put(statusKey('test', ref), statusCodec.encode({ ...reported, ...item }), null);
  const observation = { kind: 'present', object: { ...shown, ...object } } as const;
  expect(await noteOverwritten(context, observation)).toBe(expected);
  const kept = await ledger.get(statusKey('test', ref));
  expect(kept === null ? null : statusCodec.decode(kept).overwritten).toBe(expected ? true : undefined);
});

it('noteOverwritten() without a noted report makes a running report write once more (seed 2266066)', async () => {
  const ledger = memoryLedger();
  const context = { ledger, config: { clusterId: 'test' } } as unknown as Context;
  expect(await noteOverwritten(context, { kind: 'present', object: shown })).toBe(true);
  // That report saw no item before it wrote, so it cannot note its write now.
  expect(await ledger.put(statusKey('test', ref), statusCodec.encode(reported), null)).toBeNull();
  const kept = await ledger.get(statusKey('test', ref));
  expect(kept === null ? null : statusCodec.decode(kept).overwritten).toBe(true);
});

it('noteOverwritten() of a report that was begun makes it write once more, and of one that is not ours does not', async () => {
  const ledger = memoryLedger();
  const context = { ledger, config: { clusterId: 'test' } } as unknown as Context;
  for (const [uid, isNews] of [
    ['u', true],
    [null, false],
  ] as const) {
    const begun = { ...reported, uid, conditions: [], overwritten: true } as const;
    const before = await ledger.get(statusKey('test', ref));
    const revision = await ledger.put(statusKey('test', ref), statusCodec.encode(begun), before?.revision ?? null);
    expect(await noteOverwritten(context, { kind: 'present', object: shown })).toBe(true);
    expect((await ledger.get(statusKey('test', ref)))?.revision === revision).toBe(!isNews);
  }
});
