// `plan` and `apply` after a run that died: the plan shows what will be done, and what Route 53 already has counts as
// published.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Ledger } from '../ports/ledger.ts';
import { DEFAULT_LEASE_LIMITS, takeLease } from '../record-sets/lease.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { applyCluster } from './apply-cluster.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

/**
 * A world in which Records a to d are published. Two deletes of four are not more than half, so the guard allows them.
 */
async function standingWorld(): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  put(world, { a: '192.0.2.1', b: '192.0.2.1', c: '192.0.2.1', d: '192.0.2.1' });
  await apply(world);
  return world;
}

/** Writes Records by name; null deletes one. */
function put({ cluster }: ReconcileWorld, addresses: Readonly<Record<string, string | null>>): void {
  for (const [name, rdata] of Object.entries(addresses)) {
    const ref = parseRef(`Record p/${name}`);
    if (rdata === null) cluster.remove(ref);
    else cluster.put(ref, { domainName: `${name}.e.`, type: 'A', rdata });
  }
}

async function apply(world: ReconcileWorld, zoneAnnotations?: Readonly<Record<string, string>>) {
  if (zoneAnnotations !== undefined) world.cluster.put(parseRef('Zone p/e'), ZONE, zoneAnnotations);
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(world.context, world.deps, await planCluster(world.context), options);
  return hostedZones.flatMap(({ outcomes }) => outcomes.map(({ change, outcome }) => [show(change), outcome]));
}

/** Applies. Returns for each batch whether the name existed after it, where a resolver would look for it. */
async function applyWatching(world: ReconcileWorld, isThere: () => boolean): Promise<boolean[]> {
  const seen: boolean[] = [];
  const { hostedZones } = world.deps;
  const change: typeof hostedZones.change = async (...asked) => {
    const outcome = await hostedZones.change(...asked);
    seen.push(isThere());
    return outcome;
  };
  await apply({ ...world, deps: { ...world.deps, hostedZones: { ...hostedZones, change } } });
  return seen;
}

async function plan(world: ReconcileWorld): Promise<string[]> {
  return (await planCluster(world.context)).hostedZones.flatMap(({ plan: { changes } }) => changes.map(show));
}

function show({ action, name }: { readonly action: string; readonly name: string }): string {
  return `${action} ${name}`;
}

/** An apply that is killed after Route 53 accepted its batch; it writes nothing more. */
async function applyAndDie(world: ReconcileWorld): Promise<void> {
  let dead = false;
  const die = async (): Promise<never> => {
    throw new Error('killed');
  };
  const ledger = new Proxy(world.ledger, {
    get: (of, method: keyof Ledger) => (dead ? die : of[method].bind(of)),
  });
  const hostedZones = {
    ...world.route53.port,
    change: async (...args: Parameters<typeof world.route53.port.change>) => {
      await world.route53.port.change(...args);
      dead = true;
      return die();
    },
  };
  const dying = { ...world, context: { ...world.context, ledger }, deps: { ...world.deps, ledger, hostedZones } };
  await apply(dying).catch(() => null);
  expect(dead).toBe(true);
  world.clock.ms += 600_000;
}

describe('after a run that was killed', () => {
  test('plan starts from what Route 53 has, and apply does what plan says', async () => {
    const world = await standingWorld();
    put(world, { a: '192.0.2.2', d: null, f: '192.0.2.3' });
    await applyAndDie(world);
    put(world, { a: '192.0.2.1', d: '192.0.2.1', f: null });
    const planned = ['update a.e.', 'create d.e.', 'delete f.e.'];
    expect(await plan(world)).toEqual(planned);
    expect(await apply(world)).toEqual(planned.map((change) => [change, 'published']));
    expect(await plan(world)).toEqual([]);
  });

  test('plan does not repeat what the killed run did, and apply notes it', async () => {
    const world = await standingWorld();
    put(world, { a: '192.0.2.2', d: null, f: '192.0.2.3' });
    await applyAndDie(world);
    expect(await plan(world)).toEqual([]);
    expect(await apply(world)).toEqual([]);
    expect((await world.ledger.query('dirty#Z1')).items).toEqual([]);
    expect(world.cluster.statuses.get('Record p/f')?.conditions).toMatchObject([{}, { reason: 'Published' }, {}]);
  });

  test('plan follows the ledger when Route 53 cannot be read', async () => {
    const world = await standingWorld();
    put(world, { f: '192.0.2.3' });
    await applyAndDie(world);
    const hostedZones = {
      ...world.route53.port,
      readName: async () => {
        throw new Error('503');
      },
    };
    expect(await plan({ ...world, context: { ...world.context, account: { hostedZones } } })).toEqual(['create f.e.']);
  });
});

