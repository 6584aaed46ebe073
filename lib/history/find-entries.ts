// Reads the history, the newest entry first: of a name by its entries, of everything else by the items of its batches.
// Of several hosted zones the entries are merged by time. Only as much is read as the answer needs.
import { isAtOrBelow } from '../dns/names/name.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { findRef } from '../objects/object-ref.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Ledger } from '../ports/ledger.ts';
import {
  batchCodec,
  batchesPartition,
  entriesPartition,
  entriesPrefix,
  entryCodec,
  entryKey,
  type HistoryEntry,
  type Stamp,
  stampsUntil,
  stampText,
} from './history-item.ts';

const PAGE_ITEMS = 100;
/** Entries that are read at once: one request of DynamoDB. */
const READS_AT_ONCE = 100;

/** An entry, and the ledger's id of its hosted zone. */
export type FoundEntry = HistoryEntry & { readonly hostedZoneId: string };

export type HistoryQuery = {
  /** The hosted zones to look at, by their id in the ledger. */
  readonly hostedZones: readonly { readonly id: string; readonly name: string }[];
  /** Entries of exactly this name. */
  readonly name?: string;
  readonly type?: string;
  /** "Kind ns/name". */
  readonly object?: string;
  readonly namespace?: string;
  readonly cluster?: string;
  /** Inclusive, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Exclusive. */
  readonly untilMs: number;
  readonly limit: number;
};

/** The newest entries, and whether there are more. Items that this code cannot read are left out. */
export async function findEntries(
  ledger: Ledger,
  query: HistoryQuery,
): Promise<{ readonly entries: readonly FoundEntry[]; readonly more: boolean }> {
  const { name } = query;
  const zones = query.hostedZones.filter((zone) => name === undefined || isAtOrBelow(name, zone.name));
  const streams = zones.map(({ id }) => {
    const entries = name === undefined ? entriesByTime(ledger, id, query) : entriesOfName(ledger, id, name, query);
    return asked(entries, query);
  });
  const entries: FoundEntry[] = [];
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  while (entries.length <= query.limit) {
    let newest = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[newest];
      if (head.done !== true && (best === undefined || best.done === true || isNewer(head.value, best.value)))
        newest = index;
    }
    const head = heads[newest];
    const stream = streams[newest];
    if (head === undefined || head.done === true || stream === undefined) break;
    entries.push(head.value);
    heads[newest] = await stream.next();
  }
  return { entries: entries.slice(0, query.limit), more: entries.length > query.limit };
}

function isNewer(a: Stamp, b: Stamp): boolean {
  return stampText(a) < stampText(b);
}

async function* asked(all: AsyncGenerator<FoundEntry>, query: HistoryQuery): AsyncGenerator<FoundEntry> {
  const { type, object, namespace, cluster } = query;
  for await (const entry of all) {
    if (type !== undefined && entry.type !== type) continue;
    if (object !== undefined && !entry.objects.includes(object)) continue;
    if (namespace !== undefined && !entry.objects.some((one) => findRef(one)?.namespace === namespace)) continue;
    if (cluster !== undefined && entry.cluster !== cluster) continue;
    yield entry;
  }
}

async function* entriesOfName(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  { sinceMs, untilMs }: HistoryQuery,
): AsyncGenerator<FoundEntry> {
  const prefix = entriesPrefix(name);
  let after: string | null = `${prefix}${stampsUntil(untilMs - 1)}`;
  while (after !== null) {
    const page: Awaited<ReturnType<Ledger['query']>> = await ledger.query(entriesPartition(hostedZoneId), {
      ...{ prefix, after, limit: PAGE_ITEMS },
    });
    for (const stored of page.items) {
      const entry = entryCodec.read(stored);
      if (entry instanceof UnreadableItemError) continue;
      if (entry.atMs < sinceMs) return;
      yield { ...entry, hostedZoneId };
    }
    after = page.next;
  }
}

async function* entriesByTime(
  ledger: Ledger,
  hostedZoneId: string,
  { sinceMs, untilMs }: HistoryQuery,
): AsyncGenerator<FoundEntry> {
  for await (const { item } of batchesBefore(ledger, hostedZoneId, untilMs)) {
    if (item.atMs < sinceMs) return;
    const found: (FoundEntry | null)[] = item.sets.map(() => null);
    await inParallel(item.sets.entries(), READS_AT_ONCE, async ([index, [name, type, setIdentifier]]) => {
      const key = entryKey(hostedZoneId, item, { name, type: type === '' ? null : type, setIdentifier });
      const stored = await ledger.get(key);
      const entry = stored === null ? null : entryCodec.read(stored);
      if (entry !== null && !(entry instanceof UnreadableItemError)) found[index] = { ...entry, hostedZoneId };
    });
    for (const entry of found) if (entry !== null) yield entry;
  }
}

/** The batches of a hosted zone before this moment, the newest first. */
export async function* batchesBefore(ledger: Ledger, hostedZoneId: string, untilMs: number) {
  let after: string | null = stampsUntil(untilMs - 1);
  while (after !== null) {
    const page: Awaited<ReturnType<Ledger['query']>> = await ledger.query(batchesPartition(hostedZoneId), {
      ...{ after, limit: PAGE_ITEMS },
    });
    for (const stored of page.items) {
      const item = batchCodec.read(stored);
      if (!(item instanceof UnreadableItemError))
        yield { item, revision: stored.revision } satisfies Stored<typeof item>;
    }
    after = page.next;
  }
}
