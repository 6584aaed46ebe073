// The record set items of one name, and the dirty mark over them. Reconcile writes what is desired (`touchDesired`), publish
// writes what was published; both by compare-and-swap, so neither ever overwrites the other.
//
// The order that survives a crash: items first, then the dirty mark, then the message. A mark that came first could be
// cleared by a publish that read the items before they moved. A run that dies in between leaves desired and published
// apart without a mark: the redelivered message finds them apart, whether or not it changes anything, and raises it.
import { reversedKey } from '../dns/names/name.ts';
import { sameContent } from '../dns/record-set.ts';
import { eachBetween } from '../ledger/pages.ts';
import type { Cause, Ledger, LedgerItem, RecordSet, RecordSetContent, RecordSetKey } from '../ports/cluster.ts';
import {
  type DirtyItem,
  decodeDirtyItem,
  decodeRecordSetItem,
  dirtyItemKey,
  encodeBody,
  newRecordSetItem,
  type RecordSetItem,
  recordSetItemKey,
  recordSetsPartition,
  type Stored,
  storedContent,
} from './record-set-item.ts';

/** How often a compare-and-swap is tried before giving up: contention on one item is two or three writers, never fifty. */
export const SWAP_ATTEMPTS_MAX = 50;

/** One page of a name's items: more than Route 53 has types, so nearly always the only one. */
const NAME_PAGE_ITEMS = 24;

/** A write that kept losing its compare-and-swap: the message is redelivered. */
export class LedgerContentionError extends Error {
  constructor(what: string) {
    super(`Cannot write ${what}: somebody else wrote it ${SWAP_ATTEMPTS_MAX} times meanwhile`);
    this.name = 'LedgerContentionError';
  }
}

/** What the cluster asks for at one name of a hosted zone, all of it: what is not among `recordSets` is not wanted. */
export type DesiredName = {
  readonly hostedZoneId: string;
  /** The hosted zone's own name. Its NS set is Route 53's and is left alone. */
  readonly apex: string;
  readonly name: string;
  readonly recordSets: readonly DesiredRecordSet[];
  /** Whose the hosted zone is: to it falls what stands at the name and is wanted no more. Null: as it was. */
  readonly heir: Heir | null;
};

/** A Zone, "ns/name", and whether it says `takeover`. */
export type Heir = { readonly zone: string; readonly takeover: boolean };

export type DesiredRecordSet = RecordSet & {
  /** "Record ns/name" of every object that has a part in it. */
  readonly objects: readonly string[];
  /** "ns/name" of the Zone whose content it is. */
  readonly zone: string;
  /** That Zone says `takeover`. */
  readonly takeover?: boolean;
};

/** What makes a record set unique, as one string. */
export function recordSetId(key: RecordSetKey): string {
  return `${key.name} ${key.type} ${key.setIdentifier ?? ''}`;
}

/** True for what `name` itself holds, false for a descendant's: types are upper case, labels are not. */
function isOfName(item: LedgerItem, prefix: string): boolean {
  return /^[A-Z]/.test(item.sort.slice(prefix.length));
}

/** The raw items of one name: one query, whatever lies below the name. */
export async function readNameItems(ledger: Ledger, hostedZoneId: string, name: string): Promise<LedgerItem[]> {
  const prefix = reversedKey(name);
  const found: LedgerItem[] = [];
  // Labels that begin with a digit, "*" or "-" lie before "@", types between "@" and "[", other labels behind.
  let after: string | null = `${prefix}@`;
  while (after !== null) {
    const page = await ledger.query(recordSetsPartition(hostedZoneId), { prefix, after, limit: NAME_PAGE_ITEMS });
    const own = page.items.filter((item) => isOfName(item, prefix));
    found.push(...own);
    after = own.length === page.items.length ? page.next : null;
  }
  return found;
}

/**
 * The raw items of many names, by name: all that lies from the first of them to the last is read and the rest left out, some
 * `itemsMax` items at most. Names that were not reached are missing.
 */
