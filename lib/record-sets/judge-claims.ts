// Which cluster's claims at one name are published: a pure function of the claims, and of who owns what. Clusters are
// taken in this order, and a claim is accepted if it can stand beside those that were accepted before.
//
//   1. a claim that is active, before one on standby
//   2. a cluster whose claim went, or became standby, less than ten minutes ago, and which lost what stands by it
//   3. one that owns what stands there of this kind; then one that owns something else at the name; of both, first one
//      that still asks for what it owns. So who publishes a second kind at a name takes nothing from anybody.
//   4. one that has asked for the name longer
//   5. by id
//
// Addresses go together: a cluster that is refused one of A, AAAA, CNAME, HTTPS and SVCB is refused all of them, and
// they are on standby if all of them are. Beside active ones, only equal ones on standby are accepted. Each other type
// goes by itself. Equal claims are one record set with several owners.
import { compareText } from '../dns/names/compare-text.ts';
import { sortRdata } from '../dns/rdata/rdata.ts';
import { type RecordSetContent, type RecordSetKey, recordSetId, sameButTtl, typesExclude } from '../dns/record-set.ts';
import { typeGroup } from '../dns/record-type.ts';
import { excludes } from '../dns/routing-policy.ts';

/** What one cluster asks for at one record set. */
export type Claim = RecordSetKey & {
  readonly content: RecordSetContent;
  /** The namespace that asks for it. */
  readonly namespace: string;
  /** Its objects, its Zone or its cluster are on standby. */
  readonly standby: boolean;
  /** Its values may be united with those of other clusters. */
  readonly merges: boolean;
};

/** A cluster that asks for something at the name. */
export type Claimant = {
  readonly cluster: string;
  readonly claims: readonly Claim[];
  /** What it has published there. */
  readonly owned: readonly Claim[];
  /** Since when it has asked for the name, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /**
   * The groups of types of which its claim went or became standby less than ten minutes ago, and which another cluster
   * got by it and has. Or it is just getting something of them.
   */
  readonly justLost: ReadonlySet<string>;
};

/** By cluster, and by the id of each record set that it may not have: the cluster that is in its way. */
export type Refused = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The clusters in the order in which their claims of a type, and of what goes together with it, are taken. */
export function inOrder<Of extends Claimant>(claimants: readonly Of[], type: string): readonly Of[] {
  return claimants.toSorted((a, b) => compare(a, typeGroup(type), b, typeGroup(type)));
}

/** Which of two comes first with its claims of a group of types. */
function compare(a: Claimant, groupOfA: string, b: Claimant, groupOfB: string): number {
  const of = ({ owned }: Claimant, group: string) => owned.filter(({ type }) => typeGroup(type) === group);
  return (
    Number(b.justLost.has(groupOfB)) - Number(a.justLost.has(groupOfA)) ||
    rankOf(b, of(b, groupOfB)) - rankOf(a, of(a, groupOfA)) ||
    rankOf(b, b.owned) - rankOf(a, a.owned) ||
    a.sinceMs - b.sinceMs ||
    compareText(a.cluster, b.cluster)
  );
}

/** 3: it owns something of these, and asks for all of it as it stands; 2: for some of it; 1: for none; 0: nothing. */
function rankOf({ claims }: Claimant, owned: readonly Claim[]): number {
  if (owned.length === 0) return 0;
  const asked = new Map(claims.map((one) => [recordSetId(one), one]));
  const kept = owned.filter((one) => asksFor(asked.get(recordSetId(one)), one.content));
  return kept.length === owned.length ? 3 : Math.min(kept.length, 1) + 1;
}

/** True for a claim that what stands is as it asks for, but for the TTL. Of a merged set, its own values count. */
function asksFor(claim: Claim | undefined, stands: RecordSetContent): boolean {
  if (claim === undefined) return false;
  const { content, merges } = claim;
  if (sameButTtl(content, stands)) return true;
  if (!merges || content.kind !== 'values' || stands.kind !== 'values') return false;
  return content.values.every((value) => stands.values.includes(value));
}

/** Claims that go together, of one cluster. On standby, if all of them are. */
type Part = {
  readonly claimant: Claimant;
  readonly group: string;
  readonly standby: boolean;
  readonly claims: readonly Claim[];
};

/** The parts of what all clusters ask for, in the order in which they are taken. */
function partsInOrder(claimants: readonly Claimant[]): readonly Part[] {
  const parts = claimants.flatMap((claimant) =>
    [...Map.groupBy(claimant.claims, ({ type }) => typeGroup(type))].map(([group, claims]) => {
      return { claimant, group, claims, standby: isOnStandby(claims) };
    }),
  );
  return parts.toSorted(
    (a, b) => Number(a.standby) - Number(b.standby) || compare(a.claimant, a.group, b.claimant, b.group),
  );
}

function isOnStandby(part: readonly Pick<Claim, 'standby'>[]): boolean {
  return part.every(({ standby }) => standby);
}

/** True if a claim among those of its cluster is on standby, with all that goes together with it. */
export function isStandby(
  claim: Pick<Claim, 'type'>,
  { claims }: { readonly claims: readonly Pick<Claim, 'type' | 'standby'>[] },
): boolean {
  const part = claims.filter(({ type }) => typeGroup(type) === typeGroup(claim.type));
  return part.length > 0 && isOnStandby(part);
}

