// Opens the ledger of a command: embedded in a folder, or a DynamoDB table. A plan creates no table, and a folder only
// if `--state` names it: without a ledger it works with an empty one in memory.
import { resolve } from 'node:path';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import {
  copyStateFolder,
  hasLedger,
  openStateFolder,
  seemsToHaveLedger,
} from '../../lib/adapters/ledger/state-folder.ts';
import type { OpenLedger } from './open-table.ts';
import { STATE_FOLDER, type Store } from './requests.ts';

/** Opens the ledger of a command. With `readOnly`, no table is made, and no folder unless `--state` names it. */
export async function openLedger(store: Store, readOnly: boolean): Promise<OpenLedger> {
  // A plan may create the folder that `--state` names, to keep what it reads.
  const leaves = readOnly && (store.kind === 'table' || store.isNamed !== true || doubtState(store) !== null);
  if (store.kind === 'folder') return openFolder(store.folder, leaves);
  // Most commands use a folder, and start sooner without the DynamoDB client.
  const { openTable } = await import('./open-table.ts');
  return openTable(store, readOnly);
}

/**
 * Opens a ledger only to read it. That of a folder is copied, so another zone53 may have it open, and nothing is
 * created in the folder.
 */
export async function openLedgerToRead(store: Store): Promise<LedgerToRead> {
  if (store.kind === 'table') return { ...(await openLedger(store, true)), route53Url: null };
  if (!hasLedger(store.folder)) return { ledger: memoryLedger(), route53Url: null, close: async () => {} };
  return copyStateFolder(store.folder);
}

/** `route53Url`: the Route 53 of the `zone53 local` that has the folder open; null if there is none. */
export type LedgerToRead = OpenLedger & { readonly route53Url: string | null };

async function openFolder(folder: string, leavesAlone: boolean): Promise<OpenLedger> {
  if (leavesAlone && !hasLedger(folder)) return { ledger: memoryLedger(), close: async () => {} };
  return openStateFolder(folder);
}

/** A warning for a state folder without a ledger while the default folder has one; null: no warning. */
export function doubtState(store: Store): string | null {
  if (store.kind !== 'folder' || resolve(store.folder) === resolve(STATE_FOLDER)) return null;
  if (hasLedger(store.folder) || !seemsToHaveLedger(STATE_FOLDER)) return null;
  return `State folder "${store.folder}" has no ledger yet, and ${STATE_FOLDER} has one: record sets published with that ledger count as foreign here. Check --state.`;
}
