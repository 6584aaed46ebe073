// Opens and locks the file of the SQLite ledger, and prepares its one table. The version of the table is in
// `user_version`; a file of a newer version is refused.
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite } from './load-sqlite.ts';
import { isSqliteError, READ_ONLY, sqliteFailure } from './sqlite-failure.ts';

/** Raised with every change of the table, with a step in `prepareFile()` for files of the version before. */
const VERSION = 1;
/** The application id that marks the file as ours, also for the command `file`: "zn53". */
const APPLICATION_ID = 0x7a6e3533;

/** Another process, or this one, has the file open. */
export class LedgerInUseError extends Error {
  constructor(file: string, cause: unknown) {
    super(`Cannot open ledger ${file}: it is in use by another zone53`, { cause });
    this.name = 'LedgerInUseError';
  }
}

/** Opens or creates the file, for this process alone. Throws LedgerInUseError, or an Error with the reason. */
export function openLedgerFile(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  checkWritable(file);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file);
    // Must come before the first read: then the lock is kept, and SQLite needs no shared memory.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    prepareFile(database, file);
    return database;
  } catch (cause) {
    database?.close();
    if (!isSqliteError(cause)) throw cause;
    const { kind, message } = sqliteFailure(cause);
    if (kind === 'in use') throw new LedgerInUseError(file, cause);
    throw new Error(`Cannot open ledger ${file}: ${message}`, { cause });
  }
}

/** Checked before SQLite does: for a read-only file, SQLite only says that it cannot be locked. */
function checkWritable(file: string): void {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw new Error(`Cannot open ledger ${file}: ${READ_ONLY}`, { cause });
  }
}

function prepareFile(database: DatabaseSync, file: string): void {
  const version = numberOf(database, 'PRAGMA user_version');
  const isEmpty = version === 0 && numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isEmpty && numberOf(database, 'PRAGMA application_id') !== APPLICATION_ID) {
    throw new Error(
      `Cannot open ledger ${file}: zone53 did not write this SQLite file. Choose another folder with --state`,
    );
  }
  if (version > VERSION) {
    throw new Error(
      `Cannot open ledger ${file}: a newer zone53 wrote it (version ${version}; this one knows ${VERSION}). Use that zone53`,
    );
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  if (isEmpty) {
    database.exec(`
      BEGIN EXCLUSIVE;
      CREATE TABLE item (
        partition TEXT NOT NULL,
        sort TEXT NOT NULL,
        revision TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (partition, sort)
      ) STRICT, WITHOUT ROWID;
      PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${VERSION};
      COMMIT`);
  }
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}
