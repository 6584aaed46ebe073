// Turns the results of plan and apply into the shapes of output.ts.

import type { Applied } from '../../lib/apply/apply-cluster.ts';
import type { AppliedHostedZone, PublishedPlan } from '../../lib/apply/apply-hosted-zone.ts';
import { describePlanned, describePlannedSources } from '../../lib/apply/describe-applied.ts';
import { unreadProblems } from '../../lib/apply/kept-names.ts';
import type { ClusterPlan, PlannedHostedZone } from '../../lib/apply/plan-cluster.ts';
import { NO_HEALTH_CHECKS, type PlannedHealthChecks } from '../../lib/apply/planned-health-checks.ts';
import type { ExistingAtChange } from '../../lib/apply/read-planned.ts';
import { type WhyDeleted, whyDeleted } from '../../lib/apply/why-deleted.ts';
import { realName, viewOf, withViewsInWords } from '../../lib/dns/names/view.ts';
import type { Change } from '../../lib/dns/plan-changes.ts';
import type { RecordSetContent } from '../../lib/dns/record-set.ts';
import { recordSetId } from '../../lib/dns/record-set.ts';
import { routingFields } from '../../lib/dns/routing-policy.ts';
import type { PlannedDnsRecord } from '../../lib/gardener/rehearse/plan-dns-records.ts';
import { saysOnStandby } from '../../lib/objects/claim-settings.ts';
import { OUTCOME_OF } from '../../lib/publish/plan/outcome.ts';
import { takesOver } from '../../lib/record-sets/state.ts';
import type {
  ApplyOutput,
  CallsOutput,
  ChangeOutput,
  ContentOutput,
  DnsRecordOutput,
  HostedZoneOutput,
  PlanOutput,
} from './output.ts';
import { NO_CALLS, noteOf } from './output.ts';

/** The output of `plan`. */
export function describePlan(plan: ClusterPlan): PlanOutput {
  const { hostedZones, reading } = plan;
  return {
    hostedZones: hostedZones.map((planned) => ({
      ...describePart(
        planned,
        (change) => whyInherited(planned, change) ?? whyDeleted(plan, planned, change),
        plan.healthChecks,
      ),
      notes: [
        ...driftNotes(planned),
        ...unreadNotes(planned),
        ...takeovers(planned),
        ...equalNotes(planned),
        ...planned.leftOut,
      ].map(withViewsInWords),
      ...describeDrifts(planned),
      ...describeAdopts(planned),
      ...(isUnread(planned) && { isUnread: true }),
      ...(hidesWhatStands(planned) && { hidesWhatStands: true }),
    })),
    errors: [...reading.listing.problems, ...unreadProblems(plan)],
    remarks: reading.listing.remarks ?? [],
    resolved: describePlanned(plan),
    sources: describePlannedSources(plan),
  };
}

type PlannedPart = PublishedPlan & Partial<Pick<PlannedHostedZone, 'items'>>;

/** What is planned in one hosted zone, without what was read there. */
export function describePart(
  planned: PlannedPart,
  whyOf: (change: Change) => string | null = () => null,
  checks: PlannedHealthChecks = NO_HEALTH_CHECKS,
): HostedZoneOutput<ChangeOutput> {
  const { guard, annotated } = planned.plan;
  return {
    ...headOf(planned),
    held: guard.held.length > 0,
    ...(guard.digest !== null && { heldDigest: guard.digest, holds: guard.holds }),
    reasons: [...guard.reasons, ...annotated, ...underWay(planned)].map(withViewsInWords),
    changes: describeChanges(planned, whyOf, checks),
  };
}

