// The numbers of a budget of Route 53 calls, and how they change. Pure. Since July 2026 Route 53 has token buckets: of
// requests, for the account and for each action, and one of record changes, whose size is not published (Developer
// Guide, "Throttling for Amazon Route 53 API requests"; AWS Networking blog; last verified 2026-11-29). A bucket is
// one time: when it will be full again. What Route 53 takes of changes is learned; it does not say which bucket was
// empty. A batch larger than any accepted before shows that the bucket may be smaller, another that it refills slowly.
import type { BudgetLimits } from '../../ports/budget-limits.ts';

/**
 * A call that is about to begin. `changes`: the record changes of a batch. `isLast`: it begins only while half of the
 * bucket of requests is left for others.
 */
export type BudgetedCall = { readonly action?: LimitedAction; readonly changes?: number; readonly isLast?: boolean };

/** The actions that have a smaller bucket than the account: its refill a second, and its size. */
const LIMITED_ACTIONS = {
  CreateHostedZone: { perSecond: 2, size: 40 },
  CreateHealthCheck: { perSecond: 0.5, size: 50 },
  DeleteHealthCheck: { perSecond: 3, size: 15 },
} as const;
type LimitedAction = keyof typeof LIMITED_ACTIONS;

export type BudgetState = {
  /** When the bucket of requests will be full again, in milliseconds since the epoch; so the other buckets. */
  readonly fullAtMs: number;
  /** Those of the actions that have one, by their names; absent: full. */
  readonly actionsFullAtMs: Readonly<Record<string, number>>;
  readonly changesFullAtMs: number;
  /** The changes of a batch that Route 53 is believed to take, and how many a second. Both have fractions. */
  readonly size: number;
  readonly rate: number;
  /** The largest batch that was accepted: the bucket is no smaller, unless its limit was lowered since. */
  readonly accepted: number;
  readonly acceptedAtMs: number;
  /** When a throttled batch last made them smaller. One that was sent before does not count again. */
  readonly shrunkAtMs: number;
};

/** The most elements of a batch (Route 53 quotas); more changes cannot be in one. */
const SIZE_MAX = 1_000;
/** As many changes a second are sent before anything is known; a batch has half of them. */
const RATE_MAX = 2_000;
/** The slowest that changes are sent, so that a limit that was raised is found within seconds. */
const RATE_MIN = 0.25;
/**
 * How much more after each accepted batch: where the limits are found, one of some ten batches is throttled. A size
 * that was accepted before is nearly reached at once.
 */
const FASTER = 1.03;
const LARGER = 1.025;
const NEARLY = 0.8;
/** An accepted batch is noted from this size on, if it is so many times as large as any before. */
const NEWS = 10;
const NEWS_TIMES = 1.25;
/** What is left of `accepted` when a batch of that size is throttled by a bucket that should be full again. */
const DOUBT = 0.75;
/** The least wait after a bucket of changes was found empty that refills more slowly than was believed. */
const EMPTY_MS_MIN = 500;
/** Buckets that would be full later than this come from a clock that was wrong, and are full now. */
const AHEAD_MS_MAX = 60_000;

/** Nothing is known yet, and all buckets are full. */
export function newBudget(limits: BudgetLimits): BudgetState {
  const { size, rate } = mostChanges(limits);
  const full = { fullAtMs: 0, actionsFullAtMs: {}, changesFullAtMs: 0 };
  return { ...full, size, rate, accepted: 0, acceptedAtMs: 0, shrunkAtMs: 0 };
}

/** The most changes of a batch, and a second: by the configuration, less the reserve. */
function mostChanges({ changesPerSecond, reserve }: BudgetLimits): Pick<BudgetState, 'size' | 'rate'> {
  if (changesPerSecond === 'auto') return { size: SIZE_MAX, rate: RATE_MAX };
  const ceiling = Math.max(1, changesPerSecond * (1 - reserve));
  return { size: Math.min(SIZE_MAX, ceiling), rate: ceiling };
}

type Bucket = { readonly perSecond: number; readonly size: number };

/** What of a bucket is ours; one call at least, or nothing could ever begin. */
function ours({ perSecond, size }: Bucket, { reserve }: BudgetLimits): Bucket {
  return { perSecond: perSecond * (1 - reserve), size: Math.max(1, size * (1 - reserve)) };
}

function requestBucket(limits: BudgetLimits): Bucket {
  return ours({ perSecond: limits.requestsPerSecond, size: limits.burst }, limits);
}

