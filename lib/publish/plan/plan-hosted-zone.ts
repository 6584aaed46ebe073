// Plans the changes of a hosted zone from its record set items. Pure: `publish()` runs it under the lease and applies
// the result, `planReading()` runs the same for the plan command. A change is not applied for one of these reasons, in
// this order:
//
//   apex NS            Route 53's own, never planned
//   refused            Route 53 or our own rules refused exactly this content; kept until the content changes, somebody
//                      asks for another try, or the Zone takes over the record set in Route 53
//   flips too often    two sides fight over the record set: held for some minutes
//   held by the guard  deletes that nobody acknowledged, and creates tied to them
import {
  type Change,
  compareChanges,
  digestChanges,
  type OwnedRecordSet,
  planChanges,
} from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, recordSetId, sameContent } from '../../dns/record-set.ts';
import { nextSerial } from '../../dns/serial.ts';
import type { GuardLimits } from '../../ports/guard-limits.ts';
import {
  countedNamespace,
  guardedNamespace,
  isUncounted,
  losesObjects,
  losesServer,
} from '../../record-sets/guarded.ts';
import type { HeldItem } from '../../record-sets/held-name.ts';
import { acknowledgedDigests, type HostedZoneItem, otherAcknowledgement } from '../../record-sets/hosted-zone-item.ts';
import { isWithdrawn, type RecordSetItem, textsOf } from '../../record-sets/record-set-item.ts';
import { deletedAtMs } from '../../record-sets/retention.ts';
import { parseSoa, samePublishing } from '../../record-sets/same-content.ts';
import { isPublishable, stateOf } from '../../record-sets/state.ts';
import { objectsOf } from '../../record-sets/transitions.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { type GuardVerdict, guardPlan, type NamespaceHistory } from './guard.ts';
import type { ServicesView } from './guard-services.ts';
import { refusalHolds, splitWithheld, type Withheld } from './withheld.ts';

/** Record sets that are to be forgotten, by id. */
export type Forgets = ReadonlyMap<
  string,
  {
    /** What is published: with other content it is not forgotten. */
    readonly content: RecordSetContent;
    /** TXT record sets that are created in the same batch, by which external-dns then owns it. */
    readonly texts: readonly RecordSet[];
    /** What objects are told that still ask for it. */
    readonly message: string;
  }
>;

export type PlannedNames = {
  /** All record set items of these names. */
  readonly items: readonly RecordSetItem[];
  /** The held marks of these names. */
  readonly heldMarks: readonly HeldItem[];
  /** The names whose refused changes are tried again. */
  readonly retryNames: ReadonlySet<string>;
  /** Record sets in Route 53 that already have the desired content, and become ours without a call. */
  readonly adopted?: readonly Change[];
  /** Record sets to forget, by id, with what goes with each. */
  readonly forgets?: Forgets;
  /** What was read in Route 53, for a plan that somebody reviews: the digest covers it at the names of the changes. */
  readonly standing?: readonly RecordSet[];
};

/** What the guard needs besides the plan and the hosted zone. */
export type PlanGuard = {
  readonly limits: GuardLimits;
  /** The Services whose names would be deleted from a cluster's own DNS; null: all deletes have the same limits. */
  readonly services: ServicesView | null;
  /** The numbers of the namespaces that delete something now, or did within the hour. */
  readonly namespaces: ReadonlyMap<string, NamespaceHistory>;
  /** Digests acknowledged besides those on the hosted zone. */
  readonly acknowledged: readonly string[];
  /** The hosted zone's own Zone is gone (responsible-zone.ts): no annotation can acknowledge held deletes. */
  readonly isLeft: boolean;
};

export type PlanInput = {
  readonly hostedZone: HostedZoneItem;
  readonly names: PlannedNames;
  /** The SOA as read in Route 53; null if it was not read: then the ledger's is used. */
  readonly existingSoa: RecordSet | null;
  readonly guard: PlanGuard;
  readonly nowMs: number;
};

export type HostedZonePlan = {
  /** All changes from published to desired, whether or not they may be applied. */
  readonly changes: readonly Change[];
  readonly digest: string;
  /** The changes that may be applied now. A change of the SOA is in `soa`. */
  readonly go: readonly Change[];
  readonly soa: Change | null;
  readonly refused: readonly Withheld[];
  readonly flipping: readonly (Withheld & { readonly untilMs: number })[];
  readonly guard: GuardVerdict;
  /** What is wrong with the Zone's annotation, if the guard holds deletes. */
  readonly annotated: readonly string[];
};

/** Our timers and TTL, Route 53's own MNAME and RNAME, and the serial after the present one. */
function soaContent(desired: RecordSetContent, existing: RecordSetContent | null, nowMs: number): RecordSetContent {
  if (desired.kind !== 'values' || existing?.kind !== 'values') return desired;
  const there = parseSoa(existing.values[0] ?? '');
  const wanted = parseSoa(desired.values[0] ?? '');
  if (there === null || wanted === null) return desired;
  const value = [there.mname, there.rname, nextSerial(there.serial, nowMs), ...wanted.timers].join(' ');
  return { kind: 'values', ttlSeconds: desired.ttlSeconds, values: [value] };
}

