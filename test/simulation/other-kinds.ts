// Ingresses in addition to Records, in some seeds. Tenants write any hosts, statuses and annotations, forged or not:
// load balancers that come and go, names of others, weights that are no numbers. They have a random stream of their
// own, so that seeds without them stay as they were.
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import { APEX, FORBIDDEN, SUB_ZONE, VALUES_OF_A, VALUES_OF_B } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { isOlderThanKinds } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

const INGRESSES: readonly ObjectRef[] = [
  { kind: 'Ingress', namespace: 'a', name: 'i1' },
  { kind: 'Ingress', namespace: 'b', name: 'i2' },
  { kind: 'Ingress', namespace: 'b', name: 'i3' },
];
const HOSTS = [`w.${APEX}`, `w.${SUB_ZONE}`, `v.${APEX}`, `*.${APEX}`, SUB_ZONE, `w.${FORBIDDEN}`, '..'];
const PREFIX = 'external-dns.kubernetes.io/';

/** `leans`: there are Services and routes besides (related-objects.ts). */
export type OtherKinds = { readonly random: Random; readonly leans: boolean };

/** Null for the seeds that have none. */
export function otherKindsOf(seed: number): OtherKinds | null {
  const random = randomOf(Math.imul(seed, 15_485_863) + 7);
  const kept = isOlderThanKinds(seed);
  // A random stream of its own, so that seeds with Ingresses alone stay as they were.
  const leans = randomOf(Math.imul(seed, 49_979_687) + 13).chance(0.7);
  return random.chance(0.3) && !kept ? { random, leans } : null;
}

/** One seed in this many of those with Ingresses has a root with HTTPS records, and Ingresses with TLS. */
const HTTPS_EVERY = 2;

export function hasHttps({ seed, otherKinds }: Pick<World, 'seed' | 'otherKinds'>): boolean {
  return otherKinds !== null && seed % HTTPS_EVERY === 0;
}

/** What a tenant writes into an Ingress. */
function contentOf(
  world: World,
  random: Random,
  { namespace }: ObjectRef,
): Pick<ClusterObject, 'spec' | 'status' | 'annotations'> {
  const host = () => random.pick(HOSTS);
  const ip = () => random.pick(namespace === 'a' ? VALUES_OF_A : VALUES_OF_B);
  const status = random.pick<unknown>([
    { loadBalancer: { ingress: [{ ip: ip() }] } },
    { loadBalancer: { ingress: [{ ip: ip() }] } },
    { loadBalancer: { ingress: [{ ip: ip() }, { hostname: `c.${namespace}.` }] } },
    { loadBalancer: { ingress: [{ hostname: `c.${namespace}.` }] } },
    { loadBalancer: {} },
    null,
  ]);
  const annotations = random.pick<Readonly<Record<string, string>>>([
    {},
    {},
    { [`${PREFIX}hostname`]: host() },
    { [`${PREFIX}target`]: ip() },
    { [`${PREFIX}ttl`]: random.pick(['60', 'x']) },
    { [`${PREFIX}aws-weight`]: 'x' },
    { [`${PREFIX}controller`]: 'other' },
    { [`${PREFIX}namespace`]: 'a' },
  ]);
  const rules = [{ host: host() }, { host: host() }];
  const tls = hasHttps(world) ? { tls: [{ hosts: [rules[0]?.host] }] } : {};
  return { spec: { rules, ...tls }, status, annotations };
}

/** A tenant writes or deletes an Ingress. False where the seed has none, or it is not their turn. */
export function writesIngress(
  world: World,
  hintAbout: (world: World, ref: ObjectRef, before: ClusterObject | null) => void,
): boolean {
  const { otherKinds, cluster } = world;
  if (otherKinds === null || !otherKinds.random.chance(0.4)) return false;
  const { random } = otherKinds;
  const ref = random.pick(INGRESSES);
  const before = cluster.find(ref);
  const deletes = before !== null && random.chance(0.25);
  if (deletes) cluster.remove(ref);
  else if (before !== null && random.chance(0.3)) cluster.put(ref, { status: contentOf(world, random, ref).status });
  else cluster.put(ref, contentOf(world, random, ref));
  sawThat(world, `a tenant: ${deletes ? 'deleted' : 'wrote'} an Ingress`);
  tell(world, () => `tenant: ${formatRef(ref)}: ${JSON.stringify(cluster.find(ref))}`);
  hintAbout(world, ref, before);
  return true;
}
