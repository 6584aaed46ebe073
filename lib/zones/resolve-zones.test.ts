import { describe, expect, test } from 'vitest';
import { below, zoneOf } from '../../test/support/declared.ts';
import { ancestorsOf } from '../dns/names/name.ts';
import type { Declared } from '../objects/object-ref.ts';
import type { ZoneSpec } from './parse-zone.ts';
import { resolveZones } from './resolve-zones.ts';

/** `reason fqdn parent`, "-" for what there is not. */
function outcomes(zones: readonly Declared<ZoneSpec>[]): Record<string, string> {
  const resolved = resolveZones(zones, null);
  return Object.fromEntries(
    [...resolved].map(([key, { verdict, fqdn, live }]) => [
      key,
      `${verdict.reason} ${fqdn ?? '-'} ${live?.parent ?? '-'}`,
    ]),
  );
}

describe('resolveZones()', () => {
  test('finds parents by name, by reference, and through several levels', () => {
    const zones = [
      zoneOf('a/t', { domainName: 't', ...below('a/s') }),
      zoneOf('a/s', { domainName: 's', ...below('a/e') }),
      zoneOf('a/u', { domainName: 'u.t.s.e.' }),
      zoneOf('a/e', { domainName: 'e.' }),
    ];
    expect(outcomes(zones)).toEqual({
      'a/e': 'Root e. -',
      'a/s': 'Adopted s.e. a/e',
      'a/t': 'Adopted t.s.e. a/s',
      'a/u': 'Adopted u.t.s.e. a/t',
    });
    expect(outcomes(zones.toReversed())).toEqual(outcomes(zones));
  });

  test('the older of two would-be live Zones wins, whichever was read first; of equal age the smaller uid', () => {
    const old = zoneOf('a/old', { domainName: 'e.' }, { born: 1 });
    const young = zoneOf('a/young', { domainName: 'e.' }, { born: 2 });
    expect(outcomes([young, old])).toEqual({ 'a/old': 'Root e. -', 'a/young': 'Conflict e. -' });
    const left = zoneOf('a/left', { domainName: 'e.' }, { uid: '1' });
    const right = zoneOf('a/right', { domainName: 'e.' }, { uid: '2' });
    expect(outcomes([right, left])).toEqual({ 'a/left': 'Root e. -', 'a/right': 'Conflict e. -' });
  });

  test('of two of equal age and uid, the one that was read first wins, and one of them only', () => {
    const pair = ['a/x', 'a/y'].map((key) => zoneOf(key, { domainName: 'e.' }, { uid: 'same' }));
    expect(outcomes(pair)).toEqual({ 'a/x': 'Root e. -', 'a/y': 'Conflict e. -' });
  });

  test('a Zone that is not live adopts nothing, whoever refers to it', () => {
    const zones = [
      zoneOf('a/e', { domainName: 'e.', delegations: [] }),
      zoneOf('a/s', { domainName: 's', ...below('a/e') }),
      zoneOf('a/t', { domainName: 't', ...below('a/s') }),
      zoneOf('a/x', { domainName: 'x', ...below('a/missing') }),
    ];
    expect(outcomes(zones)).toEqual({
      'a/e': 'Root e. -',
      'a/s': 'DelegationDenied s.e. -',
      'a/t': 'ParentNotLive - -',
      'a/x': 'ParentNotFound - -',
    });
  });

  test('a ring is invalid on each of its members, and those that hang from it wait', () => {
    const zones = [
      zoneOf('a/x', { domainName: 'x', ...below('a/y') }),
      zoneOf('a/y', { domainName: 'y', ...below('a/x') }),
      zoneOf('a/self', { domainName: 's', ...below('a/self') }),
      zoneOf('a/hanging', { domainName: 'h', ...below('a/x') }),
    ];
    expect(outcomes(zones)).toEqual({
      'a/x': 'InvalidSpec - -',
      'a/y': 'InvalidSpec - -',
      'a/self': 'InvalidSpec - -',
      'a/hanging': 'ParentNotLive - -',
    });
  });

  test('a name that becomes too long under its parent is invalid and shown', () => {
    const long = Array.from({ length: 4 }, () => 'x'.repeat(60)).join('.');
    const zones = [
      zoneOf('a/e', { domainName: `${'y'.repeat(8)}.` }),
      zoneOf('a/fits', { domainName: long, ...below('a/e') }),
      zoneOf('a/long', { domainName: 'abc', ...below('a/fits') }),
    ];
    const resolved = resolveZones(zones, null);
    expect(resolved.get('a/fits')?.verdict.reason).toBe('Adopted');
    expect(resolved.get('a/long')).toMatchObject({ live: null, verdict: { reason: 'InvalidSpec' } });
    expect(resolved.get('a/long')?.verdict.message).toContain('octets long');
  });

  test('an invalid edit leaves the last valid spec in force: invalid and live at once', () => {
    const broken = zoneOf('a/e', { domainName: 'e' }, { lastValid: { domainName: 'e.' } });
    const { live, verdict, fqdn } = resolveZones([broken], null).get('a/e') ?? {};
    expect(verdict?.reason).toBe('InvalidSpec');
    expect(verdict?.message).toContain('its last valid spec stays in force');
    expect({ fqdn, live: live?.fqdn }).toEqual({ fqdn: 'e.', live: 'e.' });
  });

  test('without roots that list it, a name above all is refused, or denied where a live Zone covers it', () => {
    const zones = [zoneOf('a/e', { domainName: 'e.' })];
    expect(resolveZones(zones, []).get('a/e')?.verdict.reason).toBe('RootNotAllowed');
  });
});

test('ancestorsOf() leaves out the name and the DNS root, the longest first', () => {
  expect(ancestorsOf('a.b.c.')).toEqual(['b.c.', 'c.']);
  expect(ancestorsOf('c.')).toEqual([]);
});
