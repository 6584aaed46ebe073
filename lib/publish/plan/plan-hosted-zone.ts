// From record set items to what may be done about them now. Pure: `publish()` runs it under the lease and applies the
// result, `planCluster()` runs the same for the plan command. A change leaves the plan for one of these reasons, in
// this order:
//
//   apex NS            Route 53's own, never planned
//   refused            Route 53 or our own rules said no to exactly this content; kept until the content changes,
//                      somebody asks again, or the Zone takes over what stands there
//   flips too often    two sides fight over the record set: held for some minutes
//   held by the guard  deletes that nobody acknowledged, and what is tied to them
import { hash } from 'node:crypto';
import { hashRecordSet } from '../../dns/hash.ts';
import { type Change, compareChanges, digestChanges, planChanges } from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, recordSetId } from '../../dns/record-set.ts';
import { nextSerial } from '../../dns/serial.ts';
import type { GuardLimits } from '../../ports/guard-limits.ts';
import { flipHold } from '../../record-sets/flap-damping.ts';
import type { HeldItem } from '../../record-sets/held-name.ts';
import { acknowledgedDigest, type HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, type Refusal, storedContent, textsOf } from '../../record-sets/record-set-item.ts';
import { deletedAtMs } from '../../record-sets/retention.ts';
import { parseSoa, samePublishing } from '../../record-sets/same-content.ts';
import { isPublishable, stateOf, takesOver } from '../../record-sets/state.ts';
import { exceededLimit } from '../../route53/record-set-limits.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { type GuardVerdict, guardPlan } from './guard.ts';
import type { ServicesView } from './guard-services.ts';

/** The names that are looked at. */
export type PlannedNames = {
  /** Every record set item of theirs. */
  readonly items: readonly RecordSetItem[];
  /** Which of them the guard held, and which of those were acknowledged. */
  readonly heldMarks: readonly HeldItem[];
  /** Those for which a refusal is to be tried again. */
  readonly retryNames: ReadonlySet<string>;
  /** What becomes ours without a call: it stands as wanted. */
  readonly adopted?: readonly Change[];
};

/** What the guard goes by, besides the plan and the hosted zone. */
export type PlanGuard = {
  readonly limits: GuardLimits;
  /** The Services of a cluster's own DNS that its deletes are of; null: all are judged alike. */
  readonly services: ServicesView | null;
  /** Digests acknowledged besides those on the hosted zone. */
  readonly acknowledged: readonly string[];
  /** Its own Zone is gone and another speaks for it (responsible-zone.ts): nobody can acknowledge held deletes. */
  readonly isLeft: boolean;
};

export type PlanInput = {
  readonly hostedZone: HostedZoneItem;
  readonly names: PlannedNames;
  /** The SOA as it stands in Route 53, where it was read; else what the ledger last knew. */
  readonly standingSoa: RecordSet | null;
  readonly guard: PlanGuard;
  readonly nowMs: number;
};

/** A change that is wanted and not applied, with the reason to give its objects. */
export type Withheld = { readonly change: Change; readonly refusal: Refusal };

export type HostedZonePlan = {
  /** Everything between published and desired, whether or not it may go. */
  readonly changes: readonly Change[];
  readonly digest: string;
  /** What may be applied now; the SOA, if it is to change, apart. */
  readonly go: readonly Change[];
  readonly soa: Change | null;
  readonly refused: readonly Withheld[];
  readonly flipping: readonly (Withheld & { readonly untilMs: number })[];
  readonly guard: GuardVerdict;
};

/** What a unit of several changes is to lead to, as one text; undefined for a change that is alone. */
export function digestUnit(unit: readonly Change[]): string | undefined {
  if (unit.length === 1) return undefined;
  const lines = unit.map(({ type, setIdentifier, after }) => [type, setIdentifier, hashRecordSet(after)]);
  return hash('sha256', JSON.stringify(lines.map((line) => JSON.stringify(line)).sort()), 'hex');
}

/** True when trying again could only end the same way: where we are asked again, publish has looked before it plans. */
export function refusalHolds(
  item: RecordSetItem,
  hostedZone: HostedZoneItem,
  retryNames: PlannedNames['retryNames'],
): boolean {
  if (stateOf(item) !== 'refused') return false;
  return item.refusal?.reason === 'Rejected' ? !retryNames.has(item.name) : !takesOver(item, hostedZone);
}

