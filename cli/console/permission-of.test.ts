import { expect, test } from 'vitest';
import { isDenied, permissionOf } from './permission-of.ts';

test.each([
  [
    'AccessDenied: User: arn:aws:iam::1:user/u is not authorized to perform: route53:ListResourceRecordSets on resource: x',
    'route53:ListResourceRecordSets',
  ],
  [
    'AccessDeniedException: User: arn:aws:sts::1:assumed-role/r/s is not authorized to perform: dynamodb:Query on resource',
    'dynamodb:Query',
  ],
  [
    '403: zones.kubi.zone is forbidden: User "u" cannot list resource "zones" in API group "kubi.zone" at the cluster scope',
    'list zones.kubi.zone',
  ],
  [
    'services is forbidden: User "u" cannot list resource "services" in API group "" in the namespace "x"',
    'list services',
  ],
  ['connect ECONNREFUSED', null],
])('permissionOf(%j) is %j', (message, permission) => {
  const error = new Error('Cannot read', { cause: new Error(message) });
  expect(permissionOf(error)).toBe(permission);
  expect(isDenied(error)).toBe(permission !== null);
});