export async function readManyNameItems(
  ledger: Ledger,
  hostedZoneId: string,
  names: Iterable<string>,
  itemsMax: number,
): Promise<ReadonlyMap<string, readonly LedgerItem[]>> {
  const byPrefix = new Map([...names].map((name) => [reversedKey(name), { name, items: [] as LedgerItem[] }]));
  const prefixes = [...byPrefix.keys()].sort();
  const stretch = { after: prefixes[0] ?? null, through: `${prefixes.at(-1) ?? ''}[` };
  let read = 0;
  let reached: string | null = null;
  for await (const item of eachBetween(ledger, recordSetsPartition(hostedZoneId), stretch)) {
    read += 1;
    if (read > itemsMax) {
      reached = item.sort;
      break;
    }
    byPrefix.get(item.sort.slice(0, item.sort.search(/[A-Z]/)))?.items.push(item);
  }
  // What a name itself holds lies before "[", whatever lies below it (see readNameItems).
  const whole = [...byPrefix].filter(([prefix]) => reached === null || `${prefix}[` <= reached);
  return new Map(whole.map(([, { name, items }]) => [name, items]));
}

/** The record sets that the ledger holds for one name. @throws LedgerVersionError */
export async function readName(ledger: Ledger, hostedZoneId: string, name: string): Promise<Stored<RecordSetItem>[]> {
  const items = await readNameItems(ledger, hostedZoneId, name);
  return items.map((item) => ({ item: decodeRecordSetItem(item), revision: item.revision }));
}

/**
 * Changes one record set item by compare-and-swap, starting from `stored` (null: believed absent) and from what stands there
 * when that no longer holds. `change` returns null to leave it; `mayGoOn` is asked after what stands was read anew. Returns what
 * stands afterwards, null when it was left.
 */
export async function changeRecordSetItem(
  ledger: Ledger,
  hostedZoneId: string,
  key: RecordSetKey,
  stored: Stored<RecordSetItem> | null,
  change: (item: RecordSetItem) => RecordSetItem | null,
  mayGoOn: () => Promise<boolean> = async () => true,
): Promise<Stored<RecordSetItem> | null> {
  const itemKey = recordSetItemKey(hostedZoneId, key);
  let current = stored;
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const next = change(current?.item ?? newRecordSetItem(key));
    if (next === null) return null;
    const revision = await ledger.put(itemKey, encodeBody(next), current?.revision ?? null);
    if (revision !== null) return { item: next, revision };
    const raw = await ledger.get(itemKey);
    current = raw === null ? null : { item: decodeRecordSetItem(raw), revision: raw.revision };
    if (!(await mayGoOn())) return null;
  }
  throw new LedgerContentionError(`record set ${recordSetId(key)}`);
}

