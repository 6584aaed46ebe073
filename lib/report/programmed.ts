// The Programmed condition, from what the ledger knows of Route 53. It is True only after Route 53 accepted exactly
// that content. If an object has several record sets, the worst of them decides. Pure: the caller reads the items.

import type { RecordSetContent } from '../dns/record-set.ts';
import { accountRefused, isAccountRefusal } from '../objects/account-refusal.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { formatRef } from '../objects/object-ref.ts';
import { type GuardLimits, howToAcknowledge } from '../ports/guard-limits.ts';
import { isDerived } from '../record-sets/guarded.ts';
import { type HostedZoneItem, hostedZoneIdOf, otherAcknowledgement } from '../record-sets/hosted-zone-item.ts';
import { type Propagation, propagationOf, worstPropagation } from '../record-sets/propagation.ts';
import { claimedOf, type RecordSetItem } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { stateOf } from '../record-sets/state.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { Hosting } from '../zones/place-zones.ts';
import type { EndpointOutcome, ResolvedCluster, ResolvedZone } from '../zones/resolve-cluster.ts';
import { verdictOfTarget } from '../zones/unpublished-reasons.ts';

/** A desired record set with its item; null if the ledger has none yet. `hostedZone` may say why it waits. */
export type WantedItem = {
  readonly hostedZoneId: string;
  readonly content: RecordSetContent;
  readonly item: RecordSetItem | null;
  readonly hostedZone?: HostedZoneItem | null;
  /** It is to be shared by latency, and the cluster has no region. */
  readonly lacksRegion?: true;
};

export function wantedItem(
  { hostedZoneId, content, lacksRegion }: DesiredRecordSet,
  item: RecordSetItem | null,
  hostedZone: HostedZoneItem | null,
): WantedItem {
  return { hostedZoneId, content, item, hostedZone, ...(lacksRegion && { lacksRegion }) };
}

/** The verdict on an accepted endpoint: by the rules alone, or by its record sets. Null if it is not accepted. */
export function endpointVerdict(
  outcome: EndpointOutcome,
  wanted: readonly WantedItem[],
): Verdict<ProgrammedReason> | null {
  if (outcome.parent === null) return null;
  return outcome.programmed ?? worstVerdict(wanted.map(itemVerdict));
}

/** When the record sets of an endpoint resolve. Null while one is not published. */
export function endpointPropagation(
  outcome: EndpointOutcome,
  wanted: readonly WantedItem[],
  nowMs: number,
): Propagation | null {
  if (endpointVerdict(outcome, wanted)?.reason !== 'Published') return null;
  return worstPropagation(wanted.map(({ item }) => propagationOf(item?.propagation, nowMs)));
}

/**
 * The verdict on a live Zone: from where it publishes, what its hosted zone waits for, and its own record sets
 * (`ownRecordSets`). `leftovers` are items of its own hosted zone (`isLeftover`). `left` are hosted zones without a
 * Zone that this one reports (lib/directory/responsible-zone.ts), in which deletes are held. By `limits`, it says how
 * to release these.
 */
export function zoneVerdict(
  zone: ResolvedZone,
  hostedZone: HostedZoneItem | null,
  leftovers: readonly RecordSetItem[],
  own: readonly WantedItem[],
  left: readonly HostedZoneItem[],
  limits: GuardLimits = {},
): Verdict<ProgrammedReason> | null {
  if (zone.live === null || zone.placed === null) return null;
  const { target } = zone.placed;
  const unhosted = verdictOfTarget(zone.placed);
  if (unhosted !== null || target.kind !== 'hosted') return unhosted;
  const verdict = hostedZone?.zone === zone.key ? hostedZoneVerdict(hostedZone, leftovers) : null;
  // The NS that delegate to the Zone are in another hosted zone than its own.
  const unpublished = own.map(itemVerdict).filter(({ reason }) => reason !== 'Published');
  return (
    verdict ??
    keptVerdict(zone.placed.hosting) ??
    leftVerdict(left, limits) ??
    zone.hidden ??
    worstVerdict(unpublished) ?? {
      reason: 'Published',
      message: `publishes into hosted zone ${hostedZoneIdOf(target.hostedZoneId)} of Zone ${target.zone}`,
    }
  );
}

