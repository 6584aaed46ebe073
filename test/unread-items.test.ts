// An item of the ledger that this version cannot read costs its own name, object or hosted zone, in every command and
// function. Each kind of item is damaged in turn, in each way, in a world where everything changes.
import { beforeAll, describe, expect, test } from 'vitest';
import { ITEM_KINDS } from '../cli/account/ledger-items.ts';
import { applyCluster } from '../lib/apply/apply-cluster.ts';
import { unreadProblems } from '../lib/apply/kept-names.ts';
import { type ClusterPlan, planReading } from '../lib/apply/plan-cluster.ts';
import { explainName } from '../lib/inspect/explain-name.ts';
import { allItems } from '../lib/ledger/pages.ts';
import { type ObjectRef, parseRef } from '../lib/objects/object-ref.ts';
import { readCluster, readRemembered } from '../lib/observe/read-cluster.ts';
import type { JsonObject, LedgerKey } from '../lib/ports/ledger.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { sweepPiece } from '../lib/sweep/sweep-cluster.ts';
import { a, apply, write, zone } from './fakes/reconcile-steps.ts';
import { deliverAll, hintFor, type ReconcileWorld, reconcileWorld } from './fakes/reconcile-world.ts';

const HOSTED_ZONES = [
  { id: 'Z1', name: 'e.' },
  { id: 'Z2', name: 'f.' },
];
/** `bad` is what each damaged item is about: the name bad.e., its object in the namespace bad, the Zone of e. */
const BEFORE = {
  'Zone a/e': zone('e.'),
  'Zone a/sub': zone('sub.e.'),
  'Zone b/f': zone('f.'),
  'Record bad/bad': a('bad.e.'),
  'Record bad/gone': a('gone.e.'),
  'Record bad/sub': a('bad.sub.e.'),
  'Record c/good': a('good.e.'),
  'Record c/other': a('other.f.'),
  'Record c/leaves': a('leaves.f.'),
};
const CHANGED = '192.0.2.77';
const AFTER = {
  'Record bad/bad': a('bad.e.', { rdata: CHANGED }),
  'Record bad/gone': undefined,
  'Record bad/sub': a('bad.sub.e.', { rdata: CHANGED }),
  'Record c/good': a('good.e.', { rdata: CHANGED }),
  'Record c/other': a('other.f.', { rdata: CHANGED }),
  'Record c/new': a('new.f.'),
  'Record c/leaves': undefined,
};

type Kept = {
  readonly key: LedgerKey;
  /** What does not change in Route 53 while the item is damaged. */
  readonly kept: readonly string[];
  /** The same for functions, if it is less. */
  readonly keptByFunctions?: readonly string[];
  /** An object that says so after `apply`. */
  readonly saidOn?: string;
  /** The item is written anew on purpose: nothing depends on its content. */
  readonly isReplaced?: true;
};
const at = (partition: string, sort: string): LedgerKey => ({ partition, sort });

