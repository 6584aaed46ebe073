// The guard checks a plan before anything is deleted. It is pure, and separate from the planner: it trusts only
// numbers. It holds deletes, and creates that a change to or from CNAME ties to a held delete. A delete does not count
// if other record sets of its name and type stay, as with weighted records. A held delete stays held until its digest
// is acknowledged, or until it is no longer planned. guard-services.ts has the rule for a cluster's own DNS; deletes
// under that rule are held here, too, if nothing would be left and another delete is among them.
//
//   deleted within the hour + to be deleted > deletesMax                               held
//   the same, as a share of the most published within the hour, from 10 on, > max      held; a share is at most 1
//   the same, of 3 to 9 published, > half                                              held
//   the most published within the hour >= 3, and nothing left afterwards               held
import { type Change, digestChanges } from '../../dns/plan-changes.ts';
import { type GuardLimits, guardSettings, howToAcknowledge } from '../../ports/guard-limits.ts';
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

/** Which deletes somebody has acknowledged. */
type GuardAcknowledgement = {
  readonly digests: readonly string[];
  /** The digest of an annotation that is still set, and has released deletes once. */
  readonly spent: string | null;
  /** Digest of the whole plan as shown to people; acknowledging it releases its deletes. */
  readonly planDigest: string;
};

type KnownDelete = {
  /** Its name and type keeps other record sets: the guard does not count it. */
  readonly staysWanted: boolean;
  /** An earlier run held it. */
  readonly wasHeld: boolean;
  /** An acknowledgement has released it. */
  readonly wasReleased: boolean;
  /** It is already counted among the deletions of the hour: it was sent before, and may have landed. */
  readonly wasCounted: boolean;
};

export type GuardInput = {
  /** "ns/name" of the Zone, for the message; null if no Zone owns the hosted zone any more. */
  readonly zone: string | null;
  /** All planned changes without the SOA. */
  readonly changes: readonly Change[];
  readonly known: (change: Change) => KnownDelete;
  readonly history: GuardHistory;
  readonly limits: GuardLimits;
  /** The Services whose names have limits of their own; null: there are none. */
  readonly services: ServicesView | null;
  readonly acknowledged: GuardAcknowledgement;
};

export type GuardVerdict = {
  /** The changes that may be applied now. */
  readonly go: readonly Change[];
  /** The held deletes, and in `tied` the creates that wait for them. */
  readonly held: readonly Change[];
  readonly tied: readonly Change[];
  /** Deletes in `go` that an acknowledgement has released now, and its digest. */
  readonly released: readonly Change[];
  readonly releasedBy: string | null;
  /** Deletes in `go` that were released before and are not done yet. They need no new acknowledgement. */
  readonly underWay: readonly Change[];
  /** The digest of the held deletes alone; null if none is held. */
  readonly digest: string | null;
  /** Plain sentences for the Zone and the plan. */
  readonly reasons: readonly string[];
};

