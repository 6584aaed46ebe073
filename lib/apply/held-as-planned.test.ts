// What a plan marks as held is what apply holds: in small random worlds, over several edits, with what is still held
// from before.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { parseRef } from '../objects/object-ref.ts';
import { applyCluster } from './apply-cluster.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

/** The Records at a name, by kind. */
const RECORDS: Readonly<Record<string, readonly object[]>> = {
  nothing: [],
  a: [{ type: 'A', rdata: '192.0.2.1' }],
  b: [{ type: 'A', rdata: '192.0.2.2' }],
  both: [
    { type: 'A', rdata: '192.0.2.1' },
    { type: 'AAAA', rdata: '2001:db8::1' },
  ],
  text: [
    { type: 'TXT', rdata: 'x' },
    { type: 'A', rdata: '192.0.2.1' },
  ],
  cname: [{ type: 'CNAME', rdata: 'x.example.' }],
  weighted: ['blue', 'green'].map((setIdentifier, at) => ({
    ...{ type: 'A', rdata: `192.0.2.${at}` },
    routing: { setIdentifier, weight: 1 },
  })),
  one: [{ type: 'A', rdata: '192.0.2.0', routing: { setIdentifier: 'blue', weight: 1 } }],
  regional: [{ type: 'A', rdata: '192.0.2.0', routing: { setIdentifier: 'blue', region: 'eu-west-1' } }],
};
const KINDS = Object.keys(RECORDS);

function declare({ cluster }: ReconcileWorld, name: string, kind: string): void {
  for (const at of [0, 1]) {
    const ref = parseRef(`Record p/${name}-${at}`);
    const spec = RECORDS[kind]?.[at];
    if (spec === undefined) cluster.remove(ref);
    else cluster.put(ref, { domainName: `${name}.e.`, ...spec });
  }
}

async function planAndApply(world: ReconcileWorld, acknowledged: readonly string[], refreshes = false) {
  const options = { reads: true, acknowledged, ...(refreshes && { refresh: () => {} }) };
  const plan = await planCluster(world.context, options);
  const [planned] = plan.hostedZones;
  const marked = (planned?.plan.changes ?? []).map((change) => {
    const { held, tied } = planned?.plan.guard ?? { held: [], tied: [] };
    const isHeld = [...held, ...tied].includes(change);
    return `${change.action} ${change.name} ${change.type} ${change.setIdentifier} ${isHeld ? 'held' : 'published'}`;
  });
  const how = { ...options, only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(world.context, world.deps, plan, how);
  const done = hostedZones[0]?.outcomes.map(
    ({ change, outcome }) => `${change.action} ${change.name} ${change.type} ${change.setIdentifier} ${outcome}`,
  );
  return { marked, done: done ?? [], digest: hostedZones[0]?.held?.digest ?? null };
}

test.each(Array.from({ length: 60 }, (_, seed) => seed))('seed %d', async (seed) => {
  const random = seededRandom(seed);
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  const names = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'].slice(0, 2 + random.below(10));
  for (const name of names) declare(world, name, random.pick(KINDS));
  await planAndApply(world, []);
  for (let round = 0; round < 5; round += 1) {
    const share = random.next();
    for (const name of names)
      if (random.next() < share) declare(world, name, random.next() < 0.5 ? 'nothing' : random.pick(KINDS));
    const { marked, done, digest } = await planAndApply(world, []);
    expect(done).toEqual(marked);
    if (digest !== null && random.next() < 0.3) {
      const released = await planAndApply(world, [digest]);
      expect(released.done).toEqual(released.marked);
    }
  }
});

/** Somebody changes, deletes or creates record sets by hand at the name. */
function meddle({ route53 }: ReconcileWorld, name: string, random: ReturnType<typeof seededRandom>): void {
  const there = route53.recordSets('Z1').filter((set) => set.name === `${name}.e.`);
  const type = random.pick(['A', 'CNAME', 'TXT', 'AAAA']);
  const values = { A: '203.0.113.1', CNAME: 'theirs.example.', TXT: '"theirs"', AAAA: '2001:db8::9' }[type] ?? '';
  const content = { kind: 'values', ttlSeconds: 60, values: [values] } as const;
  const [set] = there;
  if (set !== undefined) route53.edit('Z1', set, random.next() < 0.5 || set.type !== type ? null : content);
  else route53.edit('Z1', { name: `${name}.e.`, type, setIdentifier: null }, content);
}

const heldOf = (lines: readonly string[]) => lines.filter((line) => line.endsWith(' held'));

test.each(Array.from({ length: 60 }, (_, seed) => 1_000 + seed))('with changes by hand, seed %d', async (seed) => {
  const random = seededRandom(seed);
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  const annotations = random.next() < 0.4 ? { 'zone53.dev/takeover': 'true' } : {};
  world.cluster.put(parseRef('Zone p/e'), ZONE, annotations);
  const names = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'].slice(0, 2 + random.below(10));
  for (const name of names) declare(world, name, random.pick(KINDS));
  await planAndApply(world, []);
  for (let round = 0; round < 5; round += 1) {
    const share = random.next();
    for (const name of names)
      if (random.next() < share) declare(world, name, random.next() < 0.5 ? 'nothing' : random.pick(KINDS));
    for (const name of names) if (random.next() < 0.15) meddle(world, name, random);
    const { marked, done, digest } = await planAndApply(world, [], true);
    expect(heldOf(done)).toEqual(heldOf(marked));
    if (digest !== null && random.next() < 0.3) {
      const released = await planAndApply(world, [digest], true);
      expect(heldOf(released.done)).toEqual(heldOf(released.marked));
    }
  }
});
