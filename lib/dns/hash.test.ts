import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry, ValueEntry } from './entry.ts';
import { hashRecordSet, hashZone } from './hash.ts';

const SOA = { ttl: 360, refresh: 86_400, retry: 7_200, expire: 3_600_000, negativeResponseCache: 360 };
const WWW: ValueEntry = { fqdn: 'www.example.org.', type: 'A', class: 'IN', ttl: 60, rdata: '192.0.2.1' };

test('hashZone() is pinned with its version: another value needs another version', () => {
  expect(hashZone([WWW], SOA)).toBe('v1:455009429a8f17561d011dcc9adc35b019ae53292a05a9799c81086cb10d05b8');
  expect(hashRecordSet(null)).toBe('v1:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b');
});

test('hashZone() gives one hash for one set, in any order, however often an entry occurs', () => {
  const entry = fc.record({
    fqdn: fc.constantFrom('a.', 'b.a.'),
    type: fc.constantFrom('A', 'TXT'),
    class: fc.constant('IN'),
    ttl: fc.constantFrom(1, 2),
    rdata: fc.constantFrom('x', 'y'),
  });
  const shuffled = fc
    .array(entry, { maxLength: 8 })
    .chain((entries) => fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })));
  fc.assert(
    fc.property(shuffled, ([entries, other]) => {
      expect(hashZone([...other, ...other.slice(0, 2)], SOA)).toBe(hashZone(entries, SOA));
    }),
  );
});

test.each<[string, readonly Entry[], object]>([
  ['no entry', [], {}],
  ['another name', [{ ...WWW, fqdn: 'example.org.' }], {}],
  ['another type', [{ ...WWW, type: 'TXT' }], {}],
  ['another class', [{ ...WWW, class: 'CH' }], {}],
  ['another TTL', [{ ...WWW, ttl: 61 }], {}],
  ['another rdata', [{ ...WWW, rdata: '192.0.2.2' }], {}],
  ['another SOA TTL', [WWW], { ttl: 361 }],
  ['another refresh', [WWW], { refresh: 1 }],
  ['another retry', [WWW], { retry: 1 }],
  ['another expire', [WWW], { expire: 1 }],
  ['another negative cache', [WWW], { negativeResponseCache: 1 }],
])('hashZone() moves with %s', (_, entries, settings) => {
  expect(hashZone(entries, { ...SOA, ...settings })).not.toBe(hashZone([WWW], SOA));
});

test('hashRecordSet() differs for different contents, and for no content', () => {
  const alias = { hostedZoneId: 'Z1', dnsName: 'a.', evaluateTargetHealth: false };
  const contents = [
    null,
    { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] },
    { kind: 'values', ttlSeconds: 61, values: ['192.0.2.1'] },
    { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1', '192.0.2.2'] },
    { kind: 'alias', alias },
    { kind: 'alias', alias: { ...alias, evaluateTargetHealth: true } },
    { kind: 'alias', alias: { ...alias, dnsName: 'b.' } },
    { kind: 'alias', alias: { ...alias, hostedZoneId: 'Z2' } },
  ] as const;
  expect(new Set(contents.map(hashRecordSet)).size).toBe(contents.length);
  expect(contents.map(hashRecordSet).every((hash) => /^v1:[0-9a-f]{64}$/.test(hash))).toBe(true);
});
