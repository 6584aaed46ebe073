// CloudEvents 1.0 about Zones and Records: over HTTP in binary, structured and batched mode (HTTP binding 1.0.2, §3),
// or as the detail of an EventBridge event. The type of the event is not trusted: only the object that it names
// counts:
//
//   data is the object                 { apiVersion, kind, metadata }            Knative ApiServerSource, mode Resource
//   data is a reference to it          { apiVersion, kind, namespace, name }     Knative, mode Reference; our own hints
//   data has it inside                 { obj | oldObj | body | oldBody: object } kubewatch, Argo Events
//   no such data, or not JSON          the subject /apis/kubi.zone/v1alpha1/namespaces/NS/records/NAME
//
// An event about anything else is ignored. An event that cannot be read affects only itself.
import * as z from 'zod';
import type { Kind } from '../lib/objects/kind.ts';
import { jsonOf } from '../lib/objects/plain.ts';
import type { Hint } from '../lib/ports/queues.ts';
import {
  checkCount,
  correlationOf,
  distinctHints,
  kindsOfObject,
  kindsOfResource,
  namespaceIn,
  quotedId,
} from './object-hints.ts';

const envelope = z.looseObject({
  specversion: z.string().startsWith('1.'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  subject: z.string().nullish(),
  time: z.string().nullish(),
  datacontenttype: z.string().nullish(),
  data: z.unknown().optional(),
  data_base64: z.string().nullish(),
});

const name = z.string().min(1);
const object = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name, namespace: name.nullish() }),
});
const reference = z.object({
  apiVersion: z.string().nullish(),
  kind: z.string(),
  namespace: name.nullish(),
  name: name.nullish(),
});
const wrapped = z.object({
  obj: z.unknown().optional(),
  oldObj: z.unknown().optional(),
  body: z.unknown().optional(),
  oldBody: z.unknown().optional(),
});

/** Hints, and the events that could not be read; the others are not affected by them. */
export type ParsedEvents = { readonly hints: readonly Hint[]; readonly problems: readonly string[] };

/** An HTTP request as a function URL gives it: header names in lower case. */
export type HttpMessage = { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: string };

/** Parses one event in structured form. `nowMs`: when it arrived, for events without a time. */
export function parseCloudEvent(kinds: readonly Kind[], value: unknown, nowMs: number): ParsedEvents {
  const parsed = envelope.safeParse(value);
  const named = `Cannot parse CloudEvent${quotedId(value, 'id')}`;
  if (!parsed.success) return { hints: [], problems: [`${named}: ${z.prettifyError(parsed.error)}`] };
  const { data, data_base64 = null, datacontenttype } = parsed.data;
  const encoded = data_base64 === null ? null : Buffer.from(data_base64, 'base64').toString('utf8');
  const read = encoded === null ? data : jsonOf(encoded);
  if (encoded !== null && read === undefined && isJsonType(datacontenttype))
    return { hints: [], problems: [`${named}: its data_base64 is not JSON`] };
  const atMs = Date.parse(parsed.data.time ?? '');
  const found = targetsOf(kinds, read);
  const targets = found.length > 0 ? found : targetsOfSubject(kinds, parsed.data.subject ?? '');
  const more = { atMs: Number.isNaN(atMs) ? nowMs : atMs, ...correlationOf(parsed.data.id) };
  return { hints: targets.map((target) => ({ ...target, ...more })), problems: [] };
}

/**
 * Parses a request of the HTTP binding. Throws TooManyEventsError, and an Error if it has no CloudEvent in any mode.
 */
