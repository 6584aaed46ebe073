import { describe, expect, test } from 'vitest';
import { zoneOf } from '../../test/support/declared.ts';
import type { Entry, ValueEntry } from '../dns/entry.ts';
import { hashZone } from '../dns/hash.ts';
import { buildEntries, buildSoaEntry } from './zone-entries.ts';

function entry(text: string): ValueEntry {
  const [fqdn = '', ttl = '', recordClass = '', type = '', ...rdata] = text.split(' ');
  return { fqdn, ttl: Number(ttl), class: recordClass, type, rdata: rdata.join(' ') };
}

function line({ fqdn, ttl, class: recordClass, type, ...content }: Entry): string {
  return [fqdn, ttl, recordClass, type, 'rdata' in content ? content.rdata : content.alias.target].join(' ');
}

describe('buildEntries()', () => {
  test('sorts the adopted entries, then the sub-zones by name, each with its NS and then its glue', () => {
    const subZones = [
      { fqdn: 't.e.', nameServers: [entry('t.e. 60 IN NS ns.t.e.')], glue: [entry('ns.t.e. 60 IN A 192.0.2.1')] },
      {
        fqdn: 's.e.',
        nameServers: [entry('s.e. 60 IN NS b.s.e.'), entry('s.e. 60 IN NS a.s.e.')],
        glue: [entry('b.s.e. 60 IN AAAA ::1'), entry('a.s.e. 60 IN A 192.0.2.1')],
      },
    ];
    const adopted = ['z.e. 60 IN A 192.0.2.1', 'e. 60 IN TXT "x"', 'e. 60 IN A 192.0.2.10', 'e. 60 IN A 192.0.2.9'];
    expect(buildEntries(adopted.map(entry), subZones).map(line)).toEqual([
      'e. 60 IN A 192.0.2.9',
      'e. 60 IN A 192.0.2.10',
      'e. 60 IN TXT "x"',
      'z.e. 60 IN A 192.0.2.1',
      's.e. 60 IN NS a.s.e.',
      's.e. 60 IN NS b.s.e.',
      'a.s.e. 60 IN A 192.0.2.1',
      'b.s.e. 60 IN AAAA ::1',
      't.e. 60 IN NS ns.t.e.',
      'ns.t.e. 60 IN A 192.0.2.1',
    ]);
  });

  test('shows identical entries once, and also those with another TTL', () => {
    const adopted = ['e. 60 IN A 192.0.2.1', 'e. 30 IN A 192.0.2.1', 'e. 60 IN A 192.0.2.1'].map(entry);
    expect(buildEntries(adopted, []).map(line)).toEqual(['e. 30 IN A 192.0.2.1', 'e. 60 IN A 192.0.2.1']);
  });
});

test('buildEntries() has one order for any input: class and TTL decide last', () => {
  const sorted = ['e. 1 CH TXT x', 'e. 1 IN TXT "x"', 'e. 2 IN TXT "x"', 'e. 1 IN TXT "y"', 'w.e. 1 IN A 192.0.2.1'];
  const one = buildEntries(sorted.map(entry), []).map(line);
  expect(buildEntries(sorted.toReversed().map(entry), []).map(line)).toEqual(one);
  expect(one.toSorted()).toEqual(sorted.toSorted());
});

test('buildSoaEntry() and hashZone(): the timers and the TTL count, the serial and the order do not', () => {
  const { spec } = zoneOf('a/e', { domainName: 'e.', ttl: 60 });
  if (spec === null) throw new Error('the test has an invalid Zone');
  expect(line(buildSoaEntry('e.', spec, 7))).toBe('e. 60 IN SOA ns.e. noc.e. 7 86400 7200 3600000 360');
  const entries = ['e. 60 IN A 192.0.2.1', 'w.e. 60 IN A 192.0.2.1'].map(entry);
  expect(hashZone(entries.toReversed(), spec)).toBe(hashZone(entries, spec));
  expect(hashZone(entries, { ...spec, refresh: 90_000 })).not.toBe(hashZone(entries, spec));
  expect(hashZone(entries.slice(1), spec)).not.toBe(hashZone(entries, spec));
});
