// Names that move between hosted zones, with a sub-zone of the sub-zone that has one too: found at every step.
import { expect, test } from 'vitest';
import { type ReconcileWorld, reconcileWorld } from '../../../test/fakes/reconcile-world.ts';
import {
  ALL,
  done,
  gain,
  NS,
  OTHER,
  ROOT,
  rootWorld,
  SUB,
  say,
  standing,
  X,
} from '../../../test/fakes/sub-zone-world.ts';
import { parseRef } from '../../objects/object-ref.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { publish } from '../run/publish-hosted-zone.ts';

const DEEP = { name: 'y.t.s.e.', type: 'A' };
const CUT = { name: 't.s.e.', type: 'NS' };
const HOSTED = [
  { id: ROOT, name: 'e.' },
  { id: SUB, name: 's.e.', nameServers: ['ns-2.example.net.'] },
  { id: OTHER, name: 't.s.e.', nameServers: ['ns-3.example.net.'] },
];

/** The hosted zone in which a resolver finds y.t.s.e.; null: in none. */
function deepIn(world: ReconcileWorld): string | null {
  const top = standing(world, ROOT, NS) === null ? ROOT : SUB;
  const isCut = standing(world, top, CUT) !== null;
  const led = isCut ? OTHER : top;
  return standing(world, led, DEEP) === null ? null : led;
}

async function deepWorld(...zones: string[]): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: HOSTED });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: ALL });
  world.cluster.put(parseRef('Record p/y'), { domainName: DEEP.name, type: 'A', rdata: '192.0.2.1' });
  await change(world, zones);
  await say(world, 'Zone p/e', 'Record p/y');
  for (const id of [OTHER, SUB, ROOT, SUB, ROOT]) await publish(world.deps, id);
  expect(deepIn(world)).not.toBeNull();
  return world;
}

/** Keeps only these of the Zones s and t. */
async function change(world: ReconcileWorld, zones: readonly string[]): Promise<void> {
  for (const [name, fqdn] of [
    ['s', 's.e.'],
    ['t', 't.s.e.'],
  ] as const) {
    const ref = parseRef(`Zone p/${name}`);
    if (zones.includes(name)) world.cluster.put(ref, { domainName: fqdn, delegations: ALL });
    else world.cluster.remove(ref);
  }
  await say(world, 'Zone p/s', 'Zone p/t');
}

const ORDERS = [
  [ROOT, SUB, OTHER],
  [OTHER, SUB, ROOT],
  [SUB, ROOT, OTHER],
  [ROOT, OTHER, SUB],
];

test.each([
  { from: ['t'], to: ['s', 't'] },
  { from: ['s', 't'], to: ['t'] },
  { from: ['t'], to: ['s'] },
  { from: ['s'], to: ['t'] },
  { from: [], to: ['s', 't'] },
  { from: ['s', 't'], to: [] },
])(
  'no name is missing between the Zones $from and $to, whichever hosted zone is published first',
  async ({ from, to }) => {
    for (const order of ORDERS) {
      const world = await deepWorld(...from);
      await change(world, to);
      const found: (string | null)[] = [];
      for (let round = 0; round < 4; round += 1) {
        for (const id of order) {
          await publish(world.deps, id);
          found.push(deepIn(world));
        }
      }
      expect(found, order.join()).not.toContain(null);
      const [home] = [to.includes('t') ? OTHER : to.includes('s') ? SUB : ROOT];
      expect(found.at(-1), order.join()).toBe(home);
      const left = [ROOT, SUB, OTHER].filter((id) => id !== home && standing(world, id, DEEP) !== null);
      expect(left, order.join()).toEqual([]);
    }
  },
);

test('a hosted zone that has waited long for a delegation is published once it exists (seed 100430)', async () => {
  const world = await deepWorld();
  // Hosted zone Z1 was never published while Zone s.e. existed, so it has no delegation to delete.
  await change(world, ['s']);
  await done(world, SUB);
  await change(world, ['t']);
  await done(world, OTHER);
  world.clock.ms += 1_800_000;
  const { waiting, retryAfterSeconds } = await done(world, SUB);
  expect(waiting.get(DEEP.name)).toBe('hosted zone Z1 does not delegate t.s.e. yet');
  expect(retryAfterSeconds).toBeNull();
  world.queued.publish.clear();
  await done(world, ROOT);
  expect([...world.queued.publish]).toContain(SUB);
  await done(world, SUB);
  expect(standing(world, SUB, DEEP)).toBeNull();
});

