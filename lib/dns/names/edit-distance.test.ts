import { expect, test } from 'vitest';
import { didYouMean, editDistance } from './edit-distance.ts';

const FIELDS = ['domainName', 'zoneRef', 'type', 'class', 'ttl', 'rdata', 'values', 'alias', 'routing', 'namespaces'];

test.each([
  ['', '', 0],
  ['a', 'a', 0],
  ['recrod', 'record', 1],
  ['recod', 'record', 1],
  ['records', 'record', 1],
  ['recerd', 'record', 1],
  ['abc', 'xyz', 3],
  ['a', 'abcde', Number.POSITIVE_INFINITY],
  ['a'.repeat(65), 'a'.repeat(65), Number.POSITIVE_INFINITY],
])('editDistance(%j, %j) is %d', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test.each([
  ['rdate', 'rdata'],
  ['domainname', 'domainName'],
  ['domain_name', 'domainName'],
  ['name', 'domainName'],
  ['TTL', 'ttl'],
  ['tll', 'ttl'],
  ['zoneref', 'zoneRef'],
  ['zone', 'zoneRef'],
  ['value', 'values'],
  ['namespaec', 'namespaces'],
  ['rout', 'routing'],
])('didYouMean() knows %s', (written, meant) => {
  expect(didYouMean(written, FIELDS)).toBe(`; did you mean ${meant}?`);
});

test.each(['weight', 'x', '', 'policy', 'd'.repeat(1000)])('didYouMean() says nothing of %s', (written) => {
  expect(didYouMean(written, FIELDS)).toBe('');
});
