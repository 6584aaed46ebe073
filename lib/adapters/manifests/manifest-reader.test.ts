import { chmod, mkdir, rename, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { KINDS } from '../../sources/source.ts';
import { type ManifestReaderOptions, manifestReader } from './manifest-reader.ts';

const record = (name: string, rdata = '192.0.2.1') =>
  `apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name} }\nspec: { rdata: ${rdata} }\n`;

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
async function put(name: string, text: string | Buffer): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const readManifests = async (options: ManifestReaderOptions) => (await manifestReader(options).read()).listing;
const at = (name: string) => path.join(folder, name);
const read = (...names: string[]) =>
  readManifests({ kinds: KINDS, paths: names.length === 0 ? [folder] : names.map(at) });
const namesOf = async (...names: string[]) => (await read(...names)).objects.map(({ ref }) => ref.name);

test('manifestReader() reads a folder with all folders below it, in byte order of path', async () => {
  for (const name of ['b.yaml', 'a/x.yml', 'a-b/x.json', 'Z.YAML', 'é.yaml', '.hidden/h.yaml', 'a/notes.txt']) {
    await put(name, record(Buffer.from(name).toString('hex')));
  }
  const found = (await namesOf()).map((hex) => Buffer.from(hex, 'hex').toString());
  expect(found).toEqual(['.hidden/h.yaml', 'Z.YAML', 'a-b/x.json', 'a/x.yml', 'b.yaml', 'é.yaml']);
});

test('manifestReader() gives an order that follows the paths as given, then the path, then the place in the file', async () => {
  await put('z.yaml', record('z1') + Array.from({ length: 11 }, (_, n) => `---\n${record(`z${n + 2}`)}`).join(''));
  await put('a.yaml', record('a'));
  await put('a.yaml.yaml', record('aa'));
  const { objects } = await read('z.yaml', '.');
  expect(objects.map(({ ref }) => ref.name)).toEqual([...Array.from({ length: 12 }, (_, n) => `z${n + 1}`), 'a', 'aa']);
  const orders = objects.map(({ order }) => order);
  expect(orders.toSorted()).toEqual(orders);
  expect(orders.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))).toEqual(orders);
});

test('manifestReader() reads a file that two paths reach once, for the first', async () => {
  await put('a/one.yaml', record('one'));
  await symlink(at('a'), at('b'));
  await symlink(at('a/one.yaml'), at('c.yaml'));
  const listing = await read('a/one.yaml', '.', 'a', 'c.yaml');
  expect(listing.problems).toEqual([]);
  expect(listing.objects).toHaveLength(1);
});

test('manifestReader() reads a given file whatever its name is, and reads standard input once', async () => {
  const file = await put('zones.txt', record('a'));
  const listing = await readManifests({
    kinds: KINDS,
    paths: [file, '-', '-'],
    standardInput: async () => Buffer.from(record('b')),
  });
  expect(listing.objects.map(({ ref, origin }) => [ref.name, origin])).toEqual([
    ['a', { file, line: 1 }],
    ['b', { file: '-', line: 1 }],
  ]);
});

test.each(['', ' \n'])(
  'manifestReader() takes standard input %j for unreadable, not for a list without objects',
  async (text) => {
    const listing = await readManifests({ kinds: KINDS, paths: ['-'], standardInput: async () => Buffer.from(text) });
    expect(listing.problems).toEqual([
      { file: '-', line: 0, message: expect.stringMatching(/^Standard input is empty/) },
    ]);
    expect([...listing.unreadable]).toEqual(['-']);
    const none = { kinds: KINDS, paths: ['-'], standardInput: async () => Buffer.from('kind: List') };
    expect((await readManifests(none)).problems).toEqual([]);
  },
);

test('manifestReader() passes over the state folder .zone53', async () => {
  await put('.zone53/local/route53.json', '{}');
  await put('one.yaml', record('one'));
  const { objects, remarks } = await read();
  expect([objects.length, remarks]).toEqual([1, []]);
});

test('manifestReader() survives rings of links, and passes over the lock of an editor', async () => {
  await put('a/one.yaml', record('one'));
  await symlink(folder, at('a/up'));
  await symlink('ring.yaml', at('ring.yaml'));
  await symlink('nobody@nowhere:1', at('.#one.yaml'));
  const listing = await read();
  expect(listing.objects).toHaveLength(1);
  expect(listing.problems).toEqual([
    { file: at('ring.yaml'), line: 0, message: `Cannot read "${at('ring.yaml')}": its links lead round in a ring` },
  ]);
});

