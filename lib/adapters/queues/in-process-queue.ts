// A queue in memory that behaves like an SQS queue. A message that fails, or whose handler exceeds the visibility
// timeout, is delivered again; after too many receives it becomes a dead letter. A message with a group (FIFO) is
// delivered alone, and no other of its group before it is done or dead. Messages without a group come in batches, in
// any order. A message that has failed comes alone, so that it does not fail its batch again and again.
import type { Clock } from '../../ports/clock.ts';

/** Calls back after so many milliseconds; the returned function cancels it. */
export type SetTimer = (callback: () => void, ms: number) => () => void;

/** What SQS may do and a simple queue in memory would not: delay, reorder, deliver twice. */
type Disorder = {
  /** From 0 to 1; seed it to make a run repeatable. */
  readonly random: () => number;
  /** Each message without a group waits up to so many milliseconds, and ready ones are taken in any order. */
  readonly delayMsMax: number;
  /** The share of messages that are delivered twice, from 0 to 1. */
  readonly duplicateShare: number;
};

export type LaneLimits = {
  /** The most parallel calls of `handle`. */
  readonly handlersMax: number;
  /** The most messages of one call; one with a group comes alone. */
  readonly batchMax: number;
  readonly visibilityTimeoutMs: number;
  readonly receivesMax: number;
  /** Milliseconds until a failed message is delivered again, by how often it was received. */
  readonly retryAfterMs: (receives: number) => number;
  readonly clock: Clock;
  readonly setTimer: SetTimer;
  readonly disorder: Disorder | null;
  /**
   * While a call of `handle` runs, another one begins with a full batch, or so many milliseconds after the last one
   * began. Messages that come one by one are then handled together.
   */
  readonly gatherMs: number;
  /** How many messages at once are gathered for longer. Default: none are. */
  readonly burst?: Gathering;
};

/**
 * More than `messages` ready messages are gathered until none has come for `quietMs` and no call of `handle` runs, but
 * at most for `waitMs`: many together cost far less than a few at a time, and whoever still writes is not disturbed.
 */
type Gathering = { readonly messages: number; readonly quietMs: number; readonly waitMs: number };

export type LaneOptions<T> = LaneLimits & {
  readonly handle: (payloads: readonly T[]) => Promise<void>;
  readonly onDead: (payload: T, error: unknown) => void;
  /** Called for a delivery that failed and is repeated. */
  readonly onFailed: (error: unknown, receives: number) => void;
  /** Called after every change of the queue. */
  readonly onChange: () => void;
  /** While it is true, nothing is delivered. Whoever makes it false calls `pump`. */
  readonly isHeld?: () => boolean;
};

export type Lane<T> = {
  send(payload: T, delayMs: number, group: string | null): void;
  /** True if a message of this group is ready and was not delivered yet. */
  hasFresh(group: string): boolean;
  /** How many messages are ready or in flight. */
  count(): number;
  /** True if nothing is ready, in flight, or due within `horizonMs`. */
  isIdle(horizonMs: number): boolean;
  /** Delivers ready messages, as far as allowed. */
  pump(): void;
  /** Stops delivering and drops what is queued; resolves when the running handlers have ended. */
  close(): Promise<void>;
};

type Message<T> = { readonly payload: T; readonly group: string | null; receives: number };

