// Aliases and routed record sets, in some seeds: Records of every policy at a few names, together with simple ones,
// with changing weights, missing health checks, aliases of load balancers and of names that come and go. Two names are
// always wanted and never changed. They have a random stream of their own, so that seeds without them stay as they
// were.
import type { RecordSetKey } from '../../lib/dns/record-set.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import { APEX, KEPT, SUB_ZONE, VALUES_OF_A, VALUES_OF_B } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { isOlderThanKinds } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

/** A weighted record set that is always wanted, next to others of its name. */
const KEPT_WEIGHTED: RecordSetKey = { name: `kr.${APEX}`, type: 'A', setIdentifier: 'k' };
/** An alias that is always wanted, of a name that is. */
const KEPT_ALIAS: RecordSetKey = { name: `ka.${APEX}`, type: 'A', setIdentifier: null };
const LOAD_BALANCER = 'lb.eu-west-1.elb.amazonaws.com.';
/** The id of a health check that does not exist. */
const GONE_CHECK = 'gone';

const RECORDS: readonly ObjectRef[] = [
  { kind: 'Record', namespace: 'a', name: 'q1' },
  { kind: 'Record', namespace: 'a', name: 'q2' },
  { kind: 'Record', namespace: 'a', name: 'q3' },
  { kind: 'Record', namespace: 'b', name: 'q4' },
  { kind: 'Record', namespace: 'b', name: 'q5' },
];
export const ROUTED_NAMES: readonly string[] = [`w.${APEX}`, `v.${APEX}`, `v.${APEX}`, `w.${SUB_ZONE}`];
const SETS = ['x', 'y', 'z'];
const POLICIES: readonly ((random: Random) => object)[] = [
  (random) => ({ weight: random.whole(0, 2) }),
  (random) => ({ weight: random.whole(0, 2) }),
  (random) => ({ failover: random.pick(['PRIMARY', 'SECONDARY']), healthCheckId: 'check' }),
  (random) => ({ geolocation: random.pick([{ country: '*' }, { continent: 'EU' }, { country: 'DE' }]) }),
  (random) => ({ region: random.pick(['eu-west-1', 'us-east-1']) }),
  () => ({ multivalue: true }),
];
/** Policies by place, in some of the seeds, with a chance of their own. */
const POLICIES_BY_PLACE: typeof POLICIES = [
  (random) => ({ geoproximity: { region: random.pick(['eu-west-1', 'us-east-1']), bias: random.pick([-99, 0, 10]) } }),
  (random) => ({
    geoproximity: { coordinates: random.pick([JERSEY, { latitude: -10, longitude: 20 }]) },
  }),
  (random) => ({ geoproximity: { localZoneGroup: 'us-west-2-lax-1', ...random.pick([{}, { bias: 0 }, { bias: 5 }]) } }),
  (random) => ({ cidr: { collectionId: COLLECTION, location: random.pick(['*', 'home', 'office']) } }),
  (random) => ({ cidr: { collectionId: COLLECTION, location: random.pick(['*', 'home']) } }),
];
const COLLECTION = '01234567-89ab-cdef-0123-456789abcdef';
const JERSEY = { latitude: 49.22, longitude: -2.13 };
const INVALID: readonly object[] = [
  { type: 'A', alias: { target: LOAD_BALANCER }, rdata: '192.0.2.1' },
  { type: 'A', alias: { target: 'nobody.knows.' } },
  { type: 'A', rdata: '192.0.2.1', routing: { setIdentifier: 'x' } },
  { type: 'A', rdata: '192.0.2.1', routing: { setIdentifier: 'x', failover: 'PRIMARY' } },
  { type: 'NS', rdata: 'n.example.', routing: { setIdentifier: 'x', weight: 1 } },
];

export type Routed = {
  readonly random: Random;
  /** The policy of most of its routed Records, so that they can exist together. */
  readonly policy: number;
  /** What an external-dns owns may be taken over. */
  readonly takesOver: boolean;
  readonly strangers: boolean;
  /** What its policies are drawn from. */
  readonly policies: typeof POLICIES;
};

/** Null for the seeds that have none. */
export function routedOf(seed: number): Routed | null {
  const random = randomOf(Math.imul(seed, 32_452_843) + 11);
  const kept = isOlderThanKinds(seed);
  if (kept || !random.chance(0.35)) return null;
  const byPlace = randomOf(Math.imul(seed, 49_979_687) + 17);
  const isByPlace = byPlace.chance(0.25);
  const policies = isByPlace ? POLICIES_BY_PLACE : POLICIES;
  const policy = random.whole(0, POLICIES.length - 1);
  return {
    random,
    policy: isByPlace ? byPlace.whole(0, policies.length - 1) : policy,
    policies,
    takesOver: random.chance(0.6),
    strangers: random.chance(0.6),
  };
}

