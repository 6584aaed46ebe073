// A message that failed comes back when its visibility timeout ends, six times the function's own timeout: right for a run
// that was killed, too long for one that failed on something that will pass. So what failed is made visible again after a
// pause that doubles with every receive; a message of which nothing is heard waits as before.
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';

const PAUSE_SECONDS_FIRST = 2;
const PAUSE_SECONDS_MAX = 300;
/** Entries of one call at most (API_ChangeMessageVisibilityBatch). Last verified 2026-11-21. */
const ENTRIES_MAX = 10;

/** Seconds until a message that was received so often is tried again. */
export function pauseSeconds(receives: number): number {
  return Math.min(PAUSE_SECONDS_MAX, PAUSE_SECONDS_FIRST * 2 ** Math.max(0, receives - 1));
}

/** A message that failed, and how long it is to rest. */
export type Failed = { readonly record: SQSRecord; readonly pauseSeconds: number };

/** Makes failed messages visible again after their pause. A call that fails is logged by the caller: they come back anyway, later. */
export type RetrySoon = (failed: readonly Failed[]) => Promise<void>;

/** For one queue. */
export function retrySoon(client: SQSClient, queueUrl: string): RetrySoon {
  return async (failed) => {
    const entries = failed.map(({ record, pauseSeconds: VisibilityTimeout }, index) => ({
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
