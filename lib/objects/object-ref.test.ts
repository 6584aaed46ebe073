import { describe, expect, test } from 'vitest';
import { compareText } from '../dns/names/compare-text.ts';
import { type Age, compareAge, findRef, formatRef, keyOf, parseRef, zoneOfKey } from './object-ref.ts';

describe('compareAge()', () => {
  const at = (creationTimestamp: string | null, uid: string | null = null, order = ''): Age => ({
    creationTimestamp,
    uid,
    order,
  });
  const early = '2026-01-01T00:00:00Z';
  const late = '2026-01-01T00:00:01Z';

  test.each<[string, Age, Age]>([
    ['the earlier timestamp is older', at(early, 'z'), at(late, 'a')],
    ['no timestamp is the youngest', at(late, 'z'), at(null, 'a')],
    ['an invalid timestamp counts as missing', at(late), at('yesterday')],
    ['one instant with two time zones: the uid decides', at('2026-01-01T01:00:00+01:00', 'a'), at(early, 'b')],
    ['with equal timestamps, the smaller uid is older', at(early, 'a', '9'), at(early, 'b', '1')],
    ['an object without a uid is younger than any with one', at(early, 'z'), at(early, null)],
    ['then the order of reading', at(early, 'a', '1'), at(early, 'a', '2')],
    ['without timestamp and uid, the order of reading', at(null, null, 'a.yaml 1'), at(null, null, 'a.yaml 2')],
  ])('%s', (_, older, younger) => {
    expect(compareAge(older, younger)).toBeLessThan(0);
    expect(compareAge(younger, older)).toBeGreaterThan(0);
    expect(compareAge(older, older)).toBe(0);
  });

  test('finds neither of two objects of equal age older', () => {
    expect(compareAge(at(early, 'a', '1'), at(early, 'a', '1'))).toBe(0);
    expect(compareAge(at(null), at(null))).toBe(0);
  });
});

describe('formatRef() and parseRef()', () => {
  test("are each other's inverse", () => {
    const ref = { kind: 'Zone', namespace: 'a', name: 'x.y' } as const;
    expect(formatRef(ref)).toBe('Zone a/x.y');
    expect(parseRef(formatRef(ref))).toEqual(ref);
    expect(keyOf(ref)).toBe('a/x.y');
  });

  test('use an empty namespace for a cluster-scoped object', () => {
    const ref = { kind: 'Node', namespace: '', name: 'n1' };
    expect(findRef(formatRef(ref))).toEqual(ref);
  });

  test.each(['\n', '\r\n', '\u2028', '\u2029', '\ud800', '/'])('keep any character of a name: %j', (character) => {
    const ref = { kind: 'Zone', namespace: 'a', name: `x${character}y` } as const;
    expect(parseRef(formatRef(ref))).toEqual(ref);
    expect(zoneOfKey(keyOf(ref))).toEqual(ref);
  });

  test('zoneOfKey() takes a text that is no key for the name of an object that does not exist', () => {
    expect(zoneOfKey('x')).toEqual({ kind: 'Zone', namespace: '', name: 'x' });
    expect(zoneOfKey('')).toEqual({ kind: 'Zone', namespace: '', name: '' });
  });

  test.each(['', 'zone a/b', 'Service', 'Zone a'])('parseRef() throws for "%s"', (text) => {
    expect(findRef(text)).toBeNull();
    expect(() => parseRef(text)).toThrow('Cannot parse object reference');
  });
});

test('compareText() compares by octets', () => {
  expect(['b', 'a', 'B', '_', '10', '9'].toSorted(compareText)).toEqual(['10', '9', 'B', '_', 'a', 'b']);
});
