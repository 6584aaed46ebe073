import { expect, test } from 'vitest';
import { type DnsRecord, type Operation, readDnsRecord } from './dns-record.ts';
import { decide, factsOf, LIFECYCLE, rowOf } from './lifecycle.ts';

type Standing = {
  readonly annotation?: string;
  readonly deleted?: true;
  /** False: Route 53 does not have our record set. */
  readonly finalizer?: false;
  /** `type state` of the last operation. */
  readonly last?: string;
  readonly created?: 'True' | 'False' | 'Unknown';
  /** The generation; 2 by default. */
  readonly observed?: number;
  readonly pending?: Operation;
  /** A check found the last error. */
  readonly ofCheck?: true;
  /** The annotation of the IP stack was edited. */
  readonly restacked?: true;
  readonly ignoring?: true;
};

function recordOf({ annotation, deleted, finalizer, last, created, observed = 2 }: Standing): DnsRecord {
  const [type, state] = last?.split(' ') ?? [];
  return readDnsRecord({
    metadata: {
      namespace: 'a',
      name: 'b',
      generation: 2,
      annotations: annotation === undefined ? {} : { 'gardener.cloud/operation': annotation },
      deletionTimestamp: deleted === true ? '2026-01-01T00:00:00Z' : undefined,
      finalizers: finalizer === false ? ['other'] : ['other', 'extensions.gardener.cloud/dnsrecord'],
    },
    status: {
      observedGeneration: observed,
      ...(last === undefined ? {} : { lastOperation: { type, state } }),
      conditions: created === undefined ? [] : [{ type: 'Created', status: created }],
    },
  }) as DnsRecord;
}

/** The decision as one line. */
function shown(standing: Standing): string {
  const settings = { ignoreOperationAnnotation: standing.ignoring === true };
  const { pending = null, ofCheck, restacked } = standing;
  const decision = decide(recordOf(standing), settings, pending, ofCheck, restacked);
  if (decision.kind !== 'run') return decision.kind;
  const { operation, asked, removesFirst, calls } = decision;
  return [
    operation,
    ...(asked ? [] : ['later']),
    ...(removesFirst ? ['annotation first'] : []),
    ...(calls ? [] : ['no call']),
  ].join(', ');
}

const DONE = 'Reconcile Succeeded';
const MIGRATED = 'Migrate Succeeded';