type Accepted = Claim & { readonly cluster: string };

/** Judges all claims at one name. */
export function judgeClaims(claimants: readonly Claimant[]): Refused {
  return accept(claimants).refused;
}

/** What is published at a name for each accepted record set, by its id: of several clusters, for all of them. */
export function agreedContents(claimants: readonly Claimant[]): ReadonlyMap<string, RecordSetContent> {
  const { accepted } = accept(claimants);
  const byId = Map.groupBy(accepted, recordSetId);
  return new Map(
    [...byId].map(([id, all]) => [id, withTtlOf(weightedBeside(all, accepted, claimants), agreedContent(all))]),
  );
}

/** The weighted record sets of a name and type, if several clusters have some: as they stand, else as asked for. */
function weightedBeside(
  all: readonly Accepted[],
  accepted: readonly Accepted[],
  claimants: readonly Claimant[],
): readonly Claim[] {
  const isBeside = (one: Claim) => one.type === all[0]?.type && isWeighted(one);
  const beside = accepted.filter(isBeside);
  const clusters = new Set(beside.map(({ cluster }) => cluster));
  if (!all.every(isWeighted) || clusters.size < 2) return [];
  const owners = claimants.filter(({ cluster }) => clusters.has(cluster));
  return [...owners.flatMap(({ owned }) => owned.filter(isBeside)), ...beside];
}

/** The content with the TTL of the first of these: Route 53 wants one for all. */
function withTtlOf([first]: readonly Claim[], content: RecordSetContent): RecordSetContent {
  if (content.kind !== 'values' || first?.content.kind !== 'values') return content;
  return { ...content, ttlSeconds: first.content.ttlSeconds };
}

function isWeighted({ content }: Claim): boolean {
  return content.kind === 'values' && content.routing?.policy.kind === 'weight';
}

/** The content of the first, or with the values of all, if they merge, and their lowest TTL. */
function agreedContent(all: readonly Accepted[]): RecordSetContent {
  const { content, type } = all[0] as Accepted;
  if (content.kind !== 'values' || all.length === 1 || !all.every(({ merges }) => merges)) return content;
  const contents = all.flatMap((one) => (one.content.kind === 'values' ? [one.content] : []));
  const values = sortRdata(type, new Set(contents.flatMap((one) => one.values)));
  return { ...content, values, ttlSeconds: Math.min(...contents.map(({ ttlSeconds }) => ttlSeconds)) };
}

function accept(claimants: readonly Claimant[]): { readonly accepted: readonly Accepted[]; readonly refused: Refused } {
  const accepted: Accepted[] = [];
  const refused = new Map<string, Map<string, string>>();
  for (const { cluster } of claimants) refused.set(cluster, new Map());
  for (const { claimant, claims, standby } of partsInOrder(claimants)) {
    const { cluster } = claimant;
    const obstacle = claims.flatMap((claim) => inTheWayOf({ ...claim, standby }, accepted) ?? [])[0];
    if (obstacle === undefined) accepted.push(...claims.map((claim) => ({ ...claim, cluster, standby })));
    else for (const claim of claims) refused.get(cluster)?.set(recordSetId(claim), obstacle);
  }
  return { accepted, refused };
}

/** The cluster whose accepted claim this one cannot stand beside; null: there is none. */
function inTheWayOf(claim: Claim, accepted: readonly Accepted[]): string | null {
  const excluding = accepted.find((one) => areExclusive(claim, one));
  if (excluding !== undefined) return excluding.cluster;
  // No name answers for two clusters by address family.
  const together = accepted.filter(({ type }) => typeGroup(type) === typeGroup(claim.type));
  const active = together.find(({ standby, type }) => !standby && typeGroup(type) === typeGroup('A'));
  if (claim.standby && active !== undefined)
    return together.some((one) => recordSetId(one) === recordSetId(claim) && sameButTtl(one.content, claim.content))
      ? null
      : active.cluster;
  // Among claims that all merge, a family may be one cluster's alone.
  const isOpen = together.every((one) => doMerge(one, claim));
  return isOpen || together.some(({ type }) => type === claim.type) ? null : (together[0]?.cluster ?? null);
}

/**
 * True if these two cannot both be published at a name. The same record set with the same values can. Routed record
 * sets of two clusters stand beside each other only for namespaces of one name.
 */
export function areExclusive(a: Claim, b: Claim): boolean {
  if (a.type !== b.type) return typesExclude(a.type, b.type);
  if (a.setIdentifier === b.setIdentifier)
    return !sameButTtl(a.content, b.content) && !(doMerge(a, b) && isMergeable(a) && isMergeable(b));
  return a.namespace !== b.namespace || excludes(a.content.routing, b.content.routing);
}

/** True if both merge what they have with others, for namespaces of one name. */
function doMerge(a: Claim, b: Claim): boolean {
  return a.merges && b.merges && a.namespace === b.namespace;
}

function isMergeable({ content, setIdentifier }: Claim): boolean {
  return content.kind === 'values' && setIdentifier === null;
}