test('manifestReader() reports the second object of a name as an error at its place, and names the first', async () => {
  const a = await put('a.yaml', `# first\n${record('www', '192.0.2.1')}`);
  const b = await put('b.yaml', `${record('x')}---\n${record('www', '192.0.2.2')}`);
  const listing = await read();
  expect(listing.objects.map(({ ref, spec }) => [ref.name, spec])).toEqual([
    ['www', { rdata: '192.0.2.1' }],
    ['x', { rdata: '192.0.2.1' }],
  ]);
  expect(listing.problems).toEqual([
    { file: b, line: 6, message: `Record default/www is ignored: already declared at ${a}:2` },
  ]);
  expect([...listing.unreadable]).toEqual([b]);
});

test('manifestReader() reports that a given path does not exist, and reads the others', async () => {
  await put('a.yaml', record('a'));
  const listing = await read('nowhere', 'a.yaml');
  expect(listing.objects).toHaveLength(1);
  expect(listing.problems).toEqual([
    { file: at('nowhere'), line: 0, message: `Cannot read "${at('nowhere')}": there is no such file or folder` },
  ]);
  expect([...listing.unreadable]).toEqual([at('nowhere')]);
});

test.skipIf(process.getuid?.() === 0)(
  'manifestReader() names a folder and a file that it may not read (skipped as root)',
  async () => {
    await put('a.yaml', record('a'));
    const file = await put('b.yaml', record('b'));
    await put('c/c.yaml', record('c'));
    await chmod(file, 0o000);
    await chmod(at('c'), 0o000);
    const listing = await read();
    await chmod(at('c'), 0o700);
    expect(listing.objects).toHaveLength(1);
    expect(listing.problems.map(({ message }) => message)).toEqual([
      `Cannot read folder "${at('c')}": permission denied`,
      `Cannot read "${file}": permission denied`,
    ]);
  },
);

const OTHER = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\n';
const remarksOf = async (...names: string[]) =>
  ((await read(...names)).remarks ?? []).map(
    ({ level, file, line, message }) => `${level} ${file}:${line}: ${message}`,
  );

test('manifestReader() warns of an object that is probably misspelt, at its line, and treats the file as incomplete', async () => {
  const file = await put('a.yaml', `${record('a')}---\n${record('b').replace('Record', 'Recrod')}`);
  const listing = await read();
  expect(listing.objects).toHaveLength(1);
  expect(listing.problems).toEqual([]);
  expect(await remarksOf()).toEqual([
    `warning ${file}:6: kind "Recrod" of apiVersion "kubi.zone/v1alpha1" is not read: did you mean "kind: Record"?`,
  ]);
  expect([...listing.unreadable]).toEqual([file]);
});

test('manifestReader() warns of a misspelt item of a List', async () => {
  const items = record('b').replace('kubi.zone', 'kubizone').split('\n').slice(0, 3).join('\n  ');
  const file = await put('a.yaml', `apiVersion: v1\nkind: List\nitems:\n- ${items}\n`);
  expect(await remarksOf()).toEqual([
    `warning ${file}:4: kind "Record" of apiVersion "kubizone/v1alpha1" is not read: did you mean "apiVersion: kubi.zone/v1alpha1"?`,
  ]);
});

test('manifestReader() notes files without an object of ours, except those with kinds of other tools', async () => {
  await put('a.yaml', record('a'));
  const empty = await put('empty.yaml', '# nothing\n');
  const values = await put('values.yaml', 'replicas: 3\n');
  await put('deployment.yaml', OTHER);
  await put('kustomization.yaml', 'resources: [a.yaml]\n');
  await put('zone53.yaml', 'clusterId: a\n');
  expect(await remarksOf()).toEqual([
    `note ${empty}:1: no Zone or Record of kubi.zone/v1alpha1 in it`,
    `note ${values}:1: no Zone or Record of kubi.zone/v1alpha1 in it`,
  ]);
  expect((await read()).unreadable.size).toBe(0);
});

test('manifestReader() warns once of each given path that has nothing of ours', async () => {
  await mkdir(at('none'));
  await put('others/deployment.yaml', OTHER);
  await put('others/values.yaml', 'a: 1\n');
  await put('list.json', '{"apiVersion":"v1","kind":"List","items":[]}');
  await put('ours/a.yaml', record('a'));
  expect(await remarksOf('none', 'others', 'list.json', 'ours', 'ours/a.yaml')).toEqual([
    `warning ${at('none')}:0: folder "${at('none')}" has no .yaml, .yml or .json file`,
    `warning ${at('others')}:0: folder "${at('others')}" has no Zone or Record of kubi.zone/v1alpha1 in any of its 2 files`,
    `warning ${at('list.json')}:1: no Zone or Record of kubi.zone/v1alpha1 in it`,
  ]);
});

test('manifestReader() does not call a path empty that cannot be read, or whose files have errors', async () => {
  await put('bad/a.yaml', 'a: [');
  expect(await remarksOf('nowhere', 'bad')).toEqual([]);
});

