import { mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { KINDS } from '../../sources/source.ts';
import { manifestCluster } from './manifest-cluster.ts';
import { manifestReader } from './manifest-reader.ts';

const record = (name: string) => `apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name} }\n`;
const ref = (name: string): ObjectRef => ({ kind: 'Record', namespace: 'default', name });

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
const at = (name: string) => path.join(folder, name);
const cluster = (...paths: string[]) =>
  manifestCluster({
    clusterId: 'test',
    reader: manifestReader({ kinds: KINDS, paths: paths.length === 0 ? [folder] : paths }),
  });

test('get() finds an object in whatever file it is now, and says absent when its file is read in full without it', async () => {
  const { get } = cluster();
  await writeFile(at('a.yaml'), record('www'));
  expect(await get(ref('www'), null)).toMatchObject({ kind: 'present', object: { origin: { file: at('a.yaml') } } });
  await rename(at('a.yaml'), at('b.yaml'));
  expect(await get(ref('www'), at('a.yaml'))).toMatchObject({
    kind: 'present',
    object: { origin: { file: at('b.yaml') } },
  });
  await writeFile(at('b.yaml'), record('other'));
  expect(await get(ref('www'), at('b.yaml'))).toEqual({ kind: 'absent' });
  await unlink(at('b.yaml'));
  expect(await get(ref('other'), at('b.yaml'))).toEqual({ kind: 'absent' });
});

test('get() says unknown only while the file that last had the object has an error', async () => {
  const { get } = cluster();
  await writeFile(at('a.yaml'), `${record('www')}---\na: [`);
  await writeFile(at('b.yaml'), record('b'));
  expect(await get(ref('www'), at('a.yaml'))).toMatchObject({ kind: 'present' });
  expect(await get(ref('gone'), at('b.yaml'))).toEqual({ kind: 'absent' });
  expect(await get(ref('gone'), null)).toEqual({ kind: 'absent' });
  const observation = await get(ref('lost'), at('a.yaml'));
  expect(observation.kind).toBe('unknown');
  expect(observation).toMatchObject({
    message: expect.stringContaining(`so this object is kept unchanged: ${at('a.yaml')}:5:5: Cannot parse YAML`),
  });
});

test('get() says unknown when the kind of an object is misspelt, because a typing error is not a deletion', async () => {
  const { get } = cluster();
  await writeFile(at('a.yaml'), record('www').replace('kind: Record', 'kind: Recrod'));
  expect(await get(ref('www'), at('a.yaml'))).toMatchObject({
    kind: 'unknown',
    message: expect.stringContaining(`${at('a.yaml')}:1: kind "Recrod"`),
  });
});

test('get() says unknown for the objects of a given path that does not exist', async () => {
  await mkdir(at('dns'));
  await writeFile(at('dns/a.yaml'), record('www'));
  const { get } = cluster(at('dns'), at('other'));
  expect(await get(ref('www'), at('dns/a.yaml'))).toMatchObject({ kind: 'present' });
  await rename(at('dns'), at('dns-moved'));
  expect(await get(ref('www'), at('dns/a.yaml'))).toMatchObject({ kind: 'unknown' });
  expect(await get(ref('www'), at('dns-moved/a.yaml'))).toEqual({ kind: 'absent' });
});

test('list() lists the objects', async () => {
  await writeFile(at('a.yaml'), record('www'));
  expect((await cluster().list()).objects).toHaveLength(1);
});

test('listPage() gives a kind in order of namespace and name, by octets, and names files that cannot be read in full', async () => {
  const inNamespace = (namespace: string, name: string, kind = 'Record') =>
    `apiVersion: kubi.zone/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ${namespace} }\n`;
  const objects = ['b/x', 'a/y', 'a-b/z', 'a/x-1', 'a/x.1', 'a/x'].map((key) => key.split('/') as [string, string]);
  const documents = [...objects.map((one) => inNamespace(...one)), inNamespace('a', 'zone', 'Zone')];
  await writeFile(at('a.yaml'), documents.join('---\n'));
  await writeFile(at('b.yaml'), 'a: [');
  const { listPage } = cluster();
  const page = await listPage('Record', null, null);
  const keys = page?.objects.map((object) => `${object.ref.namespace}/${object.ref.name}`);
  expect(keys).toEqual(['a-b/z', 'a/x', 'a/x-1', 'a/x.1', 'a/y', 'b/x']);
  expect([page?.next, [...(page?.unreadable ?? [])]]).toEqual([null, [at('b.yaml')]]);
  expect((await listPage('Record', 'a', null))?.objects).toHaveLength(4);
  expect((await listPage('Zone', null, null))?.objects).toHaveLength(1);
});

test('manifestReader() gives one listing while nothing changes, and another after an edit or a new error', async () => {
  await writeFile(at('a.yaml'), record('a'));
  const reader = manifestReader({ kinds: KINDS, paths: [folder] });
  const listing = async () => (await reader.read()).listing;
  // A file that was written a moment ago is read a second time, into new objects.
  await vi.waitFor(async () => expect(await listing()).toBe(await listing()));
  const before = await listing();
  await writeFile(at('broken.yaml'), 'kind: [');
  expect([before.problems.length, (await listing()).problems.length]).toEqual([0, 1]);
  await writeFile(at('a.yaml'), record('b'));
  const names = [before, await listing()].map(({ objects }) => objects.map((object) => object.ref.name));
  expect(names).toEqual([['a'], ['b']]);
});
