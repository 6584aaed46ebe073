// What a failed call of an AWS SDK client means for whoever made it: did the service refuse it, was it never sent, or
// may it have happened? The SDK throws service exceptions (with `$fault` and `$metadata`), the operating system's
// errors (with a `code`) and its own timeouts; this is the one place that tells them apart.

/**
 * `refused`: the service said no. `unsent`: it never left. `lost`: it may have happened. `other`: our own mistake, or
 * the SDK's.
 */
export type AwsFailure = {
  readonly kind: 'refused' | 'unsent' | 'lost' | 'other';
  /** The service's error code, or the operating system's, or the error's name. */
  readonly code: string;
  readonly message: string;
  /** HTTP status, null when there was no answer. */
  readonly status: number | null;
  /** How often the SDK sent it; 1 when it does not say. */
  readonly attempts: number;
};

type Shape = {
  readonly name?: string;
  readonly message?: string;
  readonly code?: unknown;
  readonly Code?: unknown;
  readonly $fault?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly cause?: unknown;
};

/** The operating system's errors of a connection that was never made. */
const UNSENT_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);
/** Those of a connection that broke, and the SDK's own for a deadline. */
const LOST_CODES = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'ERR_SOCKET_CLOSED']);
const LOST_NAMES = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException', 'AbortError', 'SyntaxError']);
/** Thrown by the SDK before anything is sent. */
const UNSENT_NAMES = new Set(['CredentialsProviderError', 'ProviderError', 'TokenProviderError']);

/** Tells what a thrown value means. Anything that is not recognised and came after sending counts as `lost`. */
export function awsFailure(thrown: unknown): AwsFailure {
  const error: Shape = typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) };
  const status = error.$metadata?.httpStatusCode ?? null;
  const attempts = error.$metadata?.attempts ?? 1;
  const code = errorCode(error);
  return { kind: failureKind(error, code, status), code, message: error.message ?? '', status, attempts };
}

function errorCode(error: Shape): string {
  if (typeof error.code === 'string' && error.$fault === undefined) return error.code;
  if (typeof error.Code === 'string' && error.Code !== '') return error.Code;
  return error.name ?? 'Error';
}

function failureKind(error: Shape, code: string, status: number | null): AwsFailure['kind'] {
  const name = error.name ?? '';
  if (LOST_CODES.has(code) || LOST_NAMES.has(name)) return 'lost';
  // A deadline for connecting is the same `TimeoutError` as one for the answer; it is counted as lost, which is safe.
  if (UNSENT_CODES.has(code) || UNSENT_NAMES.has(name)) return 'unsent';
  if (status === null) return error.$fault === undefined ? 'other' : 'lost';
  if (status >= 500 || status < 400) return 'lost';
  return error.$fault === undefined ? 'lost' : 'refused';
}

/** True when the failure proves that nothing was written: refused or never sent, and sent once at most. */
export function nothingHappened(failure: AwsFailure): boolean {
  return (failure.kind === 'refused' || failure.kind === 'unsent') && failure.attempts <= 1;
}