test('apply looks for a write that was never answered until it can no longer land, and then forgets it', async () => {
  const world = await standingWorld();
  const { port } = world.route53;
  let reads = 0;
  let lost = true;
  const hostedZones = {
    ...port,
    readName: async (...asked: Parameters<typeof port.readName>) => {
      reads += 1;
      return port.readName(...asked);
    },
    change: async (...asked: Parameters<typeof port.change>) =>
      lost ? ({ kind: 'unknown', message: 'timeout' } as const) : port.change(...asked),
  };
  const through = { ...world, deps: { ...world.deps, hostedZones } };
  put(world, { a: '192.0.2.2' });
  await apply(through);
  lost = false;
  put(world, { a: '192.0.2.1' });
  const readsOfAnApply = async () => {
    reads = 0;
    await apply(through);
    return reads;
  };
  expect(await readsOfAnApply()).toBeGreaterThan(0);
  world.clock.ms += 3_700_000;
  expect(await readsOfAnApply()).toBeGreaterThan(0);
  expect(await readsOfAnApply()).toBe(0);
  // If the same content appears now, somebody else wrote it.
  const theirs = { kind: 'values', ttlSeconds: 360, values: ['192.0.2.2'] } as const;
  world.route53.edit('Z1', { name: 'a.e.', type: 'A', setIdentifier: null }, theirs);
  put(world, { a: '192.0.2.3' });
  expect(await apply(through)).toEqual([['update a.e.', 'drifted']]);
});

describe('a takeover', () => {
  const TAKEOVER = { 'zone53.dev/takeover': 'true' };

  test('publishes what is wanted, which from then on belongs to its Record', async () => {
    const world = await standingWorld();
    const g = { name: 'g.e.', type: 'A', setIdentifier: null };
    world.route53.edit('Z1', g, { kind: 'values', ttlSeconds: 360, values: ['192.0.2.9'] });
    put(world, { g: '192.0.2.9' });
    expect(await apply(world)).toEqual([['create g.e.', 'foreign']]);
    expect(world.cluster.statuses.get('Record p/g')?.conditions[1]?.message).toContain(
      'The content is identical. To manage it, annotate Zone',
    );
    expect(await apply(world, TAKEOVER)).toEqual([['create g.e.', 'published']]);
    put(world, { g: null });
    const [deleted] = (await planCluster(world.context)).hostedZones.flatMap(({ plan: { changes } }) => changes);
    expect(deleted).toMatchObject({ action: 'delete', objects: ['Record p/g'] });
  });

  describe('belongs to the Zone of the hosted zone:', () => {
    const DELEGATING = { ...ZONE, delegations: [{ records: [{ pattern: '*' }], zones: ['*'] }] };
    const SUB = { domainName: 's.e.', delegations: ZONE.delegations };
    const x = { name: 'x.s.e.', type: 'TXT', setIdentifier: null };
    const theirs = { kind: 'values', ttlSeconds: 61, values: ['"theirs"'] } as const;
    const putX = ({ cluster }: ReconcileWorld, type: string, rdata: string) =>
      cluster.put(parseRef('Record p/x'), { domainName: 'x.s.e.', type, rdata });
    const standing = ({ route53 }: ReconcileWorld) =>
      route53.recordSets('Z1').flatMap(({ name, type, content }) => (name === x.name ? [{ type, content }] : []));
    const WAYS = [
      { way: 'apply', carryOut: async (world: ReconcileWorld) => void (await apply(world)) },
      {
        way: 'reconcile and publish',
        carryOut: async (world: ReconcileWorld) => {
          await reconcile(world.context, ['Zone p/e', 'Zone p/f', 'Zone p/s', 'Record p/x'].map(parseRef));
          await deliverAll(world);
        },
      },
    ];

    test.each(WAYS)('a sub-zone cannot ask for it in the hosted zone of another Zone ($way)', async ({ carryOut }) => {
      const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
      world.cluster.put(parseRef('Zone p/e'), DELEGATING);
      world.cluster.put(parseRef('Zone p/s'), SUB, TAKEOVER);
      putX(world, 'TXT', 'ours');
      world.route53.edit('Z1', x, theirs);
      await carryOut(world);
      expect(standing(world)).toEqual([{ type: 'TXT', content: theirs }]);
    });

    test.each(WAYS)(
      'the successor of a Zone takes over what that Zone left ($way; seed 1031349)',
      async ({ carryOut }) => {
        const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
        world.cluster.put(parseRef('Zone p/e'), DELEGATING);
        putX(world, 'TXT', 'ours');
        await carryOut(world);
        world.route53.edit('Z1', x, theirs);
        world.cluster.remove(parseRef('Zone p/e'));
        world.cluster.put(parseRef('Zone p/f'), DELEGATING, TAKEOVER);
        putX(world, 'CNAME', 'c.b.');
        await carryOut(world);
        expect(standing(world).map(({ type }) => type)).toEqual(['CNAME']);
      },
    );
  });
});

