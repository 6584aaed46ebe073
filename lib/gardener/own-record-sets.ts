// The record set items of DNSRecords. They lie apart from those of Zones, also of the same hosted zone: what the other
// has published there is somebody else's, and Route 53 says so. Among DNSRecords, who published a record set first
// keeps it.
import type { RecordSet, RecordSetKey } from '../dns/record-set.ts';
import { sameContent } from '../dns/record-set.ts';
import type { Stored } from '../ledger/item-codec.ts';
import type { Ledger } from '../ports/ledger.ts';
import { dnsRecordsIdOf, newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { type RecordSetItem, recordSetItemKey, storedContent } from '../record-sets/record-set-item.ts';
import { stateOf } from '../record-sets/state.ts';
import { changeRecordSetItem, readName } from '../record-sets/store.ts';

/** No cluster's: whoever goes over the hosted zones of a cluster passes these by. */
const CLUSTER = '/dnsrecords';

/** Makes sure that the hosted zone can be leased, also where it was found gone before. */
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
  /** The types that it had there, or has. */
  readonly types: readonly string[];
  readonly recordSets: readonly RecordSet[];
  readonly takeover: boolean;
  /** What is noted as standing is looked at, as the last operation failed. */
  readonly doubts: boolean;
};

/** `rival`: whose the record set is. `again`: what is known of it is to be looked at anew. */
export type Touched =
  | { readonly kind: 'touched'; readonly again: boolean }
  | { readonly kind: 'taken'; readonly key: RecordSetKey; readonly rival: string };

/**
 * Saves what is wanted, without the record sets that another DNSRecord has published. `look`: what Route 53 has at the
 * name, if a write of another DNSRecord may have landed.
 */
export async function touchWish(
  ledger: Ledger,
  hostedZoneId: string,
  wish: Wish,
  look: () => Promise<readonly RecordSet[]>,
): Promise<Touched> {
  const id = dnsRecordsIdOf(hostedZoneId);
  const stored = new Map((await readName(ledger, id, wish.name)).map((one) => [one.item.type, one]));
  const wanted = new Map(wish.recordSets.map((set) => [set.type, set]));
  const lookOnce = onlyOnce(look);
  for (const type of wanted.keys()) {
    const item = stored.get(type)?.item;
    const [rival] = rivalOf(item, wish.owner);
    if (item === undefined || rival === undefined) continue;
    if (!isGivenUp(item) || hasLanded(item, await lookOnce())) return { kind: 'taken', ...rival };
  }
  const tied = await yieldToRivals(ledger, id, wish, [...stored.values()], lookOnce);
  if (tied !== null) return tied;
  let again = false;
  let taken: Touched | null = null;
  for (const type of new Set([...wanted.keys(), ...wish.types])) {
    const key = { name: wish.name, type, setIdentifier: null };
    const set = wanted.get(type) ?? null;
    const known = stored.get(type) ?? null;
    if (set === null && known === null) continue;
    await changeRecordSetItem(ledger, id, key, known, (item) => {
      const other = rivalOf(item, wish.owner)[0];
      const isFree = set !== null && known !== null && isGivenUp(item) && wasLookedFor(item, known.item);
      if (other !== undefined && !isFree) {
        if (set !== null) taken = { kind: 'taken', ...other };
        return null;
      }
      const next = withWish(item, set, wish);
      again ||= wish.takeover || isDoubted(wish, next) || next.refusal !== null || mayHaveLanded(next);
      return next;
    });
  }
  return taken ?? { kind: 'touched', again };
}

/** What would be no call otherwise, though the last operation failed. */
function isDoubted({ doubts }: Wish, item: RecordSetItem): boolean {
  return doubts && stateOf(item) === 'live';
}

/** Another DNSRecord that has published this, or is about to. What one only wants it does not keep. */
function rivalOf(item: RecordSetItem | undefined, owner: string): readonly { key: RecordSetKey; rival: string }[] {
  if (item === undefined) return [];
  const owners = ownersOf(item);
  const rival = owners.find((one) => one !== owner);
  return maybeStands(item) && rival !== undefined && !owners.includes(owner) ? [{ key: item, rival }] : [];
}

