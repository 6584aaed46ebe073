// Explains why a name resolves as it does, for support: everything that is known about it, from the objects that ask
// for it to the record sets in Route 53, and what to do. It only reads.

import { unreadProblems } from '../apply/kept-names.ts';
import { type ClusterPlan, type PlannedHostedZone, type PlanOptions, planReading } from '../apply/plan-cluster.ts';
import { type PlannedReading, readPlanned } from '../apply/read-planned.ts';
import { itemsIn, rehearsedRun } from '../apply/rehearsed-run.ts';
import { whyDeleted } from '../apply/why-deleted.ts';
import { ancestorsOf, isAtOrBelow } from '../dns/names/name.ts';
import { compareRecordSets } from '../dns/plan-changes.ts';
import { type RecordSet, recordSetId, showRecordSet } from '../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, ownershipOf } from '../external-dns/ownership.ts';
import { fieldPathIn } from '../objects/field-path.ts';
import { formatRef } from '../objects/object-ref.ts';
import { errorMessage } from '../objects/plain.ts';
import type { ClusterReading } from '../observe/read-cluster.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { Protection } from '../ports/hosted-zones.ts';
import { protectedMessage, protectionOf } from '../publish/existing/protected.ts';
import { planRecordSets } from '../publish/plan/plan-hosted-zone.ts';
import type { ItemsOfRun } from '../publish/run/run.ts';
import { hostedZoneIdOf } from '../record-sets/hosted-zone-item.ts';
import { findingOf, showObstacle, showStanding } from '../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { takesOver } from '../record-sets/state.ts';
import type { ResolvedZone } from '../zones/resolve-cluster.ts';
import { adviseOn } from './advise.ts';
import { askingFor } from './asking-objects.ts';
import { claimsAt } from './claims-at.ts';
import type { AskingObject, ExistingSet, Explanation, OpenChange } from './explanation.ts';
import { followDelegation } from './follow-delegation.ts';
import { outOfReach } from './out-of-reach.ts';
import { shownByObjects } from './shown-by-objects.ts';

/** Explains a canonical name. Throws when the ledger or a listing cannot be read. */
export async function explainName(
  context: Context,
  reading: ClusterReading,
  name: string,
  type: string | null,
  options: Pick<PlanOptions, 'onReleased'> = {},
): Promise<Explanation> {
  return explainPlanned(context, await planReading(context, reading, options), name, type);
}

/** The same of a plan that was made before. */
export async function explainPlanned(
  context: Context,
  plan: ClusterPlan,
  name: string,
  type: string | null,
): Promise<Explanation> {
  for (const { message } of unreadProblems(plan)) context.log('error', message);
  const isAsked = (set: { readonly name: string; readonly type: string }) =>
    set.name === name && (type === null || set.type === type);
  const isOfType = (of: { readonly type: string }) => type === null || of.type === type;
  const clusterDns = clusterDnsOf(context.config);
  const asking = askingFor(plan, clusterDns, name, type);
  const zone = zoneOf(plan, name, asking);
  const planned = hostedZoneOf(plan, zone, name);
  const items = [...(planned?.items.values() ?? [])].filter((item) => item.name === name);
  const run = planned === null || planned.pending ? null : rehearsedRun(context, planned.hostedZone, items);
  const found = run === null ? null : await readPlanned(context, run, { also: [name] });
  if (typeof found === 'string')
    context.log('warn', 'cannot read a hosted zone', {
      hostedZone: planned?.hostedZone.id,
      error: found,
    });
  const read = typeof found === 'string' ? null : found;
  const protections = await protectionsAt(context, planned, name);
  const listed = typeof protections === 'string' ? [] : protections;
  const asked = items.filter(isAsked);
  const shown = shownByObjects(plan, name);
  const changed = planned === null || read === null ? [] : changedByHand(planned, asked, read.existing);
  const objects = asking.map((one) => withChanged(shown.statusOf(one), changed)).map((one) => withOrigin(plan, one));
  const sets =
    planned === null || read === null
      ? []
      : existingSets(context, { name, apex: planned.hostedZone.name }, read, items).map(shown.ownerOf(objects));
  const open = (
    planned === null ? [] : openChanges(plan, planned, { run, read, items, protections: listed }).filter(isAsked)
  ).filter((change) => !shown.isDone(change, sets));
  const heldIds = new Set([...(planned?.plan.guard.held ?? []), ...(planned?.plan.guard.tied ?? [])].map(recordSetId));
  const delegation = await delegationOf(context, plan, planned, name, [...objects, ...asked]);
  const explained = {
    name,
    type,
    zone: zone?.key ?? null,
    hostedZone: planned === null ? null : await hostedZoneAsShown(context, planned),
    objects,
    route53: sets.filter((set) => type === null || set.type === type),
    protections: listed.filter(isAsked).map(({ name: _, ...protection }) => protection),
    ...(typeof protections === 'string' && { protectionsUnread: protections }),
    ...(planned !== null &&
      !planned.pending && { claims: (await claimsAt(context, planned.hostedZone, name, items)).filter(isOfType) }),
    published: publishedSets(asked),
    delegation,
    pending: open.filter((change) => !heldIds.has(recordSetId(change))),
    held: open.filter((change) => heldIds.has(recordSetId(change))),
  };
  const wildcard = wildcardFor(plan, name, type);
  const isUnread = planned !== null && !planned.pending && read === null;
  const drift = changed[0]?.message ?? notedDrift(objects);
  const advice = adviseOn(explained, { zone, planned, wildcard, isUnread, clusterDns, drift, memory: shown.memory });
  return { ...explained, ...(isUnread ? { isUnread } : {}), advice };
}

