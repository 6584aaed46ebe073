// What was last reported of an object.

import { digestOf } from '../ledger/canonical-json.ts';
import { checked } from '../ledger/versioned-item.ts';
import type { Condition, Entry } from '../objects/conditions.ts';
import { keyOf, type ObjectKind, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { JsonObject, JsonValue, LedgerItem, LedgerKey } from '../ports/ledger.ts';

/** The status as last reported, to tell a transition by. The entries of a Zone are told by a digest: one hash has several orders. */
export type StatusItem = {
  /** Another uid is another object, which has no status yet. */
  readonly uid: string | null;
  readonly fqdn: string | null;
  readonly parent: ZoneKey | null;
  readonly conditions: readonly Condition[];
  readonly hash: string | null;
  readonly serial: number | null;
  /** Null for a Record. */
  readonly entries: string | null;
  /** Somebody else wrote over what was reported: it is written again although it did not change. */
  readonly overwritten?: true;
};

export function statusesPartition(cluster: string, kind: ObjectKind): string {
  return `statuses#${cluster}#${kind}`;
}

export function statusKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: statusesPartition(cluster, ref.kind), sort: keyOf(ref) };
}

/** What StatusItem holds of a Zone's entries. */
export function digestEntries(entries: readonly Entry[]): string {
  return digestOf(entries as unknown as JsonValue);
}

export function encodeStatus(item: StatusItem): JsonObject {
  return { v: 1, ...item } as unknown as JsonObject;
}

export function decodeStatus(item: LedgerItem): StatusItem {
  const { v: _, ...kept } = checked(item);
  return kept as unknown as StatusItem;
}
