// Determines the outcome of a wish (own-record-sets.ts) after a run of publish, from the DNSRecord's items and from the
// answers of its account.
import { type RecordSet, sameContent } from '../dns/record-set.ts';
import type { BatchOutcome } from '../ports/hosted-zones.ts';
import { AccountError } from '../ports/seed/accounts.ts';
import { isWaitingForRoom } from '../publish/plan/outcome.ts';
import type { PublishResult } from '../publish/plan/publish-result.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { isByTrialOnly, stateOf } from '../record-sets/state.ts';
import { codesOf } from '../sources/gardener/error-codes.ts';
import { type DnsRecordDeps, misconfigured, type Outcome } from './deps.ts';
import { mayHaveLanded, ownItems, publishedByZones, type Wish } from './items/own-record-sets.ts';

/**
 * `does`: `check` changes nothing and compares with Route 53. With `adopt …`, what exists in Route 53 is first saved as
 * ours: only record sets equal to the desired ones, or all of its types.
 */
export type Asked = Wish & {
  /** No batch is begun after this time (milliseconds since the epoch). Null: no limit. */
  readonly untilMs: number | null;
  readonly does: 'check' | 'write' | 'adopt equal' | 'adopt all';
};

/** `isGone`: the account of these credentials has no such hosted zone. */
export type WishOutcome =
  | Extract<Outcome, { kind: 'later' }>
  | (Extract<Outcome, { kind: 'failed' }> & { readonly isGone?: true })
  | { readonly kind: 'done'; readonly left: string | null; readonly isGone?: true };

const QUOTA_EXCEEDED = 'ERR_INFRA_QUOTA_EXCEEDED' as const;
const RATE_LIMITS = 'ERR_INFRA_RATE_LIMITS_EXCEEDED' as const;

/**
 * The result of the run. `last`: the outcome of the last call that was neither accepted nor refused for its content.
 * `saidGone`: the account itself answered that it has no such hosted zone. The ledger may also say so, after another
 * account was asked for a hosted zone that is not its own.
 */
export type Tried =
  | {
      readonly kind: 'run';
      readonly result: PublishResult;
      readonly last: BatchOutcome | null;
      readonly saidGone: boolean;
    }
  | { readonly kind: 'threw'; readonly error: AccountError };

/** The outcome of a wish, from its items. `isSought`: its name was to be read; if that failed, nothing is known. */
export async function judge(
  deps: DnsRecordDeps,
  hostedZoneId: string,
  wish: Asked,
  tried: Tried,
  isSought: boolean,
): Promise<WishOutcome> {
  const types = typesOf(wish);
  const items = await ownItems(deps.ledger, hostedZoneId, { ...wish, types });
  const wanted = new Set(wish.recordSets.map(({ type }) => type));
  // A run that was overtaken may have saved an older wish meanwhile.
  const isNoted = (set: RecordSet) =>
    items.some((item) => item.type === set.type && sameContent(item.desired, set.content));
  const missing = !wish.recordSets.every(isNoted);
  const open = items.filter((item) => !isDone(item));
  const refused = open.filter(({ refusal }) => refusal !== null);
  const left = refused.filter((item) => item.desired === null && item.refusal?.reason === 'Drifted');
  const [worst] = refused.filter((item) => !left.includes(item));
  if (worst !== undefined) return refusedOutcome(deps, hostedZoneId, worst);
  const isWhole = tried.kind === 'run' && tried.result.kind === 'done' && tried.result.retryAfterSeconds === null;
  const isRead = tried.kind === 'run' && tried.result.kind === 'done' && tried.result.retryAfterSeconds !== 0;
  const isLooked = isWhole || (!items.some(mayHaveLanded) && (isRead || !isSought));
  if (open.length === left.length && !missing && isLooked) {
    return { kind: 'done', left: left.length === 0 ? null : left.map(leftMessage).join(' ') };
  }
  if (tried.kind === 'threw') return failureOf(tried.error);
  const { result, last, saidGone } = tried;
  if (result.kind === 'gone') {
    if (!saidGone) return { kind: 'later' };
    // Without a hosted zone, there are no record sets of ours to delete.
    if (wanted.size === 0) return { kind: 'done', left: null, isGone: true };
    const message = last?.kind === 'gone' ? last.message : `NoSuchHostedZone: no hosted zone with id ${hostedZoneId}`;
    return { ...misconfigured(message), isGone: true };
  }
  return fullOutcome(result, wish, types) ?? (last === null ? { kind: 'later' } : outcomeOf(last));
}

