// Classifies errors of SQLite for users of the ledger, with what is wrong with the file and what to do.
//
//   SQLite              kind      after a write
//   BUSY                in use    nothing was written
//   NOTADB, CORRUPT     damaged   nothing was written, or unknown
//   FULL                refused   nothing was written: the transaction was undone
//   READONLY, CANTOPEN  refused   nothing was written
//   any other           unknown   a failed fsync may have reached the disk
//
// Source: https://www.sqlite.org/rescode.html. Last verified 2026-11-22 (SQLite 3.53.4).

/** The lowest octet of a result code; the others say where it happened. */
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const TOOBIG = 18;
const NOTADB = 26;
const IOERR_LOCK = 3850;

export type SqliteFailure = {
  /** `refused`: nothing was written. `unknown`: the write may have happened. */
  readonly kind: 'in use' | 'damaged' | 'refused' | 'unknown';
  readonly message: string;
};

export function isSqliteError(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ERR_SQLITE_ERROR';
}

/** Classifies a thrown value. */
export function sqliteFailure(error: unknown): SqliteFailure {
  const { errcode, code, message } = error as {
    readonly errcode?: number;
    readonly code?: string;
    readonly message?: string;
  };
  if (code === 'ERR_INVALID_STATE') return { kind: 'refused', message: 'the ledger is closed' };
  if (errcode === undefined) return { kind: 'unknown', message: message ?? String(error) };
  if (errcode === IOERR_LOCK || errcode === PROTOCOL) return { kind: 'refused', message: NO_LOCKS };
  const known = KNOWN[errcode & 0xff];
  return known ?? { kind: 'unknown', message: `${message} (SQLite error ${errcode})` };
}

export const READ_ONLY = 'it is read-only. zone53 must be able to write to the file and its folder';

const NO_LOCKS =
  'its file system has no file locks, so two zone53 could write at once. Use a folder on another file system';

const DAMAGED: SqliteFailure = {
  kind: 'damaged',
  message:
    'the file is damaged. Restore a copy of the folder that was made while no zone53 was running, or start again in ' +
    'another folder. What this one knew of Route 53 is then unknown: record sets that exist count as foreign',
};

const KNOWN: Readonly<Record<number, SqliteFailure>> = {
  [BUSY]: { kind: 'in use', message: 'it is in use by another zone53' },
  [READONLY]: { kind: 'refused', message: READ_ONLY },
  [IOERR]: { kind: 'unknown', message: 'the disk reports an error. Look into the log of the operating system' },
  [CORRUPT]: DAMAGED,
  [NOTADB]: DAMAGED,
  [FULL]: { kind: 'refused', message: 'the disk is full. Make room and try again; what was written before is safe' },
  [CANTOPEN]: { kind: 'refused', message: 'it cannot be opened. zone53 must be able to read and write its folder' },
  [TOOBIG]: { kind: 'refused', message: 'the item is too large' },
};