/**
 * The record sets that the Zone itself asks for and needs: its SOA, and the NS that delegate to it. What it derives
 * from the addresses of hosts may meet what stands there already, which is no trouble of the Zone.
 */
export function ownRecordSets(resolved: ResolvedCluster, zone: ResolvedZone): ResolvedCluster['recordSets'] {
  const id = formatRef(zone.ref);
  return resolved.recordSets.filter(
    (set) =>
      (set.objects.includes(id) && !isDerived(set)) ||
      (set.type === 'NS' && set.name === zone.fqdn && zone.placed?.cut === true),
  );
}

const IN_TWO_BATCHES =
  '; published in two batches, because its old and new values do not fit into one: it was absent for a moment';

const LACKS_REGION =
  'It is not shared by latency, because the configuration has no region for this cluster: set clusters.<id>.region';

function itemVerdict({ lacksRegion, ...wanted }: WantedItem): Verdict<ProgrammedReason> {
  const { reason, message } = verdictOf(wanted);
  return { reason, message: lacksRegion ? `${message}${message.endsWith('.') ? '' : '.'} ${LACKS_REGION}.` : message };
}

function verdictOf({ item, content, hostedZoneId, hostedZone = null }: WantedItem): Verdict<ProgrammedReason> {
  const why = hostedZone === null ? null : obstacleIn(hostedZone, (item?.published ?? null) === null);
  const id = hostedZoneIdOf(hostedZoneId);
  const waits = `waiting to be published into hosted zone ${id}`;
  const pending = { reason: 'Pending', message: why === null ? waits : `${waits}. ${why}` } as const;
  if (item === null) return pending;
  const { refusal, type, desired, published } = item;
  // The desired content may be newer than the item in the ledger: then Route 53 has not answered for it yet.
  if (!samePublishing(type, claimedOf(item), content)) return pending;
  const state = stateOf(item);
  if (refusal !== null && (state === 'refused' || state === 'held'))
    return { reason: refusal.reason, message: refusal.message };
  if (desired !== null && samePublishing(type, desired, published))
    return { reason: 'Published', message: `in hosted zone ${id}${item.inTwoBatches ? IN_TWO_BATCHES : ''}` };
  return pending;
}

/** The verdict on a record set by its item alone, also when it is no longer desired; null: there is nothing of it. */
export function verdictOfItem(item: RecordSetItem, hostedZone: HostedZoneItem): Verdict<ProgrammedReason> | null {
  const { desired, published, refusal, late } = item;
  const { id } = hostedZone;
  if (desired !== null) return itemVerdict({ item, content: desired, hostedZoneId: id, hostedZone });
  const state = stateOf(item);
  if (refusal !== null && (state === 'refused' || state === 'held'))
    return { reason: refusal.reason, message: refusal.message };
  if (state === 'free' && published === null && late.length === 0) return null;
  return { reason: 'Pending', message: `waiting to be deleted from hosted zone ${hostedZoneIdOf(id)}` };
}

/** The record sets of an endpoint: those of its name, type and set identifier that name its object. */
export function setsOf(
  { ref, endpoint, fqdn }: EndpointOutcome,
  recordSets: readonly DesiredRecordSet[],
): readonly DesiredRecordSet[] {
  const id = formatRef(ref);
  const setIdentifier = endpoint?.routing?.setIdentifier ?? null;
  return recordSets.filter(
    (set) =>
      set.name === fqdn &&
      set.type === endpoint?.type &&
      (set.setIdentifier === setIdentifier || (setIdentifier === null && set.sharing !== undefined)) &&
      set.objects.includes(id),
  );
}

