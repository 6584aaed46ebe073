// Whether an object shows what was reported of it. Status and label are tenant-writable, and a report that was overtaken may
// have left less than the ledger knows: the sweep compares with what really stands there, field by field, and puts it right;
// so does whoever reads an object that was written without its spec being changed. Manifests show nothing, and are not asked.
import type { Entry } from '../objects/conditions.ts';
import { showsParent } from '../objects/parent-label.ts';
import { sameJson } from '../objects/same-json.ts';
import type { ClusterObject, ObjectStatus } from '../ports/cluster.ts';
import { digestEntries, type StatusItem } from './object-item.ts';

type Mapping = Readonly<Record<string, unknown>>;

const OURS: ReadonlySet<unknown> = new Set(['Accepted', 'Programmed']);

/** True when the object, as an API server has it, says all of `wanted` and names its parent. */
export function showsReport(object: ClusterObject, wanted: ObjectStatus): boolean {
  return object.status === undefined || (showsParent(object, wanted.parent) && showsStatus(object.status, wanted));
}

/** The same by what the ledger kept of the last report: entries are told by their digest, and where some were left out, not at all. */
export function showsReported(object: ClusterObject, reported: StatusItem): boolean {
  if (object.status === undefined || object.uid !== reported.uid) return true;
  const { fqdn, parent, conditions } = reported;
  if (!showsReport(object, { fqdn, parent, conditions })) return false;
  if (reported.entries === null) return true;
  // Not by its conditions: a Zone whose last valid spec stays in force is live, and not accepted. A live one has its SOA.
  const live = reported.entries !== digestEntries([]);
  const { entries, entriesOmitted, hash, serial } = mapping(object.status);
  return (
    (hash ?? null) === (live ? reported.hash : null) &&
    (serial ?? null) === (live ? reported.serial : null) &&
    !entriesOmitted &&
    digestEntries((Array.isArray(entries) ? entries : []) as readonly Entry[]) === reported.entries
  );
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

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {};
}
