// Items that this code cannot read are left out. Other items are not affected.
import type { LedgerItem } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { type Codec, UnreadableItemError } from './item-codec.ts';

/** The content of an item; null, and a line in the log, if this code cannot read it. */
export function readable<T>(logging: { readonly log: Log }, codec: Codec<T>, stored: LedgerItem): T | null {
  const item = codec.read(stored);
  return item instanceof UnreadableItemError ? leftAlone(logging, item) : item;
}

/** The result of `work`; null, and a line in the log, if it meets an item that this code cannot read. */
export async function whereReadable<T>(logging: { readonly log: Log }, work: () => Promise<T>): Promise<T | null> {
  const done = await orUnread(work);
  return done instanceof UnreadableItemError ? leftAlone(logging, done) : done;
}

/** The result of `work`, or what it met that this code cannot read. */
export async function orUnread<T>(work: () => Promise<T>): Promise<T | UnreadableItemError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableItemError) return error;
    throw error;
  }
}

function leftAlone({ log }: { readonly log: Log }, { message }: UnreadableItemError): null {
  log('error', 'an item of the ledger cannot be read and is left unchanged', { reason: message });
  return null;
}

/** The contents of those items that this code can read, without a line in the log for the others. */
export function readableItems<T>(codec: Codec<T>, stored: readonly LedgerItem[]): T[] {
  return stored.flatMap((raw) => {
    const item = codec.read(raw);
    return item instanceof UnreadableItemError ? [] : [item];
  });
}