test('a hosted zone keeps its names while another abandoned one may delegate to it (seed 201974)', async () => {
  const world = await deepWorld('s', 't');
  const config = { ...world.deps.config, guard: { deletesMax: 0, deletesShareMax: 1 } };
  await change(world, []);
  for (const id of [ROOT, SUB]) await publish({ ...world.deps, config }, id);
  expect(standing(world, ROOT, DEEP)).not.toBeNull();
  const { waiting, retryAfterSeconds } = await done(world, OTHER);
  expect(waiting.get(DEEP.name)).toBe('hosted zone Z2 may still delegate t.s.e. to this one');
  expect(retryAfterSeconds).toBeNull();
  expect(deepIn(world)).toBe(OTHER);
});

test('a hosted zone that waits for the Zones above to be settled is published when they are, however deep it is', async () => {
  const world = await deepWorld('s', 't');
  await change(world, ['s']);
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: ALL, ttl: 60 });
  await reconcile(world.context, [parseRef('Zone p/e')], 0);
  await done(world, SUB);
  expect((await done(world, OTHER)).waiting.get(DEEP.name)).toBe('the Zones at or above y.t.s.e. are being resolved');
  world.queued.publish.clear();
  await say(world, 'Zone p/e');
  expect([...world.queued.publish]).toContain(OTHER);
  await done(world, SUB);
  await done(world, OTHER);
  expect(standing(world, OTHER, DEEP)).toBeNull();
});

test('a refused delegation delays nothing else', async () => {
  const world = await rootWorld({ hostedZones: HOSTED });
  world.cluster.put(parseRef('Record p/y'), { domainName: DEEP.name, type: 'A', rdata: '192.0.2.1' });
  await say(world, 'Record p/y');
  await done(world, ROOT);
  world.route53.edit(
    SUB,
    { ...CUT, setIdentifier: null },
    { kind: 'values', ttlSeconds: 61, values: ['ns.example.com.'] },
  );
  await change(world, ['s', 't']);
  for (const id of [OTHER, SUB, ROOT]) await publish(world.deps, id);
  expect(standing(world, ROOT, NS)).not.toBeNull();
  expect(standing(world, ROOT, X)).toBeNull();
});

test('the names of a sub-zone with a private hosted zone move into it, also where an NS record led elsewhere before', async () => {
  const hostedZones = [
    { id: ROOT, name: 'e.' },
    { id: SUB, name: 's.e.', isPrivate: true as const },
  ];
  const named = [{ zone: 's.e.', id: SUB, visibility: 'private' as const }];
  const world = await rootWorld({ hostedZones, config: { hostedZones: named } });
  world.cluster.put(parseRef('Record p/ns'), { domainName: NS.name, type: 'NS', rdata: 'ns.example.net.' });
  world.cluster.put(parseRef('Record p/apex'), { domainName: NS.name, type: 'A', rdata: '192.0.2.2' });
  // So many stay that the guard holds nothing.
  const others = ['u', 'v', 'w'].map((label) => `Record p/${label}`);
  for (const id of others) {
    const { name } = parseRef(id);
    world.cluster.put(parseRef(id), { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.3' });
  }
  await say(world, 'Record p/ns', 'Record p/apex', ...others);
  await done(world, ROOT);
  await gain(world);
  await done(world, ROOT);
  await done(world, SUB);
  expect((await done(world, ROOT)).waiting.size).toBe(0);
  for (const moved of [X, { name: NS.name, type: 'A' }]) {
    expect(standing(world, ROOT, moved)).toBeNull();
    expect(standing(world, SUB, moved)).not.toBeNull();
  }
  expect(standing(world, ROOT, NS)).toBeNull();
});
