// What Lambda's event source mapping does between a queue and a function: receives a batch, invokes, deletes what did not fail.
// What failed, or everything when the invocation did, stays until its visibility timeout ends. Source: Lambda developer guide,
// "Using Lambda with Amazon SQS". Last verified 2026-11-21.
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import type { LambdaFunction } from './lambda-process.ts';

export type EventSourceMapping = {
  /** Batches so far, and how many of them the function failed as a whole. */
  readonly counts: { batches: number; failed: number };
  close(): Promise<void>;
};

/** Polls until closed. `pollers`: batches at once. */
export function eventSourceMapping(
  client: SQSClient,
  options: {
    readonly queueUrl: string;
    readonly batchSize: number;
    readonly pollers: number;
    readonly handler: LambdaFunction;
  },
): EventSourceMapping {
  const counts = { batches: 0, failed: 0 };
  let open = true;
  const poll = async () => {
    while (open) {
      const Messages = await receive(client, options.queueUrl, options.batchSize);
      if (Messages.length === 0) await sleep(50);
      else await handleBatch(Messages);
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
    if (done.length === 0) return;
    const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries }));
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

async function receive(client: SQSClient, QueueUrl: string, batchSize: number): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: Math.min(10, batchSize),
    WaitTimeSeconds: 0,
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