/** The failure of a wish that waits for room in a full hosted zone; null if it does not. */
function fullOutcome(result: PublishResult, { name }: Asked, types: readonly string[]): WishOutcome | null {
  if (result.kind !== 'done') return null;
  const full = result.outcomes.find(
    (one) => one.change.name === name && types.includes(one.change.type) && isWaitingForRoom(one),
  );
  return full === undefined ? null : { kind: 'failed', message: full.message, codes: [QUOTA_EXCEEDED] };
}

function isDone(item: RecordSetItem): boolean {
  const state = stateOf(item);
  return state === 'live' || state === 'free';
}

/**
 * The types that the DNSRecord had or has at the name, and those that it wants. A deletion with takeover also adopts
 * the alias that its CNAME may have become.
 */
export function typesOf({ types, recordSets, does }: Asked): readonly string[] {
  const aliases = does === 'adopt all' && types.includes('CNAME') ? ['A', 'AAAA'] : [];
  return [...new Set([...types, ...aliases, ...recordSets.map(({ type }) => type)])];
}

async function refusedOutcome(deps: DnsRecordDeps, hostedZoneId: string, item: RecordSetItem): Promise<WishOutcome> {
  const { type, name, refusal } = item;
  const message = refusal?.message ?? '';
  if (isByTrialOnly(refusal)) {
    const codes = codesOf({ code: 'InvalidChangeBatch', message });
    return { kind: 'failed', message: `${type} ${shownName(name)}: ${message}`, codes };
  }
  const zones = await publishedByZones(deps.ledger, hostedZoneId, name, [type, 'CNAME', 'A', 'AAAA']);
  const ask =
    zones.length > 0
      ? `It is published for ${zones.join(', ')}: ask its owner.`
      : 'Ask whoever wrote it to remove it, or set sources.dnsRecords.takeover to true.';
  return misconfigured(`${type} ${shownName(name)}: ${message.replace(/\.?$/, '.')} ${ask}`);
}

function leftMessage({ type, name, refusal }: RecordSetItem): string {
  return `${type} ${shownName(name)} is left unchanged: ${refusal?.message ?? ''}`;
}

function outcomeOf(last: BatchOutcome): WishOutcome {
  switch (last.kind) {
    case 'denied': {
      const codes = codesOf({ code: /^(\w+): /.exec(last.message)?.[1] ?? '', message: last.message });
      return { kind: 'failed', message: last.message, codes };
    }
    case 'throttled':
      if (last.unsent === true) return { kind: 'later' };
      return { kind: 'failed', message: last.message, codes: [RATE_LIMITS] };
    case 'unknown':
      return { kind: 'failed', message: `no answer from Route 53: ${last.message}`, codes: [], isUnanswered: true };
    case 'gone':
      return misconfigured(last.message);
    case 'accepted':
    case 'refused':
      return { kind: 'later' };
    default:
      return last satisfies never;
  }
}

/** The failure for an error of an account; `later` if nothing was sent. */
export function failureOf({ kind, code, message }: AccountError): Extract<Outcome, { kind: 'failed' | 'later' }> {
  if (kind === 'unsent') return { kind: 'later' };
  // Gardenlet takes a rate limit for final, so an account that does not answer has no code.
  if (kind === 'unanswered') return { kind: 'failed', message, codes: [], isUnanswered: true };
  return { kind: 'failed', message, codes: kind === 'refused' ? codesOf({ code, message }) : [RATE_LIMITS] };
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: AccountError };

/** Returns the answer, or the error of the account as a value. Any other error is thrown. */
export function attempted<T>(answer: Promise<T>): Promise<Attempt<T>> {
  return answer.then(
    (value): Attempt<T> => ({ ok: true, value }),
    (error: unknown): Attempt<T> => {
      if (error instanceof AccountError) return { ok: false, error };
      throw error;
    },
  );
}

/** A name without the final dot. */
export function shownName(name: string): string {
  return name.replace(/\.$/, '');
}
