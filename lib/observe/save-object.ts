// How an observation is written: the object item first, as unsettled, by compare-and-swap; then the RecordItem where the
// spec in force puts it, then away with those that former specs left. A run that was overtaken in between may leave a
// RecordItem late or left over; that does no harm, because whoever settles a name looks at the object item behind each
// RecordItem and puts it right (`lib/resolve/load-name.ts`), and the overtaken run settles that name itself.
import { nameOfReversedKey, reversedKey } from '../dns/names/name.ts';
import { LedgerContentionError, SWAP_ATTEMPTS_MAX } from '../ledger/compare-and-swap.ts';
import { sameKey } from '../ledger/pages.ts';
import { parseRef, type ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';
import { noteLeft } from './former-names.ts';
import { encodeRecord, parseMemberKey, recordItem } from './name-index.ts';
import { declaredZone, decodeObject, encodeObject, type ObjectItem, objectKey } from './object-item.ts';
import { statusKey } from './status-item.ts';

/** An object item as it was written, unsettled. */
export type NotedObject = { readonly item: ObjectItem; readonly revision: string };

/** Notes an observation over the item at `revision`; null when somebody else observed the object meanwhile. */
export async function noteObject(
  context: Context,
  item: ObjectItem,
  revision: string | null,
): Promise<NotedObject | null> {
  const { ledger, config } = context;
  const written = await ledger.put(
    objectKey(config.clusterId, item.ref),
    encodeObject({ ...item, unsettled: true }),
    revision,
  );
  if (written === null) return null;
  if (item.location !== null) await placeRecord(ledger, item.location, item, revision === null);
  for (const key of item.leaving) await takeRecord(context, key, item);
  return { item, revision: written };
}

/**
 * Notes that the consequences are written. False when another run noted the very same observation since and has not
 * settled it: it may have died over it, and the message that would bring it back may be the one that we hold, so that the
 * object needs a hint of its own. What was observed anew meanwhile is settled by whoever was told of that.
 */
export async function noteSettled(context: Context, { item, revision }: NotedObject): Promise<boolean> {
  const { ledger, config } = context;
  const { clusterId } = config;
  const key = objectKey(clusterId, item.ref);
  const names = new Set([...(item.names ?? []), ...(await namesAt(context, item.leaving))]);
  const hasLeft = item.leaving.length > 0;
  if (hasLeft && names.size > 0) await noteLeft(context, item.ref, [...names]);
  if (!item.deleted) {
    const kept = { names: hasLeft ? [] : [...names], leaving: [] };
    const settled = await ledger.put(key, encodeObject({ ...item, unsettled: false, ...kept }), revision);
    return settled !== null || !(await standsUnsettled(ledger, key, item));
  }
  // The status first: what is left of it would make the next object of that name look reported.
  const status = await ledger.get(statusKey(clusterId, item.ref));
  if (status !== null) await ledger.remove(status, status.revision);
  return (await ledger.remove(key, revision)) || !(await standsUnsettled(ledger, key, item));
}

async function standsUnsettled(ledger: Ledger, key: LedgerKey, item: ObjectItem): Promise<boolean> {
  const stored = await ledger.get(key);
  if (stored === null) return false;
  const now = decodeObject(stored);
  return now.unsettled && now.uid === item.uid && now.digest === item.digest && now.deleted === item.deleted;
}

/**
 * Always a new revision, so that a run that means to take this RecordItem away, and is late, fails to. Of an object that is
 * `news` there is none, in all likelihood.
 */
async function placeRecord(ledger: Ledger, key: LedgerKey, item: ObjectItem, news: boolean): Promise<void> {
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const stored = news && attempt === 0 ? null : await ledger.get(key);
    if ((await ledger.put(key, encodeRecord(recordItem(item)), stored?.revision ?? null)) !== null) return;
  }
  throw new LedgerContentionError(`the Record at ${key.sort}`);
}

/** Puts back the RecordItem of a settled object where it is missing. */
export async function restoreRecord(ledger: Ledger, item: ObjectItem): Promise<void> {
  if (item.location === null || (await ledger.get(item.location)) !== null) return;
  await ledger.put(item.location, encodeRecord(recordItem(item)), null);
}

async function takeRecord(context: Context, key: LedgerKey, { ref }: ObjectItem): Promise<void> {
  const stored = await context.ledger.get(key);
  if (stored !== null)
    await objectBehind(context.ledger, context.config.clusterId, { ...stored, body: { ...stored.body, ref } });
}

/**
 * The object that a RecordItem stands for; null when the object is gone or lies elsewhere now, and then the RecordItem is
 * taken away. One that is out of date is written anew.
 */
export async function objectBehind(ledger: Ledger, clusterId: string, entry: LedgerItem): Promise<ObjectItem | null> {
  const { ref } = entry.body as unknown as ObjectItem;
  const stored = await ledger.get(objectKey(clusterId, ref));
  const object = stored === null ? null : decodeObject(stored);
  if (object === null || object.deleted || !sameKey(entry, object.location)) {
    await ledger.remove(entry, entry.revision);
    return null;
  }
  const body = encodeRecord(recordItem(object));
  if (!sameJson(body, entry.body)) await ledger.put(entry, body, entry.revision);
  return object;
}

/** The name of a Record now; null when it never had a valid spec, or while its zoneRef leads to no name. */
export async function nameOfRecord(context: Context, item: ObjectItem): Promise<string | null> {
  return item.location === null ? null : nameAt(context, item.location);
}

/** The name that a RecordItem's place stands for now; null while its zoneRef leads to no name. */
export async function nameAt(context: Context, key: LedgerKey): Promise<string | null> {
  const member = parseMemberKey(context.config.clusterId, key);
  if (member === null) return nameOfReversedKey(key.sort.slice(0, key.sort.indexOf('!')));
  const fqdn = await nameOfZone(context, member.zone);
  return fqdn === null ? null : nameOfReversedKey(reversedKey(fqdn) + member.reversedLabels);
}

/** The names that RecordItems' places stand for now, each once. */
export async function namesAt(context: Context, places: readonly LedgerKey[]): Promise<readonly string[]> {
  const names = await Promise.all(places.map((place) => nameAt(context, place)));
  return [...new Set(names.flatMap((name) => name ?? []))];
}

/** The fqdn that a Zone has or would have, live or not, by the zoneRefs above it; null when they lead nowhere or form a ring. */
async function nameOfZone({ ledger, config }: Context, zone: ZoneKey): Promise<string | null> {
  const labels: string[] = [];
  const seen = new Set<ZoneKey>();
  for (let key: ZoneKey | null = zone; key !== null && !seen.has(key); ) {
    seen.add(key);
    const stored = await ledger.get(objectKey(config.clusterId, parseRef(`Zone ${key}`)));
    const item = stored === null ? null : decodeObject(stored);
    const spec = item === null || item.deleted ? null : declaredZone(item).spec;
    if (spec === null) return null;
    if (spec.domainName.kind === 'full') return [...labels, spec.domainName.fqdn].join('.');
    labels.push(spec.domainName.labels);
    key = spec.zoneRef;
  }
  return null;
}