export function parseCloudEvents(kinds: readonly Kind[], { headers, body }: HttpMessage, nowMs: number): ParsedEvents {
  const type = (headers['content-type'] ?? '').trim().toLowerCase();
  // The batch's prefix first: it begins like that of one event.
  if (type.startsWith('application/cloudevents-batch')) {
    const values = parseJson(body);
    if (!Array.isArray(values)) throw new Error('Cannot parse CloudEvents batch: it is not an array');
    checkCount(values);
    const parsed = values.map((value) => parseCloudEvent(kinds, value, nowMs));
    return {
      hints: distinctHints(parsed.flatMap(({ hints }) => hints)),
      problems: parsed.flatMap(({ problems }) => problems),
    };
  }
  if (type.startsWith('application/cloudevents')) return parseCloudEvent(kinds, parseJson(body), nowMs);
  if (headers['ce-specversion'] === undefined) {
    throw new Error('Cannot parse CloudEvent: neither its content type nor its headers say that it is one');
  }
  return parseCloudEvent(kinds, binaryEvent(headers, body), nowMs);
}

/** The structured form of an event whose attributes are `ce-` headers and whose data is the body. */
function binaryEvent(headers: HttpMessage['headers'], body: string): unknown {
  const attributes: [string, unknown][] = Object.entries(headers).flatMap(([key, value]) =>
    key.startsWith('ce-') && value !== undefined ? [[key.slice(3), decodeHeader(value)]] : [],
  );
  const mustBeJson = body.trim() !== '' && isJsonType(headers['content-type']);
  return Object.fromEntries([...attributes, ['data', mustBeJson ? parseJson(body) : jsonOf(body)]]);
}

/** Whether data of this media type must be JSON, as data without a type must. */
function isJsonType(type: string | null | undefined): boolean {
  return type == null || type.trim() === '' || /[/+]json\s*(?:;|$)/i.test(type);
}

/** Percent-decodes once (HTTP binding §3.1.3.2). */
function decodeHeader(value: string): string {
  try {
    return decodeURIComponent(value.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch (cause) {
    throw new Error(`Cannot parse CloudEvent: header value ${JSON.stringify(value.slice(0, 100))} is not UTF-8`, {
      cause,
    });
  }
}

/**
 * The object that a payload is, refers to or contains, once for each kind that reads it. Empty when the payload is
 * about something else.
 */
export function targetsOf(kinds: readonly Kind[], data: unknown): readonly Hint[] {
  const whole = targetsOfObject(kinds, data);
  if (whole.length > 0) return whole;
  const refers = reference.safeParse(data);
  if (refers.success) {
    const { apiVersion, namespace = null, name: of = null } = refers.data;
    const found = kindsOfObject(kinds, apiVersion, refers.data.kind);
    if (found.length > 0) return found.map((kind) => hintOf(kind, namespace, of));
  }
  const inside = wrapped.safeParse(data);
  if (!inside.success) return [];
  const { obj, oldObj, body, oldBody } = inside.data;
  for (const candidate of [obj, body, oldObj, oldBody]) {
    const found = targetsOfObject(kinds, candidate);
    if (found.length > 0) return found;
  }
  return [];
}

function targetsOfObject(kinds: readonly Kind[], data: unknown): readonly Hint[] {
  const whole = object.safeParse(data);
  if (!whole.success) return [];
  const { apiVersion, metadata } = whole.data;
  return kindsOfObject(kinds, apiVersion, whole.data.kind).map((kind) =>
    hintOf(kind, metadata.namespace, metadata.name),
  );
}

function hintOf(kind: Kind, namespace: string | null | undefined, name: string | null): Hint {
  return { kind: kind.kind, namespace: namespaceIn(kind, namespace), name };
}

/** The path of an object without a namespace (a Node, a Namespace) has no `namespaces` part. */
const SUBJECT = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/([^/]+)\/)?([^/]+)\/([^/]+)$/;

function targetsOfSubject(kinds: readonly Kind[], subject: string): readonly Hint[] {
  const [, group, namespace, resource, of = ''] = SUBJECT.exec(subject) ?? [];
  return kindsOfResource(kinds, group, resource).map((kind) => hintOf(kind, namespace, of));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot parse CloudEvent ${JSON.stringify(text.slice(0, 100))}: it is not JSON`, { cause });
  }
}
