// After an acknowledgement by annotation, the deletes are sent without any further action of the Zone's owner.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { hintFor, type ReconcileWorld, reconcileWorld, through } from '../../test/fakes/reconcile-world.ts';
import { twoWorlds } from '../../test/fakes/two-clusters.ts';
import { saveCluster } from '../apply/save-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import { objectKey } from '../observe/object-item.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Queues } from '../ports/queues.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { changeHostedZone, readHostedZone } from '../record-sets/lease.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const ZONE = parseRef('Zone a/z');
const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const ACKNOWLEDGE = 'zone53.dev/acknowledge-plan';
const RECORDS = ['one', 'two', 'three'].map((name) => parseRef(`Record a/${name}`));

function a(name: string) {
  return { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.1' };
}

/**
 * A world in which three published Records were deleted, and the guard holds that. Returns the digest that releases
 * them.
 */
async function heldWorld(): Promise<{ world: ReconcileWorld; digest: string }> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, SPEC);
  for (const ref of RECORDS) world.cluster.put(ref, a(ref.name));
  await reconcile(world.context, [ZONE, ...RECORDS].map(hintFor));
  await publish(world.deps, 'Z1');
  for (const ref of RECORDS) world.cluster.remove(ref);
  await reconcile(world.context, RECORDS.map(hintFor));
  const result = await publish(world.deps, 'Z1');
  if (result.kind !== 'done' || result.held === null) throw new Error('the guard did not hold');
  world.queued.publish.clear();
  return { world, digest: result.held.digest };
}

function standing(world: ReconcileWorld): number {
  return world.route53.recordSets('Z1').filter(({ name }) => name !== 'e.').length;
}

test('an acknowledgement by annotation is enough to release the held deletes', async () => {
  const { world, digest } = await heldWorld();
  world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: digest });
  await reconcile(world.context, [hintFor(ZONE)]);
  expect([...world.queued.publish]).toEqual(['Z1']);
  await publish(world.deps, 'Z1');
  expect(standing(world)).toBe(0);
});

test('an annotation that stays releases the same deletes once, and once more after it was removed and set again', async () => {
  const { world, digest } = await heldWorld();
  const annotate = async (annotations: Record<string, string>) => {
    world.cluster.put(ZONE, SPEC, annotations);
    await reconcile(world.context, [hintFor(ZONE)]);
    await publish(world.deps, 'Z1');
  };
  await annotate({ [ACKNOWLEDGE]: digest });
  for (const ref of RECORDS) world.cluster.put(ref, a(ref.name));
  await reconcile(world.context, RECORDS.map(hintFor));
  await publish(world.deps, 'Z1');
  for (const ref of RECORDS) world.cluster.remove(ref);
  await reconcile(world.context, RECORDS.map(hintFor));
  expect(await publish(world.deps, 'Z1')).toMatchObject({ kind: 'done', held: { digest } });
  expect(standing(world)).toBe(3);
  await annotate({ [ACKNOWLEDGE]: digest, other: 'edit' });
  expect(standing(world)).toBe(3);
  await annotate({});
  expect(standing(world)).toBe(3);
  await annotate({ [ACKNOWLEDGE]: digest });
  expect(standing(world)).toBe(0);
});

test('an annotation that was removed before anything was deleted releases nothing later', async () => {
  const { world, digest } = await heldWorld();
  world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: digest });
  await reconcile(world.context, [hintFor(ZONE)]);
  // The Records are created again before publish runs.
  for (const ref of RECORDS) world.cluster.put(ref, a(ref.name));
  await reconcile(world.context, RECORDS.map(hintFor));
  await publish(world.deps, 'Z1');
  world.cluster.put(ZONE, SPEC, {});
  await reconcile(world.context, [hintFor(ZONE)]);
  for (const ref of RECORDS) world.cluster.remove(ref);
  await reconcile(world.context, RECORDS.map(hintFor));
  expect(await publish(world.deps, 'Z1')).toMatchObject({ kind: 'done', held: { digest } });
  expect((await planCluster(world.context)).hostedZones[0]?.plan.guard).toMatchObject({ digest, releasedBy: [] });
  expect(standing(world)).toBe(3);
});

