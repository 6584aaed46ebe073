// Records by name: an index to their ObjectItems, with a copy of each for reports. A Record's place depends on its own spec alone, so that
// adopting it anew never moves it. `!` sorts before all that a label may begin with: one prefix reads a name, a shorter one a subtree.

import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { anyJson, type Codec, itemCodec } from '../ledger/item-codec.ts';
import type { RecordSpec } from '../objects/endpoint.ts';
import { type Age, type Declared, keyOf, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { JsonValue, LedgerItem, LedgerKey } from '../ports/ledger.ts';
import { parseRecordOnce } from '../sources/kubizone/parse-record.ts';
import { type ObjectItem, storedAge, storedRef } from './object-item.ts';

/** A Record by name, as its ObjectItem says; it may be late, or a leftover, until its name is next settled. */
export type RecordItem = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly spec: JsonValue;
  readonly problems: readonly string[];
};

export const recordCodec: Codec<RecordItem> = itemCodec(
  z.object({ ref: storedRef, age: storedAge, spec: anyJson, problems: z.array(z.string()) }),
);

export function namesPartition(cluster: string): string {
  return `names#${cluster}`;
}

export function membersPartition(cluster: string, zone: ZoneKey): string {
  return `members#${cluster}#${zone}`;
}

/** Where the RecordItem of a Record with this spec lies. */
export function recordKey(cluster: string, ref: ObjectRef, spec: RecordSpec): LedgerKey {
  const { domainName, zoneRef } = spec;
  if (domainName.kind === 'full') {
    return { partition: namesPartition(cluster), sort: `${namePrefix(domainName.fqdn)}${keyOf(ref)}` };
  }
  const labels = domainName.kind === 'apex' ? '' : domainName.labels;
  return { partition: membersPartition(cluster, zoneRef as ZoneKey), sort: `${memberPrefix(labels)}${keyOf(ref)}` };
}

/** The sort prefix of the Records at exactly this name. */
export function namePrefix(fqdn: string): string {
  return `${reversedKey(fqdn)}!`;
}

/** The sort prefix of the Records with exactly these relative labels; empty for the Zone itself. */
export function memberPrefix(labels: string): string {
  return labels === '' ? '!' : `${reversedKey(`${labels}.`)}!`;
}

/** The Zone and the labels below it that a members partition's key stands for; null for another partition's key. */
export function parseMemberKey(
  cluster: string,
  key: LedgerKey,
): { readonly zone: ZoneKey; readonly reversedLabels: string } | null {
  const prefix = membersPartition(cluster, '');
  if (!key.partition.startsWith(prefix)) return null;
  return { zone: key.partition.slice(prefix.length), reversedLabels: key.sort.slice(0, key.sort.indexOf('!')) };
}

/** The RecordItem of an object item. */
export function recordItem({ ref, age, spec, problems }: ObjectItem): RecordItem {
  return { ref, age, spec, problems };
}

/** The Record that an item declares, parsed anew. */
export function decodeRecord(item: LedgerItem): Declared<RecordSpec> {
  const { ref, age, spec, problems } = recordCodec.decode(item);
  const parsed = parseRecordOnce(spec, ref.namespace);
  return { ref, age, spec: parsed.ok ? parsed.spec : null, problems };
}
