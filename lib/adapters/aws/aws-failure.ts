// Classifies an error of an AWS SDK client: the service refused the call, the call was never sent, or it may have
// happened. The SDK throws service exceptions (with `$fault` and `$metadata`), errors of the operating system (with a
// `code`) and its own timeouts. Only this file tells them apart.

/** `refused`: by the service; `unsent`: never sent; `lost`: it may have happened; `other`: a bug, ours or the SDK's. */
export type AwsFailure = {
  readonly kind: 'refused' | 'unsent' | 'lost' | 'other';
  /** The error code of the service or of the operating system, or the error's name. */
  readonly code: string;
  readonly message: string;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** How often the SDK sent it; 1 if it is not known. */
  readonly attempts: number;
};

type Shape = {
  readonly name?: string;
  readonly message?: string;
  readonly code?: unknown;
  readonly Code?: unknown;
  readonly $fault?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
};

/** Errors of the operating system for a connection that was never made. */
const UNSENT_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);
/** Errors of a connection that broke, and of the SDK's deadlines. */
const LOST_CODES = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'ERR_SOCKET_CLOSED']);
const LOST_NAMES = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException', 'AbortError', 'SyntaxError']);
/** Errors that the SDK throws before it sends anything. */
const UNSENT_NAMES = new Set(['CredentialsProviderError', 'ProviderError', 'TokenProviderError']);

/** Classifies a thrown value. Anything unknown that came after sending counts as `lost`. */
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
  // The SDK throws the same `TimeoutError` if connecting takes too long. It counts as lost, which is safe.
  if (UNSENT_CODES.has(code) || UNSENT_NAMES.has(name)) return 'unsent';
  if (status === null) return error.$fault === undefined ? 'other' : 'lost';
  if (status >= 500 || status < 400) return 'lost';
  return error.$fault === undefined ? 'lost' : 'refused';
}

/** The error of an action that failed, with the code and the message of AWS. */
export function awsError(action: string, cause: unknown): Error {
  const { code, message } = awsFailure(cause);
  return new Error(`Cannot ${action}: ${code}: ${message}`, { cause });
}

/** True if the failure proves that nothing was written: it was refused or never sent, and sent at most once. */
export function nothingHappened(failure: AwsFailure): boolean {
  return (failure.kind === 'refused' || failure.kind === 'unsent') && failure.attempts <= 1;
}
