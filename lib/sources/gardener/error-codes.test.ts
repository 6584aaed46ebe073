import { expect, test } from 'vitest';
import { codesOf } from './error-codes.ts';

const NOT_PERMITTED = '[RRSet with DNS name api.aws.foobar.shoot.example.com. is not permitted in zone foo.com.]';

test.each<[string, string, readonly string[]]>([
  ['NoSuchHostedZone', 'No hosted zone found with ID: Z1', ['ERR_CONFIGURATION_PROBLEM']],
  ['InvalidChangeBatch', NOT_PERMITTED, ['ERR_CONFIGURATION_PROBLEM']],
  ['InvalidChangeBatch', 'as it conflicts with other records with the same DNS name', ['ERR_CONFIGURATION_PROBLEM']],
  ['InvalidInput', 'Invalid Resource Record', ['ERR_CONFIGURATION_PROBLEM']],
  ['AuthFailure', 'AWS was not able to validate the provided access credentials', ['ERR_INFRA_UNAUTHENTICATED']],
  ['InvalidAccessKeyId', 'x', ['ERR_INFRA_UNAUTHENTICATED']],
  ['InvalidIdentityToken', 'No OpenIDConnect provider found', ['ERR_INFRA_UNAUTHENTICATED']],
  ['ExpiredTokenException', 'Token expired', ['ERR_INFRA_UNAUTHENTICATED']],
  ['SignatureDoesNotMatch', 'The request signature we calculated does not match', ['ERR_INFRA_UNAUTHORIZED']],
  ['InvalidClientTokenId', 'The security token included in the request is invalid.', ['ERR_INFRA_UNAUTHORIZED']],
  ['AccessDenied', 'User: arn:aws:iam::1:user/x is not authorized to perform', ['ERR_INFRA_UNAUTHORIZED']],
  ['AccessDeniedException', 'x', ['ERR_INFRA_UNAUTHORIZED']],
  ['Throttling', 'Rate exceeded', ['ERR_INFRA_RATE_LIMITS_EXCEEDED']],
  ['ThrottlingException', 'Rate exceeded', ['ERR_INFRA_RATE_LIMITS_EXCEEDED']],
  ['PriorRequestNotComplete', 'x', ['ERR_INFRA_RATE_LIMITS_EXCEEDED']],
  ['Timeout', 'no answer in 10 s', []],
  ['NetworkError', 'socket hang up', []],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', []],
  ['ServiceUnavailable', 'Service is unavailable', []],
  ['InternalFailure', 'x', []],
  ['', 'Too many requests', ['ERR_INFRA_RATE_LIMITS_EXCEEDED']],
  ['LimitsExceeded', 'x', ['ERR_INFRA_QUOTA_EXCEEDED']],
  ['', 'LimitExceeded', ['ERR_INFRA_QUOTA_EXCEEDED']],
  ['', 'RequestLimitExceeded', ['ERR_INFRA_RATE_LIMITS_EXCEEDED']],
  ['OptInRequired', 'You are not subscribed to this service', ['ERR_INFRA_DEPENDENCIES']],
  ['', 'could not find DNS hosted zone for name x.example.com', ['ERR_CONFIGURATION_PROBLEM']],
  ['Whatever', 'AccessDenied beside Throttling', ['ERR_INFRA_RATE_LIMITS_EXCEEDED', 'ERR_INFRA_UNAUTHORIZED']],
  ['Error', 'test', []],
])('codesOf() of %s: %s', (code, message, expected) => {
  expect(codesOf({ code, message })).toEqual(expected);
});
