import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSnapshot, saveSnapshot } from './snapshot.ts';
import { change, testAccount } from './test-account.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zone53-route53-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('saveSnapshot() and loadSnapshot()', () => {
  it('give back what was saved, in a folder made for it, and leave no other file', async () => {
    const { state, apply } = testAccount();
    apply(change('CREATE', '*.example.com', 'TXT', ['"\\351"']));
    const file = join(folder, 'state', 'route53.json');
    await saveSnapshot(file, state.snapshot());
    apply(change('CREATE', 'www.example.com', 'A', ['192.0.2.1']));
    await Promise.all([saveSnapshot(file, state.snapshot()), saveSnapshot(file, state.snapshot())]);
    expect(await loadSnapshot(file)).toEqual(state.snapshot());
    expect(await readdir(join(folder, 'state'))).toEqual(['route53.json']);
  });

  it('a file that is not there is null', async () => {
    expect(await loadSnapshot(join(folder, 'none.json'))).toBeNull();
  });

  it.each([
    ['half a file', '{"version":1,"hosted', 'it is not JSON'],
    ['another version', '{"version":2}', 'it is not a Route 53 snapshot of version 1'],
    ['null', 'null', 'it is not a Route 53 snapshot of version 1'],
  ])('%s is an error that names the file', async (_, text, reason) => {
    const file = join(folder, 'route53.json');
    await writeFile(file, text);
    await expect(loadSnapshot(file)).rejects.toThrow(`Cannot load "${file}": ${reason}`);
  });

  it('a save that fails keeps the old file', async () => {
    const { state } = testAccount();
    const file = join(folder, 'route53.json');
    await saveSnapshot(file, state.snapshot());
    const broken = { ...state.snapshot(), changes: [{ id: 1n }] } as never;
    await expect(saveSnapshot(file, broken)).rejects.toThrow();
    expect(await loadSnapshot(file)).toEqual(state.snapshot());
    expect(await readdir(folder)).toEqual(['route53.json']);
  });
});