/** When `count` tokens can be taken, and when the bucket is full again after that. */
function tokensTaken(fullAtMs: number, { perSecond, size }: Bucket, count: number, nowMs: number) {
  const eachMs = 1_000 / perSecond;
  const wanted = Math.min(count, size);
  const known = fullAtMs > nowMs + size * eachMs + AHEAD_MS_MAX ? nowMs : fullAtMs;
  const startMs = Math.max(nowMs, known - (size - wanted) * eachMs);
  return { startMs, fullAtMs: Math.max(known, startMs) + wanted * eachMs };
}

/** Takes the next free place for a call. `startMs`: when the call may begin. */
export function reserveCall(
  state: BudgetState,
  limits: BudgetLimits,
  { action, changes = 0, isLast = false }: BudgetedCall,
  nowMs: number,
): { readonly state: BudgetState; readonly startMs: number } {
  const { size, rate } = state;
  const bucket = requestBucket(limits);
  const request = tokensTaken(state.fullAtMs, bucket, 1, nowMs);
  const { startMs } = isLast ? tokensTaken(state.fullAtMs, bucket, Math.max(1, bucket.size / 2), nowMs) : request;
  const { actionsFullAtMs } = state;
  const limited =
    action === undefined
      ? null
      : tokensTaken(actionsFullAtMs[action] ?? 0, ours(LIMITED_ACTIONS[action], limits), 1, nowMs);
  const change = changes === 0 ? null : tokensTaken(state.changesFullAtMs, { perSecond: rate, size }, changes, nowMs);
  return {
    startMs: Math.max(startMs, limited?.startMs ?? nowMs, change?.startMs ?? nowMs),
    state: {
      ...state,
      fullAtMs: request.fullAtMs,
      actionsFullAtMs:
        action === undefined || limited === null ? actionsFullAtMs : { ...actionsFullAtMs, [action]: limited.fullAtMs },
      changesFullAtMs: change?.fullAtMs ?? state.changesFullAtMs,
    },
  };
}

/** What became of a batch of so many changes, sent at `sentAtMs`. */
export type BatchFate = { readonly changes: number; readonly isThrottled: boolean; readonly sentAtMs: number };

/**
 * The state after a batch; null: nothing has changed. Nothing is learned from a throttled one that was under way when
 * another was throttled, or if the bucket of requests may have been the empty one.
 */
export function learnFrom(
  state: BudgetState,
  limits: BudgetLimits,
  { changes, isThrottled, sentAtMs }: BatchFate,
  nowMs: number,
): BudgetState | null {
  const most = mostChanges(limits);
  const { size, rate, accepted } = state;
  if (!isThrottled) {
    const nearly = NEARLY * accepted;
    const larger = Math.min(most.size, size < nearly ? Math.min(nearly, 2 * size) : size * LARGER);
    const next = { size: larger, rate: Math.min(most.rate, rate * FASTER), accepted: Math.max(accepted, changes) };
    const isNews = changes >= NEWS && changes > NEWS_TIMES * accepted;
    if (next.size === size && next.rate === rate && !isNews) return null;
    // What the bucket holds more than was believed is not in it yet.
    const changesFullAtMs = Math.max(state.changesFullAtMs, nowMs) + ((larger - size) / rate) * 1_000;
    return { ...state, ...next, changesFullAtMs, acceptedAtMs: nowMs };
  }
  const isOlder = sentAtMs < state.shrunkAtMs && state.shrunkAtMs <= nowMs;
  if (isOlder || !hadRoom(state, limits, nowMs)) return null;
  const half = Math.max(1, Math.floor(Math.min(size, changes) / 2));
  if (changes > accepted) return { ...state, size: half, shrunkAtMs: nowMs };
  // Since the last batch that was accepted, it has not refilled by as many as these.
  const seconds = Math.max(1, nowMs - state.acceptedAtMs) / 1_000;
  const slower = Math.max(RATE_MIN, Math.min(rate / 2, changes / seconds));
  const isFull = seconds > 1 && (seconds * rate) / 2 >= changes;
  const doubted = isFull ? Math.max(1, Math.floor(accepted * DOUBT)) : accepted;
  // The bucket of changes is as good as empty. The rate is learned from how much comes into it meanwhile.
  const changesFullAtMs = nowMs + Math.max(EMPTY_MS_MIN, (half / slower) * 1_000);
  return { ...state, size: half, rate: slower, accepted: doubted, changesFullAtMs, shrunkAtMs: nowMs };
}

/** True if the account's bucket of requests had room: our own part of it, or what is reserved for others. */
function hadRoom({ fullAtMs }: BudgetState, limits: BudgetLimits, nowMs: number): boolean {
  const { perSecond, size } = requestBucket(limits);
  return limits.reserve > 0 || fullAtMs - nowMs <= (size - 1) * (1_000 / perSecond);
}

/** The most changes that the next batch may have. */
export function changesAtOnce({ size }: BudgetState): number {
  return Math.max(1, Math.floor(size));
}
