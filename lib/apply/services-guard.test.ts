// The guard of a cluster's own names over the whole pipeline: it judges Services, in the hosted zone of the names and
// in those of the addresses, and the plan judges as the publisher does.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  saveAll,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import { guardLimitsOf } from '../ports/config.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { sourcesOn } from '../sources/source.ts';

const IDS = ['Z1', 'Z2'];

async function worldOf(count: number, zone = 'k'): Promise<ReconcileWorld> {
  const { sources } = parseConfig(`sources: { serviceDiscovery: { zone: ${zone} } }`, 'zone53.yaml');
  const hostedZones = [
    { id: 'Z1', name: 'k.' },
    { id: 'Z2', name: '10.in-addr.arpa.' },
  ];
  const world = reconcileWorld({ hostedZones, config: { sources }, sources: sourcesOn(sources) });
  world.cluster.put(parseRef('Zone p/k'), { domainName: 'k.', delegations: [] });
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put(parseRef('Zone p/r'), { domainName: '10.in-addr.arpa.', delegations });
  for (let index = 0; index < count; index += 1) world.cluster.put(service(index), { clusterIP: `10.0.0.${index}` });
  await saveAll(world);
  await publishAll(world);
  return world;
}

function service(index: number) {
  return parseRef(`Service shop/s${index}`);
}

/** The held record sets, by hosted zone. */
async function publishAll(world: ReconcileWorld, acknowledged: readonly string[] = []): Promise<readonly number[]> {
  const held: number[] = [];
  for (const id of IDS) {
    const result = await publish(world.deps, id, { acknowledged });
    if (result.kind !== 'done') throw new Error(result.kind);
    held.push(result.held?.count ?? 0);
  }
  return held;
}

function remove(world: ReconcileWorld, from: number, count: number): void {
  for (let index = from; index < from + count; index += 1) world.cluster.remove(service(index));
}

async function removed(world: ReconcileWorld, from: number, count: number): Promise<readonly number[]> {
  remove(world, from, count);
  const refs = Array.from({ length: count }, (_, index) => service(from + index));
  await reconcile(world.context, refs.map(hintFor));
  await deliverHints(world);
  return publishAll(world);
}

async function heldInPlan(world: ReconcileWorld): Promise<readonly number[]> {
  const { hostedZones } = await planCluster(world.context);
  const byId = new Map(hostedZones.map(({ hostedZone, plan }) => [hostedZone.id, plan.guard.held.length]));
  return IDS.map((id) => byId.get(id) ?? 0);
}

function standing(world: ReconcileWorld): number {
  return standingInRoute53(world).filter((line) => / (A|PTR) /.test(line)).length;
}