/** True for what was given up and is wanted no more: only a look tells whether there is anything to delete. */
export function mayHaveLanded({ desired, published, late }: RecordSetItem): boolean {
  return desired === null && published === null && late.length > 0;
}

/** The same, where nobody is at it: it is free for who wants it, where it does not stand. */
function isGivenUp(item: RecordSetItem): boolean {
  return mayHaveLanded(item) && item.intent === null;
}

function hasLanded({ type, late }: RecordSetItem, standing: readonly RecordSet[]): boolean {
  return standing.some((set) => set.type === type && late.some(({ content }) => sameContent(content, set.content)));
}

function onlyOnce<T>(act: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | null = null;
  return () => {
    done ??= act();
    return done;
  };
}

function maybeStands({ published, intent, late }: RecordSetItem): boolean {
  return published !== null || intent !== null || late.length > 0;
}

/**
 * What others have at the name and a CNAME does not tolerate beside it. Where it stands, they were first. Where they
 * only want it, or it was sent and does not stand, it is wanted no more: it was refused, and would hold up this wish
 * with it. Who wanted it asks again.
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
  const tied = stored.filter(({ item }) => isTied(item, types) && isOthers(item, wish.owner));
  const isLate = ({ published, late }: RecordSetItem) => published === null && late.length > 0;
  const seen = tied.some(({ item }) => isLate(item)) ? await look() : [];
  const stands = (item: RecordSetItem) => item.published !== null || (isLate(item) && hasLanded(item, seen));
  const first = tied.find(({ item }) => stands(item))?.item;
  const isMine = stored.some(({ item }) => types.has(item.type) && item.published !== null);
  if (first !== undefined && wanted.length > 0 && !isMine)
    return { kind: 'taken', key: first, rival: ownersOf(first)[0] ?? '' };
  const isIdle = (item: RecordSetItem) => item.desired !== null && item.intent === null && !stands(item);
  for (const one of tied)
    if (isIdle(one.item))
      await changeRecordSetItem(ledger, id, one.item, one, (now) =>
        isIdle(now) && wasLookedFor(now, one.item) ? unwanted(now) : null,
      );
  return null;
}

/** False where something was sent since `before` was read: it may have landed behind the look. */
function wasLookedFor({ late }: RecordSetItem, before: RecordSetItem): boolean {
  return late.every(({ content, atMs }) =>
    before.late.some((one) => one.atMs === atMs && sameContent(one.content, content)),
  );
}

function isTied({ type }: RecordSetItem, types: ReadonlySet<string>): boolean {
  return !types.has(type) && (type === 'CNAME' || types.has('CNAME'));
}

function isOthers(item: RecordSetItem, owner: string): boolean {
  const owners = ownersOf(item);
  return owners.length > 0 && !owners.includes(owner);
}

function ownersOf({ objects, publishedObjects }: RecordSetItem): readonly string[] {
  return objects.length > 0 ? objects : publishedObjects;
}

/** What may land all the same stays known as whose it is. */
function unwanted(item: RecordSetItem): RecordSetItem {
  const publishedObjects = item.late.length > 0 ? [...ownersOf(item)] : item.publishedObjects;
  return { ...item, desired: null, objects: [], publishedObjects, refusal: null, refused: null };
}

function withWish(item: RecordSetItem, set: RecordSet | null, { owner, takeover }: Wish): RecordSetItem {
  const content = storedContent(set?.content ?? null);
  const isSame = sameContent(item.desired, content);
  const isLeft = set === null && maybeStands(item) && item.publishedObjects.length === 0;
  return {
    ...item,
    desired: content,
    objects: set === null ? [] : [owner],
    // What may have landed stays known as whose it is until it is seen to be gone.
    publishedObjects: isLeft ? [owner] : item.publishedObjects,
    zone: '',
    takeover,
    // Who asks anew is told anew. What was refused of the same content is looked at again.
    refusal: isSame ? item.refusal : null,
    refused: null,
    // Who edits often, or puts right what others edit, was asked to.
    flips: [],
  };
}

