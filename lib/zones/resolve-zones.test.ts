import { describe, expect, test } from 'vitest';
import { below, zoneOf } from '../../test/support/declared.ts';
import { ancestorsOf } from '../dns/names/name.ts';
import { parseRootPattern } from '../dns/names/pattern.ts';
import type { Declared } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import { notesIn, saysCoveredRoot } from './notes.ts';
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

  test('notes patterns that repeat their Zone without a last dot, also of a Zone above', () => {
    const delegations = [
      { zones: ['team.example.org'], records: [{ pattern: 'www.example.org' }, { pattern: '*.example.org' }] },
      { records: [{ pattern: 'www.example.org' }, { pattern: 'x.shop.example.org' }] },
      {
        records: [
          { pattern: 'www.example.org.' },
          { pattern: 'www.shop' },
          { pattern: 'org' },
          { pattern: 'example.org.@' },
        ],
      },
    ];
    const noteOn = (fqdn: string) =>
      notesIn(resolveZones([zoneOf('a/e', { domainName: fqdn, delegations })], null).get('a/e')?.verdict.message ?? '');
    expect(noteOn('example.org.')).toBe(
      [
        'the pattern "team.example.org" has no last dot, so it means team.example.org.example.org.: "team.example.org." may have been meant',
        'the pattern "www.example.org" has no last dot, so it means www.example.org.example.org.: "www.example.org." may have been meant',
        'the pattern "*.example.org" has no last dot, so it means *.example.org.example.org.: "*.example.org." may have been meant',
      ].join('; '),
    );
    expect(noteOn('shop.example.org.')).toContain('it means team.example.org.shop.example.org.: "team.example.org."');
    expect(noteOn('other.test.')).toBeNull();
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

  describe('without roots, of a Zone that another live Zone covers and does not delegate,', () => {
    const above = (born: number, namespace = 'a') =>
      zoneOf(`${namespace}/e`, { domainName: 'e.', delegations: [] }, { born });
    const covered = (born: number) => zoneOf('b/s', { domainName: 's.e.' }, { born });
    const ageless = (zone: Declared<ZoneSpec>) => ({ ...zone, age: { ...zone.age, creationTimestamp: null } });
    const verdictOn = (
      zones: readonly Declared<ZoneSpec>[],
      standing: ReadonlyMap<string, string> = new Map(),
      roots: readonly RootRule[] | null = null,
    ) => resolveZones(zones, roots, null, { standing }).get('b/s')?.verdict;
    const note = /note: names in s\.e\. are found only if the hosted zone above delegates them: Zone (a|b)\/e \(e\.\)/;

    test.each([
      ['the other is older', above(1), covered(2), 'DelegationDenied'],
      ['the other is younger', above(2), covered(1), 'Root'],
      ['both came together', above(1), covered(1), 'DelegationDenied'],
      ['nobody knows their ages', ageless(above(1)), ageless(covered(2)), 'DelegationDenied'],
      ['nobody knows the age of the other', ageless(above(1)), covered(2), 'DelegationDenied'],
      ['nobody knows its own age', above(1), ageless(covered(2)), 'DelegationDenied'],
    ])('judges where %s', (_, other, own, reason) => {
      for (const zones of [
        [own, other],
        [other, own],
      ])
        expect(verdictOn(zones)?.reason).toBe(reason);
    });

    test('a root of its namespace that stands stays, with a note, also if the object is another', () => {
      const said = verdictOn([above(1), covered(2)], new Map([['s.e.', 'b']]));
      expect(said).toMatchObject({ reason: 'Root', message: expect.stringMatching(note) });
      expect(saysCoveredRoot(said?.message ?? '')).toBe(true);
    });

    test('a root of another namespace that stands, or one with another name, does not count', () => {
      const standing = new Map([
        ['s.e.', 'c'],
        ['t.e.', 'b'],
      ]);
      expect(verdictOn([above(1), covered(2)], standing)?.reason).toBe('DelegationDenied');
    });

    test('one in the same namespace makes it a root with a note, whoever is older', () => {
      for (const born of [1, 3]) {
        const said = verdictOn([above(born, 'b'), covered(2)]);
        expect(said).toMatchObject({ reason: 'Root', message: expect.stringMatching(note) });
      }
    });

    test('a Zone between them of its own namespace does not help', () => {
      const between = zoneOf('b/m', { domainName: 'm.e.', delegations: [] }, { born: 1 });
      const own = zoneOf('b/s', { domainName: 's.m.e.' }, { born: 2 });
      const all = [above(3), between, own];
      expect(resolveZones(all, null, null, { standing: new Map() }).get('b/s')?.verdict.reason).toBe('Root');
      expect(verdictOn([above(0), between, own], new Map([['m.e.', 'b']]))?.reason).toBe('DelegationDenied');
    });

    test('roots that list it decide alone, without a note', () => {
      const parsed = parseRootPattern('*.e');
      const anywhere = parsed.ok ? [{ pattern: parsed.pattern, namespaces: null }] : [];
      const top = zoneOf('a/e', { domainName: 'e.', delegations: [] }, { born: 1 });
      const rules = [...anywhere, { pattern: { text: 'e.', absolute: true, labels: ['e'] }, namespaces: null }];
      const said = verdictOn([top, covered(2)], new Map(), rules);
      expect(said).toEqual({ reason: 'Root', message: 's.e. is a root: no live Zone above adopts it' });
    });
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
