// The queues in one process, for `zone53 local` and for tests. They do to messages what SQS does: hints and reports may
// come late, twice and in any order; publish delivers one message at a time for each hosted zone, in order.
//
// Reports may be combined (coalesce-reports.ts). A publish message without delay is dropped if one of the same hosted
// zone is ready and was not delivered yet. That is safe because a message is only a key: the one that waits will read
// the ledger later, with everything that was written before this call. A message with a delay is never dropped: it asks
// for a later run.

import { isZone, type ObjectRef } from '../../objects/object-ref.ts';
import { errorMessage } from '../../objects/plain.ts';
import { backoff } from '../../ports/backoff.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { FollowedChange, Hint, Queues } from '../../ports/queues.ts';
import { type ReportWindows, reportWindow } from './coalesce-reports.ts';
import { type LaneLimits, type LaneOptions, lane, type SetTimer } from './in-process-queue.ts';

type Delayed = { readonly hostedZoneId: string; readonly after?: number };

export type Handlers = {
  readonly hint: (hints: readonly Hint[]) => Promise<void>;
  readonly publish: (hostedZoneId: string) => Promise<void>;
  /** Sends a publish message on whose delay is over, if it is still needed (wakeWhenDue). Default: it is. */
  readonly due?: (message: Delayed) => Promise<void>;
  readonly report: (refs: readonly ObjectRef[]) => Promise<void>;
  /** Default: no batch is followed. */
  readonly follow?: (change: FollowedChange) => Promise<void>;
};

export type InProcessQueues = Queues & {
  /** Sets the handlers, once. Nothing is delivered before. */
  attach(handlers: Handlers): void;
  /** Resolves when nothing is in flight and nothing is due within `horizonMs` (default: at any time). */
  idle(horizonMs?: number): Promise<void>;
  /** Drops what is queued; resolves when the running handlers have ended. */
  close(): Promise<void>;
};

/** Limits that are left out are DEFAULT_LIMITS. */
export type InProcessQueuesOptions = Partial<Omit<LaneLimits, 'burst'>> & {
  readonly clock: Clock;
  /** Called for each dead letter, and for failures that do not pass. Default: no log. */
  readonly log?: Log;
  /** For how long reports are combined; each object by one call at a time. Default: each report alone, at once. */
  readonly reportWindows?: ReportWindows;
  /** What waits for what while many hints come; default: nothing waits. */
  readonly burst?: Burst;
};

/**
 * More than `hints` hints at once are a burst. While it lasts, up to `batchMax` hints are handled together: those that
 * come until it has been quiet for `quietMs`, at most for `waitMs`. Hosted zones are published at most every
 * `publishMs`, and reports wait up to `reportMs`: until most of it is published. Fewer hints are handled together if
 * they come within `gatherMs` while others are handled.
 */
type Burst = {
  readonly hints: number;
  readonly gatherMs: number;
  readonly batchMax: number;
  readonly quietMs: number;
  readonly waitMs: number;
  readonly publishMs: number;
  readonly reportMs: number;
};

/** A message that failed so often is no passing trouble: its error is logged, once a minute for each queue. */
const TOLD_FROM_RECEIVES = 3;
const TOLD_AGAIN_MS = 60_000;

const systemTimer: SetTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

const DEFAULT_LIMITS: Omit<LaneLimits, 'clock'> = {
  setTimer: systemTimer,
  disorder: null,
  visibilityTimeoutMs: 360_000,
  receivesMax: 10,
  retryAfterMs: backoff(1_000, 60_000),
  batchMax: 100,
  handlersMax: 4,
  gatherMs: 0,
};

