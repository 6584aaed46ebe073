// The item with the last report of an object.

import * as z from 'zod';
import type { Entry } from '../dns/entry.ts';
import { digestOf } from '../ledger/canonical-json.ts';
import { anyText, type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import type { Condition } from '../objects/conditions.ts';
import { keyOf, type ObjectKind, type ObjectRef } from '../objects/object-ref.ts';
import type { JsonValue, LedgerKey } from '../ports/ledger.ts';

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
  conditions: z.array(condition),
  hash: z.string().nullable(),
  serial: z.number().nullable(),
  /** A digest, because one hash has several orders. Null for a Record. */
  entries: z.string().nullable(),
  /** The data of an alias. */
  data: z.string().exactOptional(),
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