test('an annotation whose digest changes counts only with the new digest, and has the hosted zone published', async () => {
  const { world, digest } = await heldWorld();
  const annotate = async (value: string) => {
    world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: value });
    await reconcile(world.context, [hintFor(ZONE)]);
  };
  await annotate('f'.repeat(64));
  expect([...world.queued.publish]).toEqual(['Z1']);
  world.queued.publish.clear();
  await annotate(digest);
  expect([...world.queued.publish]).toEqual(['Z1']);
  expect((await readHostedZone(world.ledger, 'Z1'))?.item.acknowledgements).toEqual([{ digest, state: 'open' }]);
  await annotate('f'.repeat(64));
  expect(await publish(world.deps, 'Z1')).toMatchObject({ kind: 'done', held: { digest } });
  expect(standing(world)).toBe(3);
});

test('planCluster() does not count a removed annotation, also before a run has noted the removal', async () => {
  const { world, digest } = await heldWorld();
  world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: digest });
  await reconcile(world.context, [hintFor(ZONE)]);
  const releasedBy = async () => (await planCluster(world.context)).hostedZones[0]?.plan.guard.releasedBy;
  expect(await releasedBy()).toEqual([digest]);
  world.cluster.put(ZONE, SPEC, {});
  expect(await releasedBy()).toEqual([]);
});

test.each([
  { happens: 'annotated', isAnnotated: true },
  { happens: 'rid of its annotation', isAnnotated: false },
])(
  'reconcile() that read the Zone before it was $happens does not undo what a later run noted',
  async ({ isAnnotated }) => {
    const { world, digest } = await heldWorld();
    const annotate = (is: boolean) => world.cluster.put(ZONE, SPEC, is ? { [ACKNOWLEDGE]: digest } : {});
    annotate(!isAnnotated);
    await reconcile(world.context, [hintFor(ZONE)]);
    const other = parseRef('Zone a/other');
    world.cluster.put(other, { domainName: 'other.e.' });
    await reconcile(world.context, [hintFor(other)]);
    let isLate = false;
    let overtaken = false;
    // Now it has read all Zones, and reads the hosted zones.
    const query: Ledger['query'] = async (partition, ...rest) => {
      if (partition === 'hostedzones' && isLate && !overtaken) {
        overtaken = true;
        annotate(isAnnotated);
        await reconcile(world.context, [hintFor(ZONE)]);
      }
      isLate ||= partition === 'objects#default#Zone';
      return world.ledger.query(partition, ...rest);
    };
    await reconcile(through(world, { ledger: { ...world.ledger, query } }).context, [hintFor(other)]);
    expect(overtaken).toBe(true);
    expect((await readHostedZone(world.ledger, 'Z1'))?.item.acknowledgements).toEqual(
      isAnnotated ? [{ digest, state: 'open' }] : [],
    );
  },
);

test('reconcile() that notes a removal reads again when a run that saw the annotation overtakes it', async () => {
  const { world, digest } = await heldWorld();
  const annotate = (is: boolean) => world.cluster.put(ZONE, SPEC, is ? { [ACKNOWLEDGE]: digest } : {});
  // The digest was used once; then the very same deletes are held again.
  await changeHostedZone(
    world.ledger,
    'Z1',
    (item) => item && { ...item, acknowledgements: [{ digest, state: 'spent' }] },
  );
  annotate(true);
  await reconcile(world.context, [hintFor(ZONE)]);
  annotate(false);
  let overtaken = false;
  const put: Ledger['put'] = async (key, ...rest) => {
    if (key.partition === 'hostedzones' && !overtaken) {
      overtaken = true;
      annotate(true);
      await reconcile(world.context, [hintFor(ZONE)]);
    }
    return world.ledger.put(key, ...rest);
  };
  await reconcile(through(world, { ledger: { ...world.ledger, put } }).context, [hintFor(ZONE)]);
  expect((await readHostedZone(world.ledger, 'Z1'))?.item).toMatchObject({
    acknowledgements: [{ digest, state: 'open' }],
  });
  expect([...world.queued.publish]).toEqual(['Z1']);
});

test.each(['open', 'spent'] as const)(
  'a Zone whose item cannot be read keeps its acknowledgement: %s',
  async (state) => {
    const { world, digest } = await heldWorld();
    world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: digest });
    await reconcile(world.context, [hintFor(ZONE)]);
    await changeHostedZone(world.ledger, 'Z1', (item) => item && { ...item, acknowledgements: [{ digest, state }] });
    const key = objectKey('default', ZONE);
    const stored = await world.ledger.get(key);
    await world.ledger.put(key, { ...stored?.body, v: 99 }, stored?.revision ?? null);
    const other = parseRef('Zone a/other');
    world.cluster.put(other, { domainName: 'other.e.' });
    await reconcile(world.context, [hintFor(other)]);
    const noted = await readHostedZone(world.ledger, 'Z1');
    expect(noted?.item).toMatchObject({ acknowledgements: [{ digest, state }] });
  },
);

