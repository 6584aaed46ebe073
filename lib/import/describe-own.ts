// Describes the record sets of a zone as objects, without those that other programs write and delete. Pure.
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import type { TxtAffixes } from '../external-dns/txt-names.ts';
import { type DescribedHostedZone, describeHostedZone } from './describe-hosted-zone.ts';
import { zoneObjectName } from './object-name.ts';
import { type Writer, type WrittenByOthers, writtenByOthers } from './written-by-others.ts';

export type DescribeOptions = {
  readonly namespace: string;
  /** The name of the Zone; null: made of the DNS name. */
  readonly zoneName: string | null;
  /** The Zone takes over what stands there; default: no. */
  readonly takesOver?: boolean;
  /** What other programs write is left out, save that of these; default: all of it. */
  readonly withWriters?: readonly Writer[];
  /** How each external-dns that is known names its TXT records. */
  readonly affixes?: readonly TxtAffixes[];
};

export type DescribedOwn = DescribedHostedZone & { readonly others: WrittenByOthers };

/** Describes the zone `apex`. `facts`: what is known of it (`describeHostedZone()`). */
export function describeOwn(
  apex: string,
  recordSets: readonly RecordSet[],
  { namespace, zoneName, takesOver = false, withWriters = [], affixes = [] }: DescribeOptions,
  facts: Partial<Parameters<typeof describeHostedZone>[2]>,
): DescribedOwn {
  const others = writtenByOthers(recordSets, affixes);
  const isImported = (writer: Writer | undefined) => writer === undefined || withWriters.includes(writer);
  const wanted = recordSets.filter((set) => isImported(others.writers.get(recordSetId(set))));
  const named = { ...facts, namespace, zoneName: zoneName ?? zoneObjectName(apex), takesOver };
  return { others, ...describeHostedZone(apex, wanted, named) };
}