/** How many were deleted within the last hour and not made again. An undone deletion is an entry of -1 at its time. */
export function recentDeletions(deletions: GuardHistory['deletions'], nowMs: number): number {
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

/** Where others came while some were deleted, more may be deleted than ever existed at once. */
function atMost(base: number): string {
  return `where at most ${base} existed at a time`;
}

/** Why deletes are held. `isAll`: nothing would be left, so all deletes are held, those of Services too. */
type Breach = { readonly reasons: readonly string[]; readonly isAll: boolean };

/** Compares the plan with the limits. `counting`: those deletes that count. */
function breaches(input: GuardInput, deletes: readonly Change[], counting: readonly Change[]): Breach {
  const { history } = input;
  const limits = guardSettings(input.limits);
  const recent = recentDeletions(history.deletions, history.nowMs);
  const base = publishedBefore(history);
  const total = counting.filter((change) => !input.known(change).wasCounted).length + recent;
  const creates = input.changes.filter((change) => change.action === 'create').length;
  const earlier = recent === 0 ? '' : `, ${recent} of them already`;
  const reasons: string[] = [];
  if (total > limits.deletesMax) {
    reasons.push(
      `${counted(total)} would be deleted within an hour${earlier}: more than deletesMax, ${limits.deletesMax}.`,
    );
  }
  // Where names come and go, more may be deleted than existed at a time. That is all of them, so 1 holds nothing.
  if (base >= SHARE_BASE_MIN && Math.min(total, base) / base > limits.deletesShareMax) {
    const share = total > base ? atMost(base) : `${percent(total / base)} of ${base}`;
    reasons.push(
      `${counted(total)} would be deleted within an hour${earlier}, ${share}: more than deletesShareMax, ${percent(limits.deletesShareMax)}.`,
    );
  }
  const isAll = base >= FEW_MIN && history.publishedCount - deletes.length + creates <= 0;
  if (isAll) {
    reasons.push(
      `All ${counted(sameAsBefore(history) ? base : history.publishedCount)} of the hosted zone would be gone.`,
    );
  } else if (base >= FEW_MIN && base < SHARE_BASE_MIN && total > base / 2) {
    const [of, most] = total > base ? ['', `, ${atMost(base)}`] : [` of ${base}`, ''];
    reasons.push(`${counted(total)}${of} would be deleted within an hour${earlier}${most}: more than half.`);
  }
  return { reasons, isAll };
}

/** A sentence that says how many deletes are done, how many are held, and how to release them. */
function howToRelease({ zone, history, limits }: GuardInput, held: readonly Change[], digest: string): string {
  const recent = recentDeletions(history.deletions, history.nowMs);
  const base = publishedBefore(history);
  const gone = sameAsBefore(history)
    ? `${recent} of ${base} are gone`
    : `${counted(recent)} ${recent === 1 ? 'was' : 'were'} deleted within the hour`;
  const kept = `${recent === 0 ? counted(held.length) : held.length} ${held.length === 1 ? 'is' : 'are'} held`;
  const until = `until this is acknowledged: ${howToAcknowledge(zone, digest, limits)}.`;
  return `${recent === 0 ? '' : `${gone}, `}${kept} ${until}`;
}

/** The creates that cannot be applied while these deletes are held: a CNAME excludes other types at its name. */
function tiedTo(held: readonly Change[], changes: readonly Change[]): Change[] {
  const byName = Map.groupBy(held, (change) => change.name);
  return changes.filter((change) => {
    if (change.action !== 'create') return false;
    const deletes = byName.get(change.name) ?? [];
    return deletes.some((one) => one.type === 'CNAME' || change.type === 'CNAME');
  });
}

/** Adds the other deletes of each name where a create must wait: half a change to or from CNAME is worse than none. */
function withTied(held: readonly Change[], pending: readonly Change[], changes: readonly Change[]): readonly Change[] {
  const waiting = new Set(tiedTo(held, changes).map((change) => change.name));
  return waiting.size === 0 ? held : pending.filter((change) => waiting.has(change.name) || held.includes(change));
}

/** Decides which of the planned changes may be applied. */
export function guardPlan(input: GuardInput): GuardVerdict {
  const { services, known, acknowledged } = input;
  const deletes = input.changes.filter((change) => change.action === 'delete' && !known(change).staysWanted);
  const pending = deletes.filter((change) => !known(change).wasReleased);
  const counting = deletes.filter((change) => !isOfServices(services, change));
  const isOff = input.limits.isOff === true;
  const isOpen = !isOff && counting.some((change) => !known(change).wasReleased);
  const breach = isOpen ? breaches(input, deletes, counting) : { reasons: [], isAll: false };
  const going = services === null ? [] : pending.filter((change) => isOfGoing(services, change));
  const loss = isOff || services === null || going.length === 0 ? null : servicesBreach(services);
  const reasons = loss === null ? breach.reasons : [...breach.reasons, loss];
  const ofServices = new Set(loss === null ? [] : going);
  const isHeld = (change: Change) => {
    if (breach.isAll || known(change).wasHeld || ofServices.has(change)) return true;
    return breach.reasons.length > 0 && !isOfServices(services, change);
  };
  const held = withTied(pending.filter(isHeld), pending, input.changes);
  const open: GuardVerdict = {
    go: input.changes,
    held: [],
    tied: [],
    released: [],
    releasedBy: null,
    underWay: deletes.filter((change) => known(change).wasReleased),
    digest: null,
    reasons: [],
  };
  if (held.length === 0) return open;
  const digest = digestChanges(held);
  // A run may have died while it saved which of the acknowledged deletes it releases.
  const accepted = new Set([digest, digestChanges([...held, ...open.underWay]), acknowledged.planDigest]);
  const releasedBy = acknowledged.digests.find((one) => accepted.has(one)) ?? null;
  if (releasedBy !== null) return { ...open, released: held, releasedBy };
  const tied = tiedTo(held, input.changes);
  const out = new Set([...held, ...tied]);
  const still = `${counted(held.length)} held earlier would be deleted.`;
  const how = howToRelease(input, held, digest);
  const anew =
    input.zone !== null && acknowledged.spent === digest
      ? ['The annotation has already released these deletes once: remove it, and set it again some seconds later.']
      : [];
  return {
    ...open,
    go: input.changes.filter((change) => !out.has(change)),
    held,
    tied,
    digest,
    reasons: [...(reasons.length > 0 ? reasons : [still]), how, ...anew],
  };
}