async function hostedZoneAsShown(
  { account: { hostedZones } }: Context,
  { hostedZone: { id, name, isPrivate }, pending }: PlannedHostedZone,
): Promise<NonNullable<Explanation['hostedZone']>> {
  const found = isPrivate && !pending ? await hostedZones.get(hostedZoneIdOf(id)).catch(() => null) : null;
  const vpcs = found === null || 'unreadable' in found ? undefined : found.vpcs;
  return { id: pending ? null : hostedZoneIdOf(id), name, ...(vpcs && { vpcs }) };
}

/** What somebody protects at the name; a text if it cannot be listed. */
async function protectionsAt(
  { account: { hostedZones }, log }: Context,
  planned: PlannedHostedZone | null,
  name: string,
): Promise<readonly Protection[] | string> {
  if (planned === null || planned.pending) return [];
  const { id } = planned.hostedZone;
  const listed = await hostedZones.protections(id, name).catch(errorMessage);
  if (typeof listed === 'string') log('warn', 'cannot list protections', { hostedZone: id, error: listed });
  return listed ?? [];
}

/** Follows the delegations of the name; null for a private hosted zone, and where no hosted zone covers the name. */
async function delegationOf(
  { account: { hostedZones } }: Context,
  plan: ClusterPlan,
  planned: PlannedHostedZone | null,
  name: string,
  asked: readonly { readonly type: string | null }[],
): Promise<Explanation['delegation']> {
  if (planned?.hostedZone.isPrivate === true) return null;
  const known = [...(planned === null ? [] : [planned]), ...plan.hostedZones]
    .filter(({ hostedZone, pending }) => !pending && !hostedZone.isPrivate && !hostedZone.gone)
    .map(({ hostedZone: { id, name: apex } }) => ({ id: hostedZoneIdOf(id), name: apex }));
  const followed = await followDelegation(hostedZones, name, known);
  if (followed === null) return null;
  const types = asked.flatMap(({ type }) => type ?? []);
  const isServed = planned !== null && !planned.pending && asked.length > 0;
  return { ...followed, problem: isServed ? outOfReach(plan, planned, followed, name, types) : null };
}

function withOrigin({ reading }: ClusterPlan, asking: AskingObject): AskingObject {
  const { listing } = reading;
  const origin = listing.objects.find(({ ref }) => formatRef(ref) === asking.object)?.origin ?? null;
  if (origin === null) return asking;
  const path = asking.accepted?.reason === 'InvalidSpec' ? fieldPathIn(asking.accepted.message) : null;
  const line = path === null ? null : (listing.fieldLine?.(origin, path) ?? null);
  return { ...asking, origin: line === null ? origin : { ...origin, line } };
}

