// Whether an object shows what is reported of it, field by field. Status and label are tenant-writable.
import { showsParent } from '../objects/parent-label.ts';
import { sameJson } from '../objects/same-json.ts';
import type { ClusterObject, ObjectStatus } from './cluster.ts';

export type Mapping = Readonly<Record<string, unknown>>;
const OURS: ReadonlySet<unknown> = new Set(['Accepted', 'Programmed']);

/** True when the object, as an API server has it, says all of `wanted` and names its parent. */
export function showsReport(object: ClusterObject, wanted: ObjectStatus): boolean {
  if (object.isForeign === true) return true;
  return object.status === undefined || (showsParent(object, wanted.parent) && showsStatus(object.status, wanted));
}

/** True when `shown`, the untrusted status of an object, says all of `wanted` and nothing else in our name. */
export function showsStatus(shown: unknown, wanted: ObjectStatus): boolean {
  const status = mapping(shown);
  if ((status.fqdn ?? null) !== wanted.fqdn) return false;
  if (!sameJson(ownConditions(status.conditions), ownConditions(wanted.conditions))) return false;
  if (wanted.zone === undefined) return true;
  const { entries, hash, serial } = wanted.zone;
  if ((status.hash ?? null) !== hash || (status.serial ?? null) !== serial) return false;
  const listed = Array.isArray(status.entries) ? status.entries : [];
  // Where they outgrow the object, the first ones are listed and the others counted.
  return (
    listed.length + Number(status.entriesOmitted ?? 0) === entries.length &&
    sameJson(listed, entries.slice(0, listed.length))
  );
}

function ownConditions(conditions: unknown): readonly unknown[] {
  const all = Array.isArray(conditions) ? conditions.map(mapping) : [];
  return all
    .filter(({ type }) => OURS.has(type))
    .map(({ type, status, reason, message, observedGeneration }) =>
      Object.fromEntries(
        Object.entries({ type, status, reason, message, observedGeneration }).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    )
    .sort((a, b) => (String(a.type) < String(b.type) ? -1 : 1));
}

export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {};
}
