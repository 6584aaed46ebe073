// The item with the last report of an object.

import * as z from 'zod';
import type { Entry } from '../dns/entry.ts';
import { digestOf } from '../ledger/canonical-json.ts';
import { anyText, type Codec, itemCodec } from '../ledger/item-codec.ts';
import type { Condition } from '../objects/conditions.ts';
import { keyOf, type ObjectKind, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { JsonValue, LedgerKey } from '../ports/ledger.ts';

/** The status as last reported, to detect transitions. Entries are kept as a digest: one hash has several orders. */
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
  /** The data of an alias. */
  readonly data?: string;
  /** Somebody else overwrote the report: it is written again, although it did not change. */
  readonly overwritten?: true;
};

const condition = z.object({
  type: anyText<Condition['type']>(),
  status: anyText<Condition['status']>(),
  reason: anyText<Condition['reason']>(),
  message: z.string(),
  observedGeneration: z.number().exactOptional(),
});

export const statusCodec: Codec<StatusItem> = itemCodec(
  z.object({
    uid: z.string().nullable(),
    fqdn: z.string().nullable(),
    parent: z.string().nullable(),
    conditions: z.array(condition),
    hash: z.string().nullable(),
    serial: z.number().nullable(),
    entries: z.string().nullable(),
    data: z.string().exactOptional(),
    overwritten: z.literal(true).exactOptional(),
  }),
);

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
