// The queues of a simulated world, as SQS may behave: messages come at least once, late, twice, in any order. A message
// that was not finished is delivered again after its visibility timeout, even while the function that took it still
// works; after ten receives it is a dead letter. Of a publish group, one message at a time is being processed.

import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { FollowedChange, Hint, Queues } from '../../lib/ports/queues.ts';

/** `cluster`: whose message it is; absent: there is only one. */
export type Work =
  | { readonly kind: 'hint'; readonly hint: Hint; readonly cluster?: string }
  | { readonly kind: 'report'; readonly ref: ObjectRef; readonly cluster?: string }
  | { readonly kind: 'follow'; readonly change: FollowedChange; readonly cluster?: string }
  /** `acknowledged`: by an apply, for this run of publish. `after`: the epoch of the run that asked for it. */
  | {
      readonly kind: 'publish';
      readonly hostedZoneId: string;
      readonly acknowledged?: string;
      readonly after?: number;
    };

export type Message = {
  readonly work: Work;
  /** The hosted zone of a publish; null for what may overtake. */
  readonly group: string | null;
  readonly order: number;
  visibleAtMs: number;
  receives: number;
};

/** A message as it was received, with the number of its receive. */
type Receipt = { readonly message: Message; readonly receive: number };

export type SimulatedQueues = {
  readonly messages: Set<Message>;
  readonly deadLetters: Message[];
  send(work: Work, delayMs: number, group: string | null): void;
  /** What may be taken now, grouped as one function would get it. */
  deliverable(nowMs: number): readonly Message[];
  take(messages: readonly Message[], nowMs: number): readonly Receipt[];
  /**
   * Only the latest receipt of a message counts: a function that took longer than the visibility timeout finishes
   * nothing.
   */
  done(receipts: readonly Receipt[]): void;
  failed(receipts: readonly Receipt[], nowMs: number): void;
  /** When the next message that is not visible now will be; null when none will. */
  nextAtMs(nowMs: number): number | null;
};

const VISIBILITY_MS: Readonly<Record<Work['kind'], number>> = {
  hint: 120_000,
  report: 120_000,
  publish: 400_000,
  follow: 120_000,
};
const RECEIVES_MAX = 10;

/** Empty queues. `fifo` false: the groups are not kept apart. */
export function simulatedQueues(options: { readonly fifo: boolean; readonly redelivery: boolean }): SimulatedQueues {
  const messages = new Set<Message>();
  const deadLetters: Message[] = [];
  let order = 0;
  return {
    messages,
    deadLetters,
    send: (work, delayMs, group) => {
      order += 1;
      messages.add({ work, group, order, visibleAtMs: delayMs, receives: 0 });
    },
    deliverable: (nowMs) => {
      const blocked = new Set<string>();
      const free: Message[] = [];
      for (const message of messages) {
        const { group } = message;
        if (group !== null && options.fifo && blocked.has(group)) continue;
        if (message.visibleAtMs <= nowMs && message.receives >= RECEIVES_MAX) {
          messages.delete(message);
          deadLetters.push(message);
          continue;
        }
        if (message.visibleAtMs <= nowMs) free.push(message);
        if (group !== null) blocked.add(group);
      }
      return free;
    },
    take: (taken, nowMs) =>
      taken.map((message) => {
        message.receives += 1;
        message.visibleAtMs = nowMs + VISIBILITY_MS[message.work.kind];
        return { message, receive: message.receives };
      }),
    done: (receipts) => {
      for (const { message, receive } of receipts) if (message.receives === receive) messages.delete(message);
    },
    failed: (receipts, nowMs) => {
      for (const { message, receive } of receipts) {
        if (!messages.has(message) || message.receives !== receive) continue;
        if (!options.redelivery) messages.delete(message);
        else if (message.receives >= RECEIVES_MAX) {
          messages.delete(message);
          deadLetters.push(message);
        } else message.visibleAtMs = nowMs + 1_000 * 2 ** message.receives;
      }
    },
    nextAtMs: (nowMs) => {
      let next: number | null = null;
      for (const { visibleAtMs } of messages)
        if (visibleAtMs > nowMs && (next === null || visibleAtMs < next)) next = visibleAtMs;
      return next;
    },
  };
}

/**
 * The port that functions send through. `delay` is a random delay in milliseconds; `twice` says which come twice.
 * `of`: the cluster that they work for.
 */
export function sendingQueues(
  queues: SimulatedQueues,
  nowMs: () => number,
  chance: { readonly delayMs: (kind: Work['kind']) => number; readonly twice: () => boolean },
  of: { readonly cluster?: string } = {},
): Queues {
  const send = (work: Work, delaySeconds: number, group: string | null) => {
    const copies = group === null && chance.twice() ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const extraMs = group === null ? chance.delayMs(work.kind) : 0;
      queues.send(work, nowMs() + delaySeconds * 1_000 + extraMs, group);
    }
  };
  return {
    hint: async (hints, delaySeconds = 0) => {
      for (const hint of hints) send({ kind: 'hint', hint, ...of }, delaySeconds, null);
    },
    publish: async (hostedZoneId, delaySeconds = 0, _ = {}, after = undefined) => {
      // A FIFO queue knows no delay of one message: it waits outside of its group, as sqs-queues.ts has it.
      send(
        { kind: 'publish', hostedZoneId, ...(after === undefined ? {} : { after }) },
        delaySeconds,
        delaySeconds > 0 ? null : hostedZoneId,
      );
    },
    report: async (refs) => {
      for (const ref of refs) send({ kind: 'report', ref, ...of }, 0, null);
    },
    follow: async (change, delaySeconds) => send({ kind: 'follow', change, ...of }, delaySeconds, null),
  };
}
