// The queues on SQS. Hints and reports go to standard queues, ten in a call. Publish goes to a FIFO queue whose group
// is the hosted zone, so that one run at a time publishes a hosted zone. Each publish has its own deduplication id:
// otherwise SQS would drop, for five minutes, messages that report new dirty names.
//
// A FIFO queue has no delay for single messages. A publish with a delay waits on the queue of hints, whose consumer
// sends it on (parseQueueMessage returns `publish`). The longest delay is 15 minutes, the limit of SQS; a message that
// comes too early costs a read.
import { randomUUID } from 'node:crypto';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { isZone } from '../../objects/object-ref.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Cause, Queues } from '../../ports/queues.ts';
import { awsFailure } from '../aws/aws-failure.ts';
import { formatQueueMessage, type QueueMessage } from './queue-message.ts';

/** The most entries of a SendMessageBatch, and seconds of a delay (API_SendMessageBatch). Last verified 2026-11-21. */
const BATCH_ENTRIES_MAX = 10;
const DELAY_SECONDS_MAX = 900;
/** A message has 262,144 octets at most with the smallest quota that a queue may have; names are ASCII. */
const MESSAGE_CHARACTERS_MAX = 250_000;
/** Parallel calls: an audit batch of 1 MiB names a thousand objects, and its sender waits. */
const CALLS_AT_ONCE = 8;
/** A group id has 1 to 128 characters (API_SendMessage). Last verified 2026-11-25. */
const GROUP_CHARACTERS_MAX = 128;
/** The group of messages without a namespace: a Node has none. */
const NO_NAMESPACE = '-';

export type QueueUrls = { readonly hints: string; readonly publish: string; readonly reports: string };

export type SqsQueuesOptions = {
  /** Whether messages carry their namespace, so that a busy one does not delay others (fair queues). Default false. */
  readonly fairByNamespace?: boolean;
  /** The cluster of the messages, where a deployment serves several: they carry it, and a busy one delays no other. */
  readonly cluster?: string;
  /**
   * For how long reports wait. Zones: one report covers all changes below them in that time. Other objects: if the
   * change is also published, the report afterwards says more. Default: no delay.
   */
  readonly reportDelays?: { readonly zoneSeconds: number; readonly otherSeconds: number };
};

type Message = Omit<SendMessageBatchRequestEntry, 'Id'>;

/** The queues with these URLs. Throws an Error if SQS did not accept all messages; some may have been sent. */
export function sqsQueues(client: SQSClient, urls: QueueUrls, options: SqsQueuesOptions = {}): Queues {
  const { cluster } = options;
  const fair = (namespace: string | null): Pick<Message, 'MessageGroupId'> => {
    if (options.fairByNamespace !== true) return {};
    return { MessageGroupId: cluster ?? (namespace || NO_NAMESPACE).slice(0, GROUP_CHARACTERS_MAX) };
  };
  const format = (content: QueueMessage) =>
    formatQueueMessage(cluster === undefined ? content : { ...content, cluster });
  const { zoneSeconds = 0, otherSeconds = 0 } = options.reportDelays ?? {};
  return {
    hint: async (hints, delaySeconds = 0) => {
      const messages = hints.map((hint) => ({
        MessageBody: format({ kind: 'hint', hint }),
        ...delay(delaySeconds),
        ...fair(hint.namespace),
      }));
      await sendAll(client, urls.hints, messages);
    },
    publish: async (hostedZoneId, delaySeconds = 0, cause = {}, after = undefined) => {
      const again = after === undefined ? {} : { after };
      const content = { kind: 'publish', hostedZoneId, ...stated(cause), ...again } as const;
      if (delaySeconds > 0)
        return sendAll(client, urls.hints, [{ MessageBody: format(content), ...delay(delaySeconds), ...fair(null) }]);
      // Whose the hosted zone is, the ledger says.
      const group = { MessageGroupId: hostedZoneId, MessageDeduplicationId: randomUUID() };
      return sendAll(client, urls.publish, [{ MessageBody: formatQueueMessage(content), ...group }]);
    },
    report: async (refs, cause = {}, delaySeconds = 0) => {
      const messages = refs.map((ref) => ({
        MessageBody: format({
          ...{ kind: 'report', ref, ...stated(cause) },
          ...(delaySeconds > 0 ? { afterSeconds: delaySeconds } : {}),
        }),
        ...delay(Math.max(delaySeconds, isZone(ref) ? zoneSeconds : otherSeconds)),
        ...fair(ref.namespace),
      }));
      await sendAll(client, urls.reports, messages);
    },
    follow: async (change, delaySeconds) => {
      const MessageBody = format({ kind: 'follow', change });
      // The sweep finds what no message follows.
      if (MessageBody.length > MESSAGE_CHARACTERS_MAX) return;
      await sendAll(client, urls.hints, [{ MessageBody, ...delay(delaySeconds), ...fair(null) }]);
    },
  };
}

/** Empty if no event is known. */
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
