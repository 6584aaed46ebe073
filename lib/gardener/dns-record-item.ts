// What the ledger knows of a DNSRecord: the operation that was begun, where its record sets stand or may stand, how
// often the last operation failed. Of credentials it has nothing but the digest that names the account.
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { itemCodec, type Stored } from '../ledger/item-codec.ts';
import { keyOf, type ObjectRef } from '../objects/object-ref.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';

const operation = z.enum(['Create', 'Reconcile', 'Delete', 'Migrate', 'Restore']);

/** Where record sets of a DNSRecord stand, or may stand: written before they are. */
const place = z.object({
  hostedZoneId: z.string(),
  name: z.string(),
  types: z.array(z.string()),
  /** The Secret whose credentials published there, and the SHA-256 of its access key id or role. */
  secretRef: z.object({ namespace: z.string(), name: z.string() }).nullable().default(null),
  account: z.string().nullable().default(null),
});

const dnsRecordBody = z.object({
  uid: z.string(),
  /** Begun, and its end not noted. */
  pending: operation.nullable(),
  /** Whose turn it is with the object: no other process begins anything with it until then. */
  turn: z.object({ holder: z.string(), untilMs: z.number() }).nullable().default(null),
  places: z.array(place),
  /** The name and type that were published first: they do not change. */
  identity: z.object({ name: z.string(), recordType: z.string() }).nullable(),
  /** How the last operation failed, and when it is tried again; null: it did not. */
  failure: z.object({ operation, generation: z.number(), times: z.number(), nextAtMs: z.number() }).nullable(),
});
export type DnsRecordItem = z.infer<typeof dnsRecordBody>;
export type Place = DnsRecordItem['places'][number];
export const dnsRecordCodec = itemCodec(dnsRecordBody);

export function dnsRecordKey(clusterId: string, ref: ObjectRef): LedgerKey {
  return { partition: dnsRecordsPartition(clusterId), sort: keyOf(ref) };
}

/** Where what is known of the DNSRecords of a cluster lies, by namespace/name. */
export function dnsRecordsPartition(clusterId: string): string {
  return `dnsrecords#${clusterId}`;
}

const NOTHING: Omit<DnsRecordItem, 'uid'> = {
  pending: null,
  turn: null,
  places: [],
  identity: null,
  failure: null,
};

/** Changes the item of a DNSRecord. Places of record sets that an earlier object of its name noted remain true. */
export async function changeDnsRecord(
  ledger: Ledger,
  clusterId: string,
  { ref, uid }: { readonly ref: ObjectRef; readonly uid: string },
  change: (item: DnsRecordItem) => DnsRecordItem,
): Promise<DnsRecordItem> {
  const written = await swap(ledger, dnsRecordKey(clusterId, ref), dnsRecordCodec, (item) =>
    change(ofObject(item, uid)),
  );
  return (written as Stored<DnsRecordItem>).item;
}

/** What is known of the object of this uid. */
export function ofObject(item: DnsRecordItem | null, uid: string): DnsRecordItem {
  if (item === null) return { uid, ...NOTHING };
  // Another object of its name may be of another type.
  return item.uid === uid ? item : { ...item, uid, pending: null, identity: null, failure: null };
}

/** The places with one more, or with more types at one. The Secret that published first stays noted until redone. */
export function withPlace(places: readonly Place[], more: Place): Place[] {
  const isSame = (one: Place) => one.hostedZoneId === more.hostedZoneId && one.name === more.name;
  const known = places.find(isSame);
  const types = [...new Set([...(known?.types ?? []), ...more.types])].sort();
  return [...places.filter((one) => !isSame(one)), { ...more, ...known, types }];
}
