// The body of an SQS message: one hint, one object to report, or one hosted zone to publish, as JSON with a version. A
// consumer parses it with parseQueueMessage; a `publish` that arrives on the hints queue is one whose delay is over, and is
// to be sent on with Queues.publish (see sqs-queues.ts).
import * as z from 'zod';
import type { Hint, ObjectRef } from '../reconcile/ports.ts';

export type QueueMessage =
  | { readonly kind: 'hint'; readonly hint: Hint }
  | { readonly kind: 'report'; readonly ref: ObjectRef }
  | { readonly kind: 'publish'; readonly hostedZoneId: string };

const VERSION = 1;
const objectKind = z.enum(['Zone', 'Record']);

const hint = z.object({
  kind: objectKind,
  namespace: z.string().nullable(),
  name: z.string().nullable(),
  oldVersion: z.string().exactOptional(),
  atMs: z.number().exactOptional(),
  attempt: z.number().exactOptional(),
});
const ref = z.object({ kind: objectKind, namespace: z.string(), name: z.string() });

const message = z.discriminatedUnion('kind', [
  z.object({ v: z.literal(VERSION), kind: z.literal('hint'), hint }),
  z.object({ v: z.literal(VERSION), kind: z.literal('report'), ref }),
  z.object({ v: z.literal(VERSION), kind: z.literal('publish'), hostedZoneId: z.string().min(1) }),
]);

/** The body to send. */
export function formatQueueMessage(content: QueueMessage): string {
  return JSON.stringify({ v: VERSION, ...content });
}

/** What a body says. Throws an Error that quotes a body which is none of ours. */
export function parseQueueMessage(body: string): QueueMessage {
  const { v: _, ...content } = message.parse(parseJson(body));
  return content;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new Error(`Cannot parse queue message ${JSON.stringify(body.slice(0, 200))}: it is no JSON`, { cause });
  }
}
