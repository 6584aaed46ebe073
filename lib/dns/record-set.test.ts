import { expect, test } from 'vitest';
import { type RecordSetContent, sameContent, showRecordSet, typesExclude } from './record-set.ts';

const VALUES: RecordSetContent = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] };
const ALIAS = { hostedZoneId: 'Z1', dnsName: 'a.', evaluateTargetHealth: false };

test.each<[string, RecordSetContent | null, RecordSetContent | null, boolean]>([
  ['nothing and nothing', null, null, true],
  ['nothing and values', null, VALUES, false],
  ['equal values', VALUES, { ...VALUES, values: ['192.0.2.1'] }, true],
  ['another TTL', VALUES, { ...VALUES, ttlSeconds: 61 }, false],
  ['another value', VALUES, { ...VALUES, values: ['192.0.2.2'] }, false],
  ['an additional value', VALUES, { ...VALUES, values: ['192.0.2.1', '192.0.2.2'] }, false],
  ['values and an alias', VALUES, { kind: 'alias', alias: ALIAS }, false],
  ['equal aliases', { kind: 'alias', alias: ALIAS }, { kind: 'alias', alias: { ...ALIAS } }, true],
  ['another zone', { kind: 'alias', alias: ALIAS }, { kind: 'alias', alias: { ...ALIAS, hostedZoneId: 'Z2' } }, false],
  ['another target', { kind: 'alias', alias: ALIAS }, { kind: 'alias', alias: { ...ALIAS, dnsName: 'b.' } }, false],
  [
    'another evaluation of health',
    { kind: 'alias', alias: ALIAS },
    { kind: 'alias', alias: { ...ALIAS, evaluateTargetHealth: true } },
    false,
  ],
])('sameContent() of %s', (_, a, b, expected) => {
  expect(sameContent(a, b)).toBe(expected);
  expect(sameContent(b, a)).toBe(expected);
});

test('showRecordSet() names the set identifier, without which weighted record sets look the same', () => {
  const key = { name: 'www.e.', type: 'A' };
  expect(showRecordSet({ ...key, setIdentifier: null })).toBe('A www.e.');
  expect(showRecordSet({ ...key, setIdentifier: 'eu' })).toBe('A www.e. [eu]');
});

test.each([
  ['CNAME', 'A', true],
  ['CNAME', 'TXT', true],
  ['CNAME', 'CNAME', false],
  ['A', 'AAAA', false],
  ['TXT', 'TXT', false],
])('typesExclude() of %s beside %s: %s', (a, b, expected) => {
  expect(typesExclude(a, b)).toBe(expected);
  expect(typesExclude(b, a)).toBe(expected);
});
