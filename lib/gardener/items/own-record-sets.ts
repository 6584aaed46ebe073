// The record set items of DNSRecords. They are separate from those of Zones, even for the same hosted zone. For each
// side, the record sets of the other are foreign, and Route 53 decides who was first. Among DNSRecords, the one that
// published a record set first keeps it.
import type { RecordSet, RecordSetKey } from '../../dns/record-set.ts';
import { sameContent, typesExclude } from '../../dns/record-set.ts';
import { readItem, type Stored } from '../../ledger/item-codec.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { once } from '../../ports/once.ts';
import { OUTSIDER } from '../../record-sets/flip-breaker.ts';
import { dnsRecordsIdOf, newHostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../../record-sets/lease.ts';
import {
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  storedContent,
} from '../../record-sets/record-set-item.ts';
import { isBegun, stateOf } from '../../record-sets/state.ts';
import { changeRecordSetItem, readName } from '../../record-sets/store.ts';
import { objectsOf, withoutClaim } from '../../record-sets/transitions.ts';

/** The cluster in the items of these hosted zones. No cluster has this id, so the sweep of a cluster skips them. */
const CLUSTER = '/dnsrecords';

/** Creates the item of the hosted zone if there is none, and clears `gone`: another account may have said that. */
export async function openHostedZone(ledger: Ledger, hostedZoneId: string): Promise<void> {
  const id = dnsRecordsIdOf(hostedZoneId);
  await changeHostedZone(ledger, id, (item) => {
    if (item === null) return newHostedZoneItem({ id, name: '.', zone: '', nameServers: [], cluster: CLUSTER });
    return item.gone ? { ...item, gone: false } : null;
  });
}

/** What one DNSRecord wants at one name of a hosted zone. */
export type Wish = {
  readonly owner: string;
  readonly name: string;
  /** The types of its record sets there so far. */
  readonly types: readonly string[];
  readonly recordSets: readonly RecordSet[];
  readonly takeover: boolean;
  /** The last operation failed, so record sets that the ledger has as published are read again in Route 53. */
  readonly doubts: boolean;
};

/**
 * `again`: Route 53 must be read at the name. `taken`: the record set `key` belongs to the DNSRecord `rival`.
 * `overtaken`: nothing is saved, as it is no longer our turn.
 */
export type Touched =
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'touched'; readonly again: boolean }
  | { readonly kind: 'taken'; readonly key: RecordSetKey; readonly rival: string };

/**
 * Saves what is wanted, except record sets that another DNSRecord has published. `look` reads Route 53 at the name; it
 * is called if a write of another DNSRecord may have landed. `isOurTurn` is asked after the items are read:
 * whoever takes the turn later writes them, so our writes are then refused.
 */
export async function touchWish(
  ledger: Ledger,
  hostedZoneId: string,
  wish: Wish,
  look: () => Promise<readonly RecordSet[]>,
  isOurTurn: () => Promise<boolean> = async () => true,
): Promise<Touched> {
  const id = dnsRecordsIdOf(hostedZoneId);
  const stored = new Map((await readName(ledger, id, wish.name)).map((one) => [one.item.type, one]));
  if (!(await isOurTurn())) return { kind: 'overtaken' };
  const wanted = new Map(wish.recordSets.map((set) => [set.type, set]));
  const lookOnce = once(look);
  for (const type of wanted.keys()) {
    const item = stored.get(type)?.item;
    const rival = item === undefined ? null : rivalOf(item, wish.owner);
    if (item === undefined || rival === null) continue;
    if (!isGivenUp(item) || hasLanded(item, await lookOnce())) return { kind: 'taken', ...rival };
  }
  const tied = await yieldToRivals(ledger, id, wish, [...stored.values()], lookOnce);
  if (tied !== null) return tied;
  let again = false;
  let taken: Touched | null = null;
  for (const type of new Set([...wanted.keys(), ...wish.types])) {
    const key = { name: wish.name, type, setIdentifier: null };
    const set = wanted.get(type) ?? null;
    const item = stored.get(type) ?? null;
    if (set === null && item === null) continue;
    const known = item ?? (await reserve(ledger, id, key, wish.owner, isOurTurn));
    if (known === 'overtaken') return { kind: 'overtaken' };
    const change = (item: RecordSetItem) => {
      const other = rivalOf(item, wish.owner);
      const isFree = set !== null && isGivenUp(item) && wasLookedFor(item, known.item);
      if (other !== null && !isFree) {
        if (set !== null) taken = { kind: 'taken', ...other };
        return null;
      }
      const next = withWish(item, set, wish);
      again ||= wish.takeover || isDoubted(wish, next) || next.refusal !== null || mayHaveLanded(next);
      return next;
    };
    await changeRecordSetItem(ledger, id, key, known, change, { mayGoOn: isOurTurn });
  }
  return taken ?? { kind: 'touched', again };
}