test('manifestReader() reads files over 2 MiB', async () => {
  const long = 'x'.repeat(2 * 1024 * 1024 + 1);
  await put('long.yaml', `# ${long}\n${record('a', long)}`);
  await put(
    'many.yaml',
    Array.from({ length: 3000 }, (_, n) => `# ${'y'.repeat(700)}\n---\n${record(`r${n}`)}`).join(''),
  );
  const listing = await read();
  expect(listing.problems).toEqual([]);
  expect(listing.objects).toHaveLength(3001);
});

test('manifestReader() reports that a file is too large, and does not run out of memory', async () => {
  const file = await put('a.yaml', '');
  await truncate(file, 300 * 1024 * 1024);
  expect((await read()).problems).toEqual([
    { file, line: 0, message: `Cannot read "${file}": it has 300 MiB, 256 MiB are the most; split it` },
  ]);
});

test('manifestReader() reports an error for a file that vanishes while it is read, and never takes it for empty', async () => {
  const vanishing = await put('a.yaml', record('a'));
  await put('b.yaml', record('b'));
  for (let round = 0; round < 40; round += 1) {
    await writeFile(vanishing, record('a'));
    const [listing] = await Promise.all([read(), unlink(vanishing)]);
    expect(listing.objects.some(({ ref }) => ref.name === 'b')).toBe(true);
    const seen = listing.objects.some(({ ref }) => ref.name === 'a');
    const told = listing.problems.some(({ file }) => file === vanishing) && listing.unreadable.has(vanishing);
    // There is a third case: the file was removed before the folder was listed. Then its objects are just absent.
    if (listing.problems.length > 0) expect([seen, told]).toEqual([false, true]);
  }
});

test('manifestReader() keeps the version of an object until its content changes', async () => {
  const file = await put('a.yaml', `${record('a')}---\n${record('b')}`);
  const reader = manifestReader({ kinds: KINDS, paths: [folder] });
  const versions = async () => (await reader.read()).listing.objects.map(({ version }) => version);
  const first = await versions();
  expect(await versions()).toEqual(first);
  await writeFile(file, `# comment\n${record('a')}---\n${record('b', '192.0.2.9')}`);
  const second = await versions();
  expect(second[0]).toBe(first[0]);
  expect(BigInt(second[1] ?? 0)).toBeGreaterThan(BigInt(first[1] ?? 0));
  await unlink(file);
  await reader.read();
  await writeFile(file, record('a'));
  expect(BigInt((await versions())[0] ?? 0)).toBeGreaterThan(BigInt(second[1] ?? 0));
});

test('manifestReader() reuses an object in all listings while its file does not change', async () => {
  await put('a.yaml', `${record('a')}---\n${record('b')}`);
  const reader = manifestReader({ kinds: KINDS, paths: [folder] });
  const objects = async () => (await reader.read()).listing.objects;
  // A file that was written a moment ago is read a second time.
  await vi.waitFor(async () => {
    const first = await objects();
    const second = await objects();
    expect(second.map((object, index) => object === first[index])).toEqual([true, true]);
  });
});

test('manifestReader() sees an edit of the same length within the same tick of the clock', async () => {
  const file = await put('a.yaml', record('a', '1'));
  const reader = manifestReader({ kinds: KINDS, paths: [folder] });
  for (let n = 0; n < 30; n += 1) {
    await writeFile(file, record('a', String(n % 10)));
    const reading = await reader.read();
    expect(reading.listing.objects[0]?.spec).toEqual({ rdata: n % 10 });
  }
});

test('manifestReader() with goneMs accepts that a file is moved away or empty only after that time', async () => {
  const file = await put('a.yaml', record('a'));
  const reader = manifestReader({ kinds: KINDS, paths: [folder], goneMs: 200 });
  const names = async () => (await reader.read()).listing.objects.map(({ ref }) => ref.name);
  expect(await names()).toEqual(['a']);
  await rename(file, `${file}~`);
  const between = await reader.read();
  expect(between.listing.objects).toHaveLength(1);
  expect(between.hasLingering).toBe(true);
  await writeFile(file, '');
  expect(await names()).toEqual(['a']);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(await names()).toEqual([]);
});

test('manifestReader() with goneMs takes a file for gone, not for unreadable, that vanishes after it was found', async () => {
  const names = Array.from({ length: 70 }, (_, n) => `r${n + 10}`);
  for (const name of names) await put(`${name}.yaml`, record(name));
  // Standard input is read after all files are found, and before the last of them are opened.
  const standardInput = () => unlink(at('r79.yaml')).then(() => Buffer.from('kind: List'));
  const { listing } = await manifestReader({ kinds: KINDS, paths: ['-', folder], goneMs: 200, standardInput }).read();
  expect([listing.objects.length, listing.problems]).toEqual([69, []]);
});
