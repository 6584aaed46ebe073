import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { loadSqlite } from './load-sqlite.ts';
import { copyStateFolder, hasLedger, openStateFolder } from './state-folder.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const KEY = { partition: 'p', sort: 's' };
const FILE = 'ledger.sqlite';
const IN_USE = 'is in use by another zone53';

/** A process of its own that opens the folder, prints `ready` or the error, and holds the folder until it is killed. */
function spawnOpener(path: string, uid?: number): ChildProcessByStdio<null, Readable, null> {
  const module = JSON.stringify(new URL('./state-folder.ts', import.meta.url).href);
  const script = `const { openStateFolder } = await import(${module});
    ${uid === undefined ? '' : `process.setuid(${uid});`}
    process.stdout.write(await openStateFolder(${JSON.stringify(path)}).then(() => 'ready', (error) => error.message));
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function said(child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  return String((await once(child.stdout, 'data'))[0]);
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function messageOf(path: string): Promise<string> {
  return openStateFolder(path).then(
    () => expect.fail('it was opened'),
    (error: Error) => error.message,
  );
}

describe('copyStateFolder()', () => {
  it('reads a folder that another process has open, with its latest writes, and says where it serves Route 53', async () => {
    const state = JSON.stringify(new URL('./state-folder.ts', import.meta.url).href);
    const script = `const { openStateFolder } = await import(${state});
      const { ledger, noteRoute53 } = await openStateFolder(${JSON.stringify(folder)});
      noteRoute53('http://127.0.0.1:9');
      const next = (n, revision) => ledger.put({ partition: 'p', sort: 's' }, { n }, revision);
      let revision = await next(0, null);
      process.stdout.write('ready');
      for (let n = 1; ; n += 1) revision = await next(n, revision);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await said(child)).toBe('ready');
    let last = -1;
    for (let copies = 0; copies < 20; copies += 1) {
      const copy = await copyStateFolder(folder);
      const n = Number((await copy.ledger.get(KEY))?.body.n);
      expect(n).toBeGreaterThanOrEqual(last);
      last = n;
      expect(copy.route53Url).toBe('http://127.0.0.1:9');
      await copy.close();
    }
    expect(last).toBeGreaterThan(0);
    expect(await messageOf(folder)).toContain(IN_USE);
    await kill(child);
    const copy = await copyStateFolder(folder);
    expect(copy.route53Url).toBeNull();
    await copy.close();
    const { ledger, close } = await openStateFolder(folder);
    expect((await ledger.get(KEY))?.body.n).toBeGreaterThanOrEqual(last);
    await close();
  });

  it('writes nothing into the folder, and names it in its errors', async () => {
    const { ledger, close } = await openStateFolder(folder);
    const revision = await ledger.put(KEY, { n: 1 }, null);
    await close();
    const copy = await copyStateFolder(folder);
    await copy.ledger.put(KEY, { n: 2 }, revision);
    await copy.close();
    expect(readdirSync(folder)).toEqual([FILE]);
    const again = await openStateFolder(folder);
    expect((await again.ledger.get(KEY))?.body).toEqual({ n: 1 });
    await again.close();
    writeFileSync(join(folder, FILE), 'not a database, and long enough to be read as one'.repeat(10));
    await expect(copyStateFolder(folder)).rejects.toThrow(join(folder, FILE));
  });
});

