// What Route 53's answers to a failed call mean.
//
//   answer                                              change (BatchOutcome)   read
//   Throttling, Rate exceeded, PriorRequestNotComplete  throttled               again
//   ConcurrentModification                              throttled               again
//   never sent (no connection)                          throttled               again
//   InvalidChangeBatch, InvalidInput, NoSuchHealthCheck refused                 Error
//   LimitsExceeded, and others about the content        refused, with the code  Error
//   NoSuchHostedZone                                    gone                    null
//   every other refusal with a code; no credentials     denied                  Error
//   deadline, connection lost, 5xx, no sense in it      unknown                 again
//
// `denied` and `refused` prove that nothing was applied, so only an answer with an error code of Route 53 counts as
// one.
import type { BatchOutcome } from '../../ports/hosted-zones.ts';
import { RoleNotAssumedError } from '../aws/assumed-role.ts';
import { awsFailure } from '../aws/aws-failure.ts';

const THROTTLED_CODES = new Set([
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'PriorRequestNotComplete',
  // "Retry the request" (the API's model).
  'ConcurrentModification',
  // Our clock was wrong; the SDK has noted by how much, and the next call is signed right.
  'RequestTimeTooSkewed',
]);
/** Codes that say nothing about the limits of the account: only this hosted zone, or this call, has to wait. */
const OF_ONE_HOSTED_ZONE = new Set(['PriorRequestNotComplete', 'ConcurrentModification', 'RequestTimeTooSkewed']);
const REFUSED_CODES = new Set(['InvalidChangeBatch', 'InvalidInput', 'NoSuchHealthCheck']);
/**
 * Codes about the content of a batch whose texts may not say what is wrong. Amazon does not document them for a batch,
 * but the model of the API has them. `LimitsExceeded`: the hosted zone is full (lib/route53/refusal-messages.ts).
 */
const TELLING_CODES = new Set([
  'LimitsExceeded',
  'InvalidArgument',
  'InvalidDomainName',
  'NoSuchCidrCollectionException',
  'NoSuchCidrLocationException',
  'NoSuchGeoLocation',
  'ValidationError',
  'ValidationException',
]);
/** What the SDK says when an answer carried no code: some proxy's, or half an answer. */
const NO_CODES = new Set(['', 'Error', 'NotFound', 'Unknown', 'UnknownError']);

const TRUNCATED = 'Message was too long, it was truncated.';
/** How Route 53's messages begin; a `, ` before one of these ends the message before it. Last verified 2026-11-21. */
const MESSAGE_STARTS =
  /, (?=Tried to (?:create|delete|upsert) |RRSet |Invalid Resource Record|Invalid request|Invalid XML|Duplicate Resource Record|Cannot have more than |Multi-value answer RRSet )/;

/** An answer of 200 without a field that the API requires, such as a proxy's. Nothing follows from it. */
export class IncompleteAnswerError extends Error {
  constructor() {
    super('the answer lacks what Route 53 always says');
    this.name = 'IncompleteAnswer';
  }
}

/** What became of a batch whose call threw. */
export function batchOutcome(thrown: unknown): BatchOutcome {
  const bare = bareMessages(thrown);
  if (bare !== null) return refusedWith(bare);
  if (thrown instanceof RoleNotAssumedError) return { kind: 'denied', message: thrown.message };
  const failure = awsFailure(thrown);
  const message = `${failure.code}: ${failure.message}`;
  if (isThrottled(thrown)) {
    const isOfAccount = !OF_ONE_HOSTED_ZONE.has(failure.code);
    return { kind: 'throttled', message, ...(isOfAccount && { isOfAccount }) };
  }
  if (failure.kind === 'unsent') return { kind: isCredentials(failure.code) ? 'denied' : 'throttled', message };
  if (failure.kind !== 'refused' || NO_CODES.has(failure.code)) return { kind: 'unknown', message };
  if (failure.code === 'NoSuchHostedZone') return { kind: 'gone', message };
  if (TELLING_CODES.has(failure.code)) return { kind: 'refused', messages: [message] };
  if (!REFUSED_CODES.has(failure.code)) return { kind: 'denied', message };
  const listed = (thrown as { readonly messages?: readonly string[] }).messages ?? [];
  return refusedWith(listed.length > 0 ? listed : [failure.message]);
}

function refusedWith(texts: readonly string[]): BatchOutcome {
  const isCut = texts.some((text) => text.startsWith(TRUNCATED));
  return { kind: 'refused', messages: texts.flatMap(splitMessages), ...(isCut && { isCut }) };
}

/** True for a read that is worth another try. */
export function isRepeatable(thrown: unknown): boolean {
  const failure = awsFailure(thrown);
  if (thrown instanceof IncompleteAnswerError || isThrottled(thrown) || failure.kind === 'lost') return true;
  if (failure.kind === 'unsent') return !isCredentials(failure.code);
  return failure.kind === 'refused' ? NO_CODES.has(failure.code) : failure.status !== null;
}

/** True when Route 53 says that there is no such hosted zone. */
export function isGone(thrown: unknown): boolean {
  return awsFailure(thrown).code === 'NoSuchHostedZone';
}

/** The messages of an InvalidChangeBatch; also those that Route 53 wrote into one text, `[m1, m2]`. */
export function splitMessages(text: string): string[] {
  const whole = text.startsWith(TRUNCATED) ? text.slice(TRUNCATED.length).trim() : text.trim();
  const bracketed = /^\[([\s\S]*?)\]?$/.exec(whole);
  return (bracketed?.[1] ?? whole).split(MESSAGE_STARTS).filter((message) => message !== '');
}

/** True when Route 53 says that there were too many calls. */
export function isThrottled(thrown: unknown): boolean {
  const { code, message, status } = awsFailure(thrown);
  return THROTTLED_CODES.has(code) || status === 429 || (status === 400 && /^Rate exceeded/i.test(message));
}

/** The message if reading is denied, to us or to a role that cannot be assumed; null for any other error. */
export function denial(thrown: unknown): string | null {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (cause instanceof RoleNotAssumedError) return cause.message;
  const { kind, code, message } = awsFailure(cause);
  return kind === 'refused' && /^AccessDenied/.test(code) ? `${code}: ${message}` : null;
}

function isCredentials(code: string): boolean {
  return /^(Credentials|Token)?ProviderError$/.test(code);
}

/** The second shape, `<InvalidChangeBatch><Messages>…`: without a code, so that the SDK calls it "Unknown". */
function bareMessages(thrown: unknown): string[] | null {
  const messages = (thrown as { readonly Messages?: { readonly Message?: unknown } } | null)?.Messages?.Message;
  if (awsFailure(thrown).status !== 400 || messages === undefined) return null;
  return Array.isArray(messages) ? messages.map(String) : [String(messages)];
}
