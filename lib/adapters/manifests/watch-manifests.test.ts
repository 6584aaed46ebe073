import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { KINDS } from '../../sources/source.ts';
import { manifestReader } from './manifest-reader.ts';
import { type ManifestChange, type ManifestWatch, type WatchOptions, watchManifests } from './watch-manifests.ts';

const record = (name: string, rdata = '192.0.2.1') =>
  `apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name} }\nspec: { rdata: ${rdata} }\n`;

let folder: string;
let running: ManifestWatch | null = null;
let changes: ManifestChange[] = [];
beforeEach(() => {
  folder = testFolder();
  changes = [];
});
afterEach(async () => {
  await running?.close();
  running = null;
});

const at = (name: string) => path.join(folder, name);
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function start(paths: readonly string[] = [folder], options: WatchOptions = {}): Promise<void> {
  // The re-scan is too late to matter, so the watchers must find every change.
  const slow = { rescanMs: 60_000, ...options };
  running = await watchManifests(
    manifestReader({ kinds: KINDS, paths, goneMs: 150 }),
    (change) => changes.push(change),
    slow,
  );
  await sleep(80);
}

const hinted = () => changes.flatMap(({ hints }) => hints.map(({ name }) => name));

/** Waits until as many names were hinted as expected and compares them. Returns how long that took, in milliseconds. */
async function hints(expected: readonly (string | null)[]): Promise<number> {
  const startedMs = performance.now();
  while (hinted().length < expected.length && performance.now() - startedMs < 5_000) await sleep(2);
  const tookMs = performance.now() - startedMs;
  await sleep(60);
  expect(hinted().toSorted()).toEqual([...expected].toSorted());
  changes = [];
  return tookMs;
}

/** Saves as vim does (the old file is moved away), or as most others do (a new file is renamed over the old one). */
async function saveAtomically(file: string, text: string): Promise<void> {
  await writeFile(`${file}.tmp`, text);
  await rename(`${file}.tmp`, file);
}

async function saveLikeVim(file: string, text: string): Promise<void> {
  await rename(file, `${file}~`);
  await sleep(20);
  await writeFile(file, text);
  await unlink(`${file}~`);
}

test('watchManifests() hints at what changed and nothing else, for each way to save a file', async () => {
  await writeFile(at('a.yaml'), `${record('a')}---\n${record('b')}`);
  await start();
  expect(running?.first.listing.objects).toHaveLength(2);
  for (const [index, save] of [writeFile, saveAtomically, saveLikeVim, saveAtomically, writeFile].entries()) {
    await save(at('a.yaml'), `# ${index}\n${record('a')}---\n${record('b', `192.0.2.${index + 2}`)}`);
    await hints(['b']);
  }
});

test('watchManifests() hints within 150 ms of an edit (median of 15)', async () => {
  await writeFile(at('a.yaml'), record('a'));
  await start();
  const took: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    await saveAtomically(at('a.yaml'), record('a', `192.0.2.${n + 2}`));
    took.push(await hints(['a']));
  }
  expect(took.toSorted((a, b) => a - b)[7]).toBeLessThan(150);
});

test('watchManifests() sees new files, new folders with files in them, and folders moved away and back', async () => {
  await start();
  await writeFile(at('a.yaml'), record('a'));
  await hints(['a']);
  await mkdir(at('deep/deeper'), { recursive: true });
  await writeFile(at('deep/deeper/b.yaml'), record('b'));
  await hints(['b']);
  await writeFile(at('deep/deeper/b.yaml'), record('b', '192.0.2.2'));
  await hints(['b']);
  await rename(at('deep'), `${folder}-away`);
  await hints(['b']);
  await rename(`${folder}-away`, at('deep'));
  await hints(['b']);
  await writeFile(at('deep/deeper/b.yaml'), record('b', '192.0.2.3'));
  await hints(['b']);
  await rm(at('deep'), { recursive: true });
  await mkdir(at('deep'));
  await writeFile(at('deep/c.yaml'), record('c'));
  await hints(['b', 'c']);
});

test('watchManifests() hints at a deletion, and not at a file that was away for only a moment', async () => {
  await writeFile(at('a.yaml'), record('a'));
  await start();
  await saveLikeVim(at('a.yaml'), record('a'));
  await sleep(400);
  expect(hinted()).toEqual([]);
  await unlink(at('a.yaml'));
  expect(await hints(['a'])).toBeLessThan(1_000);
});