test('reconcile() asks for a publish when the run before it noted an acknowledgement and died', async () => {
  const { world, digest } = await heldWorld();
  world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: digest });
  const queues: Queues = { ...world.context.queues, publish: () => Promise.reject(new Error('the queue is down')) };
  await expect(reconcile({ ...world.context, queues }, [hintFor(ZONE)])).rejects.toThrow('the queue is down');
  await reconcile(world.context, [hintFor(ZONE)]);
  expect([...world.queued.publish]).toEqual(['Z1']);
});

test('saveCluster() asks for a publish when it finds a new acknowledgement, and only then', async () => {
  const { world, digest } = await heldWorld();
  await saveCluster(world.context, await planCluster(world.context));
  expect([...world.queued.publish]).toEqual([]);
  world.cluster.put(ZONE, SPEC, { [ACKNOWLEDGE]: digest });
  await saveCluster(world.context, await planCluster(world.context));
  expect([...world.queued.publish]).toEqual(['Z1']);
  await publish(world.deps, 'Z1');
  expect(standing(world)).toBe(0);
  world.queued.publish.clear();
  await saveCluster(world.context, await planCluster(world.context));
  expect([...world.queued.publish]).toEqual([]);
});

describe('the ledger is marked', () => {
  const markOf = async (ledger: Ledger) => (await ledger.get({ partition: 'format', sort: 'ledger' }))?.body ?? null;
  const MARK = { v: 1, format: 2, since: '0.1.0' };
  /** The mark that the ledger had when each of its hosted zones was first written. */
  const watched = (ledger: Ledger) => {
    const marks: unknown[] = [];
    const put: Ledger['put'] = async (key, body, expected, options) => {
      if (key.partition === 'hostedzones' && expected === null) marks.push(await markOf(ledger));
      return ledger.put(key, body, expected, options);
    };
    return { marks, ledger: { ...ledger, put } };
  };

  test('before a second cluster has a hosted zone in it, and not before that', async () => {
    const { eu, us } = twoWorlds();
    const { marks, ledger } = watched(eu.ledger);
    for (const { context } of [eu, us]) await reconcile({ ...context, ledger }, [hintFor(parseRef('Zone a/z'))]);
    expect(marks).toEqual([null, MARK]);
  });

  test('before a view other than public has a hosted zone in it', async () => {
    const world = reconcileWorld({ hostedZones: [{ id: 'ZI', name: 'e.', isPrivate: true, view: 'internal' }] });
    world.cluster.put(ZONE, { ...SPEC, view: 'internal' });
    const { marks, ledger } = watched(world.ledger);
    await reconcile({ ...world.context, ledger }, [hintFor(ZONE)]);
    expect(marks).toEqual([MARK]);
  });
});

test('of two clusters that find a hosted zone at once, the second one has a share of it from the beginning', async () => {
  const { eu, us } = twoWorlds();
  const records = { kind: 'Record', namespace: 'a', name: 'www' } as const;
  for (const [world, rdata] of [
    [eu, '192.0.2.1'],
    [us, '192.0.2.2'],
  ] as const)
    world.cluster.put(records, { domainName: 'www.e.', type: 'A', rdata });
  // The other cluster claims it after this one has looked for it, and before it claims it.
  let isFirst = true;
  const racing: Ledger = {
    ...us.ledger,
    get: async (key) => {
      if (isFirst && key.partition === 'hostedzones') {
        isFirst = false;
        await reconcile(eu.context, [hintFor(ZONE), hintFor(records)]);
      }
      return us.ledger.get(key);
    },
  };
  const placed: unknown[] = [];
  const noting: Ledger = {
    ...racing,
    put: async (key, body, ...asked) => {
      if (key.partition === 'directory#us') placed.push((body.target as { hostedZoneId?: string }).hostedZoneId);
      return racing.put(key, body, ...asked);
    },
  };
  const { context } = through(us, { ledger: noting });
  await reconcile(context, [hintFor(ZONE), hintFor(records)]);
  expect(isFirst).toBe(false);
  expect(placed).toEqual(['Z1@us']);
  expect((await readHostedZone(eu.ledger, 'Z1'))?.item).toMatchObject({ cluster: 'eu', shares: ['Z1@us'] });
});