/** A queue that delivers nothing before the first `pump`. */
export function lane<T>(options: LaneOptions<T>): Lane<T> {
  const { clock, setTimer, disorder } = options;
  let ready: Message<T>[] = [];
  const later = new Map<Message<T>, { readonly dueMs: number; readonly cancel: () => void }>();
  const busyGroups = new Set<string>();
  const running = new Set<Promise<void>>();
  let handlers = 0;
  let inFlight = 0;
  /** When the last call of `handle` began. */
  let begunMs = Number.NEGATIVE_INFINITY;
  /** When the last message became ready, and since when messages are ready that were not delivered yet. */
  const readyMs = { last: 0, since: 0 };
  let gathering: { readonly dueMs: number; readonly cancel: () => void } | null = null;
  let started = false;
  let closed = false;

  const after = (message: Message<T>, delayMs: number, then: () => void) => {
    const due = () => {
      later.delete(message);
      then();
      pump();
      options.onChange();
    };
    later.set(message, { dueMs: clock.nowMs() + delayMs, cancel: setTimer(due, delayMs) });
  };

  const failedDelivery = (batch: readonly Message<T>[], error: unknown) => {
    for (const message of batch) {
      if (message.receives >= options.receivesMax) {
        if (message.group !== null) busyGroups.delete(message.group);
        options.onDead(message.payload, error);
        continue;
      }
      options.onFailed(error, message.receives);
      // A failed message keeps its group busy until it comes again, so that no other of the group overtakes it.
      after(message, options.retryAfterMs(message.receives), () => {
        if (message.group !== null) busyGroups.delete(message.group);
        becomesReady(() => ready.unshift(message));
      });
    }
  };

  const deliver = (batch: readonly Message<T>[]) => {
    handlers += 1;
    inFlight += batch.length;
    begunMs = clock.nowMs();
    for (const message of batch) {
      message.receives += 1;
      if (message.group !== null) busyGroups.add(message.group);
    }
    let ended = false;
    const end = (error: unknown) => {
      if (ended || closed) return;
      ended = true;
      handlers -= 1;
      inFlight -= batch.length;
      cancel();
      if (error === null) for (const { group } of batch) if (group !== null) busyGroups.delete(group);
      if (error !== null) failedDelivery(batch, error);
      pump();
      options.onChange();
    };
    const overdue = () =>
      end(new Error(`no answer within the visibility timeout of ${options.visibilityTimeoutMs} ms`));
    const cancel = setTimer(overdue, options.visibilityTimeoutMs);
    const work = callHandler(options.handle, batch).then(end);
    running.add(work);
    void work.then(() => {
      running.delete(work);
      if (closed) cancel();
    });
  };

  const becomesReady = (add: () => void) => {
    readyMs.last = clock.nowMs();
    if (ready.length === 0) readyMs.since = readyMs.last;
    add();
  };

  /** Until when more messages are waited for. */
  const gathersUntilMs = () => {
    const { burst } = options;
    if (burst === undefined || ready.length <= burst.messages) return handlers === 0 ? 0 : begunMs + options.gatherMs;
    const quietMs = handlers === 0 ? readyMs.last + burst.quietMs : Number.POSITIVE_INFINITY;
    return Math.min(quietMs, readyMs.since + burst.waitMs);
  };

  /** True if more messages are waited for, for a while. */
  const gathers = () => {
    const dueMs = gathersUntilMs();
    const leftMs = dueMs - clock.nowMs();
    if (ready.length === 0 || ready.length >= options.batchMax || leftMs <= 0) return false;
    if (gathering !== null && gathering.dueMs <= dueMs) return true;
    gathering?.cancel();
    const cancel = setTimer(() => {
      gathering = null;
      pump();
    }, leftMs);
    gathering = { dueMs, cancel };
    return true;
  };

  const pump = () => {
    if (options.isHeld?.() === true) return;
    while (started && !closed && handlers < options.handlersMax && !gathers()) {
      const batch = takeBatch(ready, busyGroups, options.batchMax, disorder);
      if (batch.length === 0) return;
      const taken = new Set(batch);
      ready = ready.filter((message) => !taken.has(message));
      readyMs.since = clock.nowMs();
      deliver(batch);
    }
  };

  const enqueue = (payload: T, delayMs: number, group: string | null) => {
    const message: Message<T> = { payload, group, receives: 0 };
    const shuffleMs = disorder === null || group !== null ? 0 : Math.floor(disorder.random() * disorder.delayMsMax);
    const add = () => becomesReady(() => ready.push(message));
    if (delayMs + shuffleMs > 0) after(message, delayMs + shuffleMs, add);
    else add();
  };

  return {
    send: (payload, delayMs, group) => {
      if (closed) return;
      enqueue(payload, delayMs, group);
      if (disorder !== null && disorder.random() < disorder.duplicateShare) enqueue(payload, delayMs, group);
    },
    hasFresh: (group) => ready.some((message) => message.group === group && message.receives === 0),
    count: () => ready.length + inFlight,
    isIdle: (horizonMs) => {
      if (closed) return true;
      const untilMs = clock.nowMs() + horizonMs;
      return ready.length === 0 && handlers === 0 && [...later.values()].every(({ dueMs }) => dueMs > untilMs);
    },
    pump: () => {
      started = true;
      pump();
    },
    close: async () => {
      closed = true;
      gathering?.cancel();
      ready = [];
      for (const { cancel } of later.values()) cancel();
      later.clear();
      await Promise.all(running);
    },
  };
}

/** The error of the handler; null if it succeeded. */
async function callHandler<T>(handle: LaneOptions<T>['handle'], batch: readonly Message<T>[]): Promise<unknown> {
  try {
    await handle(batch.map(({ payload }) => payload));
    return null;
  } catch (error) {
    return error ?? new Error('the handler failed');
  }
}

/** The next messages that may be delivered together, in order of arrival, or in any order with disorder. */
function takeBatch<T>(
  ready: readonly Message<T>[],
  busyGroups: ReadonlySet<string>,
  batchMax: number,
  disorder: Disorder | null,
): Message<T>[] {
  const seen = new Set(busyGroups);
  const eligible = ready.filter(({ group }) => {
    if (group === null) return true;
    if (seen.has(group)) return false;
    seen.add(group);
    return true;
  });
  const order = disorder === null ? eligible : shuffled(eligible, disorder.random);
  const first = order[0];
  if (first === undefined) return [];
  const alone = (message: Message<T>) => message.group !== null || message.receives > 0;
  if (alone(first)) return [first];
  return order.filter((message) => !alone(message)).slice(0, batchMax);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
