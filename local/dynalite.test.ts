import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTable } from '../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../lib/adapters/ledger/dynamodb-ledger.ts';
import { startDynalite } from './dynalite.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zone53-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const KEY = { partition: 'p', sort: 's' };

/** A process of its own that holds the folder until it is killed. */
function spawnStarter(path: string): ChildProcessByStdio<null, Readable, null> {
  const script = `const { startDynalite } = await import(${JSON.stringify(new URL('./dynalite.ts', import.meta.url).href)});
    const said = await startDynalite({ path: ${JSON.stringify(path)} }).then(() => 'ready', (error) => error.message);
    process.stdout.write(said);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function holder(path: string): Promise<ChildProcess> {
  const child = spawnStarter(path);
  await once(child.stdout, 'data');
  return child;
}

describe('startDynalite()', () => {
  it('keeps its items in the folder from run to run', async () => {
    const path = join(folder, 'deep', 'ledger');
    const first = await startDynalite({ path });
    await createTable(first.client, 'zone53');
    await dynamodbLedger(first.documentClient, 'zone53').put(KEY, { n: 1 }, null);
    await first.close();
    const second = await startDynalite({ path });
    await createTable(second.client, 'zone53');
    expect((await dynamodbLedger(second.documentClient, 'zone53').get(KEY))?.body).toEqual({ n: 1 });
    await second.close();
  });

  it('says so when another process has the folder, and takes it over when that one was killed', async () => {
    const child = await holder(folder);
    await expect(startDynalite({ path: folder })).rejects.toThrow(`state folder ${folder} is in use by another zone53`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const taken = await startDynalite({ path: folder });
    await taken.close();
  });

  it('says so to all but one where several come in one instant', async () => {
    const all = Array.from({ length: 6 }, () => spawnStarter(folder));
    const said = await Promise.all(all.map((child) => once(child.stdout, 'data').then(([text]) => String(text))));
    for (const child of all) child.kill('SIGKILL');
    expect(said.filter((text) => text === 'ready').length).toBeLessThanOrEqual(1);
    for (const text of said) expect(['ready', `state folder ${folder} is in use by another zone53`]).toContain(text);
  });

  it('says so when the same process has the folder', async () => {
    const first = await startDynalite({ path: folder });
    await expect(startDynalite({ path: folder })).rejects.toThrow('is in use by another zone53');
    await first.close();
  });

  it('says so when the folder is a file', async () => {
    const path = join(folder, 'file');
    await writeFile(path, '');
    await expect(startDynalite({ path })).rejects.toThrow(`state folder ${path} cannot be used: `);
  });

  it('survives a request that breaks off', async () => {
    const dynalite = await startDynalite();
    const socket = connect(Number(new URL(dynalite.endpoint).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await createTable(dynalite.client, 'zone53');
    await dynalite.close();
  });
});
