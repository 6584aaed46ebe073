// What the clusters of a world ask for, by their objects alone, and whether what stands at a name is what these claims
// come to. It does not compute who gets a name: it checks that some order of the clusters explains what stands. So it
// shares nothing with judge-claims.ts.
import type { RecordSet } from '../../../lib/dns/record-set.ts';
import { isZone, type ObjectRef } from '../../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../../lib/ports/cluster.ts';
import { APEX } from '../names.ts';
import type { Fleet, Member } from './world.ts';

/** What one cluster asks for at one record set. */
export type Claim = {
  readonly cluster: string;
  readonly ref: ObjectRef;
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** Its weight or region, as text; null: it has no routing. */
  readonly routing: string | null;
  /** Its values may be united with those of other clusters. */
  readonly merges: boolean;
  /** It is to be shared by latency, and its cluster has no region. */
  readonly lacksRegion: boolean;
  readonly values: readonly string[];
  readonly ttl: number;
  readonly standby: boolean;
};

/** The claims of one cluster at a name that go together: its addresses, or one other type. */
export type Part = { readonly cluster: string; readonly standby: boolean; readonly claims: readonly Claim[] };

const ADDRESSES: readonly string[] = ['A', 'AAAA', 'CNAME'];
const TTL = 360;

type Spec = { readonly domainName: string; readonly type: string; readonly rdata: string; readonly ttl?: number };

/** The claims of a cluster. `isOff`: it is on standby as a whole. */
export function claimsOf({ cluster, config }: Member, isOff: boolean): readonly Claim[] {
  const all = cluster.objects();
  const zone = all.find(({ ref }) => isZone(ref));
  if (zone === undefined) return [];
  const saysStandby = ({ annotations }: ClusterObject) => annotations['zone53.dev/standby'] === 'true';
  return all
    .filter(({ ref }) => !isZone(ref))
    .map((object) => {
      const { domainName: name, type, rdata, ttl = TTL } = object.spec as Spec;
      const standby = isOff || saysStandby(zone) || saysStandby(object);
      const shares = sharingOf(zone, object, type, config);
      return { cluster: config.clusterId, ref: object.ref, name, type, values: [rdata], ttl, standby, ...shares };
    });
}

/** The clusters that ask for something: none that is being retired. */
export function membersThere({ members, gone }: Fleet): readonly Member[] {
  return [...members.values()].filter(({ config }) => !gone.has(config.clusterId));
}

/** How a claim is shared with other clusters: by its object, else by its Zone. */
function sharingOf(
  zone: ClusterObject,
  object: ClusterObject,
  type: string,
  { clusterId, region }: Member['config'],
): Pick<Claim, 'setIdentifier' | 'routing' | 'merges' | 'lacksRegion'> {
  const said = (key: string) => object.annotations[`zone53.dev/${key}`] ?? zone.annotations[`zone53.dev/${key}`];
  const sharing = isAddress({ type }) ? said('sharing') : undefined;
  const alone = { setIdentifier: null, routing: null, merges: false, lacksRegion: false };
  if (sharing === 'weighted') return { ...alone, setIdentifier: clusterId, routing: `weight ${said('weight') ?? '1'}` };
  if (sharing === 'latency' && region !== null)
    return { ...alone, setIdentifier: clusterId, routing: `region ${region}` };
  return { ...alone, merges: sharing === 'merge' && type !== 'CNAME', lacksRegion: sharing === 'latency' };
}

/** The parts of all clusters, by name. A part is on standby if all of it is. */
export function partsByName(fleet: Fleet, isOff: (cluster: string) => boolean): ReadonlyMap<string, readonly Part[]> {
  const claims = membersThere(fleet).flatMap((member) => claimsOf(member, isOff(member.config.clusterId)));
  return new Map(
    [...Map.groupBy(claims, ({ name }) => name)].map(([name, ofName]) => {
      const parts = Map.groupBy(ofName, ({ cluster, type }) => `${cluster} ${groupOf(type)}`);
      const asParts = [...parts.values()].map((some): Part => {
        const [{ cluster }] = some as [Claim];
        return { cluster, standby: some.every(({ standby }) => standby), claims: some };
      });
      return [name, asParts];
    }),
  );
}

/** Types that only one cluster may have at a name, or the type itself. */
export function groupOf(type: string): string {
  return ADDRESSES.includes(type) ? 'addresses' : type;
}

/** True if the claim is answered as it asks, but for the TTL. Of a merged record set, its own values count. */
export function isAnswered(claim: Claim, standing: readonly RecordSet[]): boolean {
  const there = standing.find((set) => set.type === claim.type && set.setIdentifier === claim.setIdentifier);
  if (there === undefined || routingOf(there) !== claim.routing) return false;
  const values = valuesOf(there);
  return claim.merges ? claim.values.every((value) => values.includes(value)) : sameValues(values, claim.values);
}

export function valuesOf({ content }: RecordSet): readonly string[] {
  return content.kind === 'values' ? content.values : [];
}

function ttlOf({ content }: RecordSet): number | null {
  return content.kind === 'values' ? content.ttlSeconds : null;
}

/** The weight or region of a record set, as text; null: it has no routing. */
function routingOf({ content }: RecordSet): string | null {
  const { policy } = content.routing ?? {};
  if (policy?.kind === 'weight') return `weight ${policy.weight}`;
  return policy?.kind === 'region' ? `region ${policy.region}` : null;
}

