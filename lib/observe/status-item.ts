// The item with the last report of an object, and whether the object shows that report. Tenants can write a status and
// a label, too, and a report that was overtaken may have written less than the ledger knows. The sweep compares them
// field by field, and so does each reading of an object that was written without a change of its spec.
import * as z from 'zod';
import type { Entry } from '../dns/entry.ts';
import { compareSerials, nextSerial } from '../dns/serial.ts';
import { digestOf } from '../ledger/canonical-json.ts';
import { anyText, type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import type { Condition } from '../objects/conditions.ts';
import { keyOf, type ObjectKind, type ObjectRef } from '../objects/object-ref.ts';
import { mapping } from '../objects/plain.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import type { JsonValue, LedgerKey } from '../ports/ledger.ts';
import { showsReport } from '../ports/shown-status.ts';

const DAY_MS = 86_400_000;

const condition = z.object({
  type: anyText<Condition['type']>(),
  status: anyText<Condition['status']>(),
  reason: anyText<Condition['reason']>(),
  message: z.string(),
  observedGeneration: z.number().exactOptional(),
});

const statusBody = z.object({
  /** Another uid is another object, which has no status yet. */
  uid: z.string().nullable(),
  fqdn: z.string().nullable(),
  parent: z.string().nullable(),
  /** As in the status; absent: it is in the public view alone. */
  views: z
    .array(
      z.object({
        view: z.string(),
        parent: z.string().nullable(),
        accepted: anyText<Condition['status']>(),
        programmed: anyText<Condition['status']>(),
        reason: z.string(),
        message: z.string(),
      }),
    )
    .exactOptional(),
  conditions: z.array(condition),
  hash: z.string().nullable(),
  serial: z.number().nullable(),
  /** The digest of the list in its order, on which `hash` does not depend. Null for a Record. */
  entries: z.string().nullable(),
  /** The data of an alias. */
  data: z.string().exactOptional(),
  /** What was told in Events before the present conditions, which stand since then and are not told yet. */
  untold: z.object({ conditions: z.array(condition), sinceMs: z.number() }).exactOptional(),
  /** Somebody else overwrote the report: it is written again, although it did not change. */
  overwritten: z.literal(true).exactOptional(),
});

/** The status as last reported, to detect transitions. */
export type StatusItem = Item<typeof statusBody>;
export const statusCodec: Codec<StatusItem> = itemCodec(statusBody);

/** The item of an object that was not reported yet. */
export const UNREPORTED: StatusItem = {
  uid: null,
  fqdn: null,
  parent: null,
  conditions: [],
  hash: null,
  serial: null,
  entries: null,
};

/**
 * The last report, with the hash and serial of the next one. They are saved before the object shows them: if the run
 * dies in between, the next one does not give the same serial to another content.
 */
export function withSerial(
  before: StatusItem | null,
  { hash, serial }: Pick<StatusItem, 'hash' | 'serial'>,
): StatusItem {
  return { ...(before ?? UNREPORTED), hash, serial };
}

/** What stays of the last report of a deleted object: the serial of a Zone, which never goes back; null: nothing. */
export function leftOfReport(reported: StatusItem): StatusItem | null {
  return reported.serial === null ? null : withSerial(null, reported);
}

/** True if nothing but a serial is saved, and a Zone that begins anew gets a later one, by any clock. */
export function isOldSerial({ entries, serial }: StatusItem, nowMs: number): boolean {
  return entries === null && serial !== null && compareSerials(serial, nextSerial(null, nowMs - DAY_MS)) < 0;
}

/** True if no report of the object with this uid was begun, and none of an earlier object of its name stands. */
export function isUnreported(reported: StatusItem | null, { uid }: Pick<StatusItem, 'uid'>): boolean {
  return reported === null || (reported.uid !== uid && reported.conditions.length === 0);
}

export function statusesPartition(cluster: string, kind: ObjectKind): string {
  return `statuses#${cluster}#${kind}`;
}

export function statusKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: statusesPartition(cluster, ref.kind), sort: keyOf(ref) };
}

/** The digest of a Zone's entries in its StatusItem. */
export function digestEntries(entries: readonly Entry[]): string {
  return digestOf(entries as unknown as JsonValue);
}

/**
 * True if the object shows its last report. Entries are compared by digest, and not at all if some were left out. An
 * object of a manifest shows nothing.
 */
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
