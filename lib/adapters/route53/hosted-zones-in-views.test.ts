import { expect, test } from 'vitest';
import { memoryHostedZones } from '../../../test/fakes/memory-hosted-zones.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { hostedZonesInViews } from './hosted-zones-in-views.ts';

const HOSTED_ZONES = [
  { id: 'ZP', name: 'e.' },
  { id: 'ZI', name: 'e.' },
];
const CONFIG = { hostedZones: [{ zone: 'e.', id: 'ZI', view: 'internal' }] };

function world() {
  const memory = memoryHostedZones(HOSTED_ZONES);
  return { memory, port: hostedZonesInViews(memory.port, CONFIG) };
}

const address = (name: string): RecordSet => ({
  ...{ name, type: 'A', setIdentifier: null },
  content: { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] },
});
const create = (recordSet: RecordSet) => ({ action: 'CREATE' as const, recordSet });

test('hostedZonesInViews() is the port itself without a view in the configuration', () => {
  const { port } = memoryHostedZones(HOSTED_ZONES);
  expect(hostedZonesInViews(port, { hostedZones: [{ zone: 'e.', id: 'ZP' }] })).toBe(port);
});

test('hostedZonesInViews() writes real names, and reads names of the view', async () => {
  const { memory, port } = world();
  const alias: RecordSet = {
    ...{ name: 'x.e.@internal.', type: 'A', setIdentifier: null },
    content: { kind: 'alias', alias: { hostedZoneId: 'ZI', dnsName: 'w.e.@internal.', evaluateTargetHealth: false } },
  };
  const outcome = await port.change('ZI', [create(address('w.e.@internal.')), create(alias)], 'test');
  expect(outcome.kind).toBe('accepted');
  expect(memory.recordSets('ZI').map(({ name }) => name)).toEqual(['e.', 'e.', 'w.e.', 'x.e.']);
  expect(await port.readName('ZI', 'x.e.@internal.')).toEqual([alias]);
  const page = await port.readPage('ZI', null);
  expect(page?.recordSets.map(({ name }) => name)).toEqual([
    ...['e.@internal.', 'e.@internal.', 'w.e.@internal.', 'x.e.@internal.'],
  ]);
  expect(await port.get('ZI')).toMatchObject({ name: 'e.@internal.' });
  expect(await port.get('ZP')).toMatchObject({ name: 'e.' });
});

test('hostedZonesInViews() finds only hosted zones of the public view by name', async () => {
  expect((await world().port.list()).map(({ id }) => id)).toEqual(['ZP']);
});

test('hostedZonesInViews() sends no name of another view', async () => {
  const { memory, port } = world();
  await expect(port.change('ZP', [create(address('w.e.@internal.'))], 'test')).rejects.toThrow('Cannot use');
  await expect(port.change('ZI', [create(address('w.e.'))], 'test')).rejects.toThrow('Cannot use');
  await expect(port.readName('ZI', 'w.e.@other.')).rejects.toThrow('Cannot use');
  expect(memory.calls).toEqual([]);
});

test('hostedZonesInViews() names the record sets of a refusal in their view', async () => {
  const { port } = world();
  await port.change('ZI', [create(address('w.e.@internal.'))], 'test');
  const again = await port.change('ZI', [create(address('w.e.@internal.'))], 'test');
  expect(again).toMatchObject({ kind: 'refused', messages: [expect.stringContaining("name='w.e.@internal.'")] });
});