/** Our timers and TTL with Route 53's own MNAME and RNAME, and the serial after the one that stands there. */
function soaContent(desired: RecordSetContent, standing: RecordSetContent | null, nowMs: number): RecordSetContent {
  if (desired.kind !== 'values' || standing?.kind !== 'values') return desired;
  const stands = parseSoa(standing.values[0] ?? '');
  const wanted = parseSoa(desired.values[0] ?? '');
  if (stands === null || wanted === null) return desired;
  const value = [stands.mname, stands.rname, nextSerial(stands.serial, nowMs), ...wanted.timers].join(' ');
  return { kind: 'values', ttlSeconds: desired.ttlSeconds, values: [value] };
}

function planSoa(input: PlanInput, item: RecordSetItem | undefined): Change | null {
  const { name } = input.hostedZone;
  if (item === undefined || item.desired === null) return null;
  const before = input.standingSoa?.content ?? item.published;
  if (samePublishing('SOA', item.desired, before)) return null;
  const after = soaContent(item.desired, before, input.nowMs);
  return { action: 'update', name, type: 'SOA', setIdentifier: null, before, after, objects: item.objects };
}

function sideOf(item: RecordSetItem, content: RecordSetContent | null): RecordSet[] {
  if (content === null) return [];
  return [{ name: item.name, type: item.type, setIdentifier: item.setIdentifier, content }];
}

/** The changes from published to desired that publish may make; those of the SOA are made apart. */
export function planRecordSets(all: readonly RecordSetItem[], apex: string): Change[] {
  const items = all.filter((item) => isPublishable(item, apex));
  const byId = new Map(items.map((item) => [recordSetId(item), item]));
  const changes = planChanges(
    items.flatMap((item) => sideOf(item, item.published)),
    items.flatMap((item) => sideOf(item, item.desired)),
  );
  const planned = changes.map((change) => {
    const item = byId.get(recordSetId(change));
    const objects = item === undefined || item.objects.length > 0 ? item?.objects : item.publishedObjects;
    const also = item === undefined || item.texts.length === 0 ? {} : { also: textsOf(item) };
    return { ...change, objects: objects ?? [], ...also };
  });
  const adopts = items.filter((item) => stateOf(item) === 'adopting').map(adoptOf);
  return adopts.length === 0 ? planned : [...planned, ...adopts].sort(compareChanges);
}

/** What stands as wanted and becomes ours. */
export function adoptOf(item: RecordSetItem): Change {
  const { name, type, setIdentifier, desired, published, objects } = item;
  const also = item.texts.length === 0 ? {} : { also: textsOf(item) };
  return { action: 'adopt', name, type, setIdentifier, before: published, after: desired, objects, ...also };
}

function withhold(change: Change, refusal: Refusal, guilty: Change): Withheld {
  if (change === guilty) return { change, refusal };
  const message = `Waits for ${guilty.type} ${guilty.name}, which cannot change without it: ${refusal.message}`;
  return { change, refusal: { ...refusal, message, content: storedContent(change.after) } };
}

function splitWithheld(units: readonly Change[][], input: PlanInput, byId: ReadonlyMap<string, RecordSetItem>) {
  const open: Change[] = [];
  const refused: Withheld[] = [];
  const flipping: (Withheld & { untilMs: number })[] = [];
  for (const unit of units) {
    const itemOf = (change: Change) => byId.get(recordSetId(change));
    const digest = digestUnit(unit);
    const holds = (change: Change) => {
      const item = itemOf(change);
      // What was refused together with others may go alone, or with others than those.
      return (
        item !== undefined &&
        refusalHolds(item, input.hostedZone, input.names.retryNames) &&
        item.refusal?.unit === digest
      );
    };
    if (unit.every(holds)) {
      for (const change of unit) refused.push({ change, refusal: itemOf(change)?.refusal as Refusal });
      continue;
    }
    const tooLarge = unit.find((change) => exceededLimit(change.type, change.after) !== null);
    if (tooLarge !== undefined) {
      const message = `${exceededLimit(tooLarge.type, tooLarge.after)}: nothing was sent.`;
      const content = storedContent(tooLarge.after);
      const together = digest === undefined ? {} : { unit: digest };
      const refusal = { reason: 'Rejected', message, content, atMs: input.nowMs, ...together } as const;
      for (const change of unit) refused.push(withhold(change, refusal, tooLarge));
      continue;
    }
    const flips = unit.map((change) => ({ change, hold: flipHold(itemOf(change), change, input.nowMs) }));
    const worst = flips.find((one) => one.hold !== null);
    if (worst?.hold) {
      const { refusal, untilMs } = worst.hold;
      for (const change of unit) flipping.push({ ...withhold(change, refusal, worst.change), untilMs });
    } else {
      open.push(...unit);
    }
  }
  return { open, refused, flipping };
}

