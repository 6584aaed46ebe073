// Plans which record sets zone53 forgets: they stay in Route 53, and are foreign from then on. With an owner, the plan
// has the TXT record by which external-dns then owns each. A record set that cannot go stays, with a reason:
//
//   not published as wanted, or a write of it may still land      "apply" first
//   its Zone takes over what is foreign                           it would be taken back at once
//   another cluster has it, too, and keeps it                     the same
//   with an owner: external-dns has no such type, or no TXT name; or the TXT would be outside the hosted zone, speak
//   for two record sets, or stand where another TXT stands or is wanted; or Route 53 has other content
import { isAtOrBelow } from '../dns/names/name.ts';
import { compareRecordSets, digestChanges } from '../dns/plan-changes.ts';
import { type RecordSet, type RecordSetKey, recordSetId, sameContent, showRecordSet } from '../dns/record-set.ts';
import { registryTextOf } from '../external-dns/ownership.ts';
import { isManagedType, textToWrite } from '../external-dns/text-to-write.ts';
import type { TxtAffixes } from '../external-dns/txt-names.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Context } from '../ports/context.ts';
import { readExisting } from '../publish/existing/read-existing.ts';
import { type Forgets, planRecordSets } from '../publish/plan/plan-hosted-zone.ts';
import { fellowsOf } from '../record-sets/fellows.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { howToTakeOver, showStanding } from '../record-sets/judge-reading.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { recentLate } from '../record-sets/retention.ts';
import { isPublishable, stateOf, takesOver } from '../record-sets/state.ts';
import { nameReader } from '../record-sets/store.ts';

/** The external-dns to which record sets are given. */
export type NextOwner = TxtAffixes & { readonly ownerId: string };

export type ForgetRequest = {
  readonly isChosen: (item: RecordSetItem, hostedZone: HostedZoneItem) => boolean;
  /** Null: nobody; they are only forgotten. */
  readonly owner: NextOwner | null;
  /** Whether those of every cluster of the ledger are meant. Absent: of the context's cluster. */
  readonly isOfAll?: boolean;
};

/** A record set that stays ours, and why. */
export type Staying = RecordSetKey & { readonly message: string };

/** One hosted zone's part. Nothing is in it that is not published by zone53. */
export type PlannedForgetting = {
  readonly hostedZone: HostedZoneItem;
  readonly changes: ReturnType<typeof planRecordSets>;
  readonly digest: string;
  readonly forgets: Forgets;
  readonly stays: readonly Staying[];
};

/** Plans every hosted zone of the ledger in which something is chosen. Writes nothing. */
export async function planForgetting(context: Context, request: ForgetRequest): Promise<readonly PlannedForgetting[]> {
  const { ledger, config, log } = context;
  const all = await readableHostedZones(ledger, log);
  const hostedZones = all.filter(
    ({ cluster, gone }) => !gone && (request.isOfAll === true || cluster === config.clusterId),
  );
  const planned: PlannedForgetting[] = [];
  for (const hostedZone of hostedZones.toSorted(compareHostedZones)) {
    const one = await planHostedZoneForgetting(context, hostedZone, request);
    if (one.changes.length + one.stays.length > 0) planned.push(one);
  }
  return planned;
}

function compareHostedZones(a: HostedZoneItem, b: HostedZoneItem): number {
  return `${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1;
}

type Candidate = { readonly item: RecordSetItem; readonly recordSet: RecordSet; readonly text: RecordSet | null };

async function planHostedZoneForgetting(
  context: Context,
  hostedZone: HostedZoneItem,
  request: ForgetRequest,
): Promise<PlannedForgetting> {
  const items = await readItemsOf(context, hostedZone.id);
  const stays: Staying[] = [];
  const keep: Keep = (candidates, wrongWith) =>
    candidates.filter((one) => {
      const { name, type, setIdentifier } = one.item;
      const message = wrongWith(one);
      if (message !== null) stays.push({ name, type, setIdentifier, message });
      return message === null;
    });
  const chosen = [...items.values()].flatMap((item) => candidateOf(item, hostedZone, request));
  const nowMs = context.clock.nowMs();
  const ownerOf = request.isOfAll === true ? () => undefined : await otherOwners(context, hostedZone, chosen);
  const settled = keep(chosen, ({ item, recordSet }) => {
    const other = ownerOf(recordSet);
    return other === undefined ? whyNotSettled(item, hostedZone, nowMs) : sharedMessage(other);
  });
  const { owner } = request;
  const given = owner === null ? settled : await keepGiven(context, hostedZone, owner, items, settled, keep);
  const forgets: Forgets = new Map(
    given.map(({ item, recordSet, text }) => {
      const texts = text === null ? [] : [text];
      return [recordSetId(item), { content: recordSet.content, texts, message: messageFor(item, owner) }];
    }),
  );
  const sets = given.map(({ item }) => item);
  const changes = planRecordSets(sets, hostedZone, forgets);
  return { hostedZone, changes, digest: digestChanges(changes), forgets, stays: stays.toSorted(compareRecordSets) };
}

/** The items of a hosted zone by id, without those that this code cannot read. */
async function readItemsOf({ ledger, log }: Context, id: string): Promise<ReadonlyMap<string, RecordSetItem>> {
  const items = new Map<string, RecordSetItem>();
  for await (const stored of eachItem(ledger, recordSetsPartition(id))) {
    const item = recordSetCodec.read(stored);
    if (item instanceof UnreadableItemError) log('error', item.message, { hostedZoneId: id });
    else items.set(recordSetId(item), item);
  }
  return items;
}

function candidateOf(item: RecordSetItem, hostedZone: HostedZoneItem, { isChosen, owner }: ForgetRequest): Candidate[] {
  const { name, type, setIdentifier, published } = item;
  if (published === null || !isPublishable(item, hostedZone.name) || !isChosen(item, hostedZone)) return [];
  const recordSet = { name, type, setIdentifier, content: published };
  const text = owner !== null && isManagedType(type) ? textToWrite(owner, owner.ownerId, recordSet) : null;
  return [{ item, recordSet, text }];
}

/** Finds the other cluster that has exactly this record set published, too. */
async function otherOwners(
  { ledger }: Context,
  hostedZone: HostedZoneItem,
  chosen: readonly Candidate[],
): Promise<(recordSet: RecordSet) => string | undefined> {
  const fellows = await fellowsOf(ledger, hostedZone);
  const names = new Set(fellows.length === 0 ? [] : chosen.map(({ item }) => item.name));
  const itemsOf = nameReader(ledger, names.size);
  const theirs: { readonly cluster: string; readonly item: RecordSetItem }[] = [];
  for (const { id, cluster } of fellows)
    for (const name of names) theirs.push(...(await itemsOf(id, name)).map((item) => ({ cluster, item })));
  const byId = Map.groupBy(theirs, ({ item }) => recordSetId(item));
  return (recordSet) =>
    byId.get(recordSetId(recordSet))?.find(({ item }) => sameContent(item.published, recordSet.content))?.cluster;
}

function sharedMessage(cluster: string): string {
  return `Cluster ${cluster} has it, too, so it would be zone53's again at once: forget it for every cluster, or remove the object and run zone53 apply.`;
}

