// guardPlan(): which deletes it holds, and what releases them.
import { describe, expect, test } from 'vitest';
import { type GuardCase, guardInput } from '../../../test/fakes/guard-input.ts';
import { type Change, digestChanges } from '../../dns/plan-changes.ts';
import { HOUR_MS } from '../../record-sets/retention.ts';
import { type GuardInput, guardPlan, recentDeletions } from './guard.ts';

const NOW = 10 * HOUR_MS;

function change(action: Change['action'], name: string, type = 'A'): Change {
  const content = { kind: 'values' as const, ttlSeconds: 300, values: ['192.0.2.1'] };
  const before = action === 'create' ? null : content;
  const after = action === 'delete' ? null : content;
  return { action, name: `${name}.example.org.`, type, setIdentifier: null, before, after, objects: [] };
}

function many(action: Change['action'], count: number): Change[] {
  return Array.from({ length: count }, (_, index) => change(action, `${action}${index}`));
}

function input(more: GuardCase): GuardInput {
  return guardInput({ nowMs: NOW, ...more });
}

type Row = {
  name: string;
  published: number;
  deletes: number;
  creates?: number;
  /** How many were deleted within the hour; `madeSince`: how many of them were created again. */
  earlier?: number;
  madeSince?: number;
  held: boolean;
};

const rows: Row[] = [
  { name: 'one of a thousand', published: 1000, deletes: 1, held: false },
  { name: 'exactly deletesMax', published: 1000, deletes: 100, held: false },
  { name: 'one more than deletesMax', published: 1000, deletes: 101, held: true },
  { name: 'small steps that add up to deletesMax', published: 910, deletes: 10, earlier: 90, held: false },
  { name: 'small steps that add up to more', published: 910, deletes: 11, earlier: 90, held: true },
  { name: 'exactly the share', published: 10, deletes: 3, held: false },
  { name: 'more than the share of ten', published: 10, deletes: 4, held: true },
  {
    name: 'the share counts what is already deleted, in both its sides',
    published: 8,
    deletes: 2,
    earlier: 2,
    held: true,
  },
  {
    name: 'seven of which many came and went within the hour: each counts',
    published: 7,
    deletes: 1,
    earlier: 20,
    madeSince: 20,
    held: true,
  },
  { name: 'less than half of nine', published: 9, deletes: 4, held: false },
  { name: 'more than half of nine', published: 9, deletes: 5, held: true },
  { name: 'exactly half of eight', published: 8, deletes: 4, held: false },
  { name: 'more than half of five, one by one', published: 3, deletes: 1, earlier: 2, held: true },
  { name: 'two of five, one by one', published: 4, deletes: 1, earlier: 1, held: false },
  { name: 'two of three', published: 3, deletes: 2, held: true },
  { name: 'one of three', published: 3, deletes: 1, held: false },
  { name: 'one of two', published: 2, deletes: 1, held: false },
  { name: 'nine of which all go', published: 9, deletes: 9, held: true },
  { name: 'three down to none', published: 3, deletes: 3, held: true },
  { name: 'two down to none', published: 2, deletes: 2, held: false },
  { name: 'three down to none in steps', published: 1, deletes: 1, earlier: 2, held: true },
  { name: 'three renamed: a rename is a create and a delete', published: 3, deletes: 3, creates: 3, held: true },
  { name: 'one of three renamed', published: 3, deletes: 1, creates: 1, held: false },
  { name: 'two renamed', published: 2, deletes: 2, creates: 2, held: false },
  { name: 'a first publish', published: 0, deletes: 0, creates: 5000, held: false },
];