/** Plans one hosted zone, or the part of it whose items are given. */
export function planHostedZone(input: PlanInput): HostedZonePlan {
  const { hostedZone, names } = input;
  const byId = new Map(names.items.map((item) => [recordSetId(item), item]));
  const soaItem = names.items.find((one) => one.type === 'SOA' && one.name === hostedZone.name);
  const soa = planSoa(input, soaItem);
  const planned = planRecordSets(names.items, hostedZone.name);
  const shown = [...planned, ...(names.adopted ?? [])].sort(compareChanges);
  const changes = soa === null ? shown : [soa, ...shown];
  // Whether or not the SOA was read must not matter to the digest: of it, only what we want counts.
  const digest = digestChanges(
    soa === null ? changes : [{ ...soa, before: null, after: soaItem?.desired ?? null }, ...shown],
  );
  const { open, refused, flipping } = splitWithheld(unitsOf(planned), input, byId);
  const soaRefusal =
    soaItem !== undefined && refusalHolds(soaItem, hostedZone, names.retryNames) ? soaItem.refusal : null;
  if (soa !== null && soaRefusal !== null) refused.push({ change: soa, refusal: soaRefusal });
  const marks = new Map(names.heldMarks.map((mark) => [mark.name, mark]));
  const releasedNames = new Set<string>();
  for (const [name, ofName] of Map.groupBy(open, (change) => change.name)) {
    const deletes = ofName.filter((change) => change.action === 'delete');
    const mark = marks.get(name);
    if (mark?.released === true && mark.digest === digestChanges(deletes)) releasedNames.add(name);
  }
  const { acknowledgement } = hostedZone;
  const { isLeft, limits, services, acknowledged } = input.guard;
  const annotated = isLeft ? null : acknowledgedDigest(hostedZone);
  // What is wanted and refused answers nobody.
  const stays = names.items.filter(({ desired, published }) => desired !== null && published !== null);
  const comes = open.filter(({ after }) => after !== null);
  const answered = new Set([...stays, ...comes].map(({ name, type }) => `${name} ${type}`));
  const guard = guardPlan({
    zone: isLeft ? null : hostedZone.zone,
    changes: open,
    known: (change) => {
      const item = byId.get(recordSetId(change));
      return {
        staysWanted: answered.has(`${change.name} ${change.type}`),
        wasHeld: marks.has(change.name),
        wasReleased: releasedNames.has(change.name),
        wasCounted: item !== undefined && deletedAtMs(item, input.nowMs) !== null,
      };
    },
    history: { ...hostedZone, nowMs: input.nowMs },
    limits,
    services,
    acknowledged: {
      digests: [...(annotated === null ? [] : [annotated]), ...acknowledged],
      spent: acknowledgement?.state === 'spent' ? acknowledgement.digest : null,
      planDigest: digest,
    },
  });
  return { changes, digest, go: guard.go, soa: soaRefusal === null ? soa : null, refused, flipping, guard };
}

/** The digests that may have released what goes now: in this run, or in one that died before it noted them. */
export function digestsSpent({ digest, guard: { releasedBy, underWay } }: HostedZonePlan): readonly string[] {
  const before = underWay.length === 0 ? [] : [digestChanges(underWay), digest];
  return releasedBy === null ? before : [releasedBy, ...before];
}

/** What the hosted zone says about held deletes after this run; only a run that looked at all of them may say. */
export function heldAfter({ guard }: HostedZonePlan): HostedZoneItem['held'] {
  if (guard.digest === null) return null;
  return { digest: guard.digest, reasons: [...guard.reasons], count: guard.held.length };
}