function whyNotSettled(item: RecordSetItem, hostedZone: HostedZoneItem, nowMs: number): string | null {
  if (takesOver(item, hostedZone))
    return `Zone ${item.zone} has zone53.dev/takeover, so zone53 would take it back at once: remove the annotation, and run zone53 apply.`;
  if (item.takesEqual === true)
    return 'By takeover.equal of the configuration zone53 would take it back at once: remove that, and run zone53 apply.';
  if (stateOf(item) !== 'live')
    return 'It is not published as it is wanted now: run zone53 apply, and see zone53 plan.';
  if (recentLate(item, nowMs).length > 0)
    return 'An earlier write of it had no answer, and may still land: try again in an hour.';
  return null;
}

/** The candidates with which nothing is wrong; the others are noted with the reason. */
type Keep = (candidates: readonly Candidate[], wrongWith: (one: Candidate) => string | null) => readonly Candidate[];

/** Those that can be given to external-dns; of those whose TXT record stands already, without it. */
async function keepGiven(
  { account }: Context,
  { id, name: apex }: HostedZoneItem,
  owner: NextOwner,
  items: ReadonlyMap<string, RecordSetItem>,
  settled: readonly Candidate[],
  keep: Keep,
): Promise<readonly Candidate[]> {
  const named = keep(settled, whyNoText(apex, items, settled));
  if (named.length === 0) return [];
  const names = named.flatMap(({ recordSet, text }) => [recordSet.name, ...(text === null ? [] : [text.name])]);
  const reader = { hostedZones: account.hostedZones, id, apex };
  const read = await readExisting(reader, names).catch((error: unknown) => errorMessage(error));
  if (read === null || typeof read === 'string')
    return keep(named, () => `Route 53 could not be read: ${read ?? 'the hosted zone is gone'}.`);
  const registry = { ...owner, decrypt: null, deleteUnwanted: false };
  const standingText = ({ text }: Candidate) => (text === null ? undefined : read.get(recordSetId(text)));
  const isOwn = (text: RecordSet) => registryTextOf([registry], text)?.owner === owner.ownerId;
  const right = keep(named, (one) => {
    const actual = read.get(recordSetId(one.recordSet))?.content ?? null;
    if (!sameContent(actual, one.recordSet.content))
      return `Route 53 has ${showStanding(one.recordSet, actual)}: somebody changed it.`;
    const standing = standingText(one);
    if (standing === undefined || isOwn(standing)) return null;
    return `Route 53 has ${showStanding(standing, standing.content)}, where external-dns needs its TXT record.`;
  });
  return right.map((one) => (standingText(one) === undefined ? one : { ...one, text: null }));
}

/** Why external-dns could not own a record set, as far as that is known without Route 53; null if it could. */
function whyNoText(apex: string, items: ReadonlyMap<string, RecordSetItem>, settled: readonly Candidate[]) {
  const speakers = Map.groupBy(settled, ({ text }) => (text === null ? '' : recordSetId(text)));
  return ({ recordSet, text }: Candidate): string | null => {
    if (!isManagedType(recordSet.type)) return `external-dns does not manage ${recordSet.type} in Route 53.`;
    if (text === null)
      return 'external-dns could not find its TXT record: the name would be too long, or that of another record set.';
    if (!isAtOrBelow(text.name, apex))
      return `Its TXT record ${text.name} would be outside the hosted zone: give external-dns a --txt-prefix such as "%{record_type}."`;
    const { desired = null, published = null } = items.get(recordSetId(text)) ?? {};
    if (desired !== null || published !== null)
      return `An object asks for TXT ${text.name}, where external-dns needs its TXT record.`;
    const other = speakers.get(recordSetId(text))?.find((one) => one.recordSet !== recordSet);
    return other === undefined ? null : `Its TXT record would speak for ${showRecordSet(other.recordSet)}, too.`;
  };
}

function messageFor({ zone }: RecordSetItem, owner: NextOwner | null): string {
  const who =
    owner === null ? 'zone53 forget' : `zone53 migrate gave it to external-dns with the owner "${owner.ownerId}"`;
  const said = owner === null ? `It was forgotten (${who}), and is foreign since.` : `${who}.`;
  return zone === '' ? said : `${said} ${howToTakeOver(zone, true)}`;
}
