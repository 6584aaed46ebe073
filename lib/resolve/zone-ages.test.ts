// Which Zone has an fqdn: that of the namespace that has asked for it for longest, as the ledger saw it.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  saveAll,
  sweepAll,
} from '../../test/fakes/reconcile-world.ts';
import { agesCodec, agesPartition } from '../directory/name-ages-item.ts';
import { readDirectory } from '../directory/read-directory.ts';
import { parseRootPattern } from '../dns/names/pattern.ts';
import { allItems } from '../ledger/pages.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import type { Ledger } from '../ports/ledger.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;
const zone = (domainName: string) => ({ domainName, delegations: [{ zones: ['*'], records: [{ pattern: '*' }] }] });

type Way = (world: ReconcileWorld, ids: readonly string[]) => Promise<void>;
const byEvents: Way = async ({ context }, ids) =>
  reconcile(
    context,
    ids.map((id) => hintFor(parseRef(id))),
  );
const WAYS: readonly (readonly [string, Way])[] = [
  ['by events', byEvents],
  ['by apply', async (world) => saveAll(world)],
];

/** A world whose operator lets every namespace have roots; null: no roots are configured. */
function worldOf(roots: readonly RootRule[] | null): ReconcileWorld {
  return reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { roots } });
}

async function edit(world: ReconcileWorld, way: Way, specs: Record<string, object | null>, ageMs = 0): Promise<void> {
  for (const [id, spec] of Object.entries(specs)) {
    if (spec === null) world.cluster.remove(parseRef(id));
    else world.cluster.put(parseRef(id), spec, {}, world.clock.ms - ageMs);
  }
  await way(world, Object.keys(specs));
}

/** The live Zones, as the directory has them; a plan from scratch must find the same. */
async function live(world: ReconcileWorld): Promise<string[]> {
  const { zones } = await readDirectory(world.ledger, 'default');
  const found = zones.map(({ item }) => `${item.fqdn} ${item.key}`).toSorted();
  const { resolved } = await planCluster(world.context);
  const planned = [...resolved.zones.values()].flatMap((one) =>
    one.live === null ? [] : `${one.live.fqdn} ${one.live.key}`,
  );
  expect(planned.toSorted()).toEqual(found);
  return found;
}

function anyRoot(): readonly RootRule[] {
  const parsed = parseRootPattern('*.');
  const other = parseRootPattern('e.');
  if (!parsed.ok || !other.ok) throw new Error('the test has an invalid pattern');
  return [parsed, other].map(({ pattern }) => ({ pattern, namespaces: null }));
}

describe.each(WAYS)('the age of an fqdn, %s', (_, way) => {
  test.each([
    ['with roots', anyRoot()],
    ['without roots', null],
  ])('an old Zone that is edited to the fqdn of another namespace does not take it, %s', async (_name, roots) => {
    const world = worldOf(roots);
    await edit(world, way, { 'Zone b/old': zone('x.') }, YEAR_MS);
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Zone a/own': zone('e.') });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Zone b/old': zone('e.') }, YEAR_MS);
    expect(await live(world)).toEqual(['e. a/own']);
    const { resolved } = await planCluster(world.context);
    expect(resolved.zones.get('b/old')?.verdict).toMatchObject({
      reason: 'Conflict',
      message: expect.stringContaining('Zone a/own has e. already and has asked for longer'),
    });
  });

  test('within a namespace, the Zone that is live stays', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone a/old': zone('x.') }, YEAR_MS);
    await edit(world, way, { 'Zone a/own': zone('e.') });
    await edit(world, way, { 'Zone a/old': zone('e.') }, YEAR_MS);
    expect(await live(world)).toEqual(['e. a/own']);
    await edit(world, way, { 'Zone a/own': null });
    expect(await live(world)).toEqual(['e. a/old']);
  });

  test('a gap of less than ten minutes does not count, one of ten minutes does', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone a/own': zone('e.') });
    await edit(world, way, { 'Zone a/own': null });
    await edit(world, way, { 'Zone b/new': zone('e.') }, YEAR_MS);
    expect(await live(world)).toEqual(['e. b/new']);
    world.clock.ms += 10 * MINUTE_MS - 1;
    await edit(world, way, { 'Zone a/again': zone('e.') });
    expect(await live(world)).toEqual(['e. a/again']);
    await edit(world, way, { 'Zone a/again': null });
    world.clock.ms += 10 * MINUTE_MS;
    await edit(world, way, { 'Zone a/again': zone('e.') });
    expect(await live(world)).toEqual(['e. b/new']);
  });

  test('without roots, an old Zone that is edited to a name above refuses no root that stands there', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone b/old': zone('x.') }, YEAR_MS);
    await edit(world, way, { 'Zone a/own': zone('w.e.') });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Zone b/old': { domainName: 'e.' } }, YEAR_MS);
    expect(await live(world)).toEqual(['e. b/old', 'w.e. a/own']);
    // Also when the root was gone for a moment: it has asked for its name for longer.
    await edit(world, way, { 'Zone a/own': null });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Zone a/own': zone('w.e.') });
    expect(await live(world)).toEqual(['e. b/old', 'w.e. a/own']);
  });

  test('without roots, a Zone above that has asked for longer refuses an old Zone that is edited to a name below', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone b/old': zone('x.') }, YEAR_MS);
    await edit(world, way, { 'Zone a/own': { domainName: 'e.' } });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Zone b/old': zone('w.e.') }, YEAR_MS);
    expect(await live(world)).toEqual(['e. a/own']);
  });

  test('without roots, who comes later is not older because its clock is slow', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone b/old': zone('x.') }, YEAR_MS);
    await edit(world, way, { 'Zone a/own': { domainName: 'e.' } });
    world.clock.ms -= 1000;
    await edit(world, way, { 'Zone b/old': zone('w.e.') }, YEAR_MS);
    expect(await live(world)).toEqual(['e. a/own']);
  });

  test('without roots, nor because another run saved the Zone above meanwhile', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone b/old': zone('x.') }, YEAR_MS);
    await edit(world, way, { 'Zone a/own': { domainName: 'y.' } });
    world.cluster.put(parseRef('Zone a/own'), { domainName: 'e.' });
    world.cluster.put(parseRef('Zone b/old'), zone('w.e.'), {}, world.clock.ms - YEAR_MS);
    let isFirst = true;
    // Another run, with a clock that is fast, saves the age of e. just before this run does.
    const ledger: Ledger = {
      ...world.ledger,
      put: async (key, body, revision) => {
        if (isFirst && key.partition === agesPartition('default', 'zones') && key.sort.trim() === 'e') {
          isFirst = false;
          const ages = [{ group: 'Zone', namespace: 'a', sinceMs: world.clock.ms + 1000 }];
          await world.ledger.put(key, agesCodec.encode({ ages }), null);
        }
        return world.ledger.put(key, body, revision);
      },
    };
    await way({ ...world, context: { ...world.context, ledger } }, ['Zone a/own', 'Zone b/old']);
    expect(isFirst).toBe(false);
    expect(await live(world)).toEqual(['e. a/own']);
  });

  test('nothing is left of it ten minutes after the last Zone has gone', async () => {
    const world = worldOf(null);
    await edit(world, way, { 'Zone a/own': zone('e.') });
    await edit(world, way, { 'Zone a/own': null });
    expect(await allItems(world.ledger, agesPartition('default', 'zones'))).toHaveLength(1);
    world.clock.ms += 10 * MINUTE_MS;
    await (way === byEvents ? sweepAll(world) : saveAll(world));
    expect(await allItems(world.ledger, agesPartition('default', 'zones'))).toEqual([]);
  });
});
