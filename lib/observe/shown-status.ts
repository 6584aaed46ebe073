// Whether an object shows what was reported of it. Status and label are tenant-writable, and a report that was
// overtaken may have left less than the ledger knows: the sweep compares with what really stands there, field by field,
// and puts it right; so does whoever reads an object that was written without its spec being changed. Manifests show
// nothing, and are not asked.
import type { Entry } from '../dns/entry.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { mapping, showsReport } from '../ports/shown-status.ts';
import { digestEntries, type StatusItem } from './status-item.ts';

/** The same, by the ledger's last report: entries are compared by digest, and not at all if some were left out. */
export function showsReported(object: ClusterObject, reported: StatusItem): boolean {
  if (object.status === undefined || object.origin !== null || object.uid !== reported.uid) return true;
  const { fqdn, parent, conditions } = reported;
  if (!showsReport(object, { fqdn, parent, conditions })) return false;
  if (reported.entries === null) return true;
  // Not by its conditions: a Zone whose last valid spec stays in force is live, and not accepted. A live one has its
  // SOA.
  const live = reported.entries !== digestEntries([]);
  const { entries, entriesOmitted, hash, serial } = mapping(object.status);
  return (
    (hash ?? null) === (live ? reported.hash : null) &&
    (serial ?? null) === (live ? reported.serial : null) &&
    !entriesOmitted &&
    digestEntries((Array.isArray(entries) ? entries : []) as readonly Entry[]) === reported.entries
  );
}