/** What stands there, noted as ours, as far as `takes` says so: what follows replaces or deletes it. */
export async function adopt(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name }: Pick<Wish, 'owner' | 'name'>,
  standing: readonly RecordSet[],
  takes: (set: RecordSet) => boolean,
): Promise<void> {
  for (const set of standing) {
    if (set.name !== name || set.setIdentifier !== null || !takes(set)) continue;
    await changeRecordSetItem(ledger, dnsRecordsIdOf(hostedZoneId), set, null, (item) => {
      if (rivalOf(item, owner).length > 0 || sameContent(item.published, set.content)) return null;
      // Who only wanted it asks again, and is told whose it is.
      const others = item.objects.includes(owner) ? {} : { desired: null, objects: [], refused: null };
      const published = storedContent(set.content);
      return { ...item, ...others, published, publishedObjects: [owner], refusal: null };
    });
  }
}

/** The items of a DNSRecord at one name. */
export async function ownItems(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types }: Pick<Wish, 'owner' | 'name' | 'types'>,
): Promise<readonly RecordSetItem[]> {
  const stored = await readName(ledger, dnsRecordsIdOf(hostedZoneId), name);
  return stored.map(({ item }) => item).filter((item) => types.includes(item.type) && isOf(item, owner));
}

function isOf({ objects, publishedObjects }: RecordSetItem, owner: string): boolean {
  return objects.includes(owner) || (objects.length === 0 && publishedObjects.includes(owner));
}

/** How often an item is taken away that others write meanwhile. */
const TRIES_MAX = 10;

/** Forgets the items: what stands in Route 53 stays, and is nobody's of ours any more. */
export async function forgetItems(
  ledger: Ledger,
  hostedZoneId: string,
  asked: Pick<Wish, 'owner' | 'name' | 'types'>,
): Promise<void> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) if (await forgetOnce(ledger, hostedZoneId, asked)) return;
}

/** False where somebody else wrote one of them meanwhile. */
async function forgetOnce(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types }: Pick<Wish, 'owner' | 'name' | 'types'>,
): Promise<boolean> {
  const id = dnsRecordsIdOf(hostedZoneId);
  let isWhole = true;
  for (const { item, revision } of await readName(ledger, id, name)) {
    const isUnclaimed = item.objects.length === 0 && item.publishedObjects.length === 0;
    if (!types.includes(item.type) || !(isOf(item, owner) || isUnclaimed)) continue;
    isWhole = (await ledger.remove(recordSetItemKey(id, item), revision)) && isWhole;
  }
  return isWhole;
}

/** Forgets the items of what was never sent. False where something of it stands, or may, or is being sent. */
export async function forgetUnsent(
  ledger: Ledger,
  hostedZoneId: string,
  { owner, name, types }: Pick<Wish, 'owner' | 'name' | 'types'>,
): Promise<boolean> {
  const id = dnsRecordsIdOf(hostedZoneId);
  for (const { item, revision } of await readName(ledger, id, name)) {
    if (!types.includes(item.type) || !isOf(item, owner)) continue;
    if (maybeStands(item) || !(await ledger.remove(recordSetItemKey(id, item), revision))) return false;
  }
  return true;
}

/** Who of a Zone's Records has published something at these keys: "Record ns/name". */
export async function publishedByZones(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  types: readonly string[],
): Promise<readonly string[]> {
  const stored = await readName(ledger, hostedZoneId, name);
  const ofZones = stored.filter(({ item }) => item.published !== null && types.includes(item.type));
  return [...new Set(ofZones.flatMap(({ item }) => (item.objects.length > 0 ? item.objects : item.publishedObjects)))];
}
