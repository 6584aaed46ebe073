// The ledger in one SQLite file, for `zone53 local` and `--state`. The operating system locks the file while it is
// open: one process at a time, and a process that dies leaves no lock. A write is on disk before it is answered (WAL,
// synchronous=FULL). With the exclusive lock, SQLite needs no shared memory.
//
// node:sqlite is synchronous. That is fine here: a read takes microseconds, the process serves one command, and each
// call waits for a turn of the event loop, so that signals, timers and DNS queries are served in between. Writes of one
// turn share a transaction and its fsync; each has its own result.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ownText } from '../../dns/own-text.ts';
import type { Ledger, LedgerItem, LedgerKey, LedgerPage, LedgerQuery, LedgerWrite } from '../../ports/ledger.ts';
import { OutcomeUnknownError } from '../../ports/outcome-unknown-error.ts';
import { parseBody } from './parse-body.ts';
import { compareSortKeys } from './sort-key-order.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { openLedgerFile } from './sqlite-ledger-file.ts';

/** The size of a page if the caller gives no limit; DynamoDB ends one after 1 MB. */
const PAGE_ITEMS_MAX = 1_000;
const PAGE_CHARACTERS_MAX = 1_000_000;
/** The most writes of a transaction, which take some milliseconds. */
const WRITES_MAX = 1_000;

export type SqliteLedger = {
  readonly ledger: Ledger;
  /** Finishes all requested writes, and releases the file. */
  close(): void;
};

/** One compare-and-swap. `body`: null removes the item. `beside`: written with it, whatever is there. */
type Write = {
  readonly key: LedgerKey;
  readonly body: string | null;
  readonly expected: string | null;
  readonly beside?: readonly LedgerWrite[];
};
type Asked = Write & {
  /** Called with the new revision of a put or the old one of a removal; null if the item is not at `expected`. */
  readonly resolve: (revision: string | null) => void;
  readonly reject: (error: unknown) => void;
};

/** Opens the file, and creates it if it is missing. Throws an Error that says why it cannot be used. */
export function sqliteLedger(file: string): SqliteLedger {
  const database = openLedgerFile(file);
  const statements = prepare(database);
  let asked: Asked[] = [];
  const flush = () => {
    const now = asked.splice(0, WRITES_MAX);
    if (asked.length > 0) setImmediate(flush);
    writeAll(database, statements, file, now);
  };
  const write = (one: Write) =>
    new Promise<string | null>((resolve, reject) => {
      if (asked.length === 0) setImmediate(flush);
      asked.push({ ...one, resolve, reject });
    });
  return {
    ledger: {
      get: async (key) => {
        checkKey(key);
        await nextTurn();
        return readItem(statements, file, key);
      },
      query: async (partition, options = {}) => {
        await nextTurn();
        return readPage(statements, file, partition, options);
      },
      put: async (key, body, expected, { beside = [] } = {}) => {
        checkKey(key);
        return write({ key, body: JSON.stringify(body), expected, beside });
      },
      remove: async (key, expected) => {
        checkKey(key);
        return (await write({ key, body: null, expected })) !== null;
      },
    },
    close: () => {
      writeAll(database, statements, file, asked);
      asked = [];
      database.close();
    },
  };
}

/** SQLite compares TEXT by its UTF-8 octets, which is DynamoDB's order of sort keys. */
function prepare(database: DatabaseSync) {
  const page = (above: string) => {
    const range = `partition = ? AND sort ${above} ? AND sort < CAST(? AS TEXT)`;
    const statement = database.prepare(`SELECT sort, revision, body FROM item WHERE ${range} ORDER BY sort LIMIT ?`);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    get: database.prepare('SELECT revision, body FROM item WHERE partition = ? AND sort = ?'),
    pageFrom: page('>='),
    pageAfter: page('>'),
    insert: database.prepare(
      'INSERT INTO item (partition, sort, revision, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    update: database.prepare(
      'UPDATE item SET revision = ?, body = ? WHERE partition = ? AND sort = ? AND revision = ?',
    ),
    replace: database.prepare('REPLACE INTO item (partition, sort, revision, body) VALUES (?, ?, ?, ?)'),
    remove: database.prepare('DELETE FROM item WHERE partition = ? AND sort = ? AND revision = ?'),
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
  };
}
type Statements = ReturnType<typeof prepare>;

