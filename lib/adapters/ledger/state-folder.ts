// The folder that `zone53 local` and `--state` keep their ledger in. docs/state-folder.md describes its files.
//
//   ledger.sqlite       the ledger; locked by the operating system while a zone53 has it open
//   ledger.sqlite-wal   its latest writes; gone after an orderly end
//   ledger.holder       who has it open, for the message to a second zone53; the lock itself is on ledger.sqlite
import { existsSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../objects/plain.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { makeFolders } from './make-folders.ts';
import { type SqliteLedger, sqliteLedger } from './sqlite-ledger.ts';
import { LedgerInUseError } from './sqlite-ledger-file.ts';

const LEDGER_FILE = 'ledger.sqlite';
const HOLDER_FILE = 'ledger.holder';

/** For how long to wait for a process that is just ending, or for several that start together. */
const WAIT_MS_MAX = 500;
const PAUSE_MS_MAX = 50;

export type StateFolder = { readonly ledger: Ledger; close(): Promise<void> };

/** True if the folder may have a ledger, whether or not it can be used. */
export function seemsToHaveLedger(folder: string): boolean {
  return existsSync(join(folder, LEDGER_FILE));
}

/** True if the folder has a ledger. Throws an Error for a file, and for a folder that may not be read. */
export function hasLedger(folder: string): boolean {
  if (statIn(folder)?.isFile() === true)
    throw new Error(`State folder ${folder} cannot be used: it is a file. Choose a folder with --state`);
  return statIn(folder, LEDGER_FILE) !== undefined;
}

/** Opens or creates the folder, for this process alone. Throws an Error that says why it cannot be used. */
export async function openStateFolder(folder: string): Promise<StateFolder> {
  if (!hasLedger(folder)) makeFolder(folder);
  const { ledger, close } = await openLedger(folder);
  const holder = join(folder, HOLDER_FILE);
  try {
    writeFileSync(holder, JSON.stringify({ pid: process.pid, host: hostname() }));
  } catch {
    // On a full disk, reading still works. Without this file, the message to a second zone53 says less.
  }
  return {
    ledger,
    close: async () => {
      // Removed while the lock is ours: afterwards the file may belong to another process.
      rmSync(holder, { force: true });
      close();
    },
  };
}

/** Undefined only if there is nothing; a folder that may not be read, or that is below a file, is an error. */
function statIn(folder: string, ...names: readonly string[]): Stats | undefined {
  return usable(folder, () => {
    try {
      return statSync(join(folder, ...names));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

function makeFolder(folder: string): void {
  usable(folder, () => makeFolders(folder));
}

function usable<Result>(folder: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const detail = errorMessage(cause);
    throw new Error(`State folder ${folder} cannot be used: ${detail}. Choose another with --state`);
  }
}

async function openLedger(folder: string): Promise<SqliteLedger> {
  const until = performance.now() + WAIT_MS_MAX;
  for (;;) {
    try {
      return sqliteLedger(join(folder, LEDGER_FILE));
    } catch (error) {
      if (!(error instanceof LedgerInUseError)) throw error;
      if (performance.now() >= until) throw inUse(folder);
    }
    // Two processes that start together can block each other, so their pauses must differ.
    await sleep(Math.random() * PAUSE_MS_MAX);
  }
}

function inUse(folder: string): Error {
  const advice = 'End that one, or choose another folder with --state';
  return new Error(`State folder ${folder} is in use by another zone53${describeHolder(folder)}. ${advice}`);
}

/** Empty if the holder is unknown: the file is written after locking, and a killed process leaves it. */
function describeHolder(folder: string): string {
  try {
    const { pid, host } = JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8')) as Record<string, unknown>;
    if (typeof pid !== 'number') return '';
    if (host !== hostname()) return `, process ${pid} on ${host}`;
    return isAlive(pid) ? `, process ${pid}` : '';
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