describe('openStateFolder()', () => {
  it('keeps its items in the folder from run to run, and leaves one file when it is closed', async () => {
    const path = join(folder, 'deep', 'state');
    const first = await openStateFolder(path);
    await first.ledger.put(KEY, { n: 1 }, null);
    await first.close();
    expect(readdirSync(path)).toEqual([FILE]);
    const second = await openStateFolder(path);
    expect((await second.ledger.get(KEY))?.body).toEqual({ n: 1 });
    await second.close();
  });

  it('names the process that has the folder, and takes the folder over when that process was killed', async () => {
    const child = spawnOpener(folder);
    expect(await said(child)).toBe('ready');
    const message = await messageOf(folder);
    expect(message).toBe(
      `State folder ${folder} ${IN_USE}, process ${child.pid}. End that one, or choose another folder with --state`,
    );
    await kill(child);
    const taken = await openStateFolder(folder);
    await taken.close();
  });

  it('admits exactly one of several processes that open the folder at the same moment', async () => {
    const all = Array.from({ length: 6 }, () => spawnOpener(folder));
    const answers = await Promise.all(all.map(said));
    expect(answers.filter((answer) => answer === 'ready')).toHaveLength(1);
    for (const answer of answers) if (answer !== 'ready') expect(answer).toContain(`State folder ${folder} ${IN_USE}`);
  });

  it('admits exactly one of several processes also when the ledger exists already', async () => {
    await (await openStateFolder(folder)).close();
    const answers = await Promise.all(Array.from({ length: 6 }, () => said(spawnOpener(folder))));
    expect(answers.filter((answer) => answer === 'ready')).toHaveLength(1);
  });

  it('says that this process already has the folder', async () => {
    const first = await openStateFolder(folder);
    expect(await messageOf(folder)).toContain(`${IN_USE}, process ${process.pid}`);
    await first.close();
  });

  it('waits for a process that is about to end', async () => {
    const first = await openStateFolder(folder);
    setTimeout(() => void first.close(), 200);
    await (await openStateFolder(folder)).close();
  });

  it.each([
    ['of a process that is gone', '{"pid":4194304,"host":"HOST"}', `${IN_USE}. End`],
    ['on another machine', '{"pid":7,"host":"other"}', `${IN_USE}, process 7 on other. End`],
    ['that is damaged', '{"pid"', `${IN_USE}. End`],
  ])('says that the folder is in use, also with a note %s', async (_, note, expected) => {
    const { hostname } = await import('node:os');
    const first = await openStateFolder(folder);
    writeFileSync(join(folder, 'ledger.holder'), note.replace('HOST', hostname()));
    expect(await messageOf(folder)).toContain(expected);
    await first.close();
  });

  it('ignores a note that a killed process left', async () => {
    writeFileSync(join(folder, 'ledger.holder'), '{"pid":1,"host":"here"}');
    await (await openStateFolder(folder)).close();
    expect(readdirSync(folder)).toEqual([FILE]);
  });

  it('says that the folder is a file, or lies below one', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    expect(await messageOf(path)).toBe(
      `State folder ${path} cannot be used: it is a file. Choose a folder with --state`,
    );
    expect(await messageOf(join(path, 'below'))).toContain(
      `State folder ${join(path, 'below')} cannot be used: ENOTDIR`,
    );
    expect(() => hasLedger(join(path, 'below'))).toThrow(/cannot be used: ENOTDIR.*Choose another with --state/);
  });

  it.runIf(existsSync('/proc/self'))(
    'says at once that it cannot make a folder, also where Node tries for ever',
    async () => {
      expect(await messageOf('/proc/zone53/state')).toBe(
        "State folder /proc/zone53/state cannot be used: ENOENT: no such file or directory, mkdir '/proc/zone53'. Choose another with --state",
      );
    },
  );

  it('refuses a folder that cannot be read, which may have a ledger', () => {
    const path = join(folder, 'ring');
    symlinkSync('ring', path);
    expect(() => hasLedger(path)).toThrow(`State folder ${path} cannot be used: ELOOP`);
  });

  it('refuses a file that a newer version wrote, and leaves it', async () => {
    await (await openStateFolder(folder)).close();
    change('PRAGMA user_version = 2');
    expect(await messageOf(folder)).toBe(
      `Cannot open ledger ${join(folder, FILE)}: a newer zone53 wrote it (version 2; this one knows 1). Use that zone53`,
    );
    change('PRAGMA user_version = 1');
    await (await openStateFolder(folder)).close();
  });

  it('refuses an SQLite file of another program, and leaves it', async () => {
    change('CREATE TABLE songs (title TEXT)');
    expect(await messageOf(folder)).toContain(
      'zone53 did not write this SQLite file. Choose another folder with --state',
    );
    change('INSERT INTO songs VALUES (1)');
    expect(readdirSync(folder)).toEqual([FILE]);
  });

  it('says that the file is damaged', async () => {
    writeFileSync(join(folder, FILE), 'x'.repeat(10_000));
    expect(await messageOf(folder)).toMatch(
      /^Cannot open ledger .*ledger\.sqlite: the file is damaged\. Restore a copy/,
    );
  });

  it('says that the file was cut off', async () => {
    const { ledger, close } = await openStateFolder(folder);
    for (let n = 0; n < 100; n += 1)
      await ledger.put({ partition: 'p', sort: `s${n}` }, { n, x: 'x'.repeat(500) }, null);
    await close();
    truncateSync(join(folder, FILE), 8_192);
    const opened = await openStateFolder(folder).catch((error: Error) => error);
    const error = opened instanceof Error ? opened : await opened.ledger.query('p').catch((thrown: Error) => thrown);
    expect(String(error)).toContain('the file is damaged');
    if (!(opened instanceof Error)) await opened.close();
  });

  it('starts with an empty file that a killed first start left', async () => {
    writeFileSync(join(folder, FILE), '');
    await (await openStateFolder(folder)).close();
  });

  it.each([
    ['folder', 0o555, 0o666],
    ['file', 0o777, 0o444],
  ])('says that the %s is read-only', async (_, folderMode, fileMode) => {
    await (await openStateFolder(folder)).close();
    // Root may write everywhere, so as root the test opens the folder in a process of another user.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    chmodSync(join(folder, FILE), fileMode);
    chmodSync(folder, folderMode);
    const expected = `Cannot open ledger ${join(folder, FILE)}: it is read-only. zone53 must be able to write to the file`;
    expect(await said(spawnOpener(folder, uid))).toContain(expected);
    chmodSync(folder, 0o755);
  });

  it('continues when its folder is removed, and ends without an error', async () => {
    const { ledger, close } = await openStateFolder(folder);
    rmSync(folder, { recursive: true });
    expect(await ledger.put(KEY, {}, null)).toEqual(expect.any(String));
    await close();
    expect(existsSync(folder)).toBe(false);
  });
});

/** Changes the file as any other program might. */
function change(sql: string): void {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(join(folder, FILE));
  database.exec(sql);
  database.close();
}
