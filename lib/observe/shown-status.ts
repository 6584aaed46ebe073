// Whether the status and label of an object are those that were last reported. Tenants can write both, and a report
// that was overtaken may have written less than the ledger knows. The sweep compares them field by field, and so does
// each reading of an object that was written without a change of its spec. Objects of manifests have neither.
import type { Entry } from '../dns/entry.ts';
import { mapping } from '../objects/plain.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { showsReport } from '../ports/shown-status.ts';
import { digestEntries, type StatusItem } from './status-item.ts';

/** True if the object shows its last report. Entries are compared by digest, and not at all if some were left out. */
export function showsReported(object: ClusterObject, reported: StatusItem): boolean {
  if (object.status === undefined || object.origin !== null || object.uid !== reported.uid) return true;
  if (!showsReport(object, reported)) return false;
  if (reported.entries === null) return true;
  // A live Zone has entries, at least its SOA. Its conditions would not tell: a Zone whose last valid spec is in force
  // is live, and not accepted.
  const live = reported.entries !== digestEntries([]);
  const { entries, entriesOmitted, hash, serial } = mapping(object.status);
  return (
    (hash ?? null) === (live ? reported.hash : null) &&
    (serial ?? null) === (live ? reported.serial : null) &&
    !entriesOmitted &&
    digestEntries((Array.isArray(entries) ? entries : []) as readonly Entry[]) === reported.entries
  );
}
