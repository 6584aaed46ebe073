// The items of the history: an entry for each record set that changed, by name, and one item for each batch, by time,
// with the keys of its entries. Both sort the newest first. An entry is written together with the item of its record
// set (`beside` of lib/ports/ledger.ts) and never changes. The item of a batch is written with its write intents, so it
// may have keys of entries that never came: the call was refused.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import type { RecordSetKey } from '../dns/record-set.ts';
import { anyText, type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import type { CauseKind } from '../ports/queues.ts';
import { storedContents } from '../record-sets/record-set-item.ts';

/**
 * What happened. `restore` puts back what zone53 had published; `takeover` replaces somebody else's content by new
 * content. Nothing is changed by a `drift` (seen), `held`, `refused` (both begin) and `cleared` (one of these ended).
 */
export type HistoryAction =
  | 'create'
  | 'update'
  | 'delete'
  | 'adopt'
  | 'takeover'
  | 'handover'
  | 'restore'
  | 'forget'
  | 'drift'
  | 'held'
  | 'refused'
  | 'cleared';

/** A batch: when its write intents were saved, under which lease, and its number in that run. */
export type Stamp = { readonly atMs: number; readonly epoch: number; readonly batch: number };

const content = storedContents.nullable();

const entryBody = z.object({
  atMs: z.number(),
  epoch: z.number(),
  batch: z.number(),
  name: z.string(),
  /** null: an entry of the hosted zone itself. */
  type: z.string().nullable(),
  setIdentifier: z.string().nullable(),
  action: anyText<HistoryAction>(),
  before: content,
  after: content,
  objects: z.array(z.string()),
  zone: z.string(),
  cluster: z.string(),
  view: z.string(),
  hostedZoneName: z.string(),
  /** Route 53's id of the change; null if no answer came, or if there was no call. */
  changeId: z.string().nullable(),
  cause: z.object({
    kind: anyText<CauseKind>(),
    atMs: z.number().nullable(),
    user: z.string().nullable(),
    digest: z.string().nullable(),
  }),
  message: z.string(),
});
export type HistoryEntry = Item<typeof entryBody>;
export const entryCodec: Codec<HistoryEntry> = itemCodec(entryBody);

const batchBody = z.object({
  atMs: z.number(),
  epoch: z.number(),
  batch: z.number(),
  /** Name, type ("" for the hosted zone itself) and set identifier of its entries. */
  sets: z.array(z.tuple([z.string(), z.string(), z.string().nullable()])),
});
export type HistoryBatch = Item<typeof batchBody>;
export const batchCodec: Codec<HistoryBatch> = itemCodec(batchBody);

/** Milliseconds since the epoch have so many digits until the year 2286. */
const NINES = { atMs: 9_999_999_999_999, epoch: 999_999_999, batch: 999_999 } as const;

function inverted(field: keyof Stamp, value: number): string {
  const most = NINES[field];
  return String(Math.max(0, most - value)).padStart(String(most).length, '0');
}

/** Texts of stamps sort the newest first. */
export function stampText({ atMs, epoch, batch }: Stamp): string {
  return `${inverted('atMs', atMs)} ${inverted('epoch', epoch)} ${inverted('batch', batch)}`;
}

/** All stamps of this millisecond and of earlier ones sort behind this text. */
export function stampsUntil(atMs: number): string {
  return inverted('atMs', atMs);
}

export function entriesPartition(hostedZoneId: string): string {
  return `history#${hostedZoneId}`;
}

/** The entries of a name itself have this prefix; "!" begins no label. */
export function entriesPrefix(name: string): string {
  return `${reversedKey(name)}!`;
}

export function entryKey(
  hostedZoneId: string,
  stamp: Stamp,
  { name, type, setIdentifier }: Pick<RecordSetKey, 'name' | 'setIdentifier'> & { readonly type: string | null },
): LedgerKey {
  const sort = `${entriesPrefix(name)}${stampText(stamp)} ${type ?? ''} ${setIdentifier ?? ''}`;
  return { partition: entriesPartition(hostedZoneId), sort };
}

export function batchesPartition(hostedZoneId: string): string {
  return `batches#${hostedZoneId}`;
}

export function batchKey(hostedZoneId: string, stamp: Stamp): LedgerKey {
  return { partition: batchesPartition(hostedZoneId), sort: stampText(stamp) };
}
