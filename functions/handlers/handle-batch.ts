// One batch of SQS messages with partial failures: the messages that failed come back soon, the others are done. In a
// standard queue a message fails alone. In a FIFO queue the later messages of its group fail with it, because they must
// not overtake it; other groups are not affected.
//
//   its run is killed    visible again 40 s after the run last renewed its timeout (functions/runtime/visibility.ts)
//   fails                visible again after 2 s, doubled every time up to 300 s; dead letter after 25 receives
//   too little time left as if it had failed, but it was not begun: a killed run would repeat also what is done
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
import { aboutOf, type ReadBatch, readMessages, shortReason, tagsOf } from '../runtime/messages.ts';
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

export type Invocation = { getRemainingTimeInMillis(): number };

type Options = {
  /**
   * Does the work of many messages at once, and returns those that it did. The others, and all if it throws, are worked
   * on one by one.
   */
  readonly together?: (messages: readonly QueueMessage[]) => Promise<readonly QueueMessage[]>;
  /** Standard queues only: no message begins if less than `MARGIN_MS` is left of it. Default: there is time. */
  readonly invocation?: Invocation | undefined;
};

/** A message that was received more often may be why its batches failed, and is worked on alone, after the others. */
const TOGETHER_RECEIVES_MAX = 3;
/** The time that one message is given: more than a request to an API server that never answers takes. */
const MARGIN_MS = 20_000;

/** Short, because this pause blocks a group of a FIFO queue for no benefit. */
const UNREADABLE_PAUSE_SECONDS = 1;

/**
 * Works on each message that can be read. A message whose work throws is logged, counted, reported as failed and made
 * visible again soon.
 */
export async function handleBatch(
  deps: BatchDeps,
  event: SQSEvent,
  order: Order,
  work: (message: QueueMessage) => Promise<void>,
  { together = async () => [], invocation }: Options = {},
): Promise<SQSBatchResponse> {
  const read = readMessages(event.Records);
  const readable = event.Records.filter(({ messageId }) => read.messages.has(messageId));
  deps.tag(tagsOf(read.messages.values()));
  const hidden = keepHidden(deps.comeBack, event.Records, (error) => {
    deps.log('warn', 'a killed run would come back late', { reason: shortReason(error) });
  });
  const failedTogether = (error: unknown) => {
    deps.log('warn', 'messages fail together and are tried one by one', { reason: shortReason(error) });
    return [];
  };
  let failed: readonly string[];
  try {
    const recent = readable.filter((record) => receivesOf(record) <= TOGETHER_RECEIVES_MAX);
    const done = new Set(await together(recent.map((record) => messageOf(read, record))).catch(failedTogether));
    const left = readable.filter((record) => !done.has(messageOf(read, record)));
    const inOrder = order === 'fifo' ? left : left.toSorted((a, b) => receivesOf(a) - receivesOf(b));
    failed = left.length === 0 ? [] : await workThrough(deps, inOrder, { order, read, invocation }, work);
  } finally {
    await hidden.stop();
  }
  await restFailed(deps, event, order, read, new Set(failed));
  const unreadable = [...read.unreadable.keys()];
  return { batchItemFailures: [...failed, ...unreadable].map((itemIdentifier) => ({ itemIdentifier })) };
}

function receivesOf({ attributes }: SQSRecord): number {
  return Number(attributes.ApproximateReceiveCount);
}

function messageOf({ messages }: ReadBatch, { messageId }: SQSRecord): QueueMessage {
  return messages.get(messageId) as QueueMessage;
}

/** Ids of the messages that failed, or were not begun. */
async function workThrough(
  { meter, log, tag }: BatchDeps,
  Records: SQSRecord[],
  { order, read, invocation }: { order: Order; read: ReadBatch; invocation: Invocation | undefined },
  work: (message: QueueMessage) => Promise<void>,
): Promise<readonly string[]> {
  const isOver = () => order === 'standard' && (invocation?.getRemainingTimeInMillis() ?? MARGIN_MS) < MARGIN_MS;
  const unbegun: QueueMessage[] = [];
  const logged = async (record: SQSRecord) => {
    const message = messageOf(read, record);
    if (isOver()) {
      unbegun.push(message);
      throw new Error('too little time is left');
    }
    tag(tagsOf([message]));
    try {
      await work(message);
    } catch (error) {
      meter('MessagesFailed', 1);
      log('error', 'a message could not be handled and comes back', {
        ...aboutOf([message]),
        messageId: record.messageId,
        receives: record.attributes.ApproximateReceiveCount,
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
  if (unbegun.length > 0) {
    log('warn', 'messages come back, as too little time is left to begin them', {
      messages: unbegun.length,
      ...aboutOf(unbegun),
    });
  }
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
    const { messageId } = record;
    const receives = receivesOf(record);
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
