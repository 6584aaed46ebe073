// The ledger of the console. That of a folder is a copy, which is made anew when its files have changed, so the lock
// that `apply` and `local` take is never held; a table is read as it is.
import { statSync } from 'node:fs';
import path from 'node:path';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { copyStateFolder, hasLedger, LEDGER_FILES, type LedgerCopy } from '../../lib/adapters/ledger/state-folder.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { sharedNext } from '../../lib/ports/once.ts';
import { openLedger } from '../run/open-ledger.ts';
import type { Store } from '../run/requests.ts';

export type RefreshingLedger = {
  readonly ledger: Ledger;
  /** Where the `zone53 local` that has the folder open serves Route 53; null: there is none. */
  readonly route53Url: () => string | null;
  /** Looks at the files again. True: they have changed. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
};

/** Opens the ledger. A folder without one may get one later. */
export async function openRefreshing(store: Store): Promise<RefreshingLedger> {
  if (store.kind === 'folder') return refreshingFolder(store.folder);
  const { ledger, close } = await openLedger(store, true);
  return { ledger, route53Url: () => null, refresh: async () => false, close };
}

async function refreshingFolder(folder: string): Promise<RefreshingLedger> {
  let state = stateOf(folder);
  let now = await copyOf(folder);
  // A question that has begun goes on with the copy that it began with.
  let before: LedgerCopy | null = null;
  const refresh = sharedNext(async () => {
    const found = stateOf(folder);
    if (found === state) return false;
    const copy = await copyOf(folder);
    await before?.close();
    [before, now, state] = [now, copy, found];
    return true;
  });
  return {
    ledger: {
      get: (key) => now.ledger.get(key),
      query: (partition, options) => now.ledger.query(partition, options),
      put: (...args) => now.ledger.put(...args),
      remove: (...args) => now.ledger.remove(...args),
    },
    route53Url: () => now.route53Url,
    refresh,
    close: async () => {
      await before?.close();
      await now.close();
    },
  };
}

async function copyOf(folder: string): Promise<LedgerCopy> {
  if (hasLedger(folder)) return copyStateFolder(folder);
  return { ledger: memoryLedger(), route53Url: null, close: async () => {} };
}

/** A text that changes when one of the files does. */
function stateOf(folder: string): string {
  return LEDGER_FILES.map((name) => {
    const found = statSync(path.join(folder, name), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs}`;
  }).join(', ');
}