describe('guardPlan()', () => {
  test.each(rows)('$name', ({ published, deletes, creates = 0, earlier = 0, madeSince = 0, held }) => {
    const changes = [...many('delete', deletes), ...many('create', creates)];
    const before = published + earlier - madeSince;
    const deletions = earlier === 0 ? [] : [{ atMs: NOW - 1000, count: earlier, published: before }];
    const verdict = guardPlan(input({ changes, publishedCount: published, deletions }));
    expect(verdict.held.length).toBe(held ? deletes : 0);
    expect(verdict.go.length).toBe(creates + (held ? 0 : deletes));
    expect(verdict.reasons.length > 0).toBe(held);
  });

  test('a share is at most 1: deletesShareMax 1 holds nothing, also where more went than existed at a time', () => {
    const deletions = [{ atMs: NOW - 1000, count: 13, published: 13 }];
    const guarded = (deletes: number, deletesShareMax: number) =>
      guardPlan(
        input({ changes: many('delete', deletes), publishedCount: 12, deletions, limits: { deletesShareMax } }),
      );
    expect(guarded(1, 1).held).toEqual([]);
    expect(guarded(1, 0.99).held).toHaveLength(1);
    expect(guarded(12, 1).reasons[0]).toBe('All 12 record sets of the hosted zone would be gone.');
  });

  test('allows creates and updates while it holds deletes', () => {
    const changes = [...many('delete', 200), ...many('update', 5), ...many('create', 5)];
    const verdict = guardPlan(input({ changes }));
    expect(verdict.go.map((one) => one.action)).toEqual([...Array(5).fill('update'), ...Array(5).fill('create')]);
    expect(verdict.digest).toBe(digestChanges(many('delete', 200)));
  });

  test('gives numbers in its reason, and how to acknowledge', () => {
    const { reasons, digest } = guardPlan(input({ changes: many('delete', 150) }));
    expect(reasons).toEqual([
      '150 record sets would be deleted within an hour; the limit is 100 (guard.deletesMax).',
      `150 record sets are held until they are acknowledged: annotate Zone default/zone with zone53.dev/acknowledge-plan: ${digest}, or run zone53 apply with --acknowledge ${digest}.`,
    ]);
  });

  test.each([
    ['default/zone', 'annotate Zone default/zone'],
    [null, 'declare a Zone of this name again, or mend the one that is not accepted, and annotate it'],
  ])(
    'names the annotation alone while the process that publishes keeps the ledger to itself (Zone: %s)',
    (zone, how) => {
      const limits = { keepsLedger: true } as const;
      const { reasons, digest } = guardPlan(input({ changes: many('delete', 150), zone, limits }));
      expect(reasons[1]).toBe(
        `150 record sets are held until they are acknowledged: ${how} with zone53.dev/acknowledge-plan: ${digest}.`,
      );
    },
  );

  test.each([
    {
      what: 'what is gone already',
      deletes: 1,
      publishedCount: 1,
      earlier: 4,
      says: [
        'All 5 record sets of the hosted zone would be gone.',
        '4 of 5 are gone already. 1 record set is held until it is acknowledged: ',
      ],
    },
    {
      what: 'that more than half would go',
      deletes: 2,
      publishedCount: 4,
      earlier: 1,
      says: [
        'With the 1 of the last hour, 3 of 5 record sets would be deleted within an hour; of three to nine record sets, the limit is half.',
        '1 of 5 are gone already. 2 record sets are held until they are acknowledged: ',
      ],
    },
    {
      what: 'how many went where others came meanwhile',
      deletes: 1,
      publishedCount: 5,
      earlier: 7,
      before: 5,
      says: [
        'With the 7 of the last hour, 8 record sets would be deleted within an hour, where at most 5 existed at a time; of three to nine record sets, the limit is half.',
        '7 record sets were deleted within the last hour. 1 record set is held until it is acknowledged: ',
      ],
    },
    {
      what: 'how many existed at a time, in place of a share above 100 %',
      deletes: 6,
      publishedCount: 10,
      earlier: 10,
      before: 10,
      says: [
        'With the 10 of the last hour, 16 record sets would be deleted within an hour, where at most 10 existed at a time; the limit is 30 % (guard.deletesShareMax).',
      ],
    },
    {
      what: 'that one went where more came meanwhile',
      deletes: 4,
      publishedCount: 8,
      earlier: 1,
      before: 5,
      says: [
        'With the 1 of the last hour, 5 of 8 record sets would be deleted within an hour; of three to nine record sets, the limit is half.',
        '1 record set was deleted within the last hour. 4 record sets are held until they are acknowledged: ',
      ],
    },
    {
      what: 'how many are left where one went and another came meanwhile',
      deletes: 5,
      publishedCount: 5,
      earlier: 2,
      before: 6,
      says: [
        'All 5 record sets of the hosted zone would be gone.',
        '2 record sets were deleted within the last hour. 5 record sets are held until they are acknowledged: ',
      ],
    },
  ])('gives as its reason $what', ({ deletes, publishedCount, earlier, before = publishedCount + earlier, says }) => {
    const deletions = [{ atMs: NOW - 1000, count: earlier, published: before }];
    const { reasons } = guardPlan(input({ changes: many('delete', deletes), publishedCount, deletions }));
    expect(says.map((said, index) => reasons[index]?.slice(0, said.length))).toEqual(says);
  });

  test('forgets what was deleted more than an hour ago', () => {
    expect(
      recentDeletions(
        [
          { atMs: NOW - HOUR_MS, count: 7, published: 50 },
          { atMs: NOW - HOUR_MS + 1, count: 5, published: 50 },
        ],
        NOW,
      ),
    ).toBe(5);
  });

  test('holds with a delete the create that needs it because of a CNAME, and nothing else', () => {
    const swap = [change('delete', 'x', 'CNAME'), change('create', 'x', 'A')];
    const other = change('create', 'delete0', 'TXT');
    const verdict = guardPlan(input({ changes: [...many('delete', 100), ...swap, other] }));
    expect(verdict.tied).toEqual([swap[1]]);
    expect(verdict.go).toEqual([other]);
  });

  test('holds with a simple record set the routed one that replaces it, which Route 53 would refuse beside it', () => {
    const old = change('delete', 'x', 'CNAME');
    const routing = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null };
    const after = { kind: 'values' as const, ttlSeconds: 300, values: ['y.'], routing };
    const routed = { ...change('create', 'x', 'CNAME'), setIdentifier: 'a', after };
    expect(guardPlan(input({ changes: [old, routed], wasHeld: () => true }))).toMatchObject({ go: [], tied: [routed] });
  });

  test('keeps holding its held deletes, although the numbers are now small', () => {
    const changes = many('delete', 2);
    const verdict = guardPlan(input({ changes, wasHeld: (one) => one.name.startsWith('delete1') }));
    expect(verdict.held).toEqual([changes[1]]);
    expect(verdict.go).toEqual([changes[0]]);
    expect(verdict.reasons[0]).toBe('1 record set held earlier would be deleted.');
  });

  test('holds both halves of a swap of which one was held', () => {
    const swap = [change('delete', 'x', 'A'), change('delete', 'x', 'AAAA'), change('create', 'x', 'CNAME')];
    const verdict = guardPlan(input({ changes: swap, wasHeld: (one) => one.type === 'A' }));
    expect(verdict.go).toEqual([]);
    expect(verdict.held).toHaveLength(2);
  });

  test.each([
    { by: 'the digest of the held deletes', acknowledged: (held: string) => held, releases: true },
    { by: 'another digest', acknowledged: () => 'f'.repeat(64), releases: false },
    { by: 'a part of the digest', acknowledged: (held: string) => held.slice(0, 12), releases: false },
  ])('is acknowledged by $by: $releases', ({ acknowledged, releases }) => {
    const changes = many('delete', 200);
    const digest = acknowledged(digestChanges(changes));
    const verdict = guardPlan(input({ changes, acknowledged: [digest] }));
    expect(verdict.go.length).toBe(releases ? 200 : 0);
    expect(verdict.releasedBy).toEqual(releases ? [digest] : []);
  });

  test('says what to do about an annotation that was used before', () => {
    const changes = many('delete', 150);
    const { held, reasons } = guardPlan(input({ changes, spent: digestChanges(changes) }));
    expect(held).toHaveLength(150);
    expect(reasons.at(-1)).toBe(
      'The annotation has already released these deletes once: remove it, and set it again some seconds later.',
    );
  });

  test('does not accept an acknowledgement after one more delete', () => {
    const acknowledged = [digestChanges(many('delete', 200))];
    expect(guardPlan(input({ changes: many('delete', 201), acknowledged })).go).toEqual([]);
  });

  test('counts released deletes for the next plan', () => {
    const changes = [...many('delete', 100), change('delete', 'next')];
    const verdict = guardPlan(input({ changes, wasReleased: (one) => one.name !== 'next.example.org.' }));
    expect(verdict.go).toHaveLength(100);
    expect(verdict.held).toEqual([changes[100]]);
  });
});

