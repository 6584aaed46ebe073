// Cases of the SQLite ledger that the contract (test/contract/ledger) does not have: what is on disk when a process is
// killed, and errors of files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { allItems } from '../../ledger/pages.ts';
import { loadSqlite } from './load-sqlite.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { sqliteLedger } from './sqlite-ledger.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder, 'ledger.sqlite');
});

const KILLS = 12;

/** Runs a writer with three lanes until it is killed. Returns the sort keys whose writes it acknowledged. */
async function killedWriter(round: number, afterMs: number): Promise<string[]> {
  const module = JSON.stringify(new URL('./sqlite-ledger.ts', import.meta.url).href);
  const script = `const { sqliteLedger } = await import(${module});
    const { ledger } = sqliteLedger(${JSON.stringify(file)});
    const { writeSync } = await import('node:fs');
    writeSync(1, 'ready\\n');
    const lane = async (lane) => {
      for (let n = 0; ; n += 1) {
        const sort = '${round}-' + lane + '-' + n;
        const revision = await ledger.put({ partition: 'p', sort }, { sort, text: 'x'.repeat(n % 3_000) }, null);
        if (n % 5 === 4) await ledger.put({ partition: 'p', sort }, { sort, again: true }, revision);
        if (n % 7 === 6) await ledger.remove({ partition: 'p', sort }, revision);
        writeSync(1, sort + '\\n');
      }
    };
    await Promise.all([0, 1, 2].map(lane));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await once(reader, 'line');
  const ended = once(child, 'close');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await ended;
  return lines.slice(1);
}

/** The body of an acknowledged write. Every seventh item was removed, unless it had been written a second time. */
function expectedBody(sort: string): object | null {
  const n = Number(sort.split('-')[2]);
  if (n % 5 === 4) return { sort, again: true };
  return n % 7 === 6 ? null : { sort, text: 'x'.repeat(n % 3_000) };
}

describe('sqliteLedger()', () => {
  it(`keeps every acknowledged write of a process that is killed, ${KILLS} times`, { timeout: 60_000 }, async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      acknowledged.push(...(await killedWriter(round, Math.random() * 150)));
      const { ledger, close } = sqliteLedger(file);
      const bodies = new Map((await allItems(ledger, 'p')).map(({ sort, body }) => [sort, body]));
      for (const sort of acknowledged) expect([sort, bodies.get(sort) ?? null]).toEqual([sort, expectedBody(sort)]);
      // In each lane, the one write that had begun may have been done as well.
      expect(bodies.size).toBeLessThanOrEqual(acknowledged.length + 3 * (round + 1));
      close();
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS);
  });

  it('affects no other write of the same moment when one fails or is refused', async () => {
    const { ledger, close } = sqliteLedger(file);
    const results = await Promise.allSettled([
      ledger.put({ partition: 'p', sort: 'a' }, { n: 1 }, null),
      ledger.put({ partition: 'p', sort: 'a' }, { n: 2 }, null),
      ledger.put({ partition: 'p', sort: 'b' }, undefined as never, null),
      ledger.remove({ partition: 'p', sort: 'absent' }, 'r'),
      ledger.put({ partition: 'p', sort: 'c' }, { n: 3 }, null),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
      expect.any(String),
      null,
      'failed',
      false,
      expect.any(String),
    ]);
    expect((await ledger.query('p')).items.map(({ sort, body }) => [sort, body.n])).toEqual([
      ['a', 1],
      ['c', 3],
    ]);
    close();
  });

  it('lets timers run while it gets requests without a pause', async () => {
    const { ledger, close } = sqliteLedger(file);
    let ran = false;
    setTimeout(() => {
      ran = true;
    }, 1);
    const until = performance.now() + 10_000;
    while (!ran && performance.now() < until) await ledger.get({ partition: 'p', sort: 's' });
    expect(ran).toBe(true);
    close();
  });

  it('finishes the requests from before close(), and refuses later ones', async () => {
    const { ledger, close } = sqliteLedger(file);
    const key = { partition: 'p', sort: 's' };
    const written = ledger.put(key, { n: 1 }, null);
    close();
    expect(await written).toEqual(expect.any(String));
    await expect(ledger.get(key)).rejects.toThrow(/^Cannot read "p" \/ "s" of ledger .*: the ledger is closed$/);
    await expect(ledger.put(key, {}, null)).rejects.toThrow(/^Cannot write .*: the ledger is closed$/);
    const again = sqliteLedger(file);
    expect((await again.ledger.get(key))?.body).toEqual({ n: 1 });
    again.close();
  });

  it('ends a page without a limit at a megabyte', async () => {
    const { ledger, close } = sqliteLedger(file);
    const text = 'x'.repeat(300_000);
    for (const sort of ['a', 'b', 'c', 'd', 'e']) await ledger.put({ partition: 'p', sort }, { text }, null);
    const page = await ledger.query('p');
    expect(page.items.map(({ sort }) => sort)).toEqual(['a', 'b', 'c', 'd']);
    expect(page.next).toBe('d');
    expect((await ledger.query('p', { limit: 5 })).items).toHaveLength(5);
    close();
  });
});

describe('sqliteFailure()', () => {
  it('takes a full disk for a refusal: nothing was written, and earlier items are still there', () => {
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(file);
    database.exec('PRAGMA max_page_count = 4; CREATE TABLE item (body TEXT); INSERT INTO item VALUES (1)');
    const insert = () => database.prepare('INSERT INTO item VALUES (?)').run('x'.repeat(100_000));
    expect(failureOf(insert)).toMatchObject({ kind: 'refused', message: expect.stringContaining('the disk is full') });
    expect(database.prepare('SELECT count(*) AS n FROM item').get()).toMatchObject({ n: 1 });
    database.close();
  });

  it.each([
    [3850, 'refused', /no file locks/],
    [15, 'refused', /no file locks/],
    [778, 'unknown', /the disk reports an error/],
    [1, 'unknown', /^what SQLite says \(SQLite error 1\)$/],
  ])('error %i is %s', (errcode, kind, expected) => {
    const error = Object.assign(new Error('what SQLite says'), { code: 'ERR_SQLITE_ERROR', errcode });
    expect(sqliteFailure(error)).toMatchObject({ kind, message: expect.stringMatching(expected) });
  });
});

function failureOf(act: () => unknown): object {
  try {
    act();
  } catch (error) {
    return sqliteFailure(error);
  }
  return expect.fail('it did not fail');
}
