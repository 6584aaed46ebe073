// The queues on SQS. Hints and reports go to standard queues, ten to a call; publish goes to a FIFO queue whose group
// is the hosted zone, so that one hosted zone is published by one run at a time. Every publish has a deduplication id
// of its own: SQS would otherwise swallow, for five minutes, the message that says that something became dirty again.
//
// A FIFO queue knows no delay of one message. A publish with a delay waits on the hints queue instead, and whoever
// takes it from there sends it on (parseQueueMessage says `publish`). Delays are 15 minutes at most, SQS's limit; a
// message that comes too early costs a read.
import { randomUUID } from 'node:crypto';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { isZone } from '../../objects/object-ref.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Cause, Queues } from '../../ports/queues.ts';
import { awsFailure } from '../aws/aws-failure.ts';
import { formatQueueMessage } from './queue-message.ts';

/**
 * Entries of one SendMessageBatch, and seconds of a delay, at most (API_SendMessageBatch). Last verified 2026-11-21.
 */
const BATCH_ENTRIES_MAX = 10;
const DELAY_SECONDS_MAX = 900;
/** Calls at once: an audit batch of 1 MiB names a thousand objects, and its sender waits. */
const CALLS_AT_ONCE = 8;
/** Characters of a group id at most (API_SendMessage). */
const GROUP_CHARACTERS_MAX = 128;

export type QueueUrls = { readonly hints: string; readonly publish: string; readonly reports: string };

export type SqsQueuesOptions = {
  /**
   * Tags hints and reports with their namespace, so that one busy namespace does not hold up the rest (fair queues).
   * Default false.
   */
  readonly fairByNamespace?: boolean;
  /**
   * How long reports wait. A Zone's: so that one report is for all that changes below it within that time. Another
   * object's: where the same change is to be published, whose report then says more. Default: not at all.
   */
  readonly reportDelays?: { readonly zoneSeconds: number; readonly otherSeconds: number };
};

type Message = Omit<SendMessageBatchRequestEntry, 'Id'>;

/**
 * Queues of these URLs. A call throws an Error when SQS did not take every message; some may have been sent, which is
 * harmless.
 */
export function sqsQueues(client: SQSClient, urls: QueueUrls, options: SqsQueuesOptions = {}): Queues {
  const fair = (namespace: string | null): Pick<Message, 'MessageGroupId'> => {
    if (options.fairByNamespace !== true) return {};
    return { MessageGroupId: (namespace ?? '-').slice(0, GROUP_CHARACTERS_MAX) };
  };
  const { zoneSeconds = 0, otherSeconds = 0 } = options.reportDelays ?? {};
  return {
    hint: async (hints, delaySeconds = 0) => {
      const messages = hints.map((hint) => ({
        MessageBody: formatQueueMessage({ kind: 'hint', hint }),
        ...delay(delaySeconds),
        ...fair(hint.namespace),
      }));
      await sendAll(client, urls.hints, messages);
    },
    publish: async (hostedZoneId, delaySeconds = 0, cause = {}) => {
      const body = { MessageBody: formatQueueMessage({ kind: 'publish', hostedZoneId, ...stated(cause) }) };
      if (delaySeconds > 0) return sendAll(client, urls.hints, [{ ...body, ...delay(delaySeconds), ...fair(null) }]);
      const group = { MessageGroupId: hostedZoneId, MessageDeduplicationId: randomUUID() };
      return sendAll(client, urls.publish, [{ ...body, ...group }]);
    },
    report: async (refs, cause = {}) => {
      const messages = refs.map((ref) => ({
        MessageBody: formatQueueMessage({ kind: 'report', ref, ...stated(cause) }),
        ...delay(isZone(ref) ? zoneSeconds : otherSeconds),
        ...fair(ref.namespace),
      }));
      await sendAll(client, urls.reports, messages);
    },
  };
}

/** Nothing where there is no event to speak of. */
function stated(cause: Cause): { readonly cause?: Cause } {
  return Object.keys(cause).length === 0 ? {} : { cause };
}

function delay(seconds: number): Pick<Message, 'DelaySeconds'> {
  return seconds <= 0 ? {} : { DelaySeconds: Math.min(DELAY_SECONDS_MAX, Math.ceil(seconds)) };
}

async function sendAll(client: SQSClient, url: string, messages: readonly Message[]): Promise<void> {
  const batches: Message[][] = [];
  for (let start = 0; start < messages.length; start += BATCH_ENTRIES_MAX) {
    batches.push(messages.slice(start, start + BATCH_ENTRIES_MAX));
  }
  await inParallel(batches, CALLS_AT_ONCE, (batch) => sendBatch(client, url, batch));
}

async function sendBatch(client: SQSClient, url: string, messages: readonly Message[]): Promise<void> {
  const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
  const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })).catch((cause: unknown) => {
    const { code, message } = awsFailure(cause);
    throw new Error(`Cannot send ${messages.length} messages to ${url}: ${code}: ${message}`, { cause });
  });
  const failed = answer.Failed ?? [];
  if (failed.length === 0 && answer.Successful?.length === messages.length) return;
  const reasons = [...new Set(failed.map(({ Code, Message }) => `${Code}: ${Message ?? 'no reason given'}`))];
  const missing = messages.length - (answer.Successful?.length ?? 0);
  throw new Error(
    `Cannot send ${missing} of ${messages.length} messages to ${url}: ${reasons.join('; ') || 'no answer'}`,
  );
}
