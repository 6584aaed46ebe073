// The body of an SQS message, as JSON with a version: a hint, an object to report, a hosted zone to publish, or a batch
// to follow. A `publish` on the queue of hints is one whose delay is over, and is sent on if needed (wakeWhenDue).
//
// Fields of later versions (`cause`, `after`, `afterSeconds`, `cluster`, the id within a hint) may be missing, and
// unknown fields are ignored, because during a deployment both versions read each other's messages. Lengths are limited
// to those of Kubernetes and Route 53: a message that no ledger could store is refused here instead of retried.
import * as z from 'zod';
import { isObjectKind, type ObjectRef } from '../../objects/object-ref.ts';
import { CAUSE_KINDS, type Cause, type FollowedChange, type Hint } from '../../ports/queues.ts';

/** `cluster`: whose it is, where a deployment serves several. */
export type QueueMessage = { readonly cluster?: string } & (
  | { readonly kind: 'hint'; readonly hint: Hint }
  /** `afterSeconds`: it was sent with this delay, and a report before that does not cover it. */
  | { readonly kind: 'report'; readonly ref: ObjectRef; readonly cause?: Cause; readonly afterSeconds?: number }
  | { readonly kind: 'publish'; readonly hostedZoneId: string; readonly cause?: Cause; readonly after?: number }
  | { readonly kind: 'follow'; readonly change: FollowedChange }
);

const VERSION = 1;
/** The most characters of a DNS subdomain, of a resourceVersion or another's id, and of a hosted zone's id. */
const NAME_MAX = 253;
const TOKEN_MAX = 128;
const HOSTED_ZONE_ID_MAX = 32;
/** The most characters of a name, where an octet may be written with four, and the most names of a batch. */
const FQDN_MAX = 1_020;
const NAMES_MAX = 1_000;
/** The most characters of the id of a cluster (config-schema.ts). */
const CLUSTER_MAX = 63;
/** Long user names are cut where events are parsed. */
const USER_MAX = 253;
/** The most characters of a cursor, which contains the API server's token; some hundreds are usual. */
const CURSOR_MAX = 16_384;

const objectKind = z.string().refine(isObjectKind);
const name = z.string().max(NAME_MAX);
const cause = z.object({
  atMs: z.number().exactOptional(),
  correlationId: z.string().max(TOKEN_MAX).exactOptional(),
  via: z.enum(CAUSE_KINDS).exactOptional(),
  user: z.string().max(USER_MAX).exactOptional(),
});

const hint = z.object({
  kind: objectKind,
  namespace: name.nullable(),
  name: name.nullable(),
  oldVersion: z.string().max(TOKEN_MAX).exactOptional(),
  awaited: z.object({ uid: z.string().max(TOKEN_MAX), generation: z.number().nullable() }).exactOptional(),
  noted: z.string().max(TOKEN_MAX).exactOptional(),
  repeats: z.literal(true).exactOptional(),
  ...cause.shape,
  attempt: z.number().exactOptional(),
  cursor: z.string().max(CURSOR_MAX).exactOptional(),
});
const ref = z.object({ kind: objectKind, namespace: name, name });
const hostedZoneId = z.string().min(1).max(HOSTED_ZONE_ID_MAX);

const common = { v: z.literal(VERSION), cluster: z.string().max(CLUSTER_MAX).exactOptional() };
const message = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('hint'), hint }),
  z.object({
    ...common,
    kind: z.literal('report'),
    ref,
    cause: cause.exactOptional(),
    afterSeconds: z.number().exactOptional(),
  }),
  z.object({
    ...common,
    kind: z.literal('publish'),
    hostedZoneId,
    cause: cause.exactOptional(),
    after: z.number().exactOptional(),
  }),
  z.object({
    ...common,
    kind: z.literal('follow'),
    change: z.object({
      hostedZoneId,
      changeId: z.string().max(TOKEN_MAX),
      atMs: z.number(),
      names: z.array(z.string().max(FQDN_MAX)).max(NAMES_MAX),
    }),
  }),
]);

export function formatQueueMessage(content: QueueMessage): string {
  return JSON.stringify({ v: VERSION, ...content });
}

/** Parses a body. Throws an Error with the problem; it quotes a body that is not JSON. */
export function parseQueueMessage(body: string): QueueMessage {
  const parsed = message.safeParse(parseJson(body));
  if (!parsed.success) throw new Error(`Cannot parse queue message: ${z.prettifyError(parsed.error)}`);
  const { v: _, ...content } = parsed.data;
  return content;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new Error(`Cannot parse queue message ${JSON.stringify(body.slice(0, 200))}: it is not JSON`, { cause });
  }
}
