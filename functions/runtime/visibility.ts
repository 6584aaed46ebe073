// When messages in flight become visible again if nobody deletes them. A queue's own visibility timeout is six times
// its function's timeout, as AWS advises. That is too long after a run was killed: a message in flight of a FIFO queue
// blocks its group, and the change of a hint that is not handled waits. So a run sets a short timeout when it
// starts and renews it while it works. A message that failed becomes visible after a pause that doubles with every
// receive. If such a call to SQS fails, the message still comes back: later, or sooner, which does no harm.
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { backoff } from '../../lib/ports/backoff.ts';

/** Entries of one call at most (API_ChangeMessageVisibilityBatch). Last verified 2026-11-21. */
const ENTRIES_MAX = 10;

/** How long a killed run's messages stay hidden: its lease has ended by then. */
export const HIDDEN_SECONDS = 40;
/** How often a run renews that. */
const SAYS_SO_MS = 10_000;

/** The pause in seconds before a message that was received this many times is tried again. */
export const pauseSeconds = backoff(2, 300);

/** A message in flight, and how long it stays hidden from now on. */
export type Resting = { readonly record: SQSRecord; readonly pauseSeconds: number };

/** Sets when messages in flight become visible again; the last call counts. */
export type ComeBack = (messages: readonly Resting[]) => Promise<void>;

/** For one queue. Throws the errors of SQS. */
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

/** Keeps messages hidden until `stop`. When `stop` is done, no further call is made for them. */
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
