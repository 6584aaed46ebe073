// One batch of SQS messages with partial failures: what failed comes back alone and soon, the rest is done. In a standard
// queue every message stands for itself; in a FIFO queue a failure takes the later messages of its group with it, for they
// must not overtake it, and leaves the other groups alone.
import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from '@aws-lambda-powertools/batch';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log } from '../lib/reconcile/context.ts';
import { shortReason } from './messages.ts';
import type { Meter } from './meter.ts';
import type { RetrySoon } from './retry-soon.ts';

export type BatchDeps = { readonly meter: Meter; readonly log: Log; readonly retrySoon: RetrySoon };

/** Works on each record; what throws is reported as failed, logged, counted and made visible again soon. */
export async function handleBatch(
  deps: BatchDeps,
  event: SQSEvent,
  order: 'standard' | 'fifo',
  work: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const { meter, log } = deps;
  const logged = async (record: SQSRecord) => {
    try {
      await work(record);
    } catch (error) {
      meter('MessagesFailed', 1);
      log('error', 'a message could not be worked on and comes back', {
        messageId: record.messageId,
        receives: record.attributes.ApproximateReceiveCount,
        reason: shortReason(error),
      });
      throw error;
    }
  };
  const options = { throwOnFullBatchFailure: false };
  const response =
    order === 'fifo'
      ? await processPartialResponse(event, logged, new SqsFifoPartialProcessorAsync(), {
          ...options,
          skipGroupOnError: true,
        })
      : await processPartialResponse(event, logged, new BatchProcessor(EventType.SQS), {
          ...options,
          processInParallel: false,
        });
  if (response.batchItemFailures.length > 0) {
    await deps.retrySoon(event.Records, response).catch((error: unknown) => {
      log('warn', 'failed messages come back late', { reason: shortReason(error) });
    });
  }
  return response;
}
