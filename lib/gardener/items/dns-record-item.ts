// The item of a DNSRecord in the ledger: its pending operation, where its record sets are or may be, and how often the
// last operation failed. It has no credentials, only a digest that identifies the account.
import * as z from 'zod';
import { swap } from '../../ledger/compare-and-swap.ts';
import { anyText, type Codec, type Item, itemCodec, readItem, type Stored } from '../../ledger/item-codec.ts';
import { keyOf, type ObjectRef } from '../../objects/object-ref.ts';
import type { Ledger, LedgerKey } from '../../ports/ledger.ts';
import { OPERATIONS } from '../../sources/gardener/dns-record.ts';
import type { DnsRecordType } from '../../sources/gardener/values.ts';

const operation = z.enum(OPERATIONS);

/** A name at which record sets of a DNSRecord exist, or may exist. It is saved before anything is published there. */
const place = z.object({
  hostedZoneId: z.string(),
  name: z.string(),
  types: z.array(z.string()),
  /** The Secret whose credentials published there, and in `account` the SHA-256 of their access key id or role. */
  secretRef: z.object({ namespace: z.string(), name: z.string() }).nullable(),
  account: z.string().nullable(),
});

const dnsRecordBody = z.object({
  uid: z.string(),
  /** The operation that was begun and is not finished; null: none. */
  pending: operation.nullable(),
  /**
   * The process that works on the object. No other process begins an operation before `untilMs`. Null: none works on
   * it.
   */
  turn: z.object({ holder: z.string(), untilMs: z.number() }).nullable(),
  places: z.array(place),
  /** The name and type that were published first. They must not change. */
  identity: z.object({ name: z.string(), recordType: anyText<DnsRecordType>() }).nullable(),
  /**
   * How the last operation failed, and when it is tried again; null: it did not fail. `isOfCheck`: a check found the
   * error, and no operation was requested since.
   */
  failure: z
    .object({
      operation,
      generation: z.number(),
      times: z.number(),
      nextAtMs: z.number(),
      isOfCheck: z.boolean(),
    })
    .nullable(),
});
export type DnsRecordItem = Item<typeof dnsRecordBody>;
export type Place = DnsRecordItem['places'][number];
export const dnsRecordCodec: Codec<DnsRecordItem> = itemCodec(dnsRecordBody);

export function dnsRecordKey(clusterId: string, ref: ObjectRef): LedgerKey {
  return { partition: dnsRecordsPartition(clusterId), sort: keyOf(ref) };
}

/** The partition with the items of a cluster's DNSRecords, by namespace/name. */
export function dnsRecordsPartition(clusterId: string): string {
  return `dnsrecords#${clusterId}`;
}

/** The ledger, and the cluster whose DNSRecords are meant. */
type Items = { readonly ledger: Ledger; readonly server: { readonly clusterId: string } };

/** The item of the DNSRecord of this name; null if there is none. */
export function readDnsRecordItem({ ledger, server }: Items, ref: ObjectRef): Promise<Stored<DnsRecordItem> | null> {
  return readItem(ledger, dnsRecordKey(server.clusterId, ref), dnsRecordCodec);
}

const NOTHING: Omit<DnsRecordItem, 'uid'> = {
  pending: null,
  turn: null,
  places: [],
  identity: null,
  failure: null,
};

/**
 * Changes the item of a DNSRecord. The places of an earlier object of the same name are kept. Returns the item as it
 * counts now. If `change` returns what it got, nothing is written: this process may have read an older object of the
 * name, and another one may work on the newer.
 */
export async function changeDnsRecord(
  { ledger, server }: Items,
  { ref, uid }: { readonly ref: ObjectRef; readonly uid: string },
  change: (item: DnsRecordItem) => DnsRecordItem,
): Promise<DnsRecordItem> {
  let now = ofObject(null, uid);
  await swap(ledger, dnsRecordKey(server.clusterId, ref), dnsRecordCodec, (item) => {
    const before = ofObject(item, uid);
    now = change(before);
    return item !== null && now === before ? null : now;
  });
  return now;
}

/** The item as it counts for the object with this uid. Null: nothing is known of it yet. */
export function ofObject(item: DnsRecordItem | null, uid: string): DnsRecordItem {
  if (item === null) return { uid, ...NOTHING };
  // A new object of the same name may have another type, but the old record sets still exist.
  return item.uid === uid ? item : { ...item, uid, pending: null, identity: null, failure: null };
}

/** The places with one more, or with more types at a known one. A known place keeps the Secret that published first. */
export function withPlace(places: readonly Place[], more: Place): Place[] {
  const isSame = (one: Place) => one.hostedZoneId === more.hostedZoneId && one.name === more.name;
  const known = places.find(isSame);
  const types = [...new Set([...(known?.types ?? []), ...more.types])].sort();
  return [...places.filter((one) => !isSame(one)), { ...more, ...known, types }];
}