function describeChanges(
  planned: PlannedPart,
  whyOf: (change: Change) => string | null,
  checks: PlannedHealthChecks,
): readonly ChangeOutput[] {
  const { changes, refused, flipping, guard } = planned.plan;
  const held = new Set([...guard.held, ...guard.tied, ...flipping.map(({ change }) => change)].map(recordSetId));
  const refusals = new Map([...refused, ...flipping].map(({ change, refusal }) => [recordSetId(change), refusal]));
  return changes.flatMap((change) => {
    const described = describeExisting(change, standingOf(planned, change));
    const { healthChecks, refusal: unmade } = checks(planned.hostedZone, change);
    const refusal =
      refusals.get(recordSetId(change)) ??
      (unmade === null ? undefined : { reason: 'Rejected' as const, message: unmade });
    // What waits on standby is no change, and nothing is wrong.
    if (refusal !== undefined && saysOnStandby(refusal.message)) return [];
    // What was just read there is newer than a refusal because of it.
    const withheld =
      refusal !== undefined && (described.standing === 'none' || refusal.reason !== 'ForeignRecord')
        ? { outcome: OUTCOME_OF[refusal.reason], message: withViewsInWords(refusal.message) }
        : {};
    const why = whyOf(change);
    const because = why === null ? {} : { why: withViewsInWords(why) };
    const isHeld = { held: held.has(recordSetId(change)) };
    const one = {
      ...described,
      ...isHeld,
      ...clustersOf(planned, change),
      ...(healthChecks.length > 0 && { healthChecks }),
      ...withheld,
      ...because,
      ...(mayReplace(planned, change) ? { mayReplace: true } : {}),
    };
    return [one];
  });
}

/** Says of a change that no object asks for that the view inherits it, or did; null: it is another one. */
function whyInherited({ items }: PlannedHostedZone, change: Change): string | null {
  if (items.get(recordSetId(change))?.inherits !== true || change.objects.length > 0) return null;
  const has = change.after === null ? 'does not have it any more' : 'has it';
  return `the view that this one extends ${has}`;
}

function describeDrifts({ differences }: PublishedPlan): Pick<HostedZoneOutput<ChangeOutput>, 'drifts'> {
  if (differences.length === 0) return {};
  const drifts = differences.map(({ name, type, setIdentifier, published, standing, objects, message }) => ({
    ...{ name: realName(name), type, setIdentifier, published: describeContent(published) },
    ...(standing !== undefined && { standing: describeContent(standing) }),
    ...{ objects, message: withViewsInWords(message) },
  }));
  return { drifts };
}

function describeAdopts({ plan }: PublishedPlan): Pick<HostedZoneOutput<ChangeOutput>, 'adopts'> {
  const names = new Set(plan.changes.filter(({ action }) => action === 'adopt').map(({ name }) => name));
  return names.size === 0 ? {} : { adopts: names.size };
}

