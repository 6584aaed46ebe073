// Turns the results of plan and apply into the shapes of output.ts.

import type { Applied } from '../../lib/apply/apply-cluster.ts';
import type { AppliedHostedZone, PublishedPlan } from '../../lib/apply/apply-hosted-zone.ts';
import { describePlanned, describePlannedSources } from '../../lib/apply/describe-applied.ts';
import type { ClusterPlan, PlannedHostedZone } from '../../lib/apply/plan-cluster.ts';
import type { ExistingAtChange } from '../../lib/apply/read-planned.ts';
import type { Change } from '../../lib/dns/plan-changes.ts';
import type { RecordSetContent } from '../../lib/dns/record-set.ts';
import { recordSetId } from '../../lib/dns/record-set.ts';
import { routingFields } from '../../lib/dns/routing-policy.ts';
import type { PlannedDnsRecord } from '../../lib/gardener/rehearse/plan-dns-records.ts';
import { OUTCOME_OF } from '../../lib/publish/plan/outcome.ts';
import { takesOver } from '../../lib/record-sets/state.ts';
import type { ApplyOutput, ChangeOutput, ContentOutput, DnsRecordOutput, PlanOutput } from './output.ts';

/** The output of `plan`. */
export function describePlan(plan: ClusterPlan): PlanOutput {
  const { hostedZones, reading } = plan;
  return {
    hostedZones: hostedZones.map((planned) => ({
      ...headOf(planned),
      held: planned.plan.guard.held.length > 0,
      ...(planned.plan.guard.digest !== null && { heldDigest: planned.plan.guard.digest }),
      reasons: [...planned.plan.guard.reasons, ...planned.plan.annotated, ...underWay(planned)],
      notes: [...planned.drifts, ...unreadNotes(planned), ...takeovers(planned)],
      ...(isUnread(planned) && { isUnread: true }),
      changes: describeChanges(planned),
    })),
    errors: reading.listing.problems,
    remarks: reading.listing.remarks ?? [],
    resolved: describePlanned(plan),
    sources: describePlannedSources(plan),
  };
}

function describeChanges(planned: PlannedHostedZone): readonly ChangeOutput[] {
  const { changes, refused, flipping } = planned.plan;
  const refusals = new Map([...refused, ...flipping].map(({ change, refusal }) => [recordSetId(change), refusal]));
  return changes.map((change) => {
    const described = describeExisting(change, standingOf(planned, change));
    const refusal = refusals.get(recordSetId(change));
    // What was just read there is newer than the refusal.
    const withheld =
      refusal !== undefined && described.standing === 'none'
        ? { outcome: OUTCOME_OF[refusal.reason], message: refusal.message }
        : {};
    return { ...described, ...withheld, ...(mayReplace(planned, change) ? { mayReplace: true } : {}) };
  });
}

/** A DNSRecord in the output of plan and apply. */
export function describeDnsRecord({ record, hostedZoneId, changes, ...planned }: PlannedDnsRecord): DnsRecordOutput {
  const { namespace, name } = record.ref;
  return {
    ...{ namespace, name, ...planned, hostedZone: hostedZoneId },
    changes: changes.map(({ account, hostedZoneId: hostedZone, standing, message, ...change }) => ({
      ...describeChange(change),
      ...{ standing, message, hostedZone, account },
    })),
  };
}

/** The output of `apply`. */
export function describeApplied({ hostedZones, resolved }: Applied): ApplyOutput {
  return { hostedZones: hostedZones.map(describeAppliedHostedZone), ...resolved };
}

function describeAppliedHostedZone({ planned, outcomes, held }: AppliedHostedZone): ApplyOutput['hostedZones'][number] {
  return {
    ...headOf(planned),
    held: held !== null,
    ...(held !== null && { heldDigest: held.digest }),
    reasons: held === null ? [] : [...held.reasons, ...planned.plan.annotated],
    // What is read for a plan only adds to it, but a comparison was asked for.
    ...(planned.read?.isUncompared === true
      ? { notes: unreadNotes(planned), isUnread: true }
      : { notes: planned.drifts, ...(planned.hostedZone.gone && { isUnread: true }) }),
    changes: outcomes.map(({ change, outcome, message }) => ({
      ...describeExisting(change, standingOf(planned, change)),
      outcome,
      message,
    })),
  };
}

