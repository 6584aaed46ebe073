// What all events about objects have in common: the kinds that are read, and hints without repetition. An event is
// trusted only as "read that object": a forged one costs a read, and never causes a write.

import { apiKindOf, type Kind, readsStatus } from '../lib/objects/kind.ts';
import { isNamespace, isObjectName } from '../lib/objects/object-ref.ts';
import { textAt } from '../lib/objects/plain.ts';
import type { Hint } from '../lib/ports/queues.ts';

/** The RBAC group of zone53's own requests (crds/rbac.yaml). Their events are not news. */
const OWN_GROUP = 'zone53';

/** The kinds of a resource in an API group ("" for the core group). Empty when zone53 does not read it. */
export function kindsOfResource(
  kinds: readonly Kind[],
  group: string | undefined,
  resource: string | undefined,
): readonly Kind[] {
  return kinds.filter((one) => one.group === (group ?? '') && one.resource === resource);
}

/** The kinds of an event; empty if it is not news. A status is news only where others write what zone53 reads. */
export function kindsOfEvent(
  kinds: readonly Kind[],
  { group, resource, subresource }: Readonly<Record<'group' | 'resource' | 'subresource', string | null | undefined>>,
): readonly Kind[] {
  const part = subresource ?? '';
  return kindsOfResource(kinds, group ?? undefined, resource ?? undefined).filter(
    (kind) => part === '' || (part === 'status' && readsStatus(kind)),
  );
}

/**
 * The namespace that an event gives for an object of this kind: "" for a cluster-scoped kind, null if it gives none.
 */
export function namespaceIn({ scope }: Kind, namespace: string | null | undefined): string | null {
  return scope === 'cluster' ? '' : namespace || null;
}

/** The kinds with this apiVersion (any, if left out) and name. Empty when zone53 does not read such objects. */
export function kindsOfObject(
  kinds: readonly Kind[],
  apiVersion: string | null | undefined,
  name: string,
): readonly Kind[] {
  const isOf = ({ group }: Kind) => (group === '' ? !apiVersion?.includes('/') : apiVersion?.startsWith(`${group}/`));
  return kinds.filter((one) => apiKindOf(one) === name && (apiVersion == null || isOf(one)));
}

/** True when the API server says that zone53 itself made the request. */
export function isOwnRequest(groups: readonly string[] | undefined): boolean {
  return groups?.includes(OWN_GROUP) ?? false;
}

/** The form of a correlation id: short, and without characters that could act in a log or a terminal. */
const CORRELATION_ID = /^[\w.:/-]{8,64}$/;

/** The id that the sender gave its event, if it has that form. The sender's own log has the same id. */
export function correlationOf(id: string | null | undefined): { readonly correlationId?: string } {
  return typeof id === 'string' && CORRELATION_ID.test(id) ? { correlationId: id } : {};
}

/** The sender's id of an event that cannot be read, for the message about it: ` "id"`, or nothing if it has none. */
export function quotedId(event: unknown, key: string): string {
  const { correlationId } = correlationOf(textAt(event, key));
  return correlationId === undefined ? '' : ` "${correlationId}"`;
}

/** The most characters of a user's name: the API server takes longer ones. */
const USER_MAX = 253;

/** The user who the API server says made the request, if it says so. */
export function userOf(name: string | null | undefined): { readonly user?: string } {
  return name == null || name === '' ? {} : { user: name.slice(0, USER_MAX) };
}

/** Each hint once, in order of first appearance. */
export function distinctHints(hints: readonly Hint[]): readonly Hint[] {
  const seen = new Map<string, Hint>();
  for (const hint of hints) {
    const key = JSON.stringify([hint.kind, hint.namespace, hint.name, hint.oldVersion ?? null, hint.awaited ?? null]);
    if (!seen.has(key)) seen.set(key, hint);
  }
  return [...seen.values()];
}

/** The form of a resourceVersion or a uid: opaque, but short. */
const OPAQUE = /^[\w.:/=+-]{0,128}$/;

/** Separates hints that could be about an object from those that no API server could have sent: these are problems. */
export function checkHints(hints: readonly Hint[]): {
  readonly hints: readonly Hint[];
  readonly problems: readonly string[];
} {
  const good: Hint[] = [];
  const problems: string[] = [];
  for (const hint of hints) {
    const problem = problemOf(hint);
    if (problem === null) good.push(hint);
    else problems.push(problem);
  }
  return { hints: good, problems };
}

function problemOf({ kind, namespace, name, oldVersion = '', awaited }: Hint): string | null {
  // Without a namespace it is not an event about a Zone or a Record, and would cause a read of all objects.
  if (namespace === null) {
    const object = name === null ? `any ${kind}` : `the ${kind} ${JSON.stringify(name.slice(0, 100))}`;
    return `an event about ${object} that names no namespace`;
  }
  if (!isNamespace(namespace)) return `no namespace is called ${JSON.stringify(namespace.slice(0, 100))}`;
  if (name !== null && !isObjectName(name)) return `no ${kind} is called ${JSON.stringify(name.slice(0, 100))}`;
  return OPAQUE.test(oldVersion) && OPAQUE.test(awaited?.uid ?? '')
    ? null
    : 'a version or a uid that no API server gives';
}

/** The largest number of events in one request or log batch. An API server's audit webhook sends 400. */
export const EVENTS_MAX = 1_000;

/** One request has more events than EVENTS_MAX. */
export class TooManyEventsError extends Error {
  constructor(count: number) {
    super(`${count} events in one request; ${EVENTS_MAX} at most`);
    this.name = 'TooManyEventsError';
  }
}

/** @throws TooManyEventsError */
export function checkCount(events: readonly unknown[]): void {
  if (events.length > EVENTS_MAX) throw new TooManyEventsError(events.length);
}
