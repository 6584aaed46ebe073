// The messages of one SQS batch, parsed. A message that cannot be read (from an older or newer deployment, or from
// somebody else) is left as it is. It comes back until SQS moves it to the dead-letter queue, unchanged; a deployment
// that can read it may come before that. It fails alone, also in a FIFO queue.
import type { SQSRecord } from 'aws-lambda';
import { parseQueueMessage, type QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import { escapeControls } from '../../lib/dns/names/quote.ts';
import { formatRef } from '../../lib/objects/object-ref.ts';
import { errorMessage } from '../../lib/objects/plain.ts';
import { type Cause, causeOf } from '../../lib/ports/queues.ts';

/** The most ids in one log line. A batch has up to ten messages, or a hundred reports. */
const IDS_MAX = 20;
/** The most objects that one log line names. */
export const OBJECTS_MAX = 20;

export type ReadBatch = {
  /** By message id. */
  readonly messages: ReadonlyMap<string, QueueMessage>;
  /** Those that cannot be read, by message id, and why. */
  readonly unreadable: ReadonlyMap<string, string>;
};

/** Reads the messages of one batch. */
export function readMessages(records: readonly SQSRecord[]): ReadBatch {
  const messages = new Map<string, QueueMessage>();
  const unreadable = new Map<string, string>();
  for (const { messageId, body } of records) {
    try {
      messages.set(messageId, parseQueueMessage(body));
    } catch (error) {
      unreadable.set(messageId, shortReason(error));
    }
  }
  return { messages, unreadable };
}

/** The event behind a message. */
function causeOfMessage(message: QueueMessage): Cause {
  if (message.kind === 'follow') return {};
  return message.kind === 'hint' ? causeOf(message.hint) : (message.cause ?? {});
}

/** The correlation ids for every log line about some messages: those of the events behind them. */
export function tagsOf(messages: Iterable<QueueMessage>): { readonly correlationIds: readonly string[] } {
  const ids = [...messages].map((message) => causeOfMessage(message).correlationId);
  return { correlationIds: [...new Set(ids.filter((id) => id !== undefined))].slice(0, IDS_MAX) };
}

/** What messages are about, for a log line: the first objects (`*` for any name or namespace), or hosted zones. */
export function aboutOf(messages: readonly QueueMessage[]): {
  readonly objects?: readonly string[];
  readonly hostedZoneIds?: readonly string[];
} {
  const [objects, hostedZoneIds] = [new Set<string>(), new Set<string>()];
  for (const message of messages) {
    if (message.kind === 'publish') hostedZoneIds.add(message.hostedZoneId);
    if (message.kind === 'follow') hostedZoneIds.add(message.change.hostedZoneId);
    if (message.kind === 'report') objects.add(formatRef(message.ref));
    if (message.kind !== 'hint') continue;
    const { kind, namespace, name } = message.hint;
    objects.add(formatRef({ kind, namespace: namespace ?? '*', name: name ?? '*' }));
  }
  return {
    ...(objects.size > 0 && { objects: [...objects].slice(0, OBJECTS_MAX) }),
    ...(hostedZoneIds.size > 0 && { hostedZoneIds: [...hostedZoneIds].slice(0, OBJECTS_MAX) }),
  };
}

const REASON_CHARACTERS_MAX = 300;

/** An error in one short line. Control characters are escaped, as the message may quote what a stranger sent. */
export function shortReason(error: unknown): string {
  const text = errorMessage(error);
  return escapeControls(text.slice(0, REASON_CHARACTERS_MAX).replace(/\s*\n\s*/g, ' '));
}
