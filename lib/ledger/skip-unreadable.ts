// An item of the ledger of another version of this code, or damaged, costs itself and not the sweep that comes by.
import type { Log } from '../ports/log.ts';
import { LedgerVersionError } from './versioned-item.ts';

/** What `decode` makes of an item; null, and a line in the log, when this code cannot read it. */
export function readable<T>(logging: { readonly log: Log }, decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    return leftAlone(logging, error);
  }
}

/** The same for work that comes across such items. */
export async function whereReadable<T>(logging: { readonly log: Log }, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    return leftAlone(logging, error);
  }
}

function leftAlone({ log }: { readonly log: Log }, error: unknown): null {
  if (!(error instanceof LedgerVersionError)) throw error;
  log('error', 'an item of the ledger cannot be read and is left alone', { reason: error.message });
  return null;
}