/** Writes all in one transaction; if that fails, one by one, so that only the faulty write fails. */
function writeAll(database: DatabaseSync, statements: Statements, file: string, all: readonly Asked[]): void {
  const [only] = all;
  if (only === undefined) return;
  const alone = all.length === 1;
  const isPlain = alone && (only.beside ?? []).length === 0;
  const revisions: (string | null)[] = [];
  try {
    if (!isPlain) statements.begin.run();
    for (const one of all) revisions.push(writeOne(statements, one));
    if (!isPlain) statements.commit.run();
  } catch (cause) {
    // After some errors SQLite has undone the transaction itself.
    if (database.isOpen && database.isTransaction) statements.rollback.run();
    if (alone) only.reject(writeError(file, only, cause));
    else for (const one of all) writeAll(database, statements, file, [one]);
    return;
  }
  for (const [index, one] of all.entries()) one.resolve(revisions[index] ?? null);
}

function writeOne(
  statements: Statements,
  { key: { partition, sort }, body, expected, beside = [] }: Write,
): string | null {
  if (body === null) return statements.remove.run(partition, sort, expected).changes === 1 ? expected : null;
  const revision = ownText(randomUUID());
  const { changes } =
    expected === null
      ? statements.insert.run(partition, sort, revision, body)
      : statements.update.run(revision, body, partition, sort, expected);
  if (changes !== 1) return null;
  for (const { key, body: text } of beside)
    statements.replace.run(key.partition, key.sort, ownText(randomUUID()), JSON.stringify(text));
  return revision;
}

function writeError(file: string, { key, body }: Write, cause: unknown): Error {
  const { kind, message } = sqliteFailure(cause);
  const action = `Cannot ${body === null ? 'remove' : 'write'} ${quoteKey(key)} of ledger ${file}: ${message}`;
  return kind === 'unknown' ? new OutcomeUnknownError(action, cause) : new Error(action, { cause });
}

function readItem(statements: Statements, file: string, key: LedgerKey): LedgerItem | null {
  try {
    const row = statements.get.get(key.partition, key.sort);
    return row === undefined ? null : itemOf(key.partition, key.sort, row.revision, row.body);
  } catch (cause) {
    throw new Error(`Cannot read ${quoteKey(key)} of ledger ${file}: ${sqliteFailure(cause).message}`, { cause });
  }
}

function readPage(statements: Statements, file: string, partition: string, options: LedgerQuery): LedgerPage {
  const { prefix = '', after = '', limit } = options;
  const isFirst = compareSortKeys(after, prefix) < 0;
  const [statement, from] = isFirst ? [statements.pageFrom, prefix] : [statements.pageAfter, after];
  const itemsMax = limit ?? PAGE_ITEMS_MAX;
  const items: LedgerItem[] = [];
  let characters = 0;
  try {
    for (const row of statement.iterate(partition, from, endOf(prefix), itemsMax)) {
      const [sort, revision, body] = row as unknown as readonly SQLOutputValue[];
      const item = itemOf(partition, String(sort), revision, body);
      items.push(item);
      characters += String(body).length;
      const isFull = items.length === itemsMax || (limit === undefined && characters >= PAGE_CHARACTERS_MAX);
      if (isFull) return { items, next: item.sort };
    }
    return { items, next: null };
  } catch (cause) {
    throw new Error(`Cannot query "${partition}" of ledger ${file}: ${sqliteFailure(cause).message}`, { cause });
  }
}

/** The smallest octets after all that starts with the prefix. No octet of UTF-8 is 255, so one can be added. */
function endOf(prefix: string): Uint8Array {
  const octets = Buffer.from(prefix);
  if (octets.length === 0) return Uint8Array.of(0xff);
  octets[octets.length - 1] = (octets.at(-1) ?? 0) + 1;
  return octets;
}

function itemOf(
  partition: string,
  sort: string,
  revision: SQLOutputValue | undefined,
  body: SQLOutputValue | undefined,
): LedgerItem {
  return { partition, sort, revision: String(revision), body: parseBody(String(body)) };
}

function quoteKey({ partition, sort }: LedgerKey): string {
  return `"${partition}" / "${sort}"`;
}

function checkKey(key: LedgerKey): void {
  if (key.partition === '' || key.sort === '') {
    throw new Error(`Cannot use ledger key ${quoteKey(key)}: a part of it is empty`);
  }
}
