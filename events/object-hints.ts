// What all events about objects have in common: the kinds that are read, and hints without repetition. An event is
// believed in nothing but "look there": a forged one costs a read, never a write.

import type { Kind } from '../lib/objects/kind.ts';
import type { ObjectKind } from '../lib/objects/object-ref.ts';
import type { Hint } from '../lib/ports/queues.ts';

/** RBAC group that zone53 signs in with (crds/rbac.yaml): what it wrote itself is no news. */
const OWN_GROUP = 'zone53';

/** The kind behind a resource of an API group ("" for the core group); null when it is none that is read. */
export function kindOfResource(
  kinds: readonly Kind[],
  group: string | undefined,
  resource: string | undefined,
): ObjectKind | null {
  return kinds.find((one) => one.group === (group ?? '') && one.resource === resource)?.kind ?? null;
}

/** The kind that an object of this apiVersion names; null when it is none that is read. An apiVersion that is left out may be any. */
export function kindOfObject(
  kinds: readonly Kind[],
  apiVersion: string | null | undefined,
  name: string,
): ObjectKind | null {
  const isOf = ({ group }: Kind) => (group === '' ? !apiVersion?.includes('/') : apiVersion?.startsWith(`${group}/`));
  return kinds.find((one) => one.kind === name && (apiVersion == null || isOf(one)))?.kind ?? null;
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
