// What the clusters of a world ask for, by their objects alone, and whether what stands at a name is what these claims
// come to. It does not compute who gets a name: it checks that what stands is stable. So it shares nothing with
// judge-claims.ts.
import type { RecordSet } from '../../../lib/dns/record-set.ts';
import { isZone } from '../../../lib/objects/object-ref.ts';
import { APEX } from '../names.ts';
import type { Fleet, Member } from './world.ts';

/** What one cluster asks for at one record set. */
export type Claim = {
  readonly cluster: string;
  readonly name: string;
  readonly type: string;
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
  const saysStandby = ({ annotations }: (typeof all)[number]) => annotations['zone53.dev/standby'] === 'true';
  return all
    .filter(({ ref }) => !isZone(ref))
    .map((object) => {
      const { domainName, type, rdata, ttl = TTL } = object.spec as Spec;
      const standby = isOff || saysStandby(zone) || saysStandby(object);
      return { cluster: config.clusterId, name: domainName, type, values: [rdata], ttl, standby };
    });
}

/** The parts of all clusters, by name. A part is on standby if all of it is. */
export function partsByName(fleet: Fleet, isOff: (cluster: string) => boolean): ReadonlyMap<string, readonly Part[]> {
  const claims = [...fleet.members.values()].flatMap((member) => claimsOf(member, isOff(member.config.clusterId)));
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

/** True if the claim is answered as it asks, but for the TTL. */
export function isAnswered({ type, values }: Claim, standing: readonly RecordSet[]): boolean {
  const there = standing.find((set) => set.type === type);
  return there !== undefined && sameValues(valuesOf(there), values);
}

export function valuesOf({ content }: RecordSet): readonly string[] {
  return content.kind === 'values' ? content.values : [];
}

function sameValues(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join() === other.toSorted().join();
}

/** True if a part may not be published beside the others, which are. */
function isBarred(part: Part, others: readonly Part[]): boolean {
  const there = others.flatMap(({ claims }) => claims);
  const isCname = ({ type }: Claim) => type === 'CNAME';
  const excludes = (one: Claim, other: Claim) =>
    one.type === other.type ? !sameValues(one.values, other.values) : isCname(one) || isCname(other);
  if (part.claims.some((one) => there.some((other) => excludes(one, other)))) return true;
  if (!part.claims.some(isAddress)) return false;
  const isNew = ({ type }: Claim) => !there.some((other) => other.type === type);
  return there.some(isAddress) && part.claims.some(isNew);
}

function isAddress({ type }: Claim): boolean {
  return ADDRESSES.includes(type);
}

/** What is wrong with what stands at a name, by the claims there; null: nothing. */
export function problemAt(parts: readonly Part[], standing: readonly RecordSet[]): string | null {
  const has = parts.filter(({ claims }) => claims.every((claim) => isAnswered(claim, standing)));
  const beside = (part: Part, among: readonly Part[]) => among.filter(({ cluster }) => cluster !== part.cluster);
  for (const set of standing) {
    const asking = has.flatMap(({ claims }) => claims).filter(({ type }) => type === set.type);
    if (asking.length === 0) return `${show(set)} stands, and no cluster that has the name asks for it`;
    const ttls = asking.map(({ ttl }) => ttl);
    if (set.content.kind === 'values' && !ttls.includes(set.content.ttlSeconds))
      return `${show(set)} has TTL ${set.content.ttlSeconds}, and asked for is ${ttls.join(', ')}`;
  }
  for (const part of parts) {
    if (has.includes(part)) continue;
    // What is on standby does not keep out what is active.
    const among = part.standby ? has : has.filter(({ standby }) => !standby);
    if (!isBarred(part, beside(part, among))) return `${showPart(part)} waits, and nothing is in its way`;
  }
  for (const part of has)
    for (const other of beside(part, has))
      if (isBarred(part, [other]) && isBarred(other, [part]))
        return `${showPart(part)} and ${showPart(other)} stand beside each other`;
  return null;
}

function show(set: RecordSet): string {
  return `${set.name} ${set.type} ${valuesOf(set).join()}`;
}

export function showPart({ cluster, standby, claims }: Part): string {
  const all = claims.map(({ name, type, values }) => `${name} ${type} ${values.join()}`);
  return `${cluster}${standby ? ' (standby)' : ''}: ${all.join(', ')}`;
}

/** True for a name at which clusters publish. */
export function isOfClaims({ name, type }: RecordSet): boolean {
  return !(name === APEX && ['NS', 'SOA'].includes(type));
}