export function worstVerdict(verdicts: readonly Verdict<ProgrammedReason>[]): Verdict<ProgrammedReason> | null {
  const refused = verdicts.find(({ reason }) => reason !== 'Published' && reason !== 'Pending');
  return refused ?? verdicts.find(({ reason }) => reason === 'Pending') ?? verdicts[0] ?? null;
}

/** The verdict on a Zone that keeps a hosted zone although the configuration names another. */
function keptVerdict(hosting: Hosting | null): Verdict<ProgrammedReason> | null {
  if (hosting?.keptBecause === undefined) return null;
  const message = `${hosting.keptBecause}. Until that is mended, the Zone publishes into its former hosted zone, ${hosting.id}`;
  return { reason: isAccountRefusal(hosting.keptBecause) ? 'AccountRefused' : 'HostedZoneNotFound', message };
}

function leftVerdict([first]: readonly HostedZoneItem[], limits: GuardLimits): Verdict<ProgrammedReason> | null {
  if (first === undefined || first.held === null) return null;
  const { id, name, held } = first;
  const how = howToAcknowledge(null, held.digest, limits);
  const message = `${held.count} deletes are held in hosted zone ${id} (${name}), which is no longer the hosted zone of any Zone. To release them, ${how}.`;
  return { reason: 'HeldByGuard', message };
}

/** True for a record set that is no longer desired and could not be deleted. */
export function isLeftover({ desired, refusal }: RecordSetItem): boolean {
  return desired === null && refusal !== null;
}

/** Why changes of a hosted zone wait; null: nothing is known to stop them. `isNew`: they add record sets. */
function obstacleIn({ id: ledgerId, account, full, denied }: HostedZoneItem, isNew: boolean): string | null {
  const id = hostedZoneIdOf(ledgerId);
  if (full !== null && isNew)
    return `Hosted zone ${id} is full: it has as many record sets as its quota allows (10,000 by default), so new ones wait. Raise "Records per hosted zone" for it in Service Quotas, or remove some. Route 53: ${full.message}`;
  if (denied === null) return null;
  if (account !== undefined && isAccountRefusal(denied)) return accountRefused(account, id, denied);
  if (denied.startsWith('Cannot read '))
    return `Route 53 denies reading hosted zone ${id}, so changes wait that depend on what it has. Allow zone53 route53:ListResourceRecordSets there; a later run tries them again. ${denied}`;
  return `Route 53 denies changes of hosted zone ${id}, so they wait. Allow zone53 route53:ChangeResourceRecordSets there; a later run tries them again. Route 53: ${denied}`;
}

/** The verdict on a hosted zone with held deletes, or with leftovers; null if there is nothing to report. */
function hostedZoneVerdict(
  hostedZone: HostedZoneItem,
  leftovers: readonly RecordSetItem[],
): Verdict<ProgrammedReason> | null {
  if (hostedZone.gone) {
    return {
      reason: 'HostedZoneNotFound',
      message: `hosted zone ${hostedZone.id} no longer exists in the account; zone53 looks for another one of that name`,
    };
  }
  if (hostedZone.held !== null) {
    const { held } = hostedZone;
    // Until a run has compared it, a digest may be that of what is held by now.
    const isOpen = hostedZone.acknowledgements.some(({ state }) => state === 'open');
    const wrong = isOpen ? [] : otherAcknowledgement(hostedZone, held);
    return { reason: 'HeldByGuard', message: [...held.reasons, ...wrong].join(' ') };
  }
  const obstacle = obstacleIn(hostedZone, true);
  if (obstacle !== null)
    return { reason: isAccountRefusal(obstacle) ? 'AccountRefused' : 'Rejected', message: obstacle };
  for (const { name, type, refusal } of leftovers) {
    if (refusal === null) continue;
    return {
      reason: refusal.reason,
      message: `${name} ${type} is no longer desired and could not be deleted: ${refusal.message}`,
    };
  }
  return null;
}
