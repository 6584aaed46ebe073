import { describe, expect, test } from 'vitest';
import { childKey, encodeOwner, encodeRoute53Name, keyOfLabels, keyOfRoute53Name, parentKey } from './octet-name.ts';

describe('keyOfRoute53Name()', () => {
  test.each([
    ['www.Example.ORG', 'www.example.org.'],
    ['www.example.org.', 'www.example.org.'],
    ['\\052.example.org.', '*.example.org.'],
    ['*.example.org.', '*.example.org.'],
    ['a\\056b.example.org.', 'a\\056b.example.org.'],
    ['\\134.example.org.', '\\134.example.org.'],
    ['\\101\\303\\251.example.org.', 'a\\303\\251.example.org.'],
    ['1\\0570.2.0.192.in-addr.arpa.', '1/0.2.0.192.in-addr.arpa.'],
    ['.', '.'],
    ['', '.'],
  ])('of %j is %j', (text, key) => {
    expect(keyOfRoute53Name(text)).toBe(key);
  });

  test.each([['a..example.org.'], [`${'a'.repeat(64)}.org.`], ['a.'.repeat(128)], ['\u0153.example.org.']])(
    'refuses %j',
    (text) => {
      expect(() => keyOfRoute53Name(text)).toThrow(/^Cannot read name /);
    },
  );
});

test('parentKey() ends at the root, and childKey() is its inverse', () => {
  expect(parentKey('a.b.')).toBe('b.');
  expect(parentKey('b.')).toBe('.');
  expect(parentKey('.')).toBeNull();
  expect(childKey('b', '.')).toBe('b.');
  expect(childKey('a', 'b.')).toBe('a.b.');
});

test('encodeRoute53Name() writes labels with their lengths', () => {
  expect(encodeRoute53Name('Ab.\\344.')).toEqual(Buffer.from([2, 0x41, 0x62, 1, 0xe4, 0]));
  expect(encodeRoute53Name('.')).toEqual(Buffer.from([0]));
});

test('encodeOwner() writes pointers to earlier names, of at most fourteen bits', () => {
  const known = new Map<string, number>();
  expect(encodeOwner('a.b.', 12, known)).toEqual(Buffer.from([1, 0x61, 1, 0x62, 0]));
  expect(encodeOwner('a.b.', 20, known)).toEqual(Buffer.from([0xc0, 12]));
  expect(encodeOwner('x.b.', 22, known)).toEqual(Buffer.from([1, 0x78, 0xc0, 14]));
  expect(encodeOwner('far.', 0x4000, known)).toEqual(Buffer.from([3, 0x66, 0x61, 0x72, 0]));
  expect(known.has('far.')).toBe(false);
});

test('keyOfLabels() distinguishes a dot inside a label from one between labels', () => {
  expect(keyOfLabels(['a.b', 'c'])).toBe('a\\056b.c.');
  expect(keyOfLabels(['a', 'b', 'c'])).toBe('a.b.c.');
});
