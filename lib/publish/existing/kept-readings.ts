// What a plan read in Route 53, kept in the ledger for an hour, so that the next plan does not ask again. The clusters
// of a hosted zone share the readings, and whoever applies something there forgets all of them first: a run that dies
// leaves none that is wrong. Readings serve only `plan`: a run that writes reads Route 53 itself.
import * as z from 'zod';
import { reversedKey } from '../../dns/names/name.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { itemCodec, UnreadableItemError } from '../../ledger/item-codec.ts';
import { allItems } from '../../ledger/pages.ts';
import { withoutShare } from '../../objects/share-id.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { HOUR_MS } from '../../record-sets/retention.ts';

/** How many ledger writes are made at once. */
const AT_ONCE = 16;

export const readingCodec = itemCodec(
  z.object({
    name: z.string(),
    atMs: z.number(),
    /** JSON text, because a reading is only compared and shown, and never changed. */
    recordSets: z.string(),
  }),
);

/** A name at which a comparison saw a change by hand. It is kept until a later plan sees none. */
export const differenceCodec = itemCodec(
  z.object({ name: z.string(), atMs: z.number(), isDifferent: z.literal(true) }),
);

/** The readings of the hour before `nowMs`, by name. One that this code cannot decode is left out. */
export async function keptReadings(
  ledger: Ledger,
  hostedZoneId: string,
  nowMs: number,
): Promise<Map<string, readonly RecordSet[]>> {
  const kept = new Map<string, readonly RecordSet[]>();
  for (const stored of await allItems(ledger, partitionOf(hostedZoneId))) {
    const item = readingCodec.read(stored);
    if (item instanceof UnreadableItemError || item.atMs <= nowMs - HOUR_MS || item.atMs > nowMs) continue;
    kept.set(item.name, JSON.parse(item.recordSets) as readonly RecordSet[]);
  }
  return kept;
}

export async function keepReadings(
  ledger: Ledger,
  hostedZoneId: string,
  readings: ReadonlyMap<string, readonly RecordSet[]>,
  nowMs: number,
): Promise<void> {
  await inParallel(readings, AT_ONCE, async ([name, sets]) => {
    const key = { partition: partitionOf(hostedZoneId), sort: reversedKey(name) };
    const body = readingCodec.encode({ name, atMs: nowMs, recordSets: JSON.stringify(sets) });
    if ((await ledger.put(key, body, null)) !== null) return;
    await ledger.put(key, body, (await ledger.get(key))?.revision ?? null);
  });
}

/** The names at which the last comparison saw a change by hand. */
export async function keptDifferences(ledger: Ledger, hostedZoneId: string): Promise<Set<string>> {
  const items = (await allItems(ledger, differencesOf(hostedZoneId))).map((stored) => differenceCodec.read(stored));
  return new Set(items.flatMap((item) => (item instanceof UnreadableItemError ? [] : item.name)));
}

/** Keeps exactly these names. */
export async function keepDifferences(
  ledger: Ledger,
  hostedZoneId: string,
  names: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  const partition = differencesOf(hostedZoneId);
  const stored = await allItems(ledger, partition);
  const wanted = new Map([...names].map((name) => [reversedKey(name), name]));
  await inParallel(stored, AT_ONCE, async (one) => {
    if (!wanted.delete(one.sort)) await ledger.remove(one, one.revision);
  });
  await inParallel(wanted, AT_ONCE, ([sort, name]) =>
    ledger.put({ partition, sort }, differenceCodec.encode({ name, atMs: nowMs, isDifferent: true }), null),
  );
}

/** Forgets all readings of a hosted zone. */
export async function forgetReadings(ledger: Ledger, hostedZoneId: string): Promise<void> {
  const kept = await allItems(ledger, partitionOf(hostedZoneId));
  await inParallel(kept, AT_ONCE, (one) => ledger.remove(one, one.revision));
}

function differencesOf(hostedZoneId: string): string {
  return `differences#${hostedZoneId}`;
}

function partitionOf(hostedZoneId: string): string {
  return `readings#${withoutShare(hostedZoneId)}`;
}
