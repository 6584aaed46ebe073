// A double of Lambda's event source mapping for SQS. It receives messages, gathers a batch while the batching window is
// open, invokes the function, and deletes the messages that did not fail. Failed messages (all of them if the
// invocation failed) stay in the queue until their visibility timeout ends. The queue itself handles FIFO groups and
// dead letters. Source: Lambda developer guide, "Using Lambda with Amazon SQS". Last verified 2026-11-21.
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import type { LambdaFunction } from './lambda-process.ts';

export type EventSourceMapping = {
  /** The number of batches so far, and of those in which the function failed as a whole. */
  readonly counts: { batches: number; failed: number };
  close(): Promise<void>;
};

export type EventSourceOptions = {
  readonly queueUrl: string;
  /** How many messages one invocation gets at most. */
  readonly batchSize: number;
  /** How long a batch that is not full waits for more messages. */
  readonly windowSeconds: number;
  /** How many batches run at the same time. */
  readonly pollers: number;
  readonly handler: LambdaFunction;
};

/**
 * How long one call waits at an empty queue. Lambda waits 20 s and takes a message some milliseconds after it was sent;
 * here the wait is shorter, so that a test ends sooner.
 */
const WAIT_SECONDS = 1;
/** The pause between two calls that do not wait: while the batching window is open, or others work at a FIFO queue. */
const PAUSE_MS = 20;
/** How many messages SQS accepts in one batch call. */
const CALL_MESSAGES_MAX = 10;

/** Polls the queue until `close()`. */
export function eventSourceMapping(client: SQSClient, options: EventSourceOptions): EventSourceMapping {
  const counts = { batches: 0, failed: 0 };
  let open = true;
  const isFifo = options.queueUrl.endsWith('.fifo');
  /** The pollers that are in a call or have a batch, and whether one of them waits at a FIFO queue. */
  let busy = 0;
  let waits = false;
  const poll = async () => {
    while (open) {
      if (waits) {
        await sleep(PAUSE_MS);
        continue;
      }
      // moto hands a FIFO group's next messages to a waiting call while a batch of that group is in work. So at such a
      // queue a call waits only while nothing else is done.
      const mayWait = !isFifo || busy === 0;
      waits = isFifo && mayWait;
      busy += 1;
      try {
        const messages = await gather(client, options, mayWait, () => open).finally(() => {
          if (mayWait) waits = false;
        });
        if (messages.length > 0) await handleBatch(messages);
      } catch (error) {
        // The messages that were received become visible again without our help.
        console.error(`a poller of ${options.queueUrl} goes on after: ${error}`);
        await sleep(1_000);
      } finally {
        busy -= 1;
      }
    }
  };
  const handleBatch = async (messages: readonly Message[]) => {
    counts.batches += 1;
    const event = { Records: messages.map((message) => recordOf(message, options.queueUrl)) };
    const response = await options.handler.invoke(event).catch(() => null);
    if (response === null) {
      counts.failed += 1;
      return;
    }
    const failed = new Set(
      (response as SQSBatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    );
    const done = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
    for (let start = 0; start < done.length; start += CALL_MESSAGES_MAX) {
      const entries = done.slice(start, start + CALL_MESSAGES_MAX);
      const Entries = entries.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries }));
    }
  };
  const polling = Promise.all(Array.from({ length: options.pollers }, poll));
  return {
    counts,
    close: async () => {
      open = false;
      await polling;
    },
  };
}

/** Receives one batch; it is empty when there was no message for a moment. The window opens with the first message. */
async function gather(
  client: SQSClient,
  { queueUrl, batchSize, windowSeconds }: EventSourceOptions,
  mayWait: boolean,
  isOpen: () => boolean,
): Promise<Message[]> {
  const messages: Message[] = [];
  let untilMs = performance.now();
  do {
    const waitSeconds = mayWait && messages.length === 0 ? WAIT_SECONDS : 0;
    const more = await receive(client, queueUrl, batchSize - messages.length, waitSeconds);
    if (messages.length === 0 && more.length > 0) untilMs = performance.now() + windowSeconds * 1_000;
    messages.push(...more);
    if (more.length === 0 && waitSeconds === 0) await sleep(PAUSE_MS);
  } while (messages.length < batchSize && performance.now() < untilMs && isOpen());
  return messages;
}

async function receive(client: SQSClient, QueueUrl: string, room: number, waitSeconds: number): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: Math.min(CALL_MESSAGES_MAX, room),
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ['All'],
  });
  return (await client.send(command)).Messages ?? [];
}

function recordOf(message: Message, queueUrl: string): object {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-west-1:123456789012:${queueUrl.split('/').at(-1)}`,
    awsRegion: 'eu-west-1',
  };
}
