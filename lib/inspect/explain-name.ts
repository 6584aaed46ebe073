// Explains why a name resolves as it does, for support: everything that is known about it, from the objects that ask
// for it to the record sets in Route 53, and what to do. It only reads.
import { type ClusterPlan, type PlannedHostedZone, type PlanOptions, planReading } from '../apply/plan-cluster.ts';
import { type PlannedReading, readPlanned } from '../apply/read-planned.ts';
import { ancestorsOf, isAtOrBelow } from '../dns/names/name.ts';
import { compareRecordSets } from '../dns/plan-changes.ts';
import { type RecordSet, recordSetId, showRecordSet } from '../dns/record-set.ts';
import { isOwnershipText, ownershipOf } from '../external-dns/ownership.ts';
import { formatRef } from '../objects/object-ref.ts';
import type { ClusterReading } from '../observe/read-cluster.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { planRecordSets } from '../publish/plan/plan-hosted-zone.ts';
import { findingOf, showObstacle, showStanding } from '../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { takesOver } from '../record-sets/state.ts';
import type { ResolvedZone } from '../zones/resolve-cluster.ts';
import { adviseOn } from './advise.ts';
import { askingFor } from './asking-objects.ts';
import type { AskingObject, ExistingSet, Explanation, OpenChange } from './explanation.ts';

/** Explains a canonical name. Throws when the ledger or a listing cannot be read. */
export async function explainName(
  context: Context,
  reading: ClusterReading,
  name: string,
  type: string | null,
  options: Pick<PlanOptions, 'onReleased'> = {},
): Promise<Explanation> {
  const plan = await planReading(context, reading, options);
  const isAsked = (set: { readonly name: string; readonly type: string }) =>
    set.name === name && (type === null || set.type === type);
  const clusterDns = clusterDnsOf(context.config);
  const objects = askingFor(plan, clusterDns, name, type);
  const zone = zoneOf(plan, name, objects);
  const planned = hostedZoneOf(plan, zone, name);
  const items = [...(planned?.items.values() ?? [])].filter((item) => item.name === name);
  const found =
    planned === null || planned.pending
      ? null
      : await readPlanned(context, planned.hostedZone, items, { also: [name] });
  if (typeof found === 'string')
    context.log('warn', 'cannot read a hosted zone', {
      hostedZone: planned?.hostedZone.id,
      error: found,
    });
  const read = typeof found === 'string' ? null : found;
  const asked = items.filter(isAsked);
  const open = planned === null ? [] : openChanges(planned, read, items).filter(isAsked);
  const heldIds = new Set(planned?.plan.guard.held.map(recordSetId));
  const explained = {
    name,
    type,
    zone: zone?.key ?? null,
    hostedZone:
      planned === null ? null : { id: planned.pending ? null : planned.hostedZone.id, name: planned.hostedZone.name },
    objects: objects.map((one) => withOrigin(plan, one)),
    route53:
      read === null ? [] : existingSets(context, name, read, items).filter((set) => type === null || set.type === type),
    published: lastPublished(asked),
    pending: open.filter((change) => !heldIds.has(recordSetId(change))),
    held: open.filter((change) => heldIds.has(recordSetId(change))),
  };
  const wildcard = wildcardFor(plan, name, type);
  const isUnread = planned !== null && !planned.pending && read === null;
  const drift = planned === null || read === null ? notedDrift(objects) : driftOf(planned, asked, read.existing);
  const advice = adviseOn(explained, { zone, planned, wildcard, isUnread, clusterDns, drift });
  return { ...explained, ...(isUnread ? { isUnread } : {}), advice };
}

function withOrigin({ reading }: ClusterPlan, asking: AskingObject): AskingObject {
  const origin = reading.listing.objects.find(({ ref }) => formatRef(ref) === asking.object)?.origin ?? null;
  return origin === null ? asking : { ...asking, origin };
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
  planned: PlannedHostedZone,
  read: PlannedReading | null,
  items: readonly RecordSetItem[],
): readonly OpenChange[] {
  const apex = planned.hostedZone.name;
  const changes = [...planRecordSets(read?.items ?? items, apex), ...(read?.adopted ?? [])];
  const byId = new Map(items.map((item) => [recordSetId(item), item]));
  return changes.map((change) => {
    const item = byId.get(recordSetId(change));
    const said = read?.existingById.get(recordSetId(change)) ?? { standing: 'none' as const, message: '' };
    const isTaken = item !== undefined && said.standing !== 'none' && takesOver(item, planned.hostedZone);
    const refused = item?.refusal != null && !isTaken && samePublishing(item.type, item.refusal.content, item.desired);
    const message = refused ? item.refusal.message : said.message;
    return { ...change, ...said, message };
  });
}

function existingSets(
  { account: { externalDns = [] } }: Context,
  name: string,
  read: PlannedReading,
  items: readonly RecordSetItem[],
): readonly ExistingSet[] {
  const byId = new Map(items.map((item) => [recordSetId(item), item]));
  const existing = new Map(read.existing.map((set) => [recordSetId(set), set]));
  const ownerOf = (set: RecordSet): ExistingSet['owner'] => {
    const item = byId.get(recordSetId(set));
    const ours = item !== undefined && ['landed', 'ours'].includes(findingOf(item, set.content));
    if (ours && item.published !== null) return 'zone53';
    if (isOwnershipText(externalDns, set)) return 'external-dns';
    const { kind, ...ownership } = ownershipOf(externalDns, set, existing);
    const isTheirs = kind === 'external-dns' || ('owner' in ownership && ownership.owner !== null);
    return isTheirs ? 'external-dns' : 'foreign';
  };
  return read.existing
    .filter((set) => set.name === name)
    .toSorted(compareRecordSets)
    .map((set) => {
      const { type, setIdentifier, content } = set;
      return { type, setIdentifier, content, owner: ownerOf(set) };
    });
}

/** What somebody changed by hand of what we published, with what to do; null: nothing that Route 53 shows. */
function driftOf(
  { hostedZone }: PlannedHostedZone,
  items: readonly RecordSetItem[],
  existing: readonly RecordSet[],
): string | null {
  const contents = new Map(existing.map((set) => [recordSetId(set), set.content]));
  for (const item of items.filter(({ type, desired }) => type !== 'SOA' && desired !== null)) {
    const actual = contents.get(recordSetId(item)) ?? null;
    const finding = findingOf(item, actual);
    const soon = 'run zone53 apply --refresh, or wait for the next sweep, which';
    if (finding === 'drifted' && takesOver(item, hostedZone))
      return `Route 53 has ${showStanding(item, actual)}, which is not what zone53 published: ${soon} replaces it, by zone53.dev/takeover.`;
    if (finding === 'drifted') return showObstacle(item, finding, { actual, wanted: item.desired });
    if (finding === 'gone')
      return `Route 53 no longer has ${showRecordSet(item)}, which zone53 published: ${soon} publishes it again.`;
  }
  return null;
}

/** The same as the conditions have it. */
function notedDrift(objects: readonly AskingObject[]): string | null {
  return objects.find(({ programmed }) => programmed?.reason === 'Drifted')?.programmed?.message ?? null;
}

export function lastPublished(items: readonly RecordSetItem[]): Explanation['published'] {
  const [last] = items
    .filter(({ published }) => published !== null)
    .toSorted((a, b) => (b.publishedAtMs ?? 0) - (a.publishedAtMs ?? 0));
  if (last?.published == null) return null;
  const { type, setIdentifier, published: content, publishedAtMs: atMs } = last;
  return { type, setIdentifier, content, atMs };
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
