// The guard checks a plan before anything is deleted. It is pure, and separate from the planner: it trusts only
// numbers. It holds deletes, and creates that a change to or from CNAME ties to a held delete. A delete does not count
// if other record sets of its name and type stay, as with weighted records. A held delete stays held until its digest
// is acknowledged, or until it is no longer planned. guard-services.ts has the rule for a cluster's own DNS; deletes
// under that rule are held here, too, if nothing would be left and another delete is among them. What would change only
// because objects went together with their CRD is held and counts for nothing else.
//
//   deleted within the hour + to be deleted > deletesMax                               held
//   the same, as a share of the most published within the hour, from 10 on, > max      held; a share is at most 1
//   the same, of 3 to 9 published, > half                                              held
//   the most published within the hour >= 3, and nothing left afterwards               held
import { type Change, digestChanges } from '../../dns/plan-changes.ts';
import { excludesBeside, typesExclude } from '../../dns/record-set.ts';
import { type GuardLimits, guardSettings, howToAcknowledge } from '../../ports/guard-limits.ts';
import { losesServer } from '../../record-sets/guarded.ts';
import { HOUR_MS } from '../../record-sets/retention.ts';
import { isOfGoing, isOfServices, type ServicesView, servicesBreach } from './guard-services.ts';

/** Below this, one record set is a large part of the zone: `deletesShareMax` does not apply, and half is the limit. */
const SHARE_BASE_MIN = 10;
/** From this many record sets on, deleting all of a zone at once is more likely a mistake than intended. */
const FEW_MIN = 3;

/** The numbers in the hosted zone's item that the guard needs: what was published and deleted within the last hour. */
export type GuardHistory = {
  /** Record sets of ours in Route 53 now, the SOA not counted. */
  readonly publishedCount: number;
  /** `published`: how many were published before that deletion. */
  readonly deletions: readonly { readonly atMs: number; readonly count: number; readonly published: number }[];
  readonly nowMs: number;
};

/** The same of one namespace. */
export type NamespaceHistory = Omit<GuardHistory, 'nowMs'>;

/** Which deletes somebody has acknowledged. */
type GuardAcknowledgement = {
  readonly digests: readonly string[];
  /** The digests of an annotation that is still set, and that have released deletes once. */
  readonly spent: readonly string[];
};

type KnownDelete = {
  /** The namespace whose objects asked for it. */
  readonly namespace: string;
  /** Its name and type keeps other record sets: the guard does not count it. */
  readonly staysWanted: boolean;
  /** The guard counts no such record set. */
  readonly isUncounted: boolean;
  /** It stays, and less than half of the objects that asked for it do so still: it counts as a delete. */
  readonly losesObjects: boolean;
  /** An earlier run held it. */
  readonly wasHeld: boolean;
  /** An acknowledgement has released it. */
  readonly wasReleased: boolean;
  /** It is already counted among the deletions of the hour: it was sent before, and may have landed. */
  readonly wasCounted: boolean;
  /** Objects that asked for it and went together with their CRD. Not only deletes have some. */
  readonly lost: readonly string[];
};

export type GuardInput = {
  /** "ns/name" of the Zone, for the message; null if no Zone owns the hosted zone any more. */
  readonly zone: string | null;
  /** All planned changes without the SOA. */
  readonly changes: readonly Change[];
  readonly known: (change: Change) => KnownDelete;
  readonly history: GuardHistory;
  /** The numbers of the namespaces that delete something now, or did within the hour. */
  readonly namespaces: ReadonlyMap<string, NamespaceHistory>;
  readonly limits: GuardLimits;
  /** The Services whose names have limits of their own; null: there are none. */
  readonly services: ServicesView | null;
  readonly acknowledged: GuardAcknowledgement;
};

/** The held deletes of one namespace. Its digest releases them. */
type Hold = { readonly namespace: string; readonly digest: string; readonly reason: string };

export type GuardVerdict = {
  /** The changes that may be applied now. */
  readonly go: readonly Change[];
  /** The held deletes, and in `tied` the creates that wait for them. */
  readonly held: readonly Change[];
  readonly tied: readonly Change[];
  /** Deletes in `go` that acknowledgements have released now, each with the digest that did; all their digests. */
  readonly released: ReadonlyMap<Change, string>;
  readonly releasedBy: readonly string[];
  /** Deletes in `go` that were released before and are not done yet. They need no new acknowledgement. */
  readonly underWay: readonly Change[];
  /** The digest of the held deletes alone; null if none is held. */
  readonly digest: string | null;
  /** The same by namespace. */
  readonly holds: readonly Hold[];
  /** Plain sentences for the Zone and the plan. */
  readonly reasons: readonly string[];
};