/** What is damaged, and what that costs. */
const CASES: Readonly<Record<string, readonly Kept[]>> = {
  objects: [
    { key: at('objects#default#Record', 'bad/bad'), kept: ['bad.e. A'], saidOn: 'Record bad/bad' },
    { key: at('objects#default#Record', 'bad/gone'), kept: ['gone.e. A'] },
    { key: at('objects#default#Zone', 'a/e'), kept: [] },
  ],
  names: [{ key: at('names#default', 'e bad !Record bad/bad'), kept: ['bad.e. A'] }],
  members: [{ key: at('members#default#a/e', 'x !Record bad/x'), kept: [] }],
  targets: [{ key: at('targets#default', 'e bad !Record bad/x'), kept: [] }],
  dependents: [{ key: at('dependents#default#Node', '*?!Service bad/x'), kept: [] }],
  related: [{ key: at('related#default#Node', '/x'), kept: [] }],
  rechecks: [{ key: at('rechecks#default', 'Service bad/x'), kept: [] }],
  ages: [
    { key: at('ages#default#names', 'e bad '), kept: ['bad.e. A'], saidOn: 'Record bad/bad' },
    { key: at('ages#default#zones', 'e sub '), kept: ['bad.sub.e. A'], keptByFunctions: [], saidOn: 'Record bad/sub' },
  ],
  directory: [{ key: at('directory#default', 'e sub '), kept: ['bad.sub.e. A'], saidOn: 'Record bad/sub' }],
  subtrees: [{ key: at('subtrees#default', 'e sub '), kept: [] }],
  pointers: [
    { key: at('pointers#default', 'arpa in-addr 192 0 2 1 !bad.e.'), kept: [] },
    { key: at('pointers#default', 'e bad !1.2.0.192.in-addr.arpa.'), kept: [] },
  ],
  kinds: [{ key: at('kinds#default', 'custom'), kept: [] }],
  sweep: [{ key: at('sweep#default', 'state'), kept: [], isReplaced: true }],
  sweeps: [{ key: at('sweeps#default', 'Z1'), kept: [] }],
  statuses: [
    { key: at('statuses#default#Record', 'bad/bad'), kept: [] },
    { key: at('statuses#default#Zone', 'a/sub'), kept: [] },
  ],
  dnsrecords: [{ key: at('dnsrecords#default', 'bad/x'), kept: [] }],
  recordsets: [
    { key: at('recordsets#Z1', 'e bad A '), kept: ['bad.e. A'], saidOn: 'Record bad/bad' },
    { key: at('recordsets#Z1', 'e gone A '), kept: ['gone.e. A'] },
  ],
  history: [{ key: at('history#Z1', 'e bad '), kept: [] }],
  batches: [{ key: at('batches#Z1', '1 2 3'), kept: [] }],
  readings: [{ key: at('readings#Z1', 'e bad '), kept: [], isReplaced: true }],
  differences: [{ key: at('differences#Z1', 'e bad '), kept: [], isReplaced: true }],
  dirty: [{ key: at('dirty#Z1', 'e bad '), kept: ['bad.e. A'] }],
  held: [{ key: at('held#Z1', 'e gone '), kept: ['gone.e. A'] }],
  guard: [{ key: at('guard#default#Z1', 'bad'), kept: ['gone.e. A'] }],
  healthchecks: [{ key: at('healthchecks', 'bad'), kept: [] }],
  healthcheckuses: [{ key: at('healthcheckuses', 'x!Z1!e bad A '), kept: [] }],
  hostedzones: [
    {
      key: at('hostedzones', 'Z1'),
      kept: ['bad.e. A', 'gone.e. A', 'good.e. A', 'bad.sub.e. A'],
      saidOn: 'Record c/good',
    },
  ],
  polls: [{ key: at('polls#default', 'versions'), kept: [], isReplaced: true }],
  clusters: [{ key: at('clusters', 'default'), kept: [] }],
  format: [{ key: at('format', 'ledger'), kept: [] }],
  lookups: [{ key: at('lookups#default', 'sub-zones'), kept: [] }],
  budget: [{ key: at('budget', 'route53'), kept: [], isReplaced: true }],
  creations: [{ key: at('creations#default', 'e sub '), kept: [] }],
  intentrecords: [],
  intentpairs: [],
  intentapps: [],
  intentservices: [],
  intentclaims: [],
  intentserved: [{ key: at('intentserved#default', 'bad/x'), kept: [] }],
  intentonce: [],
  intentremovals: [],
};

/** The ways in which an item cannot be read. An unknown enumerated value is a field of another shape. */
const DAMAGES: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  'a later version': (body) => ({ ...body, v: 2 }),
  'a field of another shape': (body) =>
    Object.fromEntries(
      Object.entries(body).map(([field, value]) => [field, field === 'v' ? value : { kind: typeof value }]),
    ),
  'a missing field': () => ({ v: 1 }),
};

const ROWS = Object.entries(CASES).flatMap(([kind, cases]) =>
  cases.flatMap((one) =>
    Object.keys(DAMAGES).map((damage) => ({ ...one, kind, damage, sort: `${one.key.partition} / ${one.key.sort}` })),
  ),
);

/** A world in which all of BEFORE is published, with one item damaged, and then AFTER in the cluster. */
async function damagedWorld({ key, damage }: (typeof ROWS)[number]): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: HOSTED_ZONES });
  await apply(world, BEFORE);
  await deliverAll(world);
  await sweepPiece(world.context, Number.POSITIVE_INFINITY);
  const stored = await world.ledger.get(key);
  const damaged = DAMAGES[damage]?.(stored?.body ?? { v: 1 }) ?? {};
  await world.ledger.put(key, damaged, stored?.revision ?? null);
  world.clock.ms += 60_000;
  write(world, AFTER);
  return world;
}

function standing({ route53 }: ReconcileWorld): ReadonlyMap<string, string> {
  return new Map(
    HOSTED_ZONES.flatMap(({ id }) =>
      route53.recordSets(id).map(({ name, type, content }) => [`${name} ${type}`, JSON.stringify(content)] as const),
    ),
  );
}

/** Everything that changed is published, but for what is kept, and the damaged item is as it was. */
async function expectKept(world: ReconcileWorld, { key, kept, isReplaced }: Kept, body: JsonObject | undefined) {
  const now = standing(world);
  const isKept = (set: string) => kept.includes(set);
  for (const set of ['bad.e. A', 'good.e. A', 'other.f. A', 'bad.sub.e. A'])
    expect(now.get(set)?.includes(CHANGED), set).toBe(!isKept(set));
  expect(now.has('gone.e. A'), 'gone.e. A').toBe(isKept('gone.e. A'));
  expect([now.has('new.f. A'), now.has('leaves.f. A')]).toEqual([true, false]);
  if (isReplaced !== true) expect((await world.ledger.get(key))?.body).toEqual(body);
}

