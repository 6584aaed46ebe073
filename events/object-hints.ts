// What all events about Zones and Records have in common: the names of the API, and hints without repetition. An event is
// believed in nothing but "look there": a forged one costs a read, never a write.

import type { ObjectKind } from '../lib/objects/object-ref.ts';
import type { Hint } from '../lib/ports/queues.ts';

const GROUP = 'kubi.zone';
/** RBAC group that zone53 signs in with (crds/rbac.yaml): what it wrote itself is no news. */
const OWN_GROUP = 'zone53';

/** The kind behind a resource of an API group; null when it is none of ours. */
export function kindOfResource(group: string | undefined, resource: string | undefined): ObjectKind | null {
  if (group !== GROUP) return null;
  if (resource === 'zones') return 'Zone';
  return resource === 'records' ? 'Record' : null;
}

/** True when the API server says that zone53 itself made the request. */
export function isOwnRequest(groups: readonly string[] | undefined): boolean {
  return groups?.includes(OWN_GROUP) ?? false;
}

/** What an event may be followed by: short, and nothing that could act in a log or a terminal. */
const CORRELATION_ID = /^[\w.:/-]{8,64}$/;

/** The id that the sender gave its event, where it will do: the same that stands in the sender's own log. */
export function correlationOf(id: string | null | undefined): { readonly correlationId?: string } {
  return typeof id === 'string' && CORRELATION_ID.test(id) ? { correlationId: id } : {};
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
