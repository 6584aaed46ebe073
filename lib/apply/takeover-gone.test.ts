// Takeovers whose annotation goes before anything was written: what is in Route 53 is still somebody else's, and stays.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import type { ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import {
  apply,
  plan,
  REGISTRY,
  stand,
  standing,
  TAKEOVER,
  takeoverWorld,
  text,
  values,
  want,
  ZONE,
} from '../../test/fakes/takeover-world.ts';
import { parseRef } from '../objects/object-ref.ts';

const REFRESH = { refresh: () => {} };
const THEIRS = values('203.0.113.9');
const NAMES = ['www', 'b', 'c', 'd'];

const annotate = ({ cluster }: ReconcileWorld, annotations: Readonly<Record<string, string>> = {}) =>
  cluster.put(parseRef('Zone p/e'), ZONE, annotations);
const contentOfWww = ({ route53 }: ReconcileWorld) =>
  route53.recordSets('Z1').find(({ name }) => name === 'www.e.')?.content;
async function heldDigests({ context }: ReconcileWorld): Promise<string[]> {
  const { hostedZones } = await planCluster(context, { reads: true, ...REFRESH });
  return hostedZones.flatMap((one) => one.plan.guard.digest ?? []);
}

/** Four published record sets, of which somebody changed one. With the annotation, the deletes of all are held. */
async function heldWorld(): Promise<ReconcileWorld> {
  const world = takeoverWorld([]);
  for (const name of NAMES) want(world, name, '192.0.2.1');
  await apply(world);
  stand(world, 'www.e.', 'A', THEIRS);
  annotate(world, TAKEOVER);
  for (const name of NAMES) world.cluster.remove(parseRef(`Record p/a-${name}`));
  expect(await apply(world, [], REFRESH)).toContain('delete www.e. held');
  return world;
}

test('a record set that somebody changed is not deleted, even if its delete was held and is acknowledged', async () => {
  const world = await heldWorld();
  const before = await heldDigests(world);
  annotate(world);
  await apply(world, before);
  await apply(world, await heldDigests(world));
  expect(standing(world)).toEqual(['www.e. A']);
  expect(await plan(world, REFRESH)).toEqual([]);
});

test('with the annotation, it is deleted when that is acknowledged', async () => {
  const world = await heldWorld();
  await apply(world, await heldDigests(world));
  expect(standing(world)).toEqual([]);
});

test('if it is wanted as it was changed, it is ours from then on', async () => {
  const world = await heldWorld();
  want(world, 'www', '203.0.113.9');
  await apply(world);
  annotate(world);
  await apply(world);
  expect(world.cluster.statuses.get('Record p/a-www')?.conditions[1]?.reason).toBe('Published');
});

/** The same world, where Route 53 refuses every new content. */
function refusingAll(world: ReconcileWorld): ReconcileWorld {
  const { change, ...port } = world.route53.port;
  const refuses: typeof change = async (id, elements, ...rest) =>
    elements.some(({ action }) => action === 'CREATE')
      ? { kind: 'refused', messages: ['RRSet with DNS name www.e., type A has a bad value'] }
      : change(id, elements, ...rest);
  return { ...world, deps: { ...world.deps, hostedZones: { ...port, change: refuses } } };
}

test.each([
  ['nobody', []],
  ['another owner', [{ ...REGISTRY, ownerId: 'other' }]],
])(
  'what external-dns owns stays if its replacement was refused, and the configuration then names %s',
  async (_, now) => {
    const world = takeoverWorld();
    stand(world, 'www.e.', 'A', THEIRS);
    text(world, 'a-www.e.', 'prod');
    want(world, 'www', '192.0.2.1');
    expect(await apply(refusingAll(world))).toEqual(['update www.e. rejected']);
    const account = { ...world.context.account, externalDns: now };
    const deps = { ...world.deps, config: { ...world.deps.config, externalDns: now } };
    const later = { ...world, context: { ...world.context, account }, deps };
    want(world, 'www', '192.0.2.2');
    expect(await plan(later)).toEqual(['create www.e. A foreign']);
    expect(await apply(later)).toEqual(['create www.e. foreign']);
    expect([standing(world), contentOfWww(world)]).toEqual([['a-www.e. TXT', 'www.e. A'], THEIRS]);
    expect(world.cluster.statuses.get('Record p/a-www')?.conditions[1]?.reason).toBe('ForeignRecord');
  },
);

test('a foreign record set stays if its replacement was refused, also when that was tried again', async () => {
  const world = takeoverWorld([]);
  const refusing = refusingAll(world);
  annotate(world, TAKEOVER);
  stand(world, 'www.e.', 'A', THEIRS);
  want(world, 'www', '192.0.2.1');
  expect(await apply(refusing)).toEqual(['update www.e. rejected']);
  world.clock.ms += 48 * 3_600_000;
  expect(await apply(refusing)).toEqual(['update www.e. rejected']);
  annotate(world);
  world.cluster.remove(parseRef('Record p/a-www'));
  await apply(world);
  expect(contentOfWww(world)).toEqual(THEIRS);
});

/** The same world, where a run dies as it calls Route 53, which never gets the call: its write intents stay. */
function dyingAtCall(world: ReconcileWorld): ReconcileWorld {
  const change = async () => {
    throw new Error('died');
  };
  return { ...world, deps: { ...world.deps, hostedZones: { ...world.route53.port, change } } };
}

test.each([
  ['the annotation is removed', (world: ReconcileWorld) => annotate(world)],
  ['the object is deleted', ({ cluster }: ReconcileWorld) => cluster.remove(parseRef('Record p/a-www'))],
  [
    'both happen',
    (world: ReconcileWorld) => {
      annotate(world);
      world.cluster.remove(parseRef('Record p/a-www'));
    },
  ],
])('a foreign record set stays if a run died before it wrote over it, and then %s', async (_, happens) => {
  const world = takeoverWorld([]);
  annotate(world, TAKEOVER);
  stand(world, 'www.e.', 'A', THEIRS);
  want(world, 'www', '192.0.2.1');
  expect(await apply(dyingAtCall(world))).toEqual(['update www.e. failed']);
  happens(world);
  world.clock.ms += 600_000;
  await apply(world);
  expect(contentOfWww(world)).toEqual(THEIRS);
});

test.each([
  ['nobody', []],
  ['another owner', [{ ...REGISTRY, ownerId: 'other' }]],
])(
  'what external-dns owns stays if a run died before it wrote, and the configuration then names %s',
  async (_, now) => {
    const world = takeoverWorld();
    stand(world, 'www.e.', 'A', THEIRS);
    text(world, 'a-www.e.', 'prod');
    want(world, 'www', '192.0.2.1');
    expect(await apply(dyingAtCall(world))).toEqual(['update www.e. failed']);
    const account = { ...world.context.account, externalDns: now };
    const deps = { ...world.deps, config: { ...world.deps.config, externalDns: now } };
    const later = { ...world, context: { ...world.context, account }, deps };
    world.clock.ms += 600_000;
    expect(await plan(later)).toEqual(['create www.e. A foreign']);
    expect(await apply(later)).toEqual(['create www.e. foreign']);
    expect([standing(world), contentOfWww(world)]).toEqual([['a-www.e. TXT', 'www.e. A'], THEIRS]);
  },
);