/** The sentences of the comparison, but for changes that say by themselves that they will not be sent. */
function driftNotes({ drifts, differences, plan }: PublishedPlan): readonly string[] {
  const withheld = new Set([...plan.refused, ...plan.flipping].map(({ change }) => recordSetId(change)));
  const said = differences.filter((one) => withheld.has(recordSetId(one)));
  const lines = new Set(said.map(noteOf));
  return drifts.filter((line) => !lines.has(line));
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

/** The output of `apply`. `calls`: by the id of the hosted zone. */
export function describeApplied(
  { hostedZones, resolved }: Applied,
  whyOf: WhyDeleted = () => null,
  calls: ReadonlyMap<string, CallsOutput> = new Map(),
): ApplyOutput {
  const describe = (one: AppliedHostedZone) => ({
    ...describeAppliedHostedZone(one, whyOf),
    calls: calls.get(one.planned.hostedZone.id) ?? NO_CALLS,
  });
  return { hostedZones: hostedZones.map(describe), ...resolved };
}

function describeAppliedHostedZone(
  { planned, outcomes, held }: AppliedHostedZone,
  whyOf: WhyDeleted,
): ApplyOutput['hostedZones'][number] {
  const notesOf = (of: (part: PublishedPlan) => readonly string[]) =>
    [...of(planned), ...(planned.leftOut ?? [])].map(withViewsInWords);
  return {
    ...headOf(planned),
    held: held !== null,
    ...(held !== null && { heldDigest: held.digest, holds: held.holds }),
    reasons: held === null ? [] : [...held.reasons, ...planned.plan.annotated].map(withViewsInWords),
    // What is read for a plan only adds to it, but a comparison was asked for.
    ...(planned.read?.isUncompared === true
      ? { notes: notesOf(unreadNotes), isUnread: true }
      : { notes: notesOf(driftNotes), ...(planned.hostedZone.gone && { isUnread: true }) }),
    ...describeDrifts(planned),
    changes: outcomes.flatMap(({ change, outcome, message }) => {
      if (outcome === 'foreign' && saysOnStandby(message)) return [];
      const why = whyOf(planned.hostedZone.id, change);
      const described = describeExisting(change, standingOf(planned, change));
      const one = {
        ...described,
        ...clustersOf(planned, change),
        held: outcome === 'held',
        ...(why === null ? {} : { why }),
        outcome,
        message: withViewsInWords(message),
      };
      return [one];
    }),
  };
}

/** The cluster that has it afterwards, and the one that it comes from. */
function clustersOf(
  { hostedZone: { cluster }, taken = [] }: PublishedPlan,
  { name }: Change,
): Pick<ChangeOutput, 'cluster' | 'from'> {
  const from = taken.find(({ item, isShared }) => item.name === name && isShared !== true)?.from.cluster;
  return { cluster, ...(from !== undefined && { from }) };
}

function headOf({ hostedZone, pending, plan }: PublishedPlan) {
  const { id, name, zone } = hostedZone;
  return { id: pending ? null : id, name: realName(name), view: viewOf(name), zone, digest: plan.digest };
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
  const texts = (also ?? []).map((text) => ({
    action: action === 'forget' ? ('create' as const) : ('delete' as const),
    name: realName(text.name),
    type: text.type,
  }));
  const named = { name: realName(name), view: viewOf(name) };
  return { action, ...named, type, setIdentifier, ...sides, objects, ...(texts.length > 0 && { also: texts }) };
}

/** A change with what Route 53 has there, and with the deletes that go with it. */
function describeExisting(change: Change, { replaces = [], ...standing }: ExistingAtChange): ChangeOutput {
  const also = [...replaces, ...(change.also ?? [])];
  const { message } = standing;
  const said = message === undefined ? {} : { message: withViewsInWords(message) };
  return { ...describeChange({ ...change, also }), ...standing, ...said };
}

/** What Route 53 has there that is not ours: nothing where the record set is ours already. */
function standingOf({ read, pending }: PublishedPlan, change: Change): ExistingAtChange {
  const known = read?.existingById.get(recordSetId(change));
  if (known !== undefined) return known;
  if (change.action === 'forget') return { standing: 'none', message: '' };
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
  return { alias: { dnsName: realName(dnsName), hostedZoneId, evaluateTargetHealth }, ...routed, ...checked };
}

/**
 * A note about deletes that were released before and did not happen, because of Route 53 or a crash. They need no
 * second acknowledgement, so the plan says that they will go.
 */
function underWay({ plan }: PublishedPlan): readonly string[] {
  const { length } = plan.guard.underWay;
  if (length === 0) return [];
  const deletes = length === 1 ? '1 delete was' : `${length} deletes were`;
  return [`${deletes} acknowledged before and will be sent. To keep a record set, declare it again.`];
}

/** True for a create that may replace an existing record set that was not read. */
function mayReplace({ hostedZone, pending, items, read }: PlannedPart, change: Change): boolean {
  const item = items?.get(recordSetId(change));
  const isSeen = read !== null && read.unread === null;
  return change.action === 'create' && !isSeen && !pending && item !== undefined && takesOver(item, hostedZone);
}

function isUnread({ hostedZone, read }: PlannedHostedZone): boolean {
  return hostedZone.gone || (read !== null && read.unread !== null);
}

/** True if the plan was made without a look at Route 53, where that may hide something. */
function hidesWhatStands(planned: PlannedHostedZone): boolean {
  const { pending, read, plan } = planned;
  const creates = plan.changes.some(({ action }) => action === 'create');
  return read === null && !pending && creates && takeovers(planned).length === 0;
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

/** At how many names something becomes ours by `takeover.equal` alone. */
function equalNotes({ hostedZone, items, plan }: PlannedHostedZone): readonly string[] {
  const adopted = plan.changes.filter((change) => {
    const item = items.get(recordSetId(change));
    if (change.action !== 'adopt' || (change.also ?? []).length > 0) return false;
    return item?.takesEqual === true && !takesOver(item, hostedZone);
  });
  const names = new Set(adopted.map(({ name }) => name)).size;
  if (names === 0) return [];
  const what = names === 1 ? '1 name is' : `${names} names are`;
  return [
    `takeover.equal: ${what} in Route 53 as wanted already; apply adopts ${names === 1 ? 'it' : 'them'} without a change.`,
  ];
}