function sameValues(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join() === other.toSorted().join();
}

/** True if two claims of different clusters may not both be published at their name. */
function areExclusive(one: Claim, other: Claim): boolean {
  if (one.type !== other.type) return one.type === 'CNAME' || other.type === 'CNAME';
  if (one.setIdentifier === other.setIdentifier) return !sameValues(one.values, other.values) && !doMerge(one, other);
  const kinds = [one, other].map(({ routing }) => routing?.split(' ')[0]);
  const isOneRegion = kinds[0] === 'region' && one.routing === other.routing;
  return one.ref.namespace !== other.ref.namespace || kinds[0] !== kinds[1] || isOneRegion;
}

function doMerge(one: Claim, other: Claim): boolean {
  return one.merges && other.merges && one.ref.namespace === other.ref.namespace;
}

/** True if a part may be published beside what other clusters have. */
function mayStand(part: Part, accepted: readonly Part[]): boolean {
  const others = accepted.filter(({ cluster }) => cluster !== part.cluster);
  const there = others.flatMap(({ claims }) => claims);
  const beside = there.filter(isAddress);
  const hasActive = others.some(({ standby, claims }) => !standby && claims.some(isAddress));
  return part.claims.every((claim) => {
    if (there.some((one) => areExclusive(claim, one))) return false;
    if (!isAddress(claim) || beside.length === 0) return true;
    const same = beside.filter(
      ({ type, setIdentifier }) => type === claim.type && setIdentifier === claim.setIdentifier,
    );
    if (part.standby && hasActive) return same.some(({ values }) => sameValues(values, claim.values));
    // No name answers for two clusters by address family.
    return beside.some(({ type }) => type === claim.type) || beside.every((one) => doMerge(claim, one));
  });
}

function isAddress({ type }: { readonly type: string }): boolean {
  return ADDRESSES.includes(type);
}

/** What is published if the parts are taken in this order. */
function acceptedOf(order: readonly Part[]): readonly Part[] {
  const accepted: Part[] = [];
  for (const part of order) if (mayStand(part, accepted)) accepted.push(part);
  return accepted;
}

/** True if these parts together come to what stands. */
function explains(accepted: readonly Part[], standing: readonly RecordSet[]): boolean {
  const claims = accepted.flatMap((part) => part.claims);
  const bySet = Map.groupBy(claims, ({ type, setIdentifier }) => `${type} ${setIdentifier ?? ''}`);
  if (bySet.size !== standing.length) return false;
  return standing.every((set) => {
    const asking = bySet.get(`${set.type} ${set.setIdentifier ?? ''}`);
    if (asking === undefined || !asking.every((claim) => isAnswered(claim, standing))) return false;
    const values = new Set(asking.flatMap((claim) => claim.values));
    return sameValues([...values], valuesOf(set)) && isTtl(set, asking, claims, standing);
  });
}

/**
 * True for the TTL of the first that asks, or the lowest if they merge. Weighted record sets of several clusters have
 * the TTL with which the first of them was published: Route 53 changes it only for all of them at once.
 */
function isTtl(
  set: RecordSet,
  asking: readonly Claim[],
  all: readonly Claim[],
  standing: readonly RecordSet[],
): boolean {
  const isWeighted = ({ type, routing }: Claim) => type === set.type && routing?.startsWith('weight') === true;
  const weighted = asking.some(isWeighted) ? all.filter(isWeighted) : [];
  if (new Set(weighted.map(({ cluster }) => cluster)).size > 1)
    return standing.every((one) => one.type !== set.type || ttlOf(one) === ttlOf(set));
  const ttls = asking.map(({ ttl }) => ttl);
  const merge = asking.length > 1 && asking.every(({ merges }) => merges);
  return ttlOf(set) === (merge ? Math.min(...ttls) : ttls[0]);
}

/** What is wrong with what stands at a name, by the claims there; null: nothing. */
export function problemAt(parts: readonly Part[], standing: readonly RecordSet[]): string | null {
  const orders = ordersOf(parts.filter(({ standby }) => !standby)).flatMap((active) =>
    ordersOf(parts.filter(({ standby }) => standby)).map((rest) => [...active, ...rest]),
  );
  if (orders.some((order) => explains(acceptedOf(order), standing))) return null;
  return `${standing.map(show).join('; ') || 'nothing'} stands, which the claims do not come to in any order`;
}

/** All orders of these parts. */
function ordersOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  if (parts.length === 0) return [[]];
  return parts.flatMap((first) => ordersOf(parts.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

function show(set: RecordSet): string {
  const routing = routingOf(set);
  const of = routing === null ? '' : ` of ${set.setIdentifier} (${routing})`;
  return `${set.name} ${set.type}${of} ${valuesOf(set).join()} ${ttlOf(set)}`;
}

export function showPart({ cluster, standby, claims }: Part): string {
  const all = claims.map(({ ref, name, type, values, ttl, routing, merges }) => {
    const how = [routing, merges ? 'merges' : null].flatMap((one) => (one === null ? [] : ` (${one})`));
    return `${name} ${type} ${values.join()} ${ttl}${how.join('')} in ${ref.namespace}`;
  });
  return `${cluster}${standby ? ' (standby)' : ''}: ${all.join(', ')}`;
}

/** True for a name at which clusters publish. */
export function isOfClaims({ name, type }: RecordSet): boolean {
  return !(name === APEX && ['NS', 'SOA'].includes(type));
}