test('an unused acknowledgement of one apply does not count for the next', async () => {
  const world = await standingWorld();
  put(world, { a: null, b: null, d: null });
  const digest = (await planCluster(world.context)).hostedZones[0]?.plan.guard.digest ?? '';
  const acknowledged = [digest];
  const options = { acknowledged, only: () => true, progress: () => {} };
  const busy = await takeLease({ ...world.deps, lease: DEFAULT_LEASE_LIMITS }, 'Z1', 'another');
  expect(busy.kind).toBe('taken');
  const deps = { ...world.deps, clock: { ...world.deps.clock, sleep: async () => {} } };
  const { hostedZones } = await applyCluster(
    world.context,
    deps,
    await planCluster(world.context, { acknowledged }),
    options,
  );
  expect(hostedZones[0]?.outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  world.clock.ms += 600_000;
  expect(await apply(world)).toEqual(['a', 'b', 'd'].map((name) => [`delete ${name}.e.`, 'held']));
  const again = await applyCluster(
    world.context,
    world.deps,
    await planCluster(world.context, { acknowledged }),
    options,
  );
  expect(again.hostedZones[0]?.outcomes.map(({ outcome }) => outcome)).toEqual(['published', 'published', 'published']);
});

test('apply says what it waits for when it will wait for long', async () => {
  const world = await standingWorld();
  put(world, { a: '192.0.2.2' });
  const { port } = world.route53;
  let throttled = true;
  const change: typeof port.change = async (...asked) =>
    throttled ? { kind: 'throttled', message: 'Rate exceeded' } : port.change(...asked);
  const said: unknown[] = [];
  const log: typeof world.context.log = (level, message, fields) => {
    said.push([level, message, fields]);
    throttled = false;
  };
  const deps = { ...world.deps, hostedZones: { ...port, change } };
  expect(await apply({ ...world, deps, context: { ...world.context, log } })).toEqual([['update a.e.', 'published']]);
  const fields = { hostedZone: 'e.', inSeconds: 15, why: 'Rate exceeded' };
  expect(said).toEqual([['warn', 'not all is published yet, and is tried again', fields]]);
});

test('a Record with a zoneRef to a Zone that another run noted first says ParentNotLive', async () => {
  const world = await standingWorld();
  world.cluster.put(parseRef('Record p/y'), { domainName: 'y', zoneRef: { name: 'z' }, type: 'A', rdata: '192.0.2.1' });
  const before = await planCluster(world.context);
  world.cluster.put(parseRef('Zone p/z'), ZONE);
  await reconcile(world.context, [parseRef('Zone p/z')]);
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(world.context, world.deps, before, options);
  await deliverAll(world);
  expect(world.cluster.statuses.get('Record p/y')?.conditions[0]?.reason).toBe('ParentNotLive');
});

test('a sub-zone that gets its own hosted zone keeps its names at every moment', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ zones: ['*'] }] });
  world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(parseRef('Record p/x'), { domainName: 'x.s.e.', type: 'A', rdata: '192.0.2.1' });
  await apply(world);
  const { id } = await world.context.account.hostedZones.create('s.e.', 'by hand');
  const flawOfNewer = (hostedZone: string, name: string, type: string) =>
    world.route53.recordSets(hostedZone).some((set) => set.name === name && set.type === type);
  const isThere = () => flawOfNewer(flawOfNewer('Z1', 's.e.', 'NS') ? id : 'Z1', 'x.s.e.', 'A');
  const gained = await applyWatching(world, isThere);
  expect(flawOfNewer('Z1', 's.e.', 'NS')).toBe(true);
  expect(gained.length).toBeGreaterThan(1);
  expect(gained).not.toContain(false);
});

test('what a Zone derives from addresses, and somebody else has, is no trouble of the Zone', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const key = { name: '_acme-challenge.a.e.', type: 'TXT', setIdentifier: null };
  world.route53.edit('Z1', key, { kind: 'values', ttlSeconds: 60, values: ['"token"'] });
  world.cluster.put(parseRef('Zone p/e'), { ...ZONE, acme: { delegateTo: 'acme.example.net.' } });
  put(world, { a: '192.0.2.1' });
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const { hostedZones, resolved } = await applyCluster(
    world.context,
    world.deps,
    await planCluster(world.context),
    options,
  );
  const outcomes = hostedZones.flatMap((one) => one.outcomes.map(({ change, outcome }) => `${change.type} ${outcome}`));
  expect(outcomes.toSorted()).toEqual(['A published', 'CNAME foreign', 'SOA published']);
  const said = resolved.zones[0]?.conditions.find(({ type }) => type === 'Programmed');
  expect(said).toMatchObject({ status: 'True', reason: 'Published' });
});