/**
 * Creates the item of a record set before anything is saved in it. Whoever takes the turn later sees it, and writes or
 * removes it, so that our next write is refused. Returns the item that there is then.
 */
async function reserve(
  ledger: Ledger,
  id: string,
  set: RecordSetKey,
  owner: string,
  isOurTurn: () => Promise<boolean>,
): Promise<Stored<RecordSetItem> | 'overtaken'> {
  const key = recordSetItemKey(id, set);
  const item = { ...newRecordSetItem(set), objects: [owner] };
  const revision = await ledger.put(key, recordSetCodec.encode(item), null);
  const there = revision === null ? await readItem(ledger, key, recordSetCodec) : { item, revision };
  if (there !== null && (await isOurTurn())) return there;
  if (revision !== null) await ledger.remove(key, revision);
  return 'overtaken';
}

/** True if nothing would be sent although the last operation failed, or if a takeover has begun and wrote nothing. */
function isDoubted({ doubts }: Wish, item: RecordSetItem): boolean {
  return isBegun(item) || (doubts && stateOf(item) === 'live');
}

/**
 * Another DNSRecord that has published this record set or is publishing it; null: none. One that only wants it does
 * not count.
 */
function rivalOf(item: RecordSetItem, owner: string): { readonly key: RecordSetKey; readonly rival: string } | null {
  const owners = objectsOf(item);
  const rival = owners.find((one) => one !== owner);
  return maybeStands(item) && rival !== undefined && !owners.includes(owner) ? { key: item, rival } : null;
}

/** True if nothing wants it any more and its write had no answer: only Route 53 shows whether it exists. */
export function mayHaveLanded({ desired, published, late }: RecordSetItem): boolean {
  return desired === null && published === null && late.length > 0;
}

/** True for what was published there, or may have been written since. */
export function isFromUs(item: RecordSetItem, { content }: RecordSet): boolean {
  const published = isBegun(item) ? null : item.published;
  return [{ content: published }, item.intent, ...item.late].some((one) => sameContent(one?.content ?? null, content));
}

/** The same, if no run is writing it: another DNSRecord may have it, if it does not exist in Route 53. */
function isGivenUp(item: RecordSetItem): boolean {
  return mayHaveLanded(item) && item.intent === null;
}

function hasLanded({ type, late }: RecordSetItem, existing: readonly RecordSet[]): boolean {
  return existing.some((set) => set.type === type && late.some(({ content }) => sameContent(content, set.content)));
}

/** True if it exists in Route 53 as we wrote it, or may exist. */
export function maybeStands(item: RecordSetItem): boolean {
  return isPublished(item) || item.intent !== null || item.late.length > 0;
}

/** False for a takeover that is to write and has not: what is saved as published is somebody else's. */
function isPublished(item: RecordSetItem): boolean {
  return item.published !== null && (item.desired === null || !isBegun(item));
}

/**
 * Handles record sets of other DNSRecords at the name that a CNAME excludes. One that exists in Route 53 was first:
 * `taken`. One that is only wanted, or was sent and does not exist, is no longer wanted, because Route 53 would refuse
 * it and this wish together. Its DNSRecord asks again.
 */
async function yieldToRivals(
  ledger: Ledger,
  id: string,
  wish: Wish,
  stored: readonly Stored<RecordSetItem>[],
  look: () => Promise<readonly RecordSet[]>,
): Promise<Extract<Touched, { kind: 'taken' }> | null> {
  const wanted = wish.recordSets.map(({ type }) => type);
  const types = new Set(wanted.length > 0 ? wanted : wish.types);
  const tied = stored.filter(({ item }) => isExcludedBy(item, types) && isOthers(item, wish.owner));
  const isLate = (item: RecordSetItem) => !isPublished(item) && item.late.length > 0;
  const seen = tied.some(({ item }) => isLate(item)) ? await look() : [];
  const stands = (item: RecordSetItem) => isPublished(item) || (isLate(item) && hasLanded(item, seen));
  const first = tied.find(({ item }) => stands(item))?.item;
  const isMine = stored.some(({ item }) => types.has(item.type) && isPublished(item));
  if (first !== undefined && wanted.length > 0 && !isMine)
    return { kind: 'taken', key: first, rival: objectsOf(first)[0] ?? '' };
  const isIdle = (item: RecordSetItem) => item.desired !== null && item.intent === null && !stands(item);
  for (const one of tied)
    if (isIdle(one.item))
      await changeRecordSetItem(ledger, id, one.item, one, (now) =>
        isIdle(now) && wasLookedFor(now, one.item) ? unwanted(now) : null,
      );
  return null;
}