beforeAll(async () => {
  expect(Object.keys(CASES).toSorted()).toEqual(Object.keys(ITEM_KINDS).toSorted());
});

const OPTIONS = { acknowledged: [], only: () => true, progress: () => {} };

async function applyAll(world: ReconcileWorld) {
  const plan = await planReading(world.context, await readCluster(world.context), {});
  return { plan, applied: await applyCluster(world.context, world.deps, () => plan, OPTIONS) };
}

const changesOf = ({ hostedZones }: ClusterPlan) =>
  hostedZones.flatMap(({ plan }) => plan.changes.map(({ name, type }) => `${name} ${type}`));

describe.each(ROWS)('$sort with $damage', (row) => {
  test('plan and apply go on for all others, and say what is kept', async () => {
    const world = await damagedWorld(row);
    const body = (await world.ledger.get(row.key))?.body;
    const { plan, applied } = await applyAll(world);
    expect(changesOf(plan)).toEqual(expect.arrayContaining(['other.f. A', 'new.f. A', 'leaves.f. A']));
    await expectKept(world, row, body);
    if (row.kept.length > 0)
      expect(applied.resolved.errors).toMatchObject([{ message: expect.stringContaining(`"${row.key.sort}"`) }]);
    if (row.saidOn !== undefined) {
      expect(unreadProblems(plan)).toHaveLength(1);
      for (const set of row.kept) expect(changesOf(plan)).not.toContain(set);
      const status = world.cluster.statuses.get(row.saidOn);
      expect(status?.conditions.find(({ type }) => type === 'Programmed')).toMatchObject({
        status: 'False',
        reason: 'Pending',
        message: expect.stringMatching(/^Nothing changes here .*zone53 ledger check/),
      });
    }
  });
});

/** Text that is no JSON, and a missing field, are the same to a reader as another version. */
const of = (...damages: readonly string[]) => ROWS.filter(({ damage }) => damages.includes(damage));

test.each(of('a later version', 'a field of another shape'))(
  '$sort with $damage: events, publish, report and sweep go on for all others',
  async (row) => {
    const world = await damagedWorld(row);
    const body = (await world.ledger.get(row.key))?.body;
    await runFunctions(world, Object.keys(AFTER).map(parseRef));
    await expectKept(world, { ...row, kept: row.keptByFunctions ?? row.kept }, body);
  },
);

test.each(of('a later version'))('$sort: explain goes on, with objects and from the ledger alone', async (row) => {
  const world = await damagedWorld(row);
  for (const reading of [await readCluster(world.context), await readRemembered(world.context)])
    for (const name of ['bad.e.', 'other.f.', 'bad.sub.e.'])
      expect((await explainName(world.context, reading, name, 'A')).advice).not.toBe('');
});

/** Handles each hint, hosted zone and report alone, as functions do after a batch has failed, and a sweep between. */
async function runFunctions(world: ReconcileWorld, refs: readonly ObjectRef[]): Promise<void> {
  const { context, queued, deps } = world;
  const alone = async (work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => {
      if (!String(error).includes('Cannot read ledger item')) throw error;
    });
  };
  queued.hints.push(...refs.map(hintFor));
  for (let round = 0; round < 3; round += 1) {
    for (let turn = 0; turn < 20; turn += 1) {
      for (const hint of queued.hints.splice(0)) await alone(() => reconcile(context, [hint]));
      const ids = [...queued.publish];
      queued.publish.clear();
      for (const id of ids) await alone(() => publish(deps, id));
      const reports = [...queued.reports.values()];
      queued.reports.clear();
      for (const ref of reports) await alone(() => report(context, [ref]));
    }
    world.clock.ms += 60_000;
    await sweepPiece(context, Number.POSITIVE_INFINITY);
  }
}

test('the world has an item of each kind that it damages, but for those that need other objects', async () => {
  const world = await damagedWorld({ ...ROWS[0], key: at('none', 'none') } as (typeof ROWS)[number]);
  const real = await Promise.all(
    ROWS.map(async ({ key }) => ((await world.ledger.get(key)) === null ? [] : [key.partition])),
  );
  expect(new Set(real.flat().map((partition) => partition.split('#')[0]))).toEqual(
    new Set([
      'objects',
      'names',
      'ages',
      'directory',
      'sweep',
      'sweeps',
      'statuses',
      'recordsets',
      'guard',
      'hostedzones',
    ]),
  );
  expect(await allItems(world.ledger, 'none')).toHaveLength(1);
});