/** The Zone that adopted an object that asks for the name; otherwise the nearest live Zone at or above the name. */
function zoneOf({ resolved }: ClusterPlan, name: string, objects: readonly AskingObject[]): ResolvedZone | null {
  const parent = objects.find((object) => object.parent !== null)?.parent ?? null;
  if (parent !== null) return resolved.zones.get(parent) ?? null;
  for (const fqdn of [name, ...ancestorsOf(name)]) {
    const found = [...resolved.zones.values()].find(({ live }) => live?.fqdn === fqdn);
    if (found !== undefined) return found;
  }
  return null;
}

/** The hosted zone that the Zone publishes into. Without a Zone, the one with something published at the name. */
function hostedZoneOf({ hostedZones }: ClusterPlan, zone: ResolvedZone | null, name: string): PlannedHostedZone | null {
  if (zone === null) return hostedZones.find(({ items }) => isPublishedAt(items.values(), name)) ?? null;
  const target = zone.placed?.target;
  if (target?.kind !== 'hosted') return null;
  return hostedZones.find(({ hostedZone }) => hostedZone.id === target.hostedZoneId) ?? null;
}

function isPublishedAt(items: Iterable<RecordSetItem>, name: string): boolean {
  for (const item of items) if (item.name === name && item.published !== null) return true;
  return false;
}

/** The changes from what exists to what is wanted. */
function openChanges(
  plan: ClusterPlan,
  planned: PlannedHostedZone,
  {
    run,
    read,
    items,
    protections,
  }: {
    readonly run: ItemsOfRun | null;
    readonly read: PlannedReading | null;
    readonly items: readonly RecordSetItem[];
    readonly protections: readonly Protection[];
  },
): readonly OpenChange[] {
  const changes = [
    ...planRecordSets(run === null || read === null ? items : itemsIn(run), planned.hostedZone),
    ...(read?.adopted ?? []),
  ];
  const byId = new Map(items.map((item) => [recordSetId(item), item]));
  return changes.map((change) => {
    const item = byId.get(recordSetId(change));
    const said = read?.existingById.get(recordSetId(change)) ?? { standing: 'none' as const, message: '' };
    const mayReplace = item !== undefined && takesOver(item, planned.hostedZone);
    const isTaken = said.standing !== 'none' && (change.action === 'adopt' || mayReplace);
    const refused = item?.refusal != null && !isTaken && samePublishing(item.type, item.refusal.content, item.desired);
    const by = protectionOf(protections, item ?? { ...change, texts: [] });
    const message = by !== null ? protectedMessage(by) : refused ? item.refusal.message : said.message;
    const why = whyDeleted(plan, planned, change);
    return { ...change, ...said, message, ...(why === null ? {} : { why }) };
  });
}

function existingSets(
  { account: { externalDns = [] } }: Context,
  { name, apex }: { readonly name: string; readonly apex: string },
  read: PlannedReading,
  items: readonly RecordSetItem[],
): readonly ExistingSet[] {
  const byId = new Map(items.map((item) => [recordSetId(item), item]));
  const existing = new Map(read.existing.map((set) => [recordSetId(set), set]));
  const ownerOf = (set: RecordSet) => ownerOfExisting(externalDns, { apex, existing }, set, byId.get(recordSetId(set)));
  return read.existing
    .filter((set) => set.name === name)
    .toSorted(compareRecordSets)
    .map((set) => {
      const { type, setIdentifier, content } = set;
      return { type, setIdentifier, content, owner: ownerOf(set) };
    });
}

