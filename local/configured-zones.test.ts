import { expect, test } from 'vitest';
import { fixedRandom } from '../test/fakes/route53-account.ts';
import { type ConfiguredZone, makeConfiguredZones, zonesOfView } from './configured-zones.ts';
import { createRoute53State } from './route53/model/state.ts';

const ZONES: readonly ConfiguredZone[] = [
  { zone: 'example.org.', id: 'Z1' },
  { zone: 'corp.example.org.', id: 'Z2', visibility: 'private' },
  { zone: 'corp.example.org.', id: 'Z3', visibility: 'private' },
  { zone: 'corp.example.org.', id: 'Z4', visibility: 'public' },
];

test('makeConfiguredZones() creates each hosted zone with its id and visibility, once', () => {
  const state = createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom() });
  makeConfiguredZones(state, ZONES);
  makeConfiguredZones(state, ZONES);
  expect(state.zones().map(({ id, name, isPrivate }) => `${id} ${name} ${isPrivate}`)).toEqual([
    'Z1 example.org. false',
    'Z2 corp.example.org. true',
    'Z3 corp.example.org. true',
    'Z4 corp.example.org. false',
  ]);
});

test('makeConfiguredZones() keeps existing hosted zones, and creates deleted ones again', () => {
  const state = createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom() });
  makeConfiguredZones(state, ZONES.slice(0, 1));
  const recordSet = { name: 'www.example.org.', type: 'A', setIdentifier: null, ttl: 60, values: ['192.0.2.1'] };
  const change = { action: 'CREATE', recordSet: { ...recordSet, alias: null, routing: null } } as const;
  state.changeResourceRecordSets('Z1', null, [change]);
  makeConfiguredZones(state, [{ zone: 'example.org.', id: 'Z1', visibility: 'private' }]);
  expect(state.getHostedZone('Z1')).toMatchObject({ vpcs: null, recordSetCount: 3 });
  state.changeResourceRecordSets('Z1', null, [{ ...change, action: 'DELETE' }]);
  state.deleteHostedZone('Z1');
  makeConfiguredZones(state, ZONES.slice(0, 1));
  expect(state.getHostedZone('Z1').name).toBe('example.org.');
});

test('zonesOfView() puts the hosted zones that the configuration names before all others', () => {
  const state = createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom() });
  makeConfiguredZones(state, ZONES);
  const configured = [{ zone: 'corp.example.org.', id: 'Z4' }];
  const order = zonesOfView(state.zones(), configured, 'public').map(({ id }) => id);
  expect(order).toEqual(['Z4', 'Z1', 'Z2', 'Z3']);
});

test('zonesOfView() gives each view its own hosted zones, and the public one all that the configuration does not name', () => {
  const state = createRoute53State({ clock: { nowMs: () => 0 }, random: fixedRandom() });
  const internal = { zone: 'example.org.', id: 'ZI', visibility: 'private', view: 'internal' } as const;
  makeConfiguredZones(state, [...ZONES, internal]);
  const idsIn = (view: string) => zonesOfView(state.zones(), [internal], view).map(({ id }) => id);
  expect(idsIn('internal')).toEqual(['ZI']);
  expect(idsIn('public')).toEqual(['Z1', 'Z2', 'Z3', 'Z4']);
  expect(idsIn('other')).toEqual([]);
});