/** Whatever else the root allows, it allows the names that are always wanted, and more sets beside the weighted one. */
export function routedRules({ routed }: World): object[] {
  if (routed === null) return [];
  return [{ namespaces: ['a'], zones: [], records: [{ pattern: 'kr' }, { pattern: 'ka' }] }];
}

/** True for what is wanted all the time. */
export function isKept(set: RecordSetKey): boolean {
  return [KEPT_WEIGHTED, KEPT_ALIAS].some(
    ({ name, type, setIdentifier }) => set.name === name && set.type === type && set.setIdentifier === setIdentifier,
  );
}

/** True for a health check that Route 53 does not know. */
export function hasGoneCheck({ routing }: { readonly routing?: { readonly healthCheckId: string | null } }): boolean {
  return routing?.healthCheckId === GONE_CHECK;
}

function aliasOf(random: Random): object {
  const target = random.pick([LOAD_BALANCER, LOAD_BALANCER, KEPT, `v.${APEX}`, `w.${APEX}`, `w.${SUB_ZONE}`]);
  return { target, ...(random.chance(0.3) ? { evaluateTargetHealth: false } : {}) };
}

function routingOf({ random, policy, policies }: Routed): object {
  const policyOf = random.chance(0.75) ? (policies[policy] as (random: Random) => object) : random.pick(policies);
  const check = random.chance(0.15) ? { healthCheckId: random.pick(['check', GONE_CHECK]) } : {};
  return { setIdentifier: random.pick(SETS), ...policyOf(random), ...check };
}

function specOf(routed: Routed, { namespace }: ObjectRef): object {
  const { random } = routed;
  const beside = namespace === 'a' && random.chance(0.25);
  const domainName = beside ? KEPT_WEIGHTED.name : random.pick(ROUTED_NAMES);
  if (random.chance(0.06)) return { domainName, ...random.pick(INVALID) };
  const values = namespace === 'a' ? VALUES_OF_A : VALUES_OF_B;
  const isAlias = random.chance(0.4);
  const isCname = !isAlias && random.chance(0.12);
  const ttl = random.chance(0.3) ? { ttl: random.pick([60, 120]) } : {};
  const data = isAlias
    ? { type: 'A', alias: aliasOf(random) }
    : { type: isCname ? 'CNAME' : 'A', rdata: isCname ? `c.${namespace}.` : random.pick(values), ...ttl };
  if (beside) {
    const routing = { setIdentifier: random.pick(SETS), weight: random.whole(0, 2) };
    return { domainName, ...data, type: 'A', ...(isCname ? { rdata: values[0] } : {}), routing };
  }
  return { domainName, ...data, ...(random.chance(0.65) ? { routing: routingOf(routed) } : {}) };
}

/** What is wanted from the beginning on. */
export function populateRouted({ routed }: World, put: (ref: ObjectRef, spec: object) => void): void {
  if (routed === null) return;
  const ref = (name: string): ObjectRef => ({ kind: 'Record', namespace: 'a', name });
  const routing = { setIdentifier: 'k', weight: 1 };
  put(ref('kept-weighted'), { domainName: KEPT_WEIGHTED.name, type: 'A', rdata: '192.0.2.9', routing });
  put(ref('kept-alias'), { domainName: KEPT_ALIAS.name, type: 'A', alias: { target: KEPT } });
  for (const one of RECORDS) if (routed.random.chance(0.6)) put(one, specOf(routed, one));
}

/** The same Record with another weight; null where it has none. */
function movedWeight(random: Random, spec: unknown): object | null {
  const { routing } = (spec ?? {}) as { routing?: { weight?: number } };
  if (routing?.weight === undefined) return null;
  return { ...(spec as object), routing: { ...routing, weight: random.whole(0, 255) } };
}

/** A tenant writes or deletes such a Record. False where the seed has none, or it is not their turn. */
export function writesRouted(
  world: World,
  hintAbout: (world: World, ref: ObjectRef, before: ClusterObject | null) => void,
): boolean {
  const { routed, cluster } = world;
  if (routed === null || !routed.random.chance(0.5)) return false;
  const { random } = routed;
  const ref = random.pick(RECORDS);
  const before = cluster.find(ref);
  const moved = random.chance(0.3) ? movedWeight(random, before?.spec) : null;
  const deletes = moved === null && before !== null && random.chance(0.2);
  if (deletes) cluster.remove(ref);
  else cluster.put(ref, { spec: moved ?? specOf(routed, ref) });
  sawThat(world, `a tenant: ${deletes ? 'deleted' : moved === null ? 'wrote' : 'moved the weight of'} a routed Record`);
  tell(world, () => `tenant: ${formatRef(ref)}: ${JSON.stringify(cluster.find(ref)?.spec)}`);
  hintAbout(world, ref, before);
  return true;
}
