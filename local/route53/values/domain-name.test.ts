import { describe, expect, it } from 'vitest';
import {
  compareAscii,
  isInZone,
  labelsOfDomainName,
  parseDomainName,
  recordNameSortKey,
  zoneNameSortKey,
} from './domain-name.ts';

describe('parseDomainName()', () => {
  it.each([
    ['www.example.com', 'www.example.com.'],
    ['WWW.Example.COM.', 'www.example.com.'],
    ['.', '.'],
    ['*.example.com', '\\052.example.com.'],
    ['\\052.example.com', '\\052.example.com.'],
    ['a@b.example.com', 'a\\100b.example.com.'],
    ['\\101.example.com', 'a.example.com.'],
    ['_dmarc.example.com', '_dmarc.example.com.'],
    ['x\\056y.example.com', 'x\\056y.example.com.'],
    ['back\\134slash.example.com', 'back\\134slash.example.com.'],
    ['e\\351.example.com', 'e\\351.example.com.'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com.`],
  ])('keeps %s as %s', (text, name) => {
    expect(parseDomainName(text)).toEqual({ ok: true, name });
  });

  it.each([
    ['', 'DomainLabelEmpty'],
    ['a..example.com', 'DomainLabelEmpty'],
    ['.example.com', 'DomainLabelEmpty'],
    ['example.com..', 'DomainLabelEmpty'],
    [`${'a'.repeat(64)}.com`, 'DomainLabelTooLong'],
    [`${`${'a'.repeat(63)}.`.repeat(4)}com`, 'DomainNameTooLong'],
    ['a b.example.com', 'UnsupportedCharacter'],
    ['café.example.com', 'UnsupportedCharacter'],
    ['tab\t.example.com', 'UnsupportedCharacter'],
    ['\\52.example.com', 'InvalidEscape'],
    ['\\400.example.com', 'InvalidEscape'],
    ['\\089.example.com', 'InvalidEscape'],
    ['end\\', 'InvalidEscape'],
  ])('refuses %s: %s', (text, reason) => {
    const result = parseDomainName(text);
    expect(result.ok ? 'accepted' : result.problem).toMatch(
      new RegExp(`^FATAL problem: ${reason} \\(.*\\) encountered with '`),
    );
  });

  it('accepts 255 octets and refuses 256', () => {
    const head = `${'a'.repeat(63)}.`.repeat(3);
    expect(parseDomainName(`${head}${'b'.repeat(61)}`).ok).toBe(true);
    expect(parseDomainName(`${head}${'b'.repeat(62)}`).ok).toBe(false);
  });
});

describe('labelsOfDomainName()', () => {
  it('gives the labels as octets', () => {
    expect(labelsOfDomainName('\\052.a\\056b.example.')).toEqual(['*', 'a.b', 'example']);
    expect(labelsOfDomainName('.')).toEqual([]);
  });
});

describe('sort keys', () => {
  it('recordNameSortKey() reverses the labels, unescaped, with the last dot', () => {
    expect(recordNameSortKey('\\052.example.com.')).toBe('com.example.*.');
    const names = ['b.z.', 'b-c.z.', '\\052.z.', 'z.', 'a.b.z.', '_x.z.', '1.z.'];
    const sorted = names.toSorted((a, b) => compareAscii(recordNameSortKey(a), recordNameSortKey(b)));
    expect(sorted).toEqual(['z.', '\\052.z.', '1.z.', '_x.z.', 'b-c.z.', 'b.z.', 'a.b.z.']);
  });

  it('zoneNameSortKey() reverses the labels in their escaped form', () => {
    expect(zoneNameSortKey('ex\\344mple.com.')).toBe('com.ex\\344mple.');
  });
});

describe('isInZone()', () => {
  it.each([
    ['example.com.', true],
    ['a.b.example.com.', true],
    ['notexample.com.', false],
    ['com.', false],
  ])('%s in example.com.: %s', (name, expected) => {
    expect(isInZone(name, 'example.com.')).toBe(expected);
  });
});
