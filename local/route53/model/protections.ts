// Protections of the local Route 53: while a hosted zone protects a name and type, no change batch may create, update
// or delete their record sets. A request is applied whole or not at all. Invalid entries are reported before those that
// are protected already. Amazon publishes neither the quota nor any words of these refusals.
// Source: API model of CreateResourceRecordSetProtections, Delete… and List…, SDK 3.1169. Last verified 2026-11-29.
import { RECORD_TYPES } from '../values/check-value.ts';
import { compareAscii, isInZone, parseDomainName, recordNameSortKey } from '../values/domain-name.ts';
import { PROTECTIONS_PAGE_MAX, REQUEST_PROTECTIONS_MAX } from '../values/limits.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import { type Account, type AccountZone, checkIsIdle, findZone, tellListeners } from './account.ts';
import type { Protection } from './snapshot.ts';

export type ProtectionsStart = {
  readonly name: string | null;
  readonly type: string | null;
  readonly maxResults: number | null;
  readonly token: string | null;
};

export type ProtectionsPage = { readonly items: readonly Protection[]; readonly nextToken: string | null };

/** An entry that failed. */
type Failure = { readonly entry: Protection; readonly code: string; readonly message: string };

/** Creates all of these protections, or none. */
export function createProtections(account: Account, id: string, entries: readonly Protection[]): void {
  const found = openZone(account, id, entries);
  const valid = validEntries(found, entries);
  const existing = valid.filter((entry) => found.protections.has(keyOf(entry)));
  if (existing.length > 0) {
    const code = 'ProtectionAlreadyExists';
    const failures = existing.map((entry) => ({ entry, code, message: 'A protection already exists.' }));
    throw existing.length === entries.length ? failed(code, 409, failures) : failedBatch(failures);
  }
  if (found.protections.size + valid.length > account.options.protectionsMax) {
    const message = `The hosted zone can have at most ${account.options.protectionsMax} protections.`;
    throw new Route53Error('LimitsExceeded', 400, message);
  }
  for (const entry of valid) found.protections.set(keyOf(entry), entry);
  tellListeners(account, { zoneId: id, names: [], gone: false });
}

/** Deletes all of these protections, or none. */
export function deleteProtections(account: Account, id: string, entries: readonly Protection[]): void {
  const found = openZone(account, id, entries);
  const valid = validEntries(found, entries);
  const missing = valid.filter((entry) => !found.protections.has(keyOf(entry)));
  const message = 'No protection exists for the name and type.';
  if (missing.length > 0) throw failedBatch(missing.map((entry) => ({ entry, code: 'ProtectionNotFound', message })));
  for (const entry of valid) found.protections.delete(keyOf(entry));
  tellListeners(account, { zoneId: id, names: [], gone: false });
}

/** A page of the protections, in the order of record sets. The token is an index, and hides where the page starts. */
export function listProtections(account: Account, id: string, start: ProtectionsStart): ProtectionsPage {
  const sorted = [...findZone(account, id).protections.values()].sort(compareProtections);
  const at = start.token === null ? startIn(sorted, start) : Number(start.token);
  if (!Number.isSafeInteger(at) || at < 0)
    throw new Route53Error('InvalidPaginationToken', 400, `The pagination token is not valid: ${start.token}`);
  const end = at + Math.min(start.maxResults ?? PROTECTIONS_PAGE_MAX, PROTECTIONS_PAGE_MAX);
  return { items: sorted.slice(at, end), nextToken: end < sorted.length ? String(end) : null };
}

/** What a batch is told of a record set that is protected; null: it is not. */
export function protectionProblem(
  { protections }: Pick<AccountZone, 'protections'>,
  set: { readonly name: string; readonly type: string },
): string | null {
  const found = protections.get(keyOf(set));
  if (found === undefined) return null;
  const comment = found.comment === null ? '' : `: ${found.comment}`;
  return `RRSet with DNS name ${set.name}, type ${set.type} is protected by a resource record set protection${comment}`;
}

function keyOf({ name, type }: { readonly name: string; readonly type: string }): string {
  return `${name} ${type}`;
}

function compareProtections(a: Protection, b: Protection): number {
  return compareAscii(recordNameSortKey(a.name), recordNameSortKey(b.name)) || compareAscii(a.type, b.type);
}

function startIn(sorted: readonly Protection[], { name, type }: ProtectionsStart): number {
  if (name === null) {
    if (type !== null) throw invalidInput('The input is not valid: a record type was given without a record name');
    return 0;
  }
  const parsed = parseDomainName(name);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const start = { name: parsed.name, type: type ?? '', comment: null };
  const at = sorted.findIndex((one) => compareProtections(one, start) >= 0);
  return at < 0 ? sorted.length : at;
}

function openZone(account: Account, id: string, entries: readonly Protection[]): AccountZone {
  const found = findZone(account, id);
  if (entries.length > REQUEST_PROTECTIONS_MAX)
    throw invalidInput(`At most ${REQUEST_PROTECTIONS_MAX} protections can be given in one request`);
  checkIsIdle(account, found);
  return found;
}

/** The entries with their names in kept form. Throws if one is not valid. */
function validEntries({ zone }: AccountZone, entries: readonly Protection[]): readonly Protection[] {
  const failures: Failure[] = [];
  const valid = new Map<string, Protection>();
  for (const entry of entries) {
    const parsed = parseDomainName(entry.name);
    const kept = { ...entry, name: parsed.ok ? parsed.name : entry.name };
    const problem = !parsed.ok
      ? parsed.problem
      : !isInZone(parsed.name, zone.name)
        ? `The name is not in the hosted zone ${zone.name}`
        : !RECORD_TYPES.includes(entry.type)
          ? `Record sets of type ${entry.type} cannot be protected`
          : valid.has(keyOf(kept))
            ? 'The name and type are given twice'
            : null;
    if (problem === null) valid.set(keyOf(kept), kept);
    else failures.push({ entry, code: 'InvalidInput', message: problem });
  }
  if (failures.length > 0) throw failedBatch(failures);
  return [...valid.values()];
}

function failedBatch(failures: readonly Failure[]): Route53Error {
  return failed('InvalidResourceRecordSetProtectionBatch', 400, failures);
}

function failed(code: string, status: number, failures: readonly Failure[]): Route53Error {
  const entries = failures.map(({ entry, ...why }) => ({
    RecordName: entry.name,
    RecordType: entry.type,
    Code: why.code,
    Message: why.message,
  }));
  const message = 'The protections of the request could not be processed.';
  return new Route53Error(code, status, message, null, { Errors: { ProtectionError: entries } });
}