test('watchManifests() reports an error when it appears and when it is gone, and hints at what came with it', async () => {
  await writeFile(at('a.yaml'), `${record('a')}---\n${record('b')}`);
  await start();
  await writeFile(at('a.yaml'), `${record('a', '192.0.2.2')}---\na: [`);
  await hints(['a', 'b']);
  await writeFile(at('a.yaml'), `${record('a', '192.0.2.2')}---\na: {`);
  await sleep(200);
  expect(changes.map(({ problemsChanged, problems }) => [problemsChanged, problems.length])).toEqual([[true, 1]]);
  await writeFile(at('a.yaml'), `${record('a', '192.0.2.2')}---\n${record('b')}`);
  await hints(['b']);
});

test('watchManifests() reports no error while a file is moved: its objects are not declared twice', async () => {
  await mkdir(at('deep'));
  await writeFile(at('a.yaml'), record('a'));
  await start();
  await rename(at('a.yaml'), at('deep/b.yaml'));
  await sleep(500);
  await rename(at('deep/b.yaml'), at('c.yaml'));
  await sleep(500);
  expect(changes.flatMap(({ problems }) => problems)).toEqual([]);
  await writeFile(at('d.yaml'), record('a'));
  await sleep(200);
  expect(changes.flatMap(({ problems }) => problems)).toHaveLength(1);
});

test('watchManifests() hints again at what was not there beside an error, once the error is gone', async () => {
  await writeFile(at('a.yaml'), `${record('a')}---\n${record('b')}`);
  await writeFile(at('c.yaml'), record('c'));
  await start();
  await writeFile(at('a.yaml'), `${record('a')}---\na: [`);
  await hints(['b']);
  await writeFile(at('c.yaml'), 'c: [');
  await hints(['c']);
  await writeFile(at('a.yaml'), record('a'));
  await hints(['b']);
  await unlink(at('c.yaml'));
  await hints(['c']);
  await writeFile(at('d.yaml'), 'd: [');
  await sleep(150);
  await unlink(at('d.yaml'));
  await sleep(150);
  expect(hinted()).toEqual([]);
});

test('watchManifests() hints at all kinds once a file that was broken at the start is read or gone', async () => {
  await writeFile(at('a.yaml'), 'a: [');
  await writeFile(at('b.yaml'), 'b: [');
  await start();
  await writeFile(at('a.yaml'), '');
  await sleep(300);
  await writeFile(at('b.yaml'), record('b'));
  await sleep(200);
  const wide = KINDS.map(({ kind }) => ({ kind, namespace: null, name: null, atMs: expect.any(Number) }));
  const b = { kind: 'Record', namespace: 'default', name: 'b', atMs: expect.any(Number) };
  expect(changes.flatMap(({ hints: told }) => told)).toEqual([...wide, b, ...wide]);
});

test('watchManifests() watches a single file through renames, and a path that is created later', async () => {
  await writeFile(at('a.yaml'), record('a'));
  await start([at('a.yaml'), at('later.yaml')]);
  await saveAtomically(at('a.yaml'), record('a', '192.0.2.2'));
  await hints(['a']);
  await writeFile(at('later.yaml'), record('later'));
  // Nobody knew what was in it. So there is a hint for each kind, too.
  await hints(['later', ...KINDS.map(() => null)]);
  await writeFile(at('unrelated.yaml'), record('unrelated'));
  await sleep(150);
  expect(changes).toEqual([]);
});

test('watchManifests() finds by its re-scan what no watcher sees: an edit behind a link', async () => {
  const elsewhere = testFolder();
  await writeFile(path.join(elsewhere, 'a.yaml'), record('a'));
  await symlink(path.join(elsewhere, 'a.yaml'), at('a.yaml'));
  await start([folder], { rescanMs: 200 });
  await writeFile(path.join(elsewhere, 'a.yaml'), record('a', '192.0.2.2'));
  await hints(['a']);
});

test('watchManifests() follows many edits in a short time, and ends with the last', async () => {
  await start();
  for (let n = 0; n < 200; n += 1) {
    await writeFile(at(`${n % 7}.yaml`), record(`r${n % 7}`, `192.0.2.${n}`));
    if (n % 10 === 0) await sleep(7);
  }
  await sleep(500);
  expect(new Set(hinted())).toEqual(new Set(['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6']));
  const told = changes.length;
  await sleep(300);
  expect(changes).toHaveLength(told);
});

test('watchManifests() ends on close()', async () => {
  await start();
  await running?.close();
  await writeFile(at('a.yaml'), record('a'));
  await sleep(150);
  expect(changes).toEqual([]);
});
