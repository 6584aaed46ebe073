// Derives Gardener's error codes from errors of Route 53 and STS, by the words that the contract's own controller uses
// and some more. The error code of the answer decides first, then words in its message.

export type ErrorCode =
  | 'ERR_CONFIGURATION_PROBLEM'
  | 'ERR_INFRA_DEPENDENCIES'
  | 'ERR_INFRA_QUOTA_EXCEEDED'
  | 'ERR_INFRA_RATE_LIMITS_EXCEEDED'
  | 'ERR_INFRA_RESOURCES_DEPLETED'
  | 'ERR_INFRA_UNAUTHENTICATED'
  | 'ERR_INFRA_UNAUTHORIZED'
  | 'ERR_RETRYABLE_CONFIGURATION_PROBLEM'
  | 'ERR_RETRYABLE_INFRA_DEPENDENCIES';

/** An error of AWS: its code, such as `AccessDenied`, and its message. */
export type Failure = { readonly code: string; readonly message: string };

/** Error codes that decide alone, whatever the message quotes. */
const BY_CODE: readonly (readonly [RegExp, ErrorCode | null])[] = [
  [
    /^(?:NoSuchHostedZone|InvalidChangeBatch|InvalidInput|InvalidDomainName|ValidationError)$/,
    'ERR_CONFIGURATION_PROBLEM',
  ],
  [/^(?:LimitsExceeded|TooManyHostedZones)$/, 'ERR_INFRA_QUOTA_EXCEEDED'],
  [
    /^(?:Throttling(?:Exception)?|ThrottledException|RequestLimitExceeded|TooManyRequests(?:Exception)?|PriorRequestNotComplete|SlowDown|RequestThrottled(?:Exception)?)$/,
    'ERR_INFRA_RATE_LIMITS_EXCEEDED',
  ],
  // No answer, or one of the server's own errors, has no code, since gardenlet takes a rate limit for final.
  [
    /^(?:Timeout|TimeoutError|NetworkError|NetworkingError|ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|ServiceUnavailable|InternalFailure|InternalError|InternalServiceError|RequestTimeout|RequestTimeTooSkewed|IDPCommunicationError)$/,
    null,
  ],
  [
    /^(?:AuthFailure|InvalidAccessKeyId|InvalidSecretAccessKey|InvalidIdentityToken(?:Exception)?|ExpiredToken(?:Exception)?|IDPRejectedClaim(?:Exception)?|MissingAuthenticationToken(?:Exception)?)$/,
    'ERR_INFRA_UNAUTHENTICATED',
  ],
  [
    /^(?:AccessDenied(?:Exception)?|Unauthorized(?:Operation|Exception)?|NotAuthorized|InvalidClientTokenId|UnrecognizedClient(?:Exception)?|SignatureDoesNotMatch|IncompleteSignature(?:Exception)?|InvalidSignature(?:Exception)?)$/,
    'ERR_INFRA_UNAUTHORIZED',
  ],
];

/** Words in a message, in upper or lower case. */
const BY_WORDS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/NoSuchHostedZone|is not permitted in zone|could not find DNS hosted zone/i, 'ERR_CONFIGURATION_PROBLEM'],
  [
    /not supported in your requested Availability Zone|InvalidParameterValue|notFound|InvalidSubnet|Invalid value|violates constraint|no attached internet gateway found|invalid VPC attributes|strict decoder error|duplicate zones|overlapping zones/i,
    'ERR_CONFIGURATION_PROBLEM',
  ],
  [/AuthFailure|InvalidAccessKeyId|InvalidSecretAccessKey/i, 'ERR_INFRA_UNAUTHENTICATED'],
  [/Unauthorized|InvalidClientTokenId|SignatureDoesNotMatch|AccessDenied/i, 'ERR_INFRA_UNAUTHORIZED'],
  [
    /(?<!request)LimitExceeded|Quotas|Quota.*exceeded|exceeded quota|Quota has been met|QUOTA_EXCEEDED/i,
    'ERR_INFRA_QUOTA_EXCEEDED',
  ],
  [/RequestLimitExceeded|Throttling|Too many requests/i, 'ERR_INFRA_RATE_LIMITS_EXCEEDED'],
  [
    /PendingVerification|Access ?Not ?Configured|DependencyViolation|OptInRequired|Conflict|inactive billing state|timeout while waiting for state to become|InvalidCidrBlock|already busy for|InsufficientFreeAddressesInSubnet|internal server error|currently associated with another service/i,
    'ERR_INFRA_DEPENDENCIES',
  ],
  [/RetryableError/i, 'ERR_RETRYABLE_INFRA_DEPENDENCIES'],
  [
    /not available in the current hardware cluster|InsufficientInstanceCapacity|out of stock/i,
    'ERR_INFRA_RESOURCES_DEPLETED',
  ],
  [
    /SDK\.CanNotResolveEndpoint|The requested configuration is currently not supported/i,
    'ERR_RETRYABLE_CONFIGURATION_PROBLEM',
  ],
];

/** The codes of a failure, sorted; none if it is unknown. */
export function codesOf({ code, message }: Failure): readonly ErrorCode[] {
  const exact = BY_CODE.find(([pattern]) => pattern.test(code));
  if (exact !== undefined) return exact[1] === null ? [] : [exact[1]];
  const found = BY_WORDS.filter(([pattern]) => pattern.test(`${code}: ${message}`)).map(([, errorCode]) => errorCode);
  return [...new Set(found)].toSorted();
}