/** How many were deleted within the last hour and not made again. An undone deletion is an entry of -1 at its time. */
export function recentDeletions(
  deletions: readonly { readonly atMs: number; readonly count: number; readonly published?: number }[],
  nowMs: number,
): number {
  return Math.max(
    0,
    deletions.reduce((sum, one) => (one.atMs > nowMs - HOUR_MS ? sum + one.count : sum), 0),
  );
}

/** The most record sets that were published at any time within the hour: the base of the share. */
function publishedBefore({ publishedCount, deletions, nowMs }: GuardHistory): number {
  const before = deletions.filter((one) => one.atMs > nowMs - HOUR_MS).map((one) => one.published);
  return Math.max(publishedCount, ...before);
}

/** Whether what is published is what was published before the hour's deletions: nothing came meanwhile. */
function sameAsBefore(history: GuardHistory): boolean {
  return recentDeletions(history.deletions, history.nowMs) + history.publishedCount === publishedBefore(history);
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function counted(count: number): string {
  return `${count} record set${count === 1 ? '' : 's'}`;
}

/**
 * How many of how many would be deleted. Where others came while some were deleted, more may be deleted than ever
 * existed at once.
 */
function goingOf({ total, base, would }: Judged, share = ''): string {
  return total > base
    ? `${counted(total)} ${would} within an hour, where at most ${base} existed at a time`
    : `${total} of ${counted(base)}${share} ${would} within an hour`;
}

/**
 * Deletes that are judged together: planned and of the hour, those of the hour alone, and of how many record sets.
 * `would`: what would become of them, in words.
 */
type Judged = { readonly total: number; readonly recent: number; readonly base: number; readonly would: string };

/** What would become of these changes, all of which count as deletes. */
function wouldBe(changes: readonly Change[], known: GuardInput['known']): string {
  const isLosing = changes.some((change) => known(change).losesObjects);
  return isLosing ? 'would be deleted or lose more than half of their objects' : 'would be deleted';
}

/** Why deletes exceed a limit; `who`: whose they are, before each sentence. */
function excess(judged: Judged, limits: GuardLimits, who: string): string[] {
  const { total, recent, base, would } = judged;
  const { deletesMax, deletesShareMax } = guardSettings(limits);
  const earlier = `${who}${recent === 0 ? '' : `${who === '' ? 'W' : 'w'}ith the ${recent} of the last hour, `}`;
  const reasons: string[] = [];
  if (total > deletesMax) {
    const limit = `the limit is ${deletesMax} (guard.deletesMax)`;
    reasons.push(`${earlier}${counted(total)} ${would} within an hour; ${limit}.`);
  }
  // Where names come and go, more may be deleted than existed at a time. That is all of them, so 1 holds nothing.
  if (base >= SHARE_BASE_MIN && Math.min(total, base) / base > deletesShareMax) {
    const limit = `the limit is ${percent(deletesShareMax)} (guard.deletesShareMax)`;
    reasons.push(`${earlier}${goingOf(judged, ` (${percent(total / base)})`)}; ${limit}.`);
  }
  if (base >= FEW_MIN && base < SHARE_BASE_MIN && total > base / 2)
    reasons.push(`${earlier}${goingOf(judged)}; of three to nine record sets, the limit is half.`);
  return reasons;
}

/**
 * Why deletes are held: those of the namespace with the most, and those of all. `isAll`: nothing would be left, so all
 * deletes are held, those of Services too.
 */
type Breach = {
  readonly most: { readonly namespace: string; readonly reasons: readonly string[] };
  readonly all: readonly string[];
  readonly isAll: boolean;
};

/** Compares the plan with the limits. `counting`: those deletes that count. */
function breachOf(input: GuardInput, counting: readonly Change[]): Breach {
  const { history, namespaces, known, limits } = input;
  const { nowMs } = history;
  const planned = Map.groupBy(
    counting.filter((change) => !known(change).wasCounted),
    (change) => known(change).namespace,
  );
  const countOf = (namespace: string): Judged => {
    const own = namespaces.get(namespace) ?? { publishedCount: 0, deletions: [] };
    const recent = recentDeletions(own.deletions, nowMs);
    const planning = planned.get(namespace) ?? [];
    const would = wouldBe(planning, known);
    return { total: planning.length + recent, recent, base: publishedBefore({ ...own, nowMs }), would };
  };
  const names = [...new Set([...planned.keys(), ...namespaces.keys()])].sort();
  const [namespace = ''] = names.toSorted((a, b) => countOf(b).total - countOf(a).total);
  const most = countOf(namespace);
  const base = publishedBefore(history);
  const recent = recentDeletions(history.deletions, nowMs);
  const total = [...planned.values()].flat().length + recent;
  const isAlone = most.total === total;
  const others = {
    total: total - most.total,
    recent: Math.max(0, recent - most.recent),
    base: Math.max(0, base - most.base),
    would: wouldBe(
      counting.filter((change) => known(change).namespace !== namespace),
      known,
    ),
  };
  const changes = input.changes.filter((change) => !known(change).isUncounted);
  const creates = changes.filter((change) => change.action === 'create').length;
  const deletes = changes.filter((change) => change.action === 'delete' && !known(change).staysWanted).length;
  const isAll = base >= FEW_MIN && history.publishedCount - deletes + creates <= 0;
  const few = base < SHARE_BASE_MIN && isAll;
  const reasons = excess({ ...most, base }, limits, isAlone ? '' : `Of namespace ${namespace}, `);
  const gone = `All ${counted(sameAsBefore(history) ? base : history.publishedCount)} of the hosted zone would be gone.`;
  return {
    most: { namespace, reasons: few ? reasons.filter((one) => !one.endsWith('the limit is half.')) : reasons },
    all: [...excess(others, limits, `Of the other namespaces than ${namespace}, `), ...(isAll ? [gone] : [])],
    isAll,
  };
}

/** A sentence that says how many deletes are done, how many are held, and how to release them. */
function howToRelease({ zone, history, limits }: GuardInput, held: readonly Change[], digest: string): string {
  const recent = recentDeletions(history.deletions, history.nowMs);
  const base = publishedBefore(history);
  const gone = sameAsBefore(history)
    ? `${recent} of ${base} are gone already.`
    : `${counted(recent)} ${recent === 1 ? 'was' : 'were'} deleted within the last hour.`;
  const kept = `${counted(held.length)} ${held.length === 1 ? 'is' : 'are'} held`;
  const until = `until ${held.length === 1 ? 'it is' : 'they are'} acknowledged: ${howToAcknowledge(zone, digest, limits)}.`;
  return `${recent === 0 ? '' : `${gone} `}${kept} ${until}`;
}

/** How many of the lost objects a sentence names. */
const LOST_NAMED_MAX = 3;

/** Why changes are held whose objects went together with their CRD. */
function lossOf({ known }: GuardInput, kept: readonly Change[]): string {
  const lost = [...new Set(kept.flatMap((change) => known(change).lost))].toSorted();
  const named = lost.slice(0, LOST_NAMED_MAX).join(', ');
  const others = lost.length > LOST_NAMED_MAX ? ` and ${lost.length - LOST_NAMED_MAX} more` : '';
  const [went, again] =
    lost.length === 1 ? ['went together with its CRD', 'it'] : ['went together with their CRD', 'them'];
  return `${counted(kept.length)} would be deleted or changed because ${named}${others} ${went}: declare ${again} again to keep ${kept.length === 1 ? 'it' : 'them'}.`;
}

/**
 * The creates that cannot be applied while these deletes are held: a CNAME excludes other types at its name, and some
 * routing excludes other routing.
 */
function tiedTo(held: readonly Change[], changes: readonly Change[]): Change[] {
  const byName = Map.groupBy(held, (change) => change.name);
  return changes.filter((change) => {
    if (change.action !== 'create') return false;
    const deletes = byName.get(change.name) ?? [];
    return deletes.some((one) => typesExclude(one.type, change.type) || bars(change, one));
  });
}

function bars({ type, after }: Change, { type: other, before }: Change): boolean {
  return type === other && after !== null && before !== null && excludesBeside(after, before);
}

/** Adds the other deletes of each name where a create must wait: half a change to or from CNAME is worse than none. */
function withTied(held: readonly Change[], pending: readonly Change[], changes: readonly Change[]): readonly Change[] {
  const waiting = new Set(tiedTo(held, changes).map((change) => change.name));
  return waiting.size === 0 ? held : pending.filter((change) => waiting.has(change.name) || held.includes(change));
}

/** NS record sets that would lose a server: they wait with the held deletes of their namespace. */
function withServers(input: GuardInput, held: readonly Change[]): readonly Change[] {
  const { known, changes } = input;
  const namespaces = new Set(held.map((change) => known(change).namespace));
  const losing = changes.filter(
    (change) =>
      losesServer(change.type, change.before, change.after) &&
      !known(change).wasReleased &&
      namespaces.has(known(change).namespace),
  );
  return [...new Set([...held, ...losing])];
}

/** Decides which of the planned changes may be applied. */
export function guardPlan(input: GuardInput): GuardVerdict {
  const { services, known, acknowledged } = input;
  const isLost = (change: Change) => known(change).lost.length > 0;
  const countsAsDelete = (change: Change) =>
    !known(change).isUncounted &&
    (known(change).losesObjects || (change.action === 'delete' && !known(change).staysWanted));
  const deletes = input.changes.filter((change) => isLost(change) || countsAsDelete(change));
  const pending = deletes.filter((change) => !known(change).wasReleased);
  const counting = deletes.filter((change) => !isLost(change) && !isOfServices(services, change));
  const isOff = input.limits.isOff === true;
  const isOpen = !isOff && counting.some((change) => !known(change).wasReleased);
  const breach = isOpen ? breachOf(input, counting) : { most: { namespace: '', reasons: [] }, all: [], isAll: false };
  const going = services === null ? [] : pending.filter((change) => isOfGoing(services, change));
  const loss = isOff || services === null || going.length === 0 ? null : servicesBreach(services);
  const kept = pending.filter(isLost);
  const ofServices = new Set(loss === null ? [] : going);
  const reasonsOf = (change: Change): readonly string[] => {
    if (isLost(change)) return [lossOf(input, kept)];
    const isMost = known(change).namespace === breach.most.namespace;
    const ofLimits = isOfServices(services, change) ? [] : [...(isMost ? breach.most.reasons : []), ...breach.all];
    return [
      ...(breach.isAll && ofLimits.length === 0 ? breach.all : ofLimits),
      ...(ofServices.has(change) && loss !== null ? [loss] : []),
    ];
  };
  const isHeld = (change: Change) => known(change).wasHeld || reasonsOf(change).length > 0;
  const held = withServers(input, withTied(pending.filter(isHeld), pending, input.changes));
  const underWay = input.changes.filter((change) => known(change).wasReleased);
  const open: GuardVerdict = {
    go: input.changes,
    held: [],
    tied: [],
    released: new Map(),
    releasedBy: [],
    underWay,
    digest: null,
    holds: [],
    reasons: [],
  };
  if (held.length === 0) return open;
  const releasedBy = new Set<string>();
  // A run may have died while it saved which of the acknowledged deletes it releases.
  const acknowledgedBy = (some: readonly Change[], others: readonly Change[]): string | null => {
    const digests = new Set([digestChanges(some), digestChanges([...some, ...others])]);
    const found = acknowledged.digests.filter((one) => digests.has(one));
    for (const one of found) releasedBy.add(one);
    return found[0] ?? null;
  };
  const byNamespace = Map.groupBy(held, (change) => known(change).namespace);
  const all = acknowledgedBy(held, underWay);
  const released = new Map<Change, string>();
  for (const [namespace, own] of byNamespace) {
    const before = underWay.filter((change) => known(change).namespace === namespace);
    const digest = acknowledgedBy(own, before) ?? all;
    if (digest !== null) for (const change of own) released.set(change, digest);
  }
  const still = held.filter((change) => !released.has(change));
  if (still.length === 0) return { ...open, released, releasedBy: [...releasedBy] };
  const tied = tiedTo(still, input.changes);
  const out = new Set([...still, ...tied]);
  const digest = digestChanges(still);
  const holds = [...Map.groupBy(still, (change) => known(change).namespace)].map(([namespace, own]) => {
    const reasons = [...new Set(own.flatMap(reasonsOf))];
    const earlier = `${counted(own.length)} held earlier ${wouldBe(own, known)}.`;
    const reason = reasons.length > 0 ? reasons.join(' ') : earlier;
    return { namespace, digest: digestChanges(own), reason };
  });
  const reasons = [...new Set(still.flatMap(reasonsOf))];
  const others = `${counted(still.length)} held earlier ${wouldBe(still, known)}.`;
  return {
    ...open,
    go: input.changes.filter((change) => !out.has(change)),
    held: still,
    tied,
    released,
    releasedBy: [...releasedBy],
    digest,
    holds,
    reasons: [
      ...(reasons.length > 0 ? reasons : [others]),
      howToRelease(input, still, digest),
      ...releaseByNamespace(holds),
      ...(input.zone !== null &&
      holds.some((one) => acknowledged.spent.includes(one.digest) || acknowledged.spent.includes(digest))
        ? [SPENT]
        : []),
    ],
  };
}

const SPENT = 'The annotation has already released these deletes once: remove it, and set it again some seconds later.';

/** The digest of each namespace, if deletes of several are held. */
function releaseByNamespace(holds: readonly Hold[]): readonly string[] {
  if (holds.length < 2) return [];
  return holds.map(({ namespace, digest }) => `For those of namespace ${namespace} alone, the digest is ${digest}.`);
}
