import { expect, test } from 'vitest';
import { isClusterName } from './cluster-names.ts';

test.each([
  ['svc.k.', true],
  ['web.shop.svc.k.', true],
  ['*.svc.k.', true],
  ['pod.k.', true],
  ['10-0-0-1.shop.pod.k.', true],
  ['dns-version.k.', true],
  ['a.dns-version.k.', true],
  ['*.k.', true],
  ['k.', false],
  ['www.k.', false],
  ['*.www.k.', false],
  ['mysvc.k.', false],
  ['svc.other.', false],
  ['svc.', false],
])('isClusterName() %s of k.: %s', (fqdn, expected) => {
  expect(isClusterName(fqdn, 'k.')).toBe(expected);
});
