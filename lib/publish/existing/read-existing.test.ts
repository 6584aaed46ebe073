import { expect, test } from 'vitest';
import { memoryHostedZones } from '../../../test/fakes/memory-hosted-zones.ts';
import type { ExternalDnsRegistry } from '../../external-dns/ownership.ts';
import { readExisting, readExistingWithTexts, readWhole } from './read-existing.ts';

const A = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] } as const;
const registry = (wildcardReplacement = ''): ExternalDnsRegistry => ({
  ownerId: 'prod',
  txtPrefix: '',
  txtSuffix: '',
  wildcardReplacement,
  decrypt: null,
  deleteUnwanted: false,
});

function world(names: readonly string[], routedAt?: { readonly name: string; readonly sets: number }) {
  const route53 = memoryHostedZones([{ id: 'Z1', name: 'e.' }]);
  for (const name of names) route53.edit('Z1', { name, type: 'A', setIdentifier: null }, A);
  for (let index = 0; index < (routedAt?.sets ?? 0); index += 1)
    route53.edit('Z1', { name: routedAt?.name ?? '', type: 'A', setIdentifier: `s${1_000 + index}` }, A);
  return { route53, reader: { hostedZones: route53.port, id: 'Z1', apex: 'e.' } };
}
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `n${10_000 + index}.e.`);

test('readExisting() reads few names one by one', async () => {
  const { route53, reader } = world(numbered(1_000));
  const found = await readExisting(reader, ['n10003.e.', 'n10700.e.', 'absent.e.', 'other.example.']);
  expect([...(found ?? []).keys()]).toEqual(['n10003.e. A ', 'n10700.e. A ']);
  expect(route53.calls.map(({ method }) => method)).toEqual(['readName', 'readName', 'readName']);
});

test('readExisting() reads many names by pages, and skips the names between them', async () => {
  const all = numbered(3_000);
  const { route53, reader } = world(all);
  expect((await readExisting(reader, all))?.size).toBe(3_000);
  expect(route53.calls.length).toBe(10);
  route53.calls.length = 0;
  const wanted = [...all.slice(0, 8), ...all.slice(2_000, 2_008)];
  const found = await readExisting(reader, wanted);
  for (const name of wanted) expect(found?.has(`${name} A `), name).toBe(true);
  expect(route53.calls.length).toBe(2);
});

test('readExisting() reads a name that is larger than a page', async () => {
  const all = numbered(20);
  const { reader } = world(all, { name: all[3] as string, sets: 700 });
  const found = await readExisting(reader, all);
  expect(found?.size).toBe(720);
});

test('readExistingWithTexts() reads the TXT records that may name the owners of record sets, and none without record sets', async () => {
  const { route53, reader } = world(['foo.e.', 'a-foo.e.', '*.e.', 'any.e.', 'a-any.e.']);
  const found = await readExistingWithTexts(reader, ['foo.e.', 'absent.e.'], [registry()]);
  expect([...(found ?? []).keys()].sort()).toEqual(['a-foo.e. A ', 'foo.e. A ']);
  expect(route53.calls.length).toBe(3);
  const wild = await readExistingWithTexts(reader, ['*.e.'], [registry('any')]);
  expect([...(wild ?? []).keys()].sort()).toEqual(['*.e. A ', 'a-any.e. A ', 'any.e. A ']);
});

test('readExisting() gives null for a hosted zone that is gone', async () => {
  const { route53, reader } = world(numbered(400));
  route53.removeHostedZone('Z1');
  expect(await readExisting(reader, ['x.e.'])).toBe(null);
  expect(await readExisting(reader, numbered(11))).toBe(null);
  expect(await readWhole(reader)).toBe(null);
});

test('readWhole() reads every record set, in Route 53’s order', async () => {
  const { reader } = world(numbered(700));
  const all = await readWhole(reader);
  expect(all?.length).toBe(702);
  expect(all?.[0]).toMatchObject({ name: 'e.', type: 'NS' });
});