describe('objects that went together with their CRD', () => {
  const lost = ({ name }: Change) => (name.startsWith('lost') ? ['Record p/lost'] : []);
  const [gone, edited] = [change('delete', 'lost'), change('update', 'lost2')];

  test('guardPlan() holds what they leave, an update too, and lets other deletes go', () => {
    const other = change('delete', 'other');
    const verdict = guardPlan(input({ changes: [gone, edited, other], publishedCount: 3, lost }));
    expect(verdict.held).toEqual([gone, edited]);
    expect(verdict.go).toEqual([other]);
    expect(verdict.reasons[0]).toBe(
      '2 record sets would be deleted or changed because Record p/lost went together with its CRD: declare it again to keep them.',
    );
  });

  test('guardPlan() releases it when its digest is acknowledged', () => {
    const verdict = guardPlan(input({ changes: [gone, edited], lost, acknowledged: [digestChanges([gone, edited])] }));
    expect(verdict).toMatchObject({ held: [], go: [gone, edited] });
    expect([...verdict.released.keys()]).toEqual([gone, edited]);
  });

  test('guardPlan() holds it although the limits are off', () => {
    expect(guardPlan(input({ changes: [gone], lost, limits: { isOff: true } })).held).toEqual([gone]);
  });
});

describe('guardPlan() judges the namespace with the most deletes, and all others', () => {
  const of = (namespace: string, count: number, action: Change['action'] = 'delete') =>
    Array.from({ length: count }, (_, index) => ({
      ...change(action, `${namespace}-${index}`),
      objects: [`Record ${namespace}/r${index}`],
    }));
  const none = { publishedCount: 0, deletions: [] };
  const deleted = (count: number, published: number) => [{ atMs: NOW - 60_000, count, published }];

  test.each<[string, GuardCase, readonly string[]]>([
    [
      'what one tenant made and deleted holds nobody else',
      {
        changes: [...of('evil', 1), ...of('good', 1)],
        publishedCount: 51,
        deletions: deleted(29, 80),
        namespaces: {
          evil: { publishedCount: 1, deletions: deleted(29, 30) },
          good: { publishedCount: 50, deletions: [] },
        },
      },
      ['evil'],
    ],
    [
      'a small namespace that ends holds nothing',
      {
        changes: of('preview', 3),
        publishedCount: 50,
        namespaces: { preview: { publishedCount: 3, deletions: [] } },
      },
      [],
    ],
    [
      'a large namespace that ends is held',
      {
        changes: of('shop', 20),
        publishedCount: 50,
        namespaces: { shop: { publishedCount: 20, deletions: [] } },
      },
      ['shop'],
    ],
    [
      'many small ones together hold all, against what the others had',
      {
        changes: [...of('big', 5), ...of('a', 2), ...of('b', 2)],
        publishedCount: 50,
        namespaces: { big: { publishedCount: 40, deletions: [] }, a: none, b: none },
      },
      ['a', 'b', 'big'],
    ],
    [
      'everything gone where three or more stood holds all',
      {
        changes: [...of('a', 2), ...of('b', 1)],
        publishedCount: 3,
        namespaces: { a: { publishedCount: 2, deletions: [] }, b: { publishedCount: 1, deletions: [] } },
      },
      ['a', 'b'],
    ],
  ])('%s', (_, given, held) => {
    const verdict = guardPlan(input(given));
    expect(verdict.holds.map(({ namespace }) => namespace).toSorted()).toEqual(held);
    expect(verdict.held.length + verdict.go.length).toBe(given.changes?.length);
  });

  const several = {
    changes: [...of('a', 20), ...of('b', 20)],
    publishedCount: 60,
    namespaces: { a: { publishedCount: 20, deletions: [] }, b: { publishedCount: 20, deletions: [] } },
  };

  test('the digest of a namespace releases its deletes alone, and others do not change it', () => {
    const held = guardPlan(input(several));
    const [a, b] = held.holds;
    const released = guardPlan(input({ ...several, acknowledged: [a?.digest ?? ''] }));
    expect([...released.released]).toEqual(of('a', 20).map((change) => [change, a?.digest]));
    expect(released.releasedBy).toEqual([a?.digest]);
    expect(released.holds).toEqual([b]);
    expect(released.go).toEqual(of('a', 20));
    const more = guardPlan(input({ ...several, changes: [...several.changes, ...of('c', 1)] }));
    expect(more.holds.find(({ namespace }) => namespace === 'a')?.digest).toBe(a?.digest);
    expect(guardPlan(input({ ...several, acknowledged: [a?.digest ?? '', b?.digest ?? ''] })).held).toEqual([]);
    expect(guardPlan(input({ ...several, acknowledged: [held.digest ?? ''] })).held).toEqual([]);
  });

  test('a record set that loses more than half of its objects counts as a delete, and is held as one', () => {
    const pool = { ...change('update', 'pool'), objects: ['Record a/v1'] };
    const others = of('a', 2);
    const losing = { losesObjects: (one: Change) => one === pool, publishedCount: 5 };
    const { held, reasons } = guardPlan(input({ ...losing, changes: [pool, ...others] }));
    expect(held).toEqual([pool, ...others]);
    expect(reasons[0]).toMatch(/^3 of 5 record sets would be deleted or lose more than half of their objects within/);
    expect(guardPlan(input({ publishedCount: 5, changes: [pool, ...others] })).held).toEqual([]);
  });

  test('an NS record set that loses a server is held with the held deletes of its namespace, and by itself goes', () => {
    const servers = (...values: string[]) => ({ kind: 'values' as const, ttlSeconds: 300, values });
    const ns = {
      ...change('update', 'sub', 'NS'),
      before: servers('ns1.x.', 'ns2.x.'),
      after: servers('ns1.x.'),
      objects: ['Zone a/sub'],
    };
    const elsewhere = { ...ns, name: 'other.example.org.', objects: ['Zone b/other'] };
    const verdict = guardPlan(input({ publishedCount: 5, changes: [...of('a', 3), ns, elsewhere] }));
    expect(verdict.held).toEqual([...of('a', 3), ns]);
    expect(verdict.go).toEqual([elsewhere]);
    expect(guardPlan(input({ publishedCount: 5, changes: [ns] })).held).toEqual([]);
  });
});
