// What the messages of one batch say. One that says nothing we know, from an older or newer deployment or from nobody of
// ours, is counted, logged and gone: it would fail for ever, and whatever it stood for the sweep finds too.
import type { SQSRecord } from 'aws-lambda';
import { parseQueueMessage, type QueueMessage } from '../lib/adapters/sqs-queues-messages.ts';
import type { Log } from '../lib/reconcile/context.ts';
import type { Meter } from './meter.ts';

/** The messages by message id, without those that cannot be read. */
export function readMessages(
  records: readonly SQSRecord[],
  { meter, log }: { readonly meter: Meter; readonly log: Log },
): ReadonlyMap<string, QueueMessage> {
  const messages = new Map<string, QueueMessage>();
  for (const { messageId, body } of records) {
    try {
      messages.set(messageId, parseQueueMessage(body));
    } catch (error) {
      meter('EventsRefused', 1);
      log('warn', 'a message that cannot be read is dropped', { messageId, reason: shortReason(error) });
    }
  }
  return messages;
}

const REASON_CHARACTERS_MAX = 300;

/** An error in one short line, control characters escaped: it may quote what a stranger sent. */
export function shortReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return JSON.stringify(text.slice(0, REASON_CHARACTERS_MAX)).slice(1, -1);
}
