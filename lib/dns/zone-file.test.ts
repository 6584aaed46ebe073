import { expect, test } from 'vitest';
import type { ValueEntry } from './entry.ts';
import { formatZoneText } from './zone-file.ts';

function entry(fqdn: string, type: string, rdata: string, recordClass = 'IN'): ValueEntry {
  return { fqdn, type, class: recordClass, ttl: 360, rdata };
}

const SOA = entry('example.org.', 'SOA', 'ns.example.org. noc.example.org. 2026112100 86400 7200 3600000 360');

test('formatZoneText() puts the SOA first and keeps the order of the rest', () => {
  const text = formatZoneText('example.org.', [
    entry('example.org.', 'NS', 'ns.example.org.'),
    SOA,
    entry('*.a.example.org.', 'TXT', '"\\195\\169;\\"" "b"'),
  ]);
  expect(text).toBe(
    [
      '$ORIGIN example.org.',
      'example.org. 360 IN SOA ns.example.org. noc.example.org. 2026112100 86400 7200 3600000 360',
      'example.org. 360 IN NS ns.example.org.',
      '*.a.example.org. 360 IN TXT "\\195\\169;\\"" "b"',
      '',
    ].join('\n'),
  );
});

test('formatZoneText() makes comments of types that Route 53 does not have, and of any SOA after the first', () => {
  const text = formatZoneText('example.org.', [
    SOA,
    entry('a.example.org.', 'HINFO', '"x" ('),
    entry('b.example.org.', 'TXT', '"x"', 'CH'),
    entry('c.example.org.', 'HINFO', 'a\u0085b\u2028c'),
    entry('example.org.', 'SOA', 'a. b. 1 2 3 4 5'),
  ]);
  expect(text.split('\n').slice(2)).toEqual([
    '; not in Route 53: a.example.org. 360 IN HINFO "x" (',
    '; not in Route 53: b.example.org. 360 CH TXT "x"',
    '; not in Route 53: c.example.org. 360 IN HINFO a b c',
    '; not in Route 53: example.org. 360 IN SOA a. b. 1 2 3 4 5',
    '',
  ]);
});

test('formatZoneText() of a Zone without entries is its origin alone', () => {
  expect(formatZoneText('example.org.', [])).toBe('$ORIGIN example.org.\n');
});
