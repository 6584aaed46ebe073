// A hosted zone whose reading fails: an import has the whole hosted zone, or nothing.
import { expect, test } from 'vitest';
import type { RecordSet } from '../dns/record-set.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import { importHostedZone } from './import-hosted-zone.ts';

const set = (name: string): RecordSet => ({
  name,
  type: 'A',
  setIdentifier: null,
  content: { kind: 'values', ttlSeconds: 300, values: ['192.0.2.1'] },
});
const FIRST = { recordSets: [set('a.e.')], next: { name: 'b.e.', type: 'A', setIdentifier: null } };
const LAST = { recordSets: [set('b.e.')], next: null };

/** Imports two pages; `second` gives the second one. */
function read(
  second: () => ReturnType<HostedZones['readPage']>,
  found: Awaited<ReturnType<HostedZones['get']>> = HERE,
  list: HostedZones['list'] = async () => [HERE],
) {
  const hostedZones = {
    get: async () => found,
    list,
    readName: async () => [],
    protections: async () => [],
    readPage: async (_: string, from: unknown) => (from === null ? FIRST : second()),
  };
  return importHostedZone(hostedZones, 'Z1', { namespace: 'p', zoneName: null, progress: () => {} });
}
const HERE = { id: 'Z1', name: 'e.', nameServers: [], callerReference: 'by hand' };

test('a hosted zone of two pages is imported whole', async () => {
  const imported = await read(async () => LAST);
  if (imported === 'gone') throw new Error('gone');
  expect(imported.manifests.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
    'Zone e',
    'Record a.e-a',
    'Record b.e-a',
  ]);
});

test('importHostedZone() notes that several public hosted zones have one name, and works without the right to list them', async () => {
  const other = async () => [HERE, { ...HERE, id: 'Z2' }, { ...HERE, id: 'Z3', name: 'f.' }];
  expect(await read(async () => LAST, HERE, other)).toMatchObject({ isShared: true });
  expect(await read(async () => LAST)).toMatchObject({ isShared: false });
  expect(await read(async () => LAST, { ...HERE, isPrivate: true }, other)).toMatchObject({ isShared: false });
  const denied = () => Promise.reject(new Error('AccessDenied'));
  expect(await read(async () => LAST, HERE, denied)).toMatchObject({ isShared: false });
});

test('importHostedZone() goes on without the right to list protections, and says so', async () => {
  const hostedZones = {
    ...{ get: async () => HERE, list: async () => [HERE], readName: async () => [], readPage: async () => LAST },
    protections: () => Promise.reject(new Error('AccessDenied: no')),
  };
  const options = { namespace: 'p', zoneName: null, progress: () => {} };
  const imported = await importHostedZone(hostedZones, 'Z1', options);
  expect(imported).toMatchObject({ unlisted: 'AccessDenied: no', manifests: { length: 2 } });
});

test('importHostedZone() gives `gone` for a hosted zone that does not exist, or vanishes between two pages', async () => {
  expect(await read(async () => null)).toBe('gone');
  expect(await read(async () => LAST, null)).toBe('gone');
});

test('importHostedZone() throws for a page that fails, and for a hosted zone that may not be read', async () => {
  const lost = read(() => Promise.reject(new Error('Cannot read record sets: ECONNRESET')));
  await expect(lost).rejects.toThrow('ECONNRESET');
  const denied = read(async () => LAST, { unreadable: 'AccessDenied: not allowed' });
  await expect(denied).rejects.toThrow('Cannot read hosted zone "Z1": AccessDenied: not allowed');
});