const ROWS: readonly (readonly [string, Standing, string])[] = [
  ['a new object', { observed: 0 }, 'Create'],
  ['a new object with reconcile', { annotation: 'reconcile', observed: 0 }, 'Create, annotation first'],
  ['a new object without a status', { annotation: 'wait-for-state', observed: 0 }, 'none'],
  ['a new object that is restored', { annotation: 'restore', observed: 0 }, 'Restore'],
  ['a new object that is migrated', { annotation: 'migrate', observed: 0 }, 'Migrate, no call'],
  ['an unknown annotation', { annotation: 'rotate', last: DONE }, 'none'],
  ['an unknown annotation of a new object', { annotation: 'rotate', observed: 0 }, 'Create'],

  ['an object that has succeeded', { last: DONE, created: 'True' }, 'none'],
  ['a plain edit', { last: DONE, created: 'True', observed: 1 }, 'none'],
  ['a plain edit, annotations ignored', { last: DONE, observed: 1, ignoring: true }, 'Reconcile'],
  ['no edit, annotations ignored', { last: DONE, ignoring: true }, 'none'],
  ['reconcile', { last: DONE, annotation: 'reconcile' }, 'Reconcile, annotation first'],
  [
    'reconcile, annotations ignored',
    { last: DONE, annotation: 'reconcile', ignoring: true },
    'Reconcile, annotation first',
  ],
  [
    'wait-for-state after an edit, annotations ignored',
    { last: DONE, observed: 1, annotation: 'wait-for-state', ignoring: true },
    'none',
  ],

  ['a check found an error', { last: 'Reconcile Error', ofCheck: true }, 'Reconcile, later'],
  ['a check found an error, a plain edit', { last: 'Reconcile Error', observed: 1, ofCheck: true }, 'check'],
  ['a check found an error, another IP stack', { last: 'Reconcile Error', ofCheck: true, restacked: true }, 'check'],
  ['another IP stack', { last: DONE, restacked: true }, 'none'],
  ['another IP stack, annotations ignored', { last: DONE, restacked: true, ignoring: true }, 'none'],
  [
    'a check found an error, an edit, reconcile',
    { last: 'Reconcile Error', observed: 1, ofCheck: true, annotation: 'reconcile' },
    'Reconcile, annotation first',
  ],
  [
    'a check found an error, an edit, annotations ignored',
    { last: 'Reconcile Error', observed: 1, ofCheck: true, ignoring: true },
    'Reconcile',
  ],

  ['Create failed', { last: 'Create Error', created: 'False' }, 'Create, later'],
  ['Create failed, and was edited', { last: 'Create Error', created: 'False', observed: 1 }, 'Create'],
  ['Create failed, reconcile', { last: 'Create Error', annotation: 'reconcile' }, 'Create, annotation first'],
  ['Create died under way', { last: 'Create Processing', pending: 'Create' }, 'Create'],
  ['Create succeeded, reconcile', { last: 'Create Succeeded', annotation: 'reconcile' }, 'Reconcile, annotation first'],
  ['Reconcile failed', { last: 'Reconcile Error', created: 'True' }, 'Reconcile, later'],
  ['Reconcile died before its first status', { last: DONE, pending: 'Reconcile' }, 'Reconcile'],
  ['Restore failed, its annotation is still set', { last: 'Restore Error', annotation: 'restore' }, 'Restore'],
  ['Restore failed, its annotation is gone', { last: 'Restore Error' }, 'Restore, later'],
  ['Restore failed, reconcile', { last: 'Restore Error', annotation: 'reconcile' }, 'Restore, annotation first'],
  [
    'Restore succeeded, reconcile',
    { last: 'Restore Succeeded', annotation: 'reconcile' },
    'Reconcile, annotation first',
  ],
  ['Restore died before its annotation went', { last: 'Restore Succeeded', annotation: 'restore' }, 'Restore'],
  ['Migrate under way, its annotation is gone', { last: 'Migrate Processing' }, 'Migrate, later, no call'],
  [
    'Migrate failed, reconcile',
    { last: 'Migrate Error', annotation: 'reconcile' },
    'Migrate, annotation first, no call',
  ],
  ['a state that nobody knows', { last: 'Reconcile Pending' }, 'Reconcile, later'],
  ['a type that nobody knows', { last: 'LiveMigrate Error' }, 'Reconcile, later'],
  ['aborted', { last: 'Create Aborted' }, 'Create, later'],

  ['migrate', { last: DONE, annotation: 'migrate' }, 'Migrate, no call'],
  ['migrate, of a deleted one', { last: DONE, annotation: 'migrate', deleted: true }, 'Migrate, no call'],
  [
    'migrate died before its annotation went',
    { last: MIGRATED, annotation: 'migrate', finalizer: false },
    'Migrate, no call',
  ],
  ['migrated', { last: MIGRATED, finalizer: false }, 'none'],
  ['migrated, and edited', { last: MIGRATED, finalizer: false, observed: 1 }, 'none'],
  ['migrated, and edited, annotations ignored', { last: MIGRATED, observed: 1, ignoring: true }, 'none'],
  ['migrated, reconcile', { last: MIGRATED, finalizer: false, annotation: 'reconcile' }, 'drop'],
  ['migrated, and deleted', { last: MIGRATED, deleted: true, finalizer: false }, 'none'],
  [
    'migrated, and deleted, reconcile',
    { last: MIGRATED, deleted: true, finalizer: false, annotation: 'reconcile' },
    'drop',
  ],
  [
    'migrated, and deleted, restore',
    { last: MIGRATED, deleted: true, finalizer: false, annotation: 'restore' },
    'none',
  ],
  ['migrated but for the finalizer, and deleted', { last: MIGRATED, deleted: true }, 'Migrate, no call'],
  [
    'migrated but for the finalizer, and deleted, reconcile',
    { last: MIGRATED, deleted: true, annotation: 'reconcile' },
    'Migrate, annotation first, no call',
  ],
  ['migrated, restore', { last: MIGRATED, finalizer: false, annotation: 'restore' }, 'Restore'],

  ['deleted', { last: DONE, created: 'True', deleted: true }, 'Delete'],
  [
    'deleted, reconcile',
    { last: DONE, created: 'True', deleted: true, annotation: 'reconcile' },
    'Delete, annotation first',
  ],
  ['deleted, restore', { last: DONE, created: 'True', deleted: true, annotation: 'restore' }, 'Delete'],
  ['deleted, wait-for-state', { last: DONE, created: 'True', deleted: true, annotation: 'wait-for-state' }, 'none'],
  ['deleted, Delete failed', { last: 'Delete Error', created: 'True', deleted: true }, 'Delete'],
  [
    'deleted, Delete died before its finalizer went',
    { last: 'Delete Succeeded', created: 'True', deleted: true },
    'Delete',
  ],
  ['deleted, Create under way', { last: 'Create Processing', deleted: true, pending: 'Create' }, 'Delete'],
  ['deleted, not known whether it was created', { last: 'Create Error', created: 'Unknown', deleted: true }, 'Delete'],
  ['deleted, never created', { last: 'Create Error', created: 'False', deleted: true }, 'Delete, no call'],
  [
    'deleted, never created, reconcile',
    { created: 'False', deleted: true, annotation: 'reconcile' },
    'Delete, annotation first, no call',
  ],
  ['deleted, without our finalizer', { last: DONE, created: 'True', deleted: true, finalizer: false }, 'none'],
  [
    'deleted, without our finalizer, reconcile',
    { last: DONE, deleted: true, finalizer: false, annotation: 'reconcile' },
    'drop',
  ],
  ['deleted, annotations ignored', { last: DONE, created: 'True', deleted: true, ignoring: true }, 'Delete'],
];

test.each(ROWS)('decide(): %s', (_, standing, expected) => {
  expect(shown(standing)).toBe(expected);
});

test('decide() is tested for every row of its table', () => {
  const reached = ROWS.map(([, standing]) => {
    const settings = { ignoreOperationAnnotation: standing.ignoring === true };
    return rowOf(factsOf(recordOf(standing), settings, standing.pending ?? null, standing.ofCheck)).when;
  });
  expect(LIFECYCLE.map(({ when }) => when).filter((when) => !reached.includes(when))).toEqual([]);
});
