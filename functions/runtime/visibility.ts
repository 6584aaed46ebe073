// When messages in flight come back, should nobody delete them. A queue's own visibility timeout is six times its
// function's timeout, as AWS advises: far too long for a run that was killed, for a message in flight of a FIFO queue
// holds up its group, and a hint that nobody works on is a change that waits. So a run says at its start, and again and
// again while it goes on, that its messages are to come back shortly after they last heard of it; and what failed comes
// back after a pause that doubles with every receive. Where such a call fails, the message comes back all the same,
// later or, to nobody's harm, sooner.
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';

const PAUSE_SECONDS_FIRST = 2;
const PAUSE_SECONDS_MAX = 300;
/** Entries of one call at most (API_ChangeMessageVisibilityBatch). Last verified 2026-11-21. */
const ENTRIES_MAX = 10;

/**
 * What a killed run's messages wait for, and how often a living one says so; a lease of a run that was killed is over
 * by then.
 */
export const HIDDEN_SECONDS = 40;
const SAYS_SO_MS = 10_000;

/** Seconds until a message that was received so often is tried again. */
export function pauseSeconds(receives: number): number {
  return Math.min(PAUSE_SECONDS_MAX, PAUSE_SECONDS_FIRST * 2 ** Math.max(0, receives - 1));
}

/** A message in flight, and how long it is to rest from now on. */
export type Resting = { readonly record: SQSRecord; readonly pauseSeconds: number };

/** Makes messages in flight visible again after their pause, instead of after what was said before. */
export type ComeBack = (messages: readonly Resting[]) => Promise<void>;

/** For one queue. Throws what SQS says. */
export function comeBack(client: SQSClient, queueUrl: string): ComeBack {
  return async (messages) => {
    const entries = messages.map(({ record, pauseSeconds: VisibilityTimeout }, index) => ({
      Id: String(index),
      ReceiptHandle: record.receiptHandle,
      VisibilityTimeout,
    }));
    for (let start = 0; start < entries.length; start += ENTRIES_MAX) {
      const Entries = entries.slice(start, start + ENTRIES_MAX);
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  };
}

/** Keeps messages in flight until it is told to stop; when that is done, nothing more will be said of them. */
export function keepHidden(
  say: ComeBack,
  records: readonly SQSRecord[],
  failed: (error: unknown) => void,
): { readonly stop: () => Promise<void> } {
  const resting = records.map((record) => ({ record, pauseSeconds: HIDDEN_SECONDS }));
  let said = Promise.resolve();
  const sayAgain = () => {
    said = said.then(() => say(resting)).catch(failed);
  };
  sayAgain();
  const timer = setInterval(sayAgain, SAYS_SO_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await said;
    },
  };
}
