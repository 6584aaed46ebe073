// The API server of a seed for a rehearsal: reads go to it, writes stay in memory.
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { at, listAt, mapping } from '../../objects/plain.ts';
import type { JsonObject } from '../../ports/ledger.ts';
import type { Seed } from '../../ports/seed/seed.ts';

/** What would be written of one object. */
export type Written = {
  /** The object after the last write, even if it would be gone then. */
  readonly object: unknown;
  readonly hasStatus: boolean;
  readonly told: readonly string[];
};

export type RehearsedSeed = Seed & {
  /** What would be written of an object; null: nothing. */
  written(ref: ObjectRef): Written | null;
};

/** The API server with its writes kept in memory. */
export function rehearsedSeed(below: Seed): RehearsedSeed {
  const noted = new Map<string, Written>();
  const gone = new Set<string>();
  const get = async (ref: ObjectRef): Promise<unknown> => {
    if (gone.has(formatRef(ref))) return null;
    return noted.get(formatRef(ref))?.object ?? below.get(ref);
  };
  const note = async (ref: ObjectRef, uid: string, change: (object: Readonly<Record<string, unknown>>) => unknown) => {
    const object = await get(ref);
    if (object === null) return { kind: 'gone' as const };
    if (at(object, 'metadata', 'uid') !== uid) return { kind: 'changed' as const };
    return { kind: 'written' as const, object: change(mapping(object)) };
  };
  const keep = (ref: ObjectRef, object: unknown, more: Partial<Written> = {}) => {
    const before = noted.get(formatRef(ref)) ?? { hasStatus: false, told: [] };
    noted.set(formatRef(ref), { ...before, ...more, object });
    const isDeleted = at(object, 'metadata', 'deletionTimestamp') !== undefined;
    if (isDeleted && listAt(at(object, 'metadata'), 'finalizers').length === 0) gone.add(formatRef(ref));
    return object;
  };
  return {
    get,
    list: (namespace) => below.list(namespace),
    ...(below.crd === undefined ? {} : { crd: below.crd }),
    readSecret: (namespace, name) => below.readSecret(namespace, name),
    readShoot: (namespace) => below.readShoot(namespace),
    patchMetadata: ({ ref, uid }, { annotations = {}, finalizers }) =>
      note(ref, uid, (object) => {
        const metadata = mapping(at(object, 'metadata'));
        const merged = Object.entries({ ...mapping(metadata.annotations), ...annotations });
        const next = { ...metadata, annotations: Object.fromEntries(merged.filter(([, value]) => value !== null)) };
        return keep(ref, { ...object, metadata: finalizers === undefined ? next : { ...next, finalizers } });
      }),
    patchStatus: ({ ref, uid }, status) =>
      note(ref, uid, (object) =>
        keep(ref, { ...object, status: merged(mapping(object.status), status) }, { hasStatus: true }),
      ),
    recordEvent: async ({ ref }, { message }) => {
      const object = await get(ref);
      if (object !== null) keep(ref, object, { told: [...(noted.get(formatRef(ref))?.told ?? []), message] });
    },
    written: (ref) => noted.get(formatRef(ref)) ?? null,
  };
}

/** A merge patch at the first level. The statuses that zone53 writes need no more. */
function merged(before: Readonly<Record<string, unknown>>, patch: JsonObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
}
