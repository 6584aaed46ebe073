import { describe, expect, test } from 'vitest';
import { below, zoneOf } from '../../test/support/declared.ts';
import { ancestorsOf } from '../dns/names/name.ts';
import type { Declared } from '../objects/object-ref.ts';
import type { ZoneSpec } from './parse-zone.ts';
import { resolveZones } from './resolve-zones.ts';

/** `reason fqdn parent`, with "-" for a missing one. */
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

  test('of two possible live Zones chooses the older one, whichever is read first; of equal age, the smaller uid', () => {
    const old = zoneOf('a/old', { domainName: 'e.' }, { born: 1 });
    const young = zoneOf('a/young', { domainName: 'e.' }, { born: 2 });
    expect(outcomes([young, old])).toEqual({ 'a/old': 'Root e. -', 'a/young': 'Conflict e. -' });
    const left = zoneOf('a/left', { domainName: 'e.' }, { uid: '1' });
    const right = zoneOf('a/right', { domainName: 'e.' }, { uid: '2' });
    expect(outcomes([right, left])).toEqual({ 'a/left': 'Root e. -', 'a/right': 'Conflict e. -' });
  });

  test('of two with equal age and uid chooses the one that was read first, and only one', () => {
    const pair = ['a/x', 'a/y'].map((key) => zoneOf(key, { domainName: 'e.' }, { uid: 'same' }));
    expect(outcomes(pair)).toEqual({ 'a/x': 'Root e. -', 'a/y': 'Conflict e. -' });
  });

  test('lets a Zone that is not live adopt nothing, whoever refers to it', () => {
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

  test('makes a ring invalid on each of its members, and lets those below wait', () => {
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

  test('makes a name that becomes too long under its parent invalid, and shows it', () => {
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

  test('keeps the last valid spec after an invalid edit: invalid and live at once', () => {
    const broken = zoneOf('a/e', { domainName: 'e' }, { lastValid: { domainName: 'e.' } });
    const { live, verdict, fqdn } = resolveZones([broken], null).get('a/e') ?? {};
    expect(verdict?.reason).toBe('InvalidSpec');
    expect(verdict?.message).toContain('its last valid spec stays in force');
    expect({ fqdn, live: live?.fqdn }).toEqual({ fqdn: 'e.', live: 'e.' });
  });

  test('without roots that list it, refuses a topmost name, or denies it where a live Zone covers it', () => {
    const zones = [zoneOf('a/e', { domainName: 'e.' })];
    expect(resolveZones(zones, []).get('a/e')?.verdict.reason).toBe('RootNotAllowed');
  });
});

test('ancestorsOf() leaves out the name and the DNS root, the longest first', () => {
  expect(ancestorsOf('a.b.c.')).toEqual(['b.c.', 'c.']);
  expect(ancestorsOf('c.')).toEqual([]);
});