/** False if something was sent since `before` was read: it may have landed after Route 53 was read. */
function wasLookedFor({ late }: RecordSetItem, before: RecordSetItem): boolean {
  return late.every(({ content, atMs }) =>
    before.late.some((one) => one.atMs === atMs && sameContent(one.content, content)),
  );
}

function isExcludedBy({ type }: RecordSetItem, types: ReadonlySet<string>): boolean {
  return !types.has(type) && [...types].some((other) => typesExclude(type, other));
}

function isOthers(item: RecordSetItem, owner: string): boolean {
  const owners = objectsOf(item);
  return owners.length > 0 && !owners.includes(owner);
}

/** The item of a record set that is no longer wanted. If a write may still land, its owner stays noted. */
export function unwanted(known: RecordSetItem): RecordSetItem {
  const item = isBegun(known) ? withoutClaim(known) : known;
  const mayLand = item.late.length > 0 || item.intent !== null;
  const publishedObjects = mayLand ? [...objectsOf(item)] : item.publishedObjects;
  return { ...item, desired: null, objects: [], publishedObjects, refusal: null, refused: null };
}

function withWish(item: RecordSetItem, set: RecordSet | null, { owner, takeover }: Wish): RecordSetItem {
  const content = storedContent(set?.content ?? null);
  const isSame = sameContent(item.desired, content);
  const isLeft = set === null && maybeStands(item) && item.publishedObjects.length === 0;
  return {
    ...item,
    desired: content,
    // A write that may still land keeps its owner until Route 53 shows that it does not exist: that of a takeover here.
    objects: set === null && !isBegun(item) ? [] : [owner],
    publishedObjects: isLeft ? [owner] : item.publishedObjects,
    zone: '',
    takeover,
    // A new request gets a new answer. If the same content was refused before, Route 53 is read again.
    refusal: isSame ? item.refusal : null,
    refused: null,
    // The flip breaker does not apply: each of these changes was requested by an operation.
    flips: [],
  };
}

/**
 * Saves existing record sets that `takes` accepts as ours, if it is still our turn. The plan then replaces or deletes
 * them. What a stranger wrote and is to be deleted stays marked: it is left if takeover is switched off before that.
 */
export async function adopt(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types, recordSets }: Wish,
  existing: readonly RecordSet[],
  takes: (set: RecordSet) => boolean,
  isOurTurn: () => Promise<boolean>,
): Promise<void> {
  const id = dnsRecordsIdOf(hostedZoneId);
  for (const set of existing) {
    if (set.name !== name || set.setIdentifier !== null || !takes(set)) continue;
    const known = await reserve(ledger, id, set, owner, isOurTurn);
    if (known === 'overtaken') return;
    const change = (item: RecordSetItem) => {
      const isKnown = sameContent(item.published, set.content) && !isBegun(item);
      if (rivalOf(item, owner) !== null || isKnown) return null;
      // Another DNSRecord that only wanted it asks again, and then gets `taken`.
      const others = item.objects.includes(owner) ? {} : { desired: null, objects: [], refused: null };
      const isTheirs = recordSets.length === 0 && types.includes(set.type) && !isFromUs(item, set);
      const publishedObjects = isTheirs ? [OUTSIDER, owner] : [owner];
      return { ...item, ...others, published: storedContent(set.content), publishedObjects, refusal: null };
    };
    await changeRecordSetItem(ledger, id, set, known, change, { mayGoOn: isOurTurn });
  }
}

export async function ownItems(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types }: Pick<Wish, 'owner' | 'name' | 'types'>,
): Promise<readonly RecordSetItem[]> {
  const stored = await readName(ledger, dnsRecordsIdOf(hostedZoneId), name);
  return stored.map(({ item }) => item).filter((item) => types.includes(item.type) && isOf(item, owner));
}

/** True for a record set of this DNSRecord. */
export function isOf({ objects, publishedObjects }: RecordSetItem, owner: string): boolean {
  return objects.includes(owner) || (objects.length === 0 && publishedObjects.includes(owner));
}

/** The objects ("Record ns/name") of Zones for which record sets of these types are published at the name. */
export async function publishedByZones(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  types: readonly string[],
): Promise<readonly string[]> {
  const items = (await readName(ledger, hostedZoneId, name)).map(({ item }) => item);
  const ofZones = items.filter((item) => isPublished(item) && types.includes(item.type));
  return [...new Set(ofZones.flatMap(objectsOf))];
}