describe('the guard of Services', () => {
  test('allows half of them to go, and holds more deletes within the same minute', async () => {
    const world = await worldOf(12);
    expect(standing(world)).toBe(24);
    expect(await removed(world, 0, 6)).toEqual([0, 0]);
    expect(standing(world)).toBe(12);
    world.clock.ms += 30_000;
    expect(await removed(world, 6, 1)).toEqual([1, 1]);
    world.clock.ms += 61_000;
    // Held deletes stay held, however much time passes.
    expect(await publishAll(world)).toEqual([1, 1]);
    expect(await removed(world, 7, 1)).toEqual([1, 1]);
    expect(standing(world)).toBe(10);
  });

  test('holds more than half at once, in the plan and in the run, until that is acknowledged', async () => {
    const world = await worldOf(12);
    remove(world, 0, 7);
    expect(await heldInPlan(world)).toEqual([7, 7]);
    expect(await removed(world, 0, 7)).toEqual([7, 7]);
    expect(standing(world)).toBe(24);
    const digests: string[] = [];
    for (const id of IDS) {
      const result = await publish(world.deps, id);
      if (result.kind === 'done' && result.held !== null) digests.push(result.held.digest);
    }
    expect(await publishAll(world, digests)).toEqual([0, 0]);
    expect(standing(world)).toBe(10);
  });

  test('has no such limit for fewer than ten, and ignores the limits of other objects', async () => {
    const world = await worldOf(9);
    remove(world, 0, 9);
    expect(await heldInPlan(world)).toEqual([0, 0]);
    expect(await removed(world, 0, 9)).toEqual([0, 0]);
    expect(standing(world)).toBe(0);
  });

  test('reads few items when one of many Services goes', async () => {
    const reads = await Promise.all(
      [20, 200].map(async (count) => {
        const world = await worldOf(count);
        let queries = 0;
        const { ledger } = world;
        const counting = {
          ...ledger,
          query: (...call: Parameters<typeof ledger.query>) => {
            queries += 1;
            return ledger.query(...call);
          },
        };
        world.cluster.remove(service(7));
        await reconcile(world.context, [hintFor(service(7))]);
        expect((await publish({ ...world.deps, ledger: counting }, 'Z1')).kind).toBe('done');
        return queries;
      }),
    );
    expect(reads[1]).toBe(reads[0]);
  });

  test('judges all of them by the same rule when the Zone of the hosted zone is gone', async () => {
    const world = await worldOf(4);
    world.cluster.remove(parseRef('Zone p/r'));
    const plan = await planCluster({
      ...world.context,
      config: { ...world.context.config, guard: { deletesMax: 100, deletesShareMax: 0.3 } },
    });
    const reverse = plan.hostedZones.find(({ hostedZone }) => hostedZone.id === 'Z2');
    expect(reverse?.plan.guard.held).toHaveLength(4);
  });

  const ANY = [{ pattern: '*' }];
  const ALL = { delegations: [{ records: ANY, zones: ['*'] }] };
  const NO_PTR = { delegations: [{ records: [{ pattern: '*', types: ['A'] }] }] };

  test.each<[string, string, object, object | null, readonly number[]]>([
    [
      'a reverse Zone delegates no PTR any more',
      'Zone p/r',
      { domainName: '10.in-addr.arpa.', ...ALL },
      NO_PTR,
      [0, 9],
    ],
    [
      'a reverse Zone without a hosted zone of its own is gone',
      'Zone p/n',
      { domainName: '0.0.10.in-addr.arpa.', ...ALL },
      null,
      [0, 9],
    ],
    ['the Zone of the names is gone, which lies in a larger one', 'Zone p/c', { domainName: 'c.k.' }, null, [9, 9]],
  ])('counts a delete of what Services still ask for as any other: %s', async (_, id, spec, after, held) => {
    const world = guarded(await worldOf(0, id === 'Zone p/c' ? 'c.k' : 'k'));
    const { cluster } = world;
    const put = async (one: string, of: object) => {
      cluster.put(parseRef(one), of);
      await told(world, one);
    };
    await put('Zone p/k', { domainName: 'k.', ...ALL });
    if (id === 'Zone p/n')
      await put('Zone p/r', {
        domainName: '10.in-addr.arpa.',
        delegations: [{ zones: ['*'], records: [{ pattern: '9' }] }],
      });
    await put(id, spec);
    for (const [name, type] of [
      ['other.k.', 'A'],
      ['9.10.in-addr.arpa.', 'A'],
    ] as const)
      await put(`Record p/${type}-${name.length}`, { domainName: name, type, rdata: '192.0.2.1' });
    for (let index = 0; index < 9; index += 1) await put(`Service shop/s${index}`, { clusterIP: `10.0.0.${index}` });
    await publishAll(world);
    const before = standing(world);
    if (after === null) cluster.remove(parseRef(id));
    else cluster.put(parseRef(id), { ...spec, ...after });
    expect(await heldInPlan(world)).toEqual(held);
    await told(world, id);
    expect(await publishAll(world)).toEqual(held);
    expect(standing(world)).toBe(before);
    await put(id, spec);
    expect(await publishAll(world)).toEqual([0, 0]);
    expect(standing(world)).toBe(before);
    remove(world, 0, 9);
    for (let index = 0; index < 9; index += 1) await told(world, `Service shop/s${index}`);
    expect(await publishAll(world)).toEqual([0, 0]);
  });
});

/** The same Services, with limits of the guard that are not the default. */
function guarded(world: ReconcileWorld): ReconcileWorld {
  const guard = { deletesMax: 100, deletesShareMax: 0.3 };
  const { context, deps } = world;
  const config = { ...context.config, guard };
  return {
    ...world,
    context: { ...context, config },
    deps: { ...deps, config: { ...deps.config, guard: guardLimitsOf(config) } },
  };
}

async function told(world: ReconcileWorld, id: string): Promise<void> {
  world.clock.ms += 10_000;
  await reconcile(world.context, [hintFor(parseRef(id))]);
  await deliverHints(world);
}
