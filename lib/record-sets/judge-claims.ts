// Which cluster's claims at one name are published: a pure function of the claims, and of who owns what. Clusters are
// taken in this order, and a claim is accepted if it can stand beside those that were accepted before.
//
//   1. a cluster whose claim went less than ten minutes ago, and which lost the name by it
//   2. one that owns something at the name; first one that still asks for what it owns
//   3. one that has asked for the name longer
//   4. by id
//
// Addresses go together: a cluster that is refused one of A, AAAA, CNAME, HTTPS and SVCB is refused all of them. Each
// other type goes by itself. Equal claims are one record set with several owners.
import { compareText } from '../dns/names/compare-text.ts';
import {
  excludesBeside,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
  typesExclude,
} from '../dns/record-set.ts';
import { typeGroup } from '../dns/record-type.ts';

/** What one cluster asks for at one record set. */
export type Claim = RecordSetKey & {
  readonly content: RecordSetContent;
  /** The namespace that asks for it. */
  readonly namespace: string;
};

/** A cluster that asks for something at the name. */
export type Claimant = {
  readonly cluster: string;
  readonly claims: readonly Claim[];
  /** What it has published there. */
  readonly owned: readonly Claim[];
  /** Since when it has asked for the name, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Its claim went less than ten minutes ago, another cluster got the name by it, and has it still. */
  readonly hasJustLost: boolean;
};

/** By cluster, and by the id of each record set that it may not have: the cluster that is in its way. */
export type Refused = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The clusters in the order in which their claims are taken. */
export function inOrder(claimants: readonly Claimant[]): readonly Claimant[] {
  return claimants.toSorted(
    (a, b) =>
      Number(b.hasJustLost) - Number(a.hasJustLost) ||
      rankOf(b) - rankOf(a) ||
      a.sinceMs - b.sinceMs ||
      compareText(a.cluster, b.cluster),
  );
}

/** 2: it owns something, and asks for it as it stands; 1: it owns something; 0: nothing. */
function rankOf({ claims, owned }: Claimant): number {
  if (owned.length === 0) return 0;
  const asked = new Map(claims.map((one) => [recordSetId(one), one.content]));
  return owned.every((one) => sameContent(asked.get(recordSetId(one)) ?? null, one.content)) ? 2 : 1;
}

type Accepted = Claim & { readonly cluster: string };

/** Judges all claims at one name. */
export function judgeClaims(claimants: readonly Claimant[]): Refused {
  const accepted: Accepted[] = [];
  const refused = new Map<string, Map<string, string>>();
  for (const { cluster, claims } of inOrder(claimants)) {
    const own = new Map<string, string>();
    for (const part of Map.groupBy(claims, ({ type }) => typeGroup(type)).values()) {
      const obstacle = part.flatMap((claim) => inTheWayOf(claim, accepted) ?? [])[0];
      if (obstacle === undefined) accepted.push(...part.map((claim) => ({ ...claim, cluster })));
      else for (const claim of part) own.set(recordSetId(claim), obstacle);
    }
    refused.set(cluster, own);
  }
  return refused;
}

/** The cluster whose accepted claim this one cannot stand beside; null: there is none. */
function inTheWayOf(claim: Claim, accepted: readonly Accepted[]): string | null {
  const excluding = accepted.find((one) => areExclusive(claim, one));
  if (excluding !== undefined) return excluding.cluster;
  // No name answers for two clusters by address family.
  const together = accepted.filter(({ type }) => typeGroup(type) === typeGroup(claim.type));
  return together.some(({ type }) => type === claim.type) ? null : (together[0]?.cluster ?? null);
}

/**
 * True if these two cannot both be published at a name. The same record set with the same content can. Routed record
 * sets of two clusters stand beside each other only for namespaces of one name.
 */
export function areExclusive(a: Claim, b: Claim): boolean {
  if (a.type !== b.type) return typesExclude(a.type, b.type);
  if (a.setIdentifier === b.setIdentifier) return !sameContent(a.content, b.content);
  return a.namespace !== b.namespace || excludesBeside(a.content, b.content);
}
