// One batch of SQS messages with partial failures: the messages that failed come back soon, the others are done. In a
// standard queue a message fails alone. In a FIFO queue the later messages of its group fail with it, because they must
// not overtake it; other groups are not affected.
//
//   its run is killed    visible again 40 s after the run last renewed its timeout (functions/runtime/visibility.ts)
//   fails                visible again after 2 s, doubled every time up to 300 s; dead letter after 25 receives
//   cannot be read       the same in a standard queue. In a FIFO queue it would block its group, a hosted zone: there
//                        it is visible again every second, other messages of its group are handled before it, and it
//                        is a dead letter within 30 s

import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from '@aws-lambda-powertools/batch';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import type { Log } from '../../lib/ports/log.ts';
import { type ReadBatch, readMessages, shortReason, tagsOf } from '../runtime/messages.ts';
import type { Meter } from '../runtime/meter.ts';
import { type ComeBack, keepHidden, pauseSeconds } from '../runtime/visibility.ts';

export type BatchDeps = {
  readonly meter: Meter;
  readonly log: Log;
  /** Adds fields to every log line of this invocation from now on, over those of the same name. */
  readonly tag: (fields: Readonly<Record<string, unknown>>) => void;
  readonly comeBack: ComeBack;
};

type Order = 'standard' | 'fifo';

/** Short, because this pause blocks a group of a FIFO queue for no benefit. */
const UNREADABLE_PAUSE_SECONDS = 1;

/**
 * Works on each message that can be read. A message whose work throws is logged, counted, reported as failed and made
 * visible again soon. `together` may do the work of all messages at once beforehand: true when it did.
 */
export async function handleBatch(
  deps: BatchDeps,
  event: SQSEvent,
  order: Order,
  work: (message: QueueMessage) => Promise<void>,
  together: (messages: readonly QueueMessage[]) => Promise<boolean> = async () => false,
): Promise<SQSBatchResponse> {
  const read = readMessages(event.Records);
  const readable = event.Records.filter(({ messageId }) => read.messages.has(messageId));
  deps.tag(tagsOf(read.messages.values()));
  const hidden = keepHidden(deps.comeBack, event.Records, (error) => {
    deps.log('warn', 'a killed run would come back late', { reason: shortReason(error) });
  });
  let failed: readonly string[];
  try {
    const done = readable.length > 0 && (await together([...read.messages.values()]));
    failed = done || readable.length === 0 ? [] : await workThrough(deps, readable, order, read, work);
  } finally {
    await hidden.stop();
  }
  await restFailed(deps, event, order, read, new Set(failed));
  const unreadable = [...read.unreadable.keys()];
  return { batchItemFailures: [...failed, ...unreadable].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Ids of the messages that failed. */
async function workThrough(
  { meter, log, tag }: BatchDeps,
  Records: SQSRecord[],
  order: Order,
  { messages }: ReadBatch,
  work: (message: QueueMessage) => Promise<void>,
): Promise<readonly string[]> {
  const logged = async ({ messageId, attributes }: SQSRecord) => {
    const message = messages.get(messageId) as QueueMessage;
    tag(tagsOf([message]));
    try {
      await work(message);
    } catch (error) {
      meter('MessagesFailed', 1);
      log('error', 'a message could not be handled and comes back', {
        messageId,
        receives: attributes.ApproximateReceiveCount,
        reason: shortReason(error),
      });
      throw error;
    }
  };
  const options = { throwOnFullBatchFailure: false };
  const { batchItemFailures } =
    order === 'fifo'
      ? await processPartialResponse({ Records }, logged, new SqsFifoPartialProcessorAsync(), {
          ...options,
          skipGroupOnError: true,
        })
      : await processPartialResponse({ Records }, logged, new BatchProcessor(EventType.SQS), {
          ...options,
          processInParallel: false,
        });
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

async function restFailed(
  { meter, log, comeBack }: BatchDeps,
  { Records }: SQSEvent,
  order: Order,
  { unreadable }: ReadBatch,
  failed: ReadonlySet<string>,
): Promise<void> {
  const resting = Records.flatMap((record) => {
    const { messageId, attributes } = record;
    const receives = Number(attributes.ApproximateReceiveCount);
    const reason = unreadable.get(messageId);
    if (reason === undefined) return failed.has(messageId) ? [{ record, pauseSeconds: pauseSeconds(receives) }] : [];
    meter('EventsRefused', 1);
    log('error', 'a message cannot be read, and comes back until it is given up', { messageId, receives, reason });
    return [{ record, pauseSeconds: order === 'fifo' ? UNREADABLE_PAUSE_SECONDS : pauseSeconds(receives) }];
  });
  if (resting.length === 0) return;
  await comeBack(resting).catch((error: unknown) => {
    log('warn', 'failed messages come back late', { reason: shortReason(error) });
  });
}