function planSoa(input: PlanInput, item: RecordSetItem | undefined): Change | null {
  const { name } = input.hostedZone;
  if (item === undefined || item.desired === null) return null;
  const before = input.existingSoa?.content ?? item.published;
  if (samePublishing('SOA', item.desired, before)) return null;
  const after = soaContent(item.desired, before, input.nowMs);
  return { action: 'update', name, type: 'SOA', setIdentifier: null, before, after, objects: item.objects };
}

function sideOf(item: RecordSetItem, content: RecordSetContent | null): OwnedRecordSet[] {
  if (content === null) return [];
  const { name, type, setIdentifier } = item;
  return [{ name, type, setIdentifier, content, objects: objectsOf(item) }];
}

/**
 * The changes from published to desired, without the SOA, which is planned apart. If record sets are to be forgotten,
 * these alone. What nothing asks for any more is forgotten too, where the Zone retains it.
 */
export function planRecordSets(
  all: readonly RecordSetItem[],
  { name: apex, retains }: Pick<HostedZoneItem, 'name' | 'retains'>,
  forgets: Forgets = new Map(),
): Change[] {
  const items = all.filter((item) => isPublishable(item, apex));
  if (forgets.size > 0) return items.flatMap((item) => forgetOf(item, forgets)).sort(compareChanges);
  const changes = planChanges(
    items.flatMap((item) => sideOf(item, item.published)),
    items.flatMap((item) => sideOf(item, item.desired)),
  );
  const withTexts = new Map(items.flatMap((item) => (item.texts.length === 0 ? [] : [[recordSetId(item), item]])));
  const planned = changes.map((change) => {
    const item = withTexts.get(recordSetId(change));
    return item === undefined ? change : { ...change, also: textsOf(item) };
  });
  const adopts = items.filter((item) => stateOf(item) === 'adopting').map(adoptOf);
  const wanted = retains === true ? withoutDeletes(planned, items) : planned;
  return adopts.length === 0 && wanted === planned ? planned : [...wanted, ...adopts].sort(compareChanges);
}

/** The changes, each delete of what nothing asks for as one by which it stays in Route 53 and is forgotten. */
function withoutDeletes(planned: readonly Change[], items: readonly RecordSetItem[]): Change[] {
  const asked = new Set(items.filter(({ isAsked }) => isAsked).map(recordSetId));
  return planned.map((change) => {
    if (change.after !== null || asked.has(recordSetId(change))) return change;
    const { also: _, ...rest } = change;
    return { ...rest, action: 'forget', after: change.before };
  });
}

/** The change by which a record set that is published as wanted is forgotten; none for any other. */
function forgetOf(item: RecordSetItem, forgets: Forgets): readonly Change[] {
  const { name, type, setIdentifier, published, objects } = item;
  const forget = forgets.get(recordSetId(item));
  if (forget === undefined || stateOf(item) !== 'live' || !sameContent(forget.content, published)) return [];
  const also = forget.texts.length === 0 ? {} : { also: forget.texts };
  return [{ action: 'forget', name, type, setIdentifier, before: published, after: published, objects, ...also }];
}

/** The change by which a record set that already has the desired content becomes ours. */
export function adoptOf(item: RecordSetItem): Change {
  const { name, type, setIdentifier, desired, published, objects } = item;
  const also = item.texts.length === 0 ? {} : { also: textsOf(item) };
  return { action: 'adopt', name, type, setIdentifier, before: published, after: desired, objects, ...also };
}

function wasRefused(item: RecordSetItem | undefined): boolean {
  return item !== undefined && (item.refusal?.reason === 'Rejected' || item.refused !== null);
}

