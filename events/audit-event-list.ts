// Audit events (audit.k8s.io/v1): the EventList that an API server's audit webhook backend posts, and the single events
// that EKS writes to CloudWatch Logs, which are at level Metadata: objectRef and status code, no objects.
//
//   create, update, patch, delete   the name; with generateName at level Metadata there is none: the namespace
//   deletecollection                the namespace; a namespace that is deleted does this to each kind in it
//   delete of the namespace itself  nothing: its objects still exist, and are deleted by deletecollection
//   failed (not 2xx), dry run       nothing; level Metadata does not mark kubectl's dry-run delete, which costs a read
//   a subresource, our own request  nothing: zone53 itself writes that status; but a status that others write counts
//   get, list, watch                nothing; most are our own reads
//   any stage but ResponseComplete  nothing: each request comes once
import * as z from 'zod';
import type { Kind } from '../lib/objects/kind.ts';
import type { Hint } from '../lib/ports/queues.ts';
import {
  checkCount,
  correlationOf,
  distinctHints,
  isOwnRequest,
  kindsOfEvent,
  namespaceIn,
  quotedId,
  userOf,
} from './object-hints.ts';

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

const named = z.object({ metadata: z.object({ name: z.string().nullish() }).nullish() });

const event = z.object({
  auditID: z.string().nullish(),
  stage: z.string(),
  verb: z.string(),
  requestURI: z.string().default(''),
  user: z.object({ username: z.string().nullish(), groups: z.array(z.string()).nullish() }).nullish(),
  /** As whom the user acted, with `kubectl --as`. */
  impersonatedUser: z.object({ username: z.string().nullish() }).nullish(),
  objectRef: z
    .object({
      apiGroup: z.string().nullish(),
      resource: z.string().nullish(),
      subresource: z.string().nullish(),
      namespace: z.string().nullish(),
      name: z.string().nullish(),
    })
    .nullish(),
  responseStatus: z
    .object({ code: z.number().nullish(), details: z.object({ name: z.string().nullish() }).nullish() })
    .nullish(),
  requestObject: z.unknown().optional(),
  responseObject: z.unknown().optional(),
  stageTimestamp: z.string().nullish(),
});

const eventList = z.object({
  kind: z.literal('EventList'),
  apiVersion: z.literal('audit.k8s.io/v1'),
  items: z.array(z.unknown()),
});

/** The content of audit events. `problems`: the events that could not be read; the others are not affected by them. */
export type ParsedAudit = { readonly hints: readonly Hint[]; readonly problems: readonly string[] };

/** Parses an audit webhook's body, already decoded. Throws TooManyEventsError, and if it is not an EventList. */
export function parseAuditEventList(kinds: readonly Kind[], value: unknown): ParsedAudit {
  const parsed = eventList.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse audit EventList: ${z.prettifyError(parsed.error)}`);
  checkCount(parsed.data.items);
  return parseAuditEvents(kinds, parsed.data.items);
}

/** Parses single audit events. */
export function parseAuditEvents(kinds: readonly Kind[], values: readonly unknown[]): ParsedAudit {
  const hints: Hint[] = [];
  const problems: string[] = [];
  for (const value of values) {
    const parsed = event.safeParse(value);
    if (parsed.success) hints.push(...hintsOf(kinds, parsed.data));
    else problems.push(`Cannot parse audit event${quotedId(value, 'auditID')}: ${z.prettifyError(parsed.error)}`);
  }
  return { hints: distinctHints(hints), problems };
}

type AuditEvent = z.infer<typeof event>;

function hintsOf(kinds: readonly Kind[], audited: AuditEvent): readonly Hint[] {
  const { objectRef, verb } = audited;
  const { apiGroup: group, resource, subresource } = objectRef ?? {};
  const told = kindsOfEvent(kinds, { group, resource, subresource });
  if (told.length === 0 || !WRITES.has(verb) || !wasStored(audited)) return [];
  if (isOwnRequest(audited.user?.groups ?? [])) return [];
  const name = verb === 'deletecollection' ? null : nameOf(audited);
  const atMs = Date.parse(audited.stageTimestamp ?? '');
  return told.map((of) => {
    const hint = {
      kind: of.kind,
      namespace: namespaceIn(of, objectRef?.namespace),
      name,
      ...correlationOf(audited.auditID),
      ...userOf(audited.impersonatedUser?.username ?? audited.user?.username),
    };
    return Number.isNaN(atMs) ? hint : { ...hint, atMs };
  });
}

function wasStored({ stage, responseStatus, requestURI, requestObject }: AuditEvent): boolean {
  const code = responseStatus?.code ?? 0;
  return stage === 'ResponseComplete' && code >= 200 && code < 300 && !isDryRun(requestURI, requestObject);
}

/** Whether the request is a dry run: most say so in the query, a delete may say so in its DeleteOptions. */
function isDryRun(requestURI: string, requestObject: unknown): boolean {
  const query = new URLSearchParams(requestURI.split('?')[1] ?? '');
  if (query.has('dryRun')) return true;
  const options = z.object({ dryRun: z.array(z.string()).min(1) }).safeParse(requestObject);
  return options.success;
}

/** The object's name. With generateName the URL has none; then the stored object or the response may tell. */
function nameOf({ objectRef, responseObject, responseStatus }: AuditEvent): string | null {
  const stored = named.safeParse(responseObject);
  const fromObject = stored.success ? stored.data.metadata?.name : undefined;
  return objectRef?.name || fromObject || responseStatus?.details?.name || null;
}