/** Empty queues. */
export function inProcessQueues(options: InProcessQueuesOptions): InProcessQueues {
  const { reportWindows = null, burst = null, log, ...own } = options;
  const limits = { ...DEFAULT_LIMITS, ...own };
  const { clock, setTimer } = limits;
  let handlers: Handlers | null = null;
  let pumping = false;
  const tellAgainMs = new Map<keyof Handlers, number>();
  let idling: { readonly horizonMs: number; readonly resolve: () => void }[] = [];

  const newLane = <T>(
    queue: keyof Handlers,
    handle: (payloads: readonly T[]) => Promise<void>,
    givenUp: (payload: T) => void = () => {},
    how: Pick<Partial<LaneOptions<T>>, 'gatherMs' | 'isHeld' | 'burst' | 'batchMax'> = {},
  ) =>
    lane<T>({
      ...limits,
      ...how,
      handle,
      onFailed: (error, receives) => {
        const nowMs = clock.nowMs();
        if (receives < TOLD_FROM_RECEIVES || nowMs < (tellAgainMs.get(queue) ?? 0)) return;
        tellAgainMs.set(queue, nowMs + TOLD_AGAIN_MS);
        log?.('warn', `${errorMessage(error)} (tried again)`);
      },
      onDead: (payload, error) => {
        givenUp(payload);
        log?.('error', `a ${queue} message was given up`, { payload, error: String(error) });
      },
      onChange: () => {
        tellIdle();
        if (queue === 'hint') publishes.pump();
      },
    });
  const attached = () => {
    if (handlers === null) throw new Error('Cannot deliver a message: no handlers are attached');
    return handlers;
  };
  const isBurst = () => burst !== null && hints.count() > burst.hints;
  /** Since when publishing waits for hints that are on their way; null: it does not. */
  let waitsSinceMs: number | null = null;
  let waiting: (() => void) | null = null;
  const waitsForHints = () => {
    const nowMs = clock.nowMs();
    if (burst === null || !isBurst() || nowMs - (waitsSinceMs ?? nowMs) >= burst.publishMs) {
      waitsSinceMs = null;
      return false;
    }
    waitsSinceMs ??= nowMs;
    waiting ??= setTimer(() => {
      waiting = null;
      publishes.pump();
    }, burst.publishMs);
    return true;
  };
  const gathering = burst === null ? {} : { ...burst, burst: { ...burst, messages: burst.hints } };
  const hints = newLane<Hint>('hint', (batch) => attached().hint(batch), undefined, gathering);
  const publishes = newLane<string>(
    'publish',
    async (ids) => {
      for (const id of ids) await attached().publish(id);
    },
    undefined,
    { isHeld: waitsForHints },
  );
  const delayedPublishes = newLane<Delayed>('publish', async (messages) => {
    const { due = async ({ hostedZoneId }) => sendPublish(hostedZoneId) } = attached();
    for (const message of messages) await due(message);
  });
  const follows = newLane<FollowedChange>('follow', async (changes) => {
    for (const change of changes.toSorted((a, b) => a.atMs - b.atMs)) await attached().follow?.(change);
  });
  const newReports = () =>
    newLane<ObjectRef>(
      'report',
      async (batch) => {
        window?.begin(batch);
        await attached().report(batch);
        window?.done(batch);
      },
      (ref) => {
        window?.begin([ref]);
        window?.done([ref]);
      },
    );
  // The report of a Zone may take a second, which is measured (coalesce-reports.ts), so it is separate from the others.
  const reports = { zones: newReports(), others: newReports() };
  const lanes = [hints, publishes, delayedPublishes, follows, reports.zones, reports.others];

  const isIdle = (horizonMs: number) => window?.isEmpty() !== false && lanes.every((one) => one.isIdle(horizonMs));
  const tellIdle = () => {
    const done = idling.filter(({ horizonMs }) => isIdle(horizonMs));
    idling = idling.filter((waiting) => !done.includes(waiting));
    for (const { resolve } of done) resolve();
  };
  /** Delivers after the sender's turn, so that messages that are sent together arrive together. */
  const deliverSoon = () => {
    if (handlers === null || pumping) return;
    pumping = true;
    queueMicrotask(() => {
      pumping = false;
      for (const one of lanes) one.pump();
    });
  };
  const sendReports = (refs: readonly ObjectRef[]) => {
    for (const ref of refs) (isZone(ref) ? reports.zones : reports.others).send(ref, 0, null);
    deliverSoon();
  };
  const waitsMs = (held: number) =>
    burst !== null && (isBurst() || (held > burst.hints && publishes.count() > 0)) ? burst.reportMs : 0;
  const window = reportWindows === null ? null : reportWindow(reportWindows, { clock, setTimer, waitsMs }, sendReports);
  const later = new Set<() => void>();
  /** Nothing waits for a later report, nor for Route 53's name servers: until then the queues count as idle. */
  const addLater = (add: () => void, seconds: number) => {
    const cancel = setTimer(() => {
      later.delete(cancel);
      add();
    }, seconds * 1_000);
    later.add(cancel);
  };
  const sendPublish = (id: string) => {
    if (!publishes.hasFresh(id)) publishes.send(id, 0, id);
    deliverSoon();
  };

  return {
    hint: async (sent, delaySeconds = 0) => {
      for (const hint of sent) hints.send(hint, delaySeconds * 1_000, null);
      deliverSoon();
    },
    publish: async (hostedZoneId, delaySeconds = 0, _ = {}, after = undefined) => {
      // An SQS FIFO queue has no delay for single messages. The message waits outside of its group, as in
      // sqs-queues.ts.
      const message = { hostedZoneId, ...(after === undefined ? {} : { after }) };
      if (delaySeconds > 0) delayedPublishes.send(message, delaySeconds * 1_000, null);
      else sendPublish(hostedZoneId);
    },
    report: async (refs, _ = {}, delaySeconds = 0) => {
      const add = () => (window === null ? sendReports(refs) : window.add(refs));
      if (delaySeconds <= 0) return add();
      addLater(add, delaySeconds);
    },
    follow: async (change, delaySeconds) =>
      addLater(() => {
        follows.send(change, 0, null);
        deliverSoon();
      }, delaySeconds),
    attach: (given) => {
      if (handlers !== null) throw new Error('Cannot attach handlers twice');
      handlers = given;
      deliverSoon();
    },
    idle: (horizonMs = Number.POSITIVE_INFINITY) => {
      if (isIdle(horizonMs)) return Promise.resolve();
      return new Promise((resolve) => idling.push({ horizonMs, resolve }));
    },
    close: async () => {
      for (const cancel of later) cancel();
      waiting?.();
      window?.close();
      await Promise.all(lanes.map((one) => one.close()));
      tellIdle();
    },
  };
}
