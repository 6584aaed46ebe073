// The folder that `zone53 local` and `--state` keep their ledger in. docs/state-folder.md describes its files.
//
//   ledger.sqlite       the ledger; locked by the operating system while a zone53 has it open
//   ledger.sqlite-wal   its latest writes; gone after an orderly end
//   ledger.holder       who has it open, for the message to a second zone53; the lock itself is on ledger.sqlite
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkFormat } from '../../ledger/format.ts';
import { errorMessage } from '../../objects/plain.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { makeFolders } from './make-folders.ts';
import { type SqliteLedger, sqliteLedger } from './sqlite-ledger.ts';
import { LedgerInUseError } from './sqlite-ledger-file.ts';

const LEDGER_FILE = 'ledger.sqlite';
const WAL_FILE = `${LEDGER_FILE}-wal`;
const HOLDER_FILE = 'ledger.holder';

/** The files that change when something is written, or when another process opens the folder. */
export const LEDGER_FILES: readonly string[] = [LEDGER_FILE, WAL_FILE, HOLDER_FILE];

/** For how long to wait for a process that is just ending, or for several that start together. */
const WAIT_MS_MAX = 500;
const PAUSE_MS_MAX = 50;

/** How often a copy is begun anew because the file was written anew meanwhile. */
const COPIES_MAX = 20;
/** The header of a WAL file has two salts, which SQLite changes whenever it begins the file anew. */
const WAL_HEADER_OCTETS = 32;

export type StateFolder = {
  readonly ledger: Ledger;
  /** Tells readers of the folder at which address its process serves Route 53. */
  noteRoute53(url: string): void;
  close(): Promise<void>;
};

/** A copy of a ledger as it was at one moment. What is written to it is lost when it is closed. */
export type LedgerCopy = Pick<StateFolder, 'ledger' | 'close'> & {
  /** Where the process that has the folder open serves Route 53; null: it does not, or nobody has it open. */
  readonly route53Url: string | null;
};

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
  const { ledger, close } = await checked(await openLedger(folder));
  const holder = join(folder, HOLDER_FILE);
  const note = (more: object) => {
    try {
      writeFileSync(holder, JSON.stringify({ pid: process.pid, host: hostname(), ...more }));
    } catch {
      // On a full disk, reading still works. Without this file, the message to a second zone53 says less.
    }
  };
  note({});
  return {
    ledger,
    noteRoute53: (route53Url) => note({ route53Url }),
    close: async () => {
      // Removed while the lock is ours: afterwards the file may belong to another process.
      rmSync(holder, { force: true });
      close();
    },
  };
}

/**
 * Copies the ledger of the folder and opens the copy, so that it can be read while another process writes the folder,
 * and where this one may only read it. Throws an Error that says why it cannot be read.
 */
export async function copyStateFolder(folder: string): Promise<LedgerCopy> {
  const copy = usable(folder, () => {
    const made = mkdtempSync(join(tmpdir(), 'zone53-'));
    try {
      copyLedger(folder, made);
      return made;
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      throw error;
    }
  });
  try {
    const { ledger, close } = await checked(sqliteLedger(join(copy, LEDGER_FILE)));
    return { ledger, route53Url: readHolder(folder)?.route53Url ?? null, close: async () => close() };
  } catch (error) {
    throw new Error(errorMessage(error).replaceAll(copy, folder), { cause: error });
  } finally {
    // The copy stays readable while it is open, and nothing is left if this process is killed.
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Copies first the file and then its WAL. If the WAL has the same salts before and after, SQLite has not begun it anew,
 * so it has every write that the copy of the file may lack or have in part.
 */
function copyLedger(folder: string, to: string): void {
  for (let copies = 1; ; copies += 1) {
    const before = walHeader(folder);
    copyFileSync(join(folder, LEDGER_FILE), join(to, LEDGER_FILE));
    rmSync(join(to, WAL_FILE), { force: true });
    if (before !== null && existsSync(join(folder, WAL_FILE))) copyFileSync(join(folder, WAL_FILE), join(to, WAL_FILE));
    if (walHeader(folder) === before && walHeader(to) === before) return;
    if (copies === COPIES_MAX) throw new Error('its ledger is written too often to be copied; try again');
  }
}

/** The header of the WAL, as text; null if there is none. */
function walHeader(folder: string): string | null {
  const file = join(folder, WAL_FILE);
  if (!existsSync(file)) return null;
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(WAL_HEADER_OCTETS);
    const octets = readSync(descriptor, header, 0, WAL_HEADER_OCTETS, 0);
    return header.toString('hex', 0, octets);
  } finally {
    closeSync(descriptor);
  }
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

/** The ledger, if this code knows its format; otherwise it is closed again. @throws NewerLedgerError */
async function checked(opened: SqliteLedger): Promise<SqliteLedger> {
  try {
    await checkFormat(opened.ledger);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

function inUse(folder: string): Error {
  const advice = 'End that one, or choose another folder with --state';
  return new Error(`State folder ${folder} is in use by another zone53${describeHolder(folder)}. ${advice}`);
}

/** Empty if the holder is unknown: the file is written after locking, and a killed process leaves it. */
function describeHolder(folder: string): string {
  const holder = readHolder(folder);
  if (holder === null) return '';
  const { pid, host } = holder;
  return host === hostname() ? `, process ${pid}` : `, process ${pid} on ${host}`;
}

/** Who has the folder open; null if it is unknown, or has ended on this host. */
function readHolder(
  folder: string,
): { readonly pid: number; readonly host: unknown; readonly route53Url: string | null } | null {
  try {
    const { pid, host, route53Url } = JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8')) as Record<
      string,
      unknown
    >;
    if (typeof pid !== 'number' || (host === hostname() && !isAlive(pid))) return null;
    return { pid, host, route53Url: typeof route53Url === 'string' && host === hostname() ? route53Url : null };
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