/** The parts of an SOA's rdata, also where something stands around it; null when there is none in the text. */
export function parseSoa(text: string): {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly timers: readonly string[];
} | null {
  const [, mname, rname, serial, timers] =
    /([^\s'"{}]+)\s+([^\s'"{}]+)\s+(\d+)\s+(\d+\s+\d+\s+\d+\s+\d+)/.exec(text) ?? [];
  if (mname === undefined || rname === undefined || timers === undefined) return null;
  return { mname, rname, serial: Number(serial), timers: timers.split(/\s+/) };
}

function soaSettings(content: RecordSetContent): string {
  if (content.kind !== 'values') return 'alias';
  return [content.ttlSeconds, ...(parseSoa(content.values[0] ?? '')?.timers ?? ['unreadable'])].join(' ');
}

/** Equal as far as publishing goes: of an SOA only the TTL and the four timers count, the rest is Route 53's own. */
export function samePublishing(type: string, a: RecordSetContent | null, b: RecordSetContent | null): boolean {
  if (type !== 'SOA' || a === null || b === null) return sameContent(a, b);
  return soaSettings(a) === soaSettings(b);
}

/** True when publish has something to do or to decide about the item. */
export function needsPublishing(item: RecordSetItem): boolean {
  if (item.intent !== null) return true;
  if (item.refusal !== null && item.refusal.reason !== 'HeldByGuard') {
    const takesOver = item.takeover && item.refusal.reason !== 'Rejected';
    return !samePublishing(item.type, item.refusal.content, item.desired) || takesOver;
  }
  return !samePublishing(item.type, item.desired, item.published);
}

/** The item of whose it is: of what is wanted by who wants it, of what is left over its heir. */
export function withOwner(item: RecordSetItem, desired: DesiredRecordSet | null, heir: Heir | null): RecordSetItem {
  if (desired !== null) return { ...item, zone: desired.zone, takeover: desired.takeover ?? false };
  const isLeft = item.published !== null || item.intent !== null;
  return isLeft && heir !== null ? { ...item, ...heir } : item;
}

function withDesired(item: RecordSetItem, desired: DesiredRecordSet | null, heir: Heir | null): RecordSetItem | null {
  const objects = desired === null ? [] : [...desired.objects].sort();
  const { zone, takeover } = withOwner(item, desired, heir);
  const same =
    samePublishing(item.type, item.desired, desired?.content ?? null) &&
    item.zone === zone &&
    item.takeover === takeover &&
    item.objects.join('\n') === objects.join('\n');
  return same ? null : { ...item, desired: storedContent(desired?.content ?? null), objects, zone, takeover };
}

/** Raises the dirty mark of a name: always a new generation. `retry`: what was refused is to be tried again. */
export async function markDirty(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  nowMs: number,
  options: { readonly retry?: boolean; readonly cause?: Cause } = {},
): Promise<void> {
  const key = dirtyItemKey(hostedZoneId, name);
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const raw = attempt === 0 ? null : await ledger.get(key);
    const before = raw === null ? null : decodeDirtyItem(raw);
    // The first event counts: it has waited longest.
    const hintAtMs = before?.hintAtMs ?? options.cause?.atMs;
    const correlationId = before?.correlationId ?? options.cause?.correlationId;
    const mark: DirtyItem = {
      name,
      sinceMs: before?.sinceMs ?? nowMs,
      ...(hintAtMs === undefined ? {} : { hintAtMs }),
      ...(correlationId === undefined ? {} : { correlationId }),
      retry: options.retry === true || before?.retry === true,
    };
    if ((await ledger.put(key, encodeBody(mark), raw?.revision ?? null)) !== null) return;
  }
  throw new LedgerContentionError(`dirty mark of ${name}`);
}

/**
 * Notes what is desired at one name and marks it dirty if anything moved or is not yet published. Idempotent. Returns true
 * when the hosted zone is to be published: the caller then sends `Queues.publish`. `known`: the items of the name, for a caller
 * who has read them. @throws LedgerVersionError
 */
export async function touchDesired(
  ledger: Ledger,
  wanted: DesiredName,
  nowMs: number,
  { known, ...options }: { readonly cause?: Cause; readonly known?: readonly Stored<RecordSetItem>[] } = {},
): Promise<boolean> {
  const stored = new Map<string, Stored<RecordSetItem>>();
  for (const one of known ?? (await readName(ledger, wanted.hostedZoneId, wanted.name)))
    stored.set(recordSetId(one.item), one);
  const desired = new Map<string, DesiredRecordSet>();
  for (const set of wanted.recordSets) {
    const isApexNs = set.type === 'NS' && set.name === wanted.apex;
    if (!isApexNs) desired.set(recordSetId(set), set);
  }
  let raise = false;
  for (const id of new Set([...desired.keys(), ...stored.keys()])) {
    const before = stored.get(id) ?? null;
    const key = desired.get(id) ?? before?.item;
    if (key === undefined) continue;
    let standing = before?.item ?? null;
    const written = await changeRecordSetItem(ledger, wanted.hostedZoneId, key, before, (item) => {
      standing = item;
      return withDesired(item, desired.get(id) ?? null, wanted.heir);
    });
    // Whoever wrote the same a moment before us may have died before the mark.
    raise ||= written !== null || (standing !== null && needsPublishing(standing));
  }
  if (raise) await markDirty(ledger, wanted.hostedZoneId, wanted.name, nowMs, options);
  return raise;
}