function headOf({ hostedZone, pending, plan }: PublishedPlan) {
  return { id: pending ? null : hostedZone.id, name: hostedZone.name, zone: hostedZone.zone, digest: plan.digest };
}

/** One change, in the shape that all commands share. */
export function describeChange({
  action,
  name,
  type,
  setIdentifier,
  before,
  after,
  objects,
  also,
}: Change): ChangeOutput {
  const sides = { before: describeContent(before), after: describeContent(after) };
  const texts = (also ?? []).map((text) => ({ action: 'delete' as const, name: text.name, type: text.type }));
  return { action, name, type, setIdentifier, ...sides, objects, ...(texts.length > 0 && { also: texts }) };
}

/** A change with what Route 53 has there, and with the deletes that go with it. */
function describeExisting(change: Change, { replaces = [], ...standing }: ExistingAtChange): ChangeOutput {
  const also = [...replaces, ...(change.also ?? [])];
  return { ...describeChange({ ...change, also }), ...standing };
}

/** What Route 53 has there that is not ours: nothing where the record set is ours already. */
function standingOf({ read, pending }: PublishedPlan, change: Change): ExistingAtChange {
  const known = read?.existingById.get(recordSetId(change));
  if (known !== undefined) return known;
  if ((change.also ?? []).length > 0)
    return {
      standing: 'external-dns',
      message: 'It was taken over from external-dns; the TXT records of external-dns are deleted with it.',
    };
  if (change.action !== 'create' || pending) return { standing: 'none', message: '' };
  if (read === null) return { standing: 'none', message: 'Route 53 was not read here.' };
  const message = read.unread === null ? '' : `Route 53 could not be read here: ${read.unread}.`;
  return { standing: 'none', message };
}

/** Content, in the shape that all commands share. */
export function describeContent(content: RecordSetContent | null): ContentOutput | null {
  if (content === null) return null;
  const { routing } = content;
  const routed = routing === undefined ? {} : { routing: routingFields(routing.policy) };
  const checked = typeof routing?.healthCheckId === 'string' ? { healthCheckId: routing.healthCheckId } : {};
  if (content.kind === 'values') return { ttl: content.ttlSeconds, values: content.values, ...routed, ...checked };
  const { dnsName, hostedZoneId, evaluateTargetHealth } = content.alias;
  return { alias: { dnsName, hostedZoneId, evaluateTargetHealth }, ...routed, ...checked };
}

/**
 * A note about deletes that were released before and did not happen, because of Route 53 or a crash. They need no
 * second acknowledgement, so the plan says that they will go.
 */
function underWay({ plan }: PlannedHostedZone): readonly string[] {
  const { length } = plan.guard.underWay;
  if (length === 0) return [];
  const deletes = length === 1 ? '1 delete was' : `${length} deletes were`;
  return [`${deletes} acknowledged before and will be sent. To keep a record set, declare it again.`];
}

/** True for a create that may replace an existing record set that was not read. */
function mayReplace({ hostedZone, pending, items, read }: PlannedHostedZone, change: Change): boolean {
  const item = items.get(recordSetId(change));
  const isSeen = read !== null && read.unread === null;
  return change.action === 'create' && !isSeen && !pending && item !== undefined && takesOver(item, hostedZone);
}

function isUnread({ hostedZone, read }: PlannedHostedZone): boolean {
  return hostedZone.gone || (read !== null && read.unread !== null);
}

function unreadNotes({ read }: PublishedPlan): readonly string[] {
  if (read === null || read.unread === null) return [];
  if (read.isUncompared === true) return [`${read.unread}. Changes made by hand are not shown.`];
  return [`${read.unread}. Existing record sets at the names of creates are not shown.`];
}

function takeovers(planned: PlannedHostedZone): readonly string[] {
  const { length } = planned.plan.changes.filter((change) => mayReplace(planned, change));
  if (length === 0) return [];
  const what =
    length === 1
      ? '1 create may replace an existing record set, which the plan does not read or show'
      : `${length} creates may replace existing record sets, which the plan does not read or show`;
  return [`zone53.dev/takeover: ${what}.`];
}
