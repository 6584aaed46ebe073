// What tenants do to the cluster: they create, edit (also into invalid specs), rename, delete and create again, change
// delegations, move a Record from one Zone to another, forge labels, ask for a takeover, and acknowledge held deletes.
// The world is tiny: two namespaces, three Zones, two names, two values in each namespace. One Record is always wanted
// and never touched.
import { formatRef, keyOf, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { DISCOVERY_ZONES, populateDiscovery, writesDiscovery } from './discovery/tenants.ts';
import { freeRules } from './free-texts.ts';
import { delayOf } from './gated-ports.ts';
import { movedName } from './moved-names.ts';
import { APEX, KEPT, SUB_ZONE } from './names.ts';
import { writesIngress } from './other-kinds.ts';
import { populatePointed } from './pointed-addresses.ts';
import type { Random } from './random.ts';
import { populateAround, relatedKind, writesAround } from './related-objects.ts';
import { populateRouted, routedRules, writesRouted } from './routed-records.ts';
import { sharedRules, writesShared } from './shared-texts.ts';
import { PARENT_LABEL } from './simulated-cluster.ts';
import { writeSlowly } from './slow-writes.ts';
import {
  ACKNOWLEDGE_ANNOTATION,
  ALL,
  hostileRules,
  INVALID,
  KEEPS,
  KEPT_REF,
  movesOf,
  RECORDS,
  ROOT,
  specOf,
  TAKEOVER_ANNOTATION,
  zonesOf,
} from './tenant-specs.ts';
import { sawThat, tell, type World } from './world.ts';

/** What an admission webhook adds to a hint: the version before the write, and what the write should lead to. */
function seenByWebhook(world: World, ref: ObjectRef, before: ClusterObject | null): Partial<Hint> {
  if (before === null) return { oldVersion: '' };
  const { cluster, around } = world;
  const { uid, version: oldVersion, generation: old } = before;
  const generation = (relatedKind(world, ref.kind) === null ? cluster : around).find(ref)?.generation ?? null;
  return uid === null || generation === old ? { oldVersion } : { oldVersion, awaited: { uid, generation } };
}

/** An event source reports a change of the object: a hint, which may be lost, late, or sent twice. */
function hintAbout(world: World, ref: ObjectRef, before: ClusterObject | null): void {
  const { random, swarm, queues, time } = world;
  if (swarm.lostHints && random.chance(0.3)) {
    world.needsSweep ??= 'a lost hint';
    tell(world, () => `   the hint for ${formatRef(ref)} is lost`);
    sawThat(world, 'a hint was lost');
    return;
  }
  const hint: Hint = { ...ref, ...(random.chance(0.3) ? seenByWebhook(world, ref, before) : {}) };
  queues.send({ kind: 'hint', hint }, time.ms + delayOf(world, true), null);
  if (swarm.duplicates && random.chance(0.2)) queues.send({ kind: 'hint', hint }, time.ms + delayOf(world, true), null);
}

/** The cluster at the beginning: the root, the Record that is always wanted, and some of the other objects. */
export function populate(world: World): void {
  const { cluster, random } = world;
  const put = (ref: ObjectRef, spec: object) => {
    cluster.put(ref, { spec });
    world.queues.send({ kind: 'hint', hint: ref }, world.time.ms, null);
  };
  put(ROOT, {
    domainName: APEX,
    delegations: [
      KEEPS,
      ...routedRules(world),
      ...sharedRules(world),
      ...hostileRules(world),
      ...freeRules(world),
      ...movesOf(world),
      ...(world.swarm.denyB ? [{ ...ALL, namespaces: ['a'] }] : [ALL]),
    ],
  });
  for (const zone of world.movingZones) {
    const name = zone === SUB_ZONE ? 'moved' : 'moved-deep';
    put({ kind: 'Record', namespace: 'a', name }, { domainName: movedName(zone), type: 'A', rdata: '192.0.2.9' });
  }
  put(KEPT_REF, { domainName: KEPT, type: 'A', rdata: '192.0.2.9' });
  populateRouted(world, put);
  for (const ref of [...zonesOf(world).slice(1), ...RECORDS]) if (random.chance(0.6)) put(ref, specOf(world, ref));
  populateAround(world);
  populateDiscovery(world);
  populatePointed(world);
}

type Action = (world: World, ref: ObjectRef) => string | null;

function edit(world: World, ref: ObjectRef): string {
  world.cluster.put(ref, { spec: specOf(world, ref) });
  return 'edited';
}

const ACTIONS: readonly (readonly [number, Action])[] = [
  [10, edit],
  [
    2,
    (world, ref) => {
      world.cluster.put(ref, { spec: world.random.pick(INVALID) });
      return 'edited, invalid';
    },
  ],
  [
    3,
    (world, ref) => {
      if (ref === ROOT) return null;
      world.cluster.remove(ref);
      return 'deleted';
    },
  ],
  [
    2,
    (world, ref) => {
      if (ref === ROOT) return null;
      world.cluster.remove(ref);
      world.cluster.put(ref, { spec: specOf(world, ref) });
      return 'deleted and created again';
    },
  ],
  [
    1,
    (world, ref) => {
      world.cluster.put(ref, { labels: { [PARENT_LABEL]: 'sub.b', forged: world.random.pick(['1', '2']) } });
      return 'labels forged';
    },
  ],
  [2, deleteAll],
  [
    1,
    (world, ref) => {
      if (!world.swarm.forges) return null;
      const forged = { type: 'Programmed', status: 'True', reason: 'Published', message: 'believe me' } as const;
      const status = { fqdn: `forged.${APEX}`, parent: null, conditions: [forged] };
      world.cluster.put(ref, { status });
      world.cluster.statuses.set(formatRef(ref), status);
      world.needsSweep ??= 'a forged status';
      return 'status forged';
    },
  ],
  [2, swapNames],
  [3, annotate],
];

/** Deletes all Records of a namespace at once, except the one that is always wanted. */
function deleteAll(world: World, ref: ObjectRef): string | null {
  const gone = RECORDS.filter((one) => one !== ref && world.cluster.find(one)?.ref.namespace === ref.namespace);
  if (ref.kind !== 'Record' || gone.length === 0) return null;
  for (const one of [ref, ...gone]) {
    const before = world.cluster.find(one);
    world.cluster.remove(one);
    if (one !== ref) hintAbout(world, one, before);
  }
  return 'deleted all of a namespace';
}

/** Swaps the names of two Records at once. */
function swapNames(world: World, ref: ObjectRef): string | null {
  const other = world.random.pick(RECORDS);
  const [one, two] = [world.cluster.find(ref), world.cluster.find(other)];
  if (ref.kind !== 'Record' || one === null || two === null || one === two) return null;
  type Spec = { readonly rdata?: string; readonly values?: readonly string[] };
  const [first, second] = [one.spec as Spec | null, two.spec as Spec | null];
  if (first === null || second === null) return null;
  world.cluster.put(ref, { spec: { ...second, rdata: first.rdata, values: first.values } });
  world.cluster.put(other, { spec: { ...first, rdata: second.rdata, values: second.values } });
  hintAbout(world, other, two);
  return `swapped with ${formatRef(other)}`;
}

/** Sets or removes the takeover annotation, or acknowledges a digest, a right or a stale one. */
function annotate(world: World, ref: ObjectRef): string | null {
  const object = world.cluster.find(ref);
  if (object === null) return null;
  const { swarm, random, auditor } = world;
  if (swarm.takeover && random.chance(0.5)) {
    const { [TAKEOVER_ANNOTATION]: now, ...others } = object.annotations;
    const next = now === undefined ? 'true' : undefined;
    world.cluster.put(ref, { annotations: next === undefined ? others : { ...others, [TAKEOVER_ANNOTATION]: next } });
    return `takeover ${next ?? 'taken back'}`;
  }
  const held = heldDigest(world);
  const stale = !swarm.acknowledge || held === null || random.chance(0.3);
  if (stale && random.chance(0.5)) return null;
  const digest = stale ? 'ab'.repeat(32) : held;
  if (digest === null) return null;
  if (!stale) auditor.shadow.acknowledged = true;
  world.cluster.put(ref, { annotations: { ...object.annotations, [ACKNOWLEDGE_ANNOTATION]: digest } });
  return stale ? 'acknowledged something else' : 'acknowledged';
}

/** The digest that the guard holds now, and the Zone of the cluster's own DNS whose status shows it, if it is one. */
function heldNow({
  auditor,
  route53,
}: World): { readonly digest: string; readonly zone: ObjectRef | undefined } | null {
  for (const [key, body] of auditor.shadow.items) {
    if (!key.startsWith('hostedzones ') || body.held === null) continue;
    // Held deletes of a hosted zone that is gone are shown to nobody.
    if (route53.recordSets(key.slice('hostedzones '.length)).length === 0) continue;
    const { digest } = body.held as { digest: string };
    return { digest, zone: DISCOVERY_ZONES.find((one) => keyOf(one) === body.zone) };
  }
  return null;
}

/** The digest of the deletes that the guard holds now; null: it holds none. */
export function heldDigest(world: World): string | null {
  return heldNow(world)?.digest ?? null;
}

function pickAction(random: Random): Action {
  const total = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.whole(1, total);
  for (const [weight, action] of ACTIONS) {
    left -= weight;
    if (left <= 0) return action;
  }
  return edit;
}

/**
 * Acknowledges the held deletes on the Zone that shows them: the root, or a Zone of the cluster's own DNS. Returns
 * false if nothing is held, or if that digest is acknowledged already.
 */
export function acknowledges(world: World): boolean {
  const { digest = null, zone = ROOT } = heldNow(world) ?? {};
  const root = world.cluster.find(zone);
  if (digest === null || root === null || root.annotations[ACKNOWLEDGE_ANNOTATION] === digest) return false;
  world.auditor.shadow.acknowledged = true;
  world.cluster.put(zone, { annotations: { ...root.annotations, [ACKNOWLEDGE_ANNOTATION]: digest } });
  sawThat(world, 'a tenant: acknowledged');
  tell(world, () => `tenant: acknowledges ${digest}`);
  hintAbout(world, zone, root);
  return true;
}

/** One action of a tenant. */
export function tenantActs(world: World): void {
  const { random, cluster, slowWrites } = world;
  if (slowWrites !== null && slowWrites.underway !== null) return;
  if (writesDiscovery(world, hintAbout) || writesShared(world, hintAbout)) return;
  if (writesAround(world, hintAbout) || writesIngress(world, hintAbout) || writesRouted(world, hintAbout)) return;
  const ref = random.pick(random.chance(0.3) ? zonesOf(world) : RECORDS);
  const before = cluster.find(ref);
  if (slowWrites?.random.chance(0.4) === true) {
    const deletes = before !== null && ref !== ROOT && slowWrites.random.chance(0.4);
    if (writeSlowly(world, ref, deletes ? null : specOf(world, ref))) return;
  }
  const action = before === null ? edit : pickAction(random);
  const done = action(world, ref);
  if (done === null) return;
  sawThat(world, `a tenant: ${before === null ? 'created' : done.split(' with')[0]}`);
  tell(
    world,
    () =>
      `tenant: ${formatRef(ref)} ${done}: ${JSON.stringify(cluster.find(ref)?.spec)} ${JSON.stringify(cluster.find(ref)?.annotations ?? {})}`,
  );
  hintAbout(world, ref, before);
}