/** Plans one hosted zone, or the part of it whose items are given. */
export function planHostedZone(input: PlanInput): HostedZonePlan {
  const { hostedZone, names } = input;
  const byId = new Map(names.items.map((item) => [recordSetId(item), item]));
  const soaItem = names.items.find((one) => one.type === 'SOA' && one.name === hostedZone.name);
  const soa = planSoa(input, soaItem);
  const planned = planRecordSets(names.items, hostedZone, names.forgets);
  const shown = [...planned, ...(names.adopted ?? [])].sort(compareChanges);
  const changes = soa === null ? shown : [soa, ...shown];
  // The digest must be the same whether or not the SOA was read, so only the desired SOA counts.
  const touched = new Set(changes.flatMap((change) => [change, ...(change.also ?? [])]).map(({ name }) => name));
  const isOfOthers = (set: RecordSet) => touched.has(set.name) && isPublishable(set, hostedZone.name);
  const digest = digestChanges(
    soa === null ? changes : [{ ...soa, before: null, after: soaItem?.desired ?? null }, ...shown],
    (names.standing ?? []).filter(isOfOthers),
  );
  const isStuck = (change: Change) => {
    const item = byId.get(recordSetId(change));
    return item?.refusal?.reason === 'Drifted' && refusalHolds(item, hostedZone, names.retryNames);
  };
  const units = unitsOf(planned, isStuck);
  const { open, refused, flipping } = splitWithheld(units, {
    hostedZone,
    itemOf: (change) => byId.get(recordSetId(change)),
    retryNames: names.retryNames,
    nowMs: input.nowMs,
  });
  const soaRefusal =
    soaItem !== undefined && refusalHolds(soaItem, hostedZone, names.retryNames) ? soaItem.refusal : null;
  if (soa !== null && soaRefusal !== null) refused.push({ change: soa, refusal: soaRefusal });
  const marks = new Map(names.heldMarks.map((mark) => [mark.name, mark]));
  const releasedNames = new Set<string>();
  const lostOf = (change: Change) => byId.get(recordSetId(change))?.lost ?? [];
  const hasLost = (change: Change) => {
    const item = byId.get(recordSetId(change));
    return item !== undefined && losesObjects(item);
  };
  const isGuarded = (change: Change) => {
    const { action, type, before, after } = change;
    return action === 'delete' || lostOf(change).length > 0 || hasLost(change) || losesServer(type, before, after);
  };
  const deletesByName = Map.groupBy(open.filter(isGuarded), (change) => change.name);
  for (const [name, deletes] of deletesByName) {
    const mark = marks.get(name);
    if (mark?.released === true && mark.digest === digestChanges(deletes)) releasedNames.add(name);
  }
  const { isLeft, limits, services, acknowledged } = input.guard;
  const annotated = isLeft ? [] : acknowledgedDigests(hostedZone);
  // A record set that is desired but refused is not in Route 53, so it does not count here.
  const stays = names.items.filter(({ desired, published }) => desired !== null && published !== null);
  // Nor does one that was refused before and is tried again, except for a delete that is tied to it.
  const comes = open.filter((change) => change.after !== null && !wasRefused(byId.get(recordSetId(change))));
  const besides = [...stays, ...comes].filter(({ name }) => deletesByName.has(name));
  const answered = new Set(besides.map(({ name, type }) => `${name} ${type}`));
  const unitOf = new Map(units.flatMap((unit) => unit.map((change) => [change, unit])));
  const isReplaced = (change: Change) =>
    unitOf.get(change)?.some(({ type, after }) => after !== null && type === change.type) ?? false;
  const guard = guardPlan({
    zone: isLeft ? null : hostedZone.zone,
    changes: open,
    known: (change) => {
      const item = byId.get(recordSetId(change));
      return {
        staysWanted:
          answered.has(`${change.name} ${change.type}`) ||
          isReplaced(change) ||
          (item !== undefined && isWithdrawn(item)),
        isUncounted: item !== undefined && isUncounted(item),
        wasHeld: marks.has(change.name),
        wasReleased: releasedNames.has(change.name),
        wasCounted: item !== undefined && deletedAtMs(item, input.nowMs) !== null,
        lost: lostOf(change),
        losesObjects: hasLost(change),
        namespace: item === undefined ? guardedNamespace(change.objects) : countedNamespace(item),
      };
    },
    history: { ...hostedZone, nowMs: input.nowMs },
    namespaces: input.guard.namespaces,
    limits,
    services,
    acknowledged: {
      digests: [...annotated, ...acknowledged],
      spent: hostedZone.acknowledgements.flatMap((one) => (one.state === 'spent' ? one.digest : [])),
    },
  });
  const wrong =
    guard.digest === null || isLeft
      ? []
      : otherAcknowledgement(hostedZone, { digest: guard.digest, holds: [...guard.holds] });
  const publishedSoa = soaRefusal === null ? soa : null;
  return { changes, digest, go: guard.go, soa: publishedSoa, refused, flipping, guard, annotated: wrong };
}

/** A plan that changes nothing. */
export const NO_CHANGES: HostedZonePlan = {
  ...{ changes: [], digest: '', go: [], soa: null, refused: [], flipping: [], annotated: [] },
  guard: {
    ...{ go: [], held: [], tied: [], released: new Map(), releasedBy: [], underWay: [] },
    ...{ digest: null, holds: [], reasons: [] },
  },
};

/** The digests that may have released deletes of this plan: in this run, or in one that died before it noted them. */
export function digestsSpent({ guard: { releasedBy, underWay } }: HostedZonePlan): readonly string[] {
  if (underWay.length === 0) return releasedBy;
  const byNamespace = Map.groupBy(underWay, ({ objects }) => guardedNamespace(objects));
  return [...releasedBy, digestChanges(underWay), ...[...byNamespace.values()].map((own) => digestChanges(own))];
}

/** The field `held` of the hosted zone's item after this run. Only for a run that looked at all held deletes. */
export function heldAfter({ guard }: HostedZonePlan): HostedZoneItem['held'] {
  if (guard.digest === null) return null;
  const { digest, reasons, held, holds } = guard;
  return { digest, reasons: [...reasons], count: held.length, holds: [...holds] };
}