/** Whose a record set is that Route 53 has. `item`: that of the ledger. */
export function ownerOfExisting(
  externalDns: readonly ExternalDnsRegistry[],
  { apex, existing }: { readonly apex: string; readonly existing: ReadonlyMap<string, RecordSet> },
  set: RecordSet,
  item: RecordSetItem | undefined,
): ExistingSet['owner'] {
  const isPublished = item !== undefined && item.published !== null;
  if (isPublished && ['landed', 'ours'].includes(findingOf(item, set.content))) return 'zone53';
  if (set.name === apex && ['NS', 'SOA'].includes(set.type)) return 'route53';
  if (isOwnershipText(externalDns, set)) return 'external-dns';
  const { kind, ...ownership } = ownershipOf(externalDns, set, existing);
  const isTheirs = kind === 'external-dns' || ('owner' in ownership && ownership.owner !== null);
  if (isTheirs) return 'external-dns';
  return isPublished ? 'drifted' : 'foreign';
}

/** A record set of ours that somebody changed or deleted by hand, with what to do. */
type ChangedByHand = { readonly item: RecordSetItem; readonly isGone: boolean; readonly message: string };

/** What somebody changed by hand of what we published, as Route 53 shows it now. */
function changedByHand(
  { hostedZone }: PlannedHostedZone,
  items: readonly RecordSetItem[],
  existing: readonly RecordSet[],
): readonly ChangedByHand[] {
  const contents = new Map(existing.map((set) => [recordSetId(set), set.content]));
  return items
    .filter(({ type }) => type !== 'SOA')
    .flatMap((item): ChangedByHand[] => {
      const actual = contents.get(recordSetId(item)) ?? null;
      const finding = findingOf(item, actual);
      const soon = 'run zone53 apply --refresh, or wait for the next sweep, which';
      if (finding === 'drifted' && takesOver(item, hostedZone)) {
        const what = `Route 53 has ${showStanding(item, actual)}, which is not what zone53 published`;
        const does = item.desired === null ? 'deletes' : 'replaces';
        return [{ item, isGone: false, message: `${what}: ${soon} ${does} it, by zone53.dev/takeover.` }];
      }
      if (finding === 'drifted')
        return [{ item, isGone: false, message: showObstacle(item, finding, { actual, wanted: item.desired }) }];
      if (finding !== 'gone' || item.desired === null) return [];
      const what = `Route 53 no longer has ${showRecordSet(item)}, which zone53 published`;
      return [{ item, isGone: true, message: `${what}: ${soon} publishes it again.` }];
    });
}

/** An object of which Route 53 has something else than its record set's item says. */
function withChanged(asking: AskingObject, changed: readonly ChangedByHand[]): AskingObject {
  const found = changed.find(
    ({ item }) => item.objects.includes(asking.object) && (asking.type === null || item.type === asking.type),
  );
  if (found === undefined || asking.programmed === null) return asking;
  return { ...asking, programmed: { reason: found.isGone ? 'Pending' : 'Drifted', message: found.message } };
}

/** The same as the conditions have it. */
function notedDrift(objects: readonly AskingObject[]): string | null {
  return objects.find(({ programmed }) => programmed?.reason === 'Drifted')?.programmed?.message ?? null;
}

/** What was published last of each record set. */
export function publishedSets(items: readonly RecordSetItem[]): Explanation['published'] {
  return items
    .toSorted(compareRecordSets)
    .flatMap(({ type, setIdentifier, published: content, publishedAtMs: atMs }) =>
      content === null ? [] : [{ type, setIdentifier, content, atMs }],
    );
}

/** The wildcard that answers for a name that does not exist; null if there is none, or none with that type. */
function wildcardFor({ resolved }: ClusterPlan, name: string, type: string | null): string | null {
  const sets = resolved.recordSets;
  // A name also exists if only names below it have record sets (RFC 4592 §2.2.2).
  const exists = (fqdn: string) => sets.some((set) => isAtOrBelow(set.name, fqdn));
  if (exists(name)) return null;
  for (const ancestor of ancestorsOf(name)) {
    const wildcard = sets.filter((set) => set.name === `*.${ancestor}`);
    if (wildcard.some((set) => type === null || set.type === type || set.type === 'CNAME')) return `*.${ancestor}`;
    if (exists(ancestor)) return null;
  }
  return null;
}
