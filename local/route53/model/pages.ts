// The pages of Route 53's lists. A page starts at the item that the caller names, or at the next one after it, and says
// where the next page starts. A MaxItems above the limit counts as the limit, as in AWS.

import type { LocalRecordSet } from '../records/record-set.ts';
import { compareAscii, parseDomainName, recordNameSortKey, zoneNameSortKey } from '../values/domain-name.ts';
import { HOSTED_ZONES_PAGE_MAX, RECORD_SETS_PAGE_MAX } from '../values/limits.ts';
import { invalidInput } from '../values/route53-error.ts';

export type Page<Item> = {
  readonly items: readonly Item[];
  /** The first item of the next page; null on the last. */
  readonly next: Item | null;
  readonly maxItems: number;
};

export type RecordSetStart = {
  readonly name: string | null;
  readonly type: string | null;
  readonly setIdentifier: string | null;
  readonly maxItems: number | null;
};

export type HostedZonesStart = {
  readonly marker: string | null;
  readonly maxItems: number | null;
  /** Lists private zones alone. */
  readonly privateOnly?: boolean;
};

export type HostedZonesByNameStart = {
  readonly dnsName: string | null;
  readonly hostedZoneId: string | null;
  readonly maxItems: number | null;
};

/** A page of the sorted record sets of a zone. */
export function pageOfRecordSets(sorted: readonly LocalRecordSet[], start: RecordSetStart): Page<LocalRecordSet> {
  if (start.type !== null && start.name === null) {
    throw invalidInput('The input is not valid: a record type was given without a record name');
  }
  if (start.setIdentifier !== null && start.type === null) {
    throw invalidInput('The input is not valid: a record identifier was given without a record type');
  }
  return pageFrom(sorted, firstAtOrAfter(sorted, start), start.maxItems ?? RECORD_SETS_PAGE_MAX, RECORD_SETS_PAGE_MAX);
}

function firstAtOrAfter(sorted: readonly LocalRecordSet[], start: RecordSetStart): number {
  if (start.name === null) return 0;
  const parsed = parseDomainName(start.name);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const nameKey = recordNameSortKey(parsed.name);
  const { type, setIdentifier } = start;
  const isBefore = (recordSet: LocalRecordSet): boolean => {
    const byName = compareAscii(recordNameSortKey(recordSet.name), nameKey);
    if (byName !== 0 || type === null) return byName < 0;
    const byType = compareAscii(recordSet.type, type);
    if (byType !== 0 || setIdentifier === null) return byType < 0;
    return compareAscii(recordSet.setIdentifier ?? '', setIdentifier) < 0;
  };
  return partitionPoint(sorted, isBefore);
}

/** The first index at which `isBefore` is false, in an array where it is true, then false. */
function partitionPoint<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Named = { readonly id: string; readonly name: string };

/** A page of the hosted zones in the order of their creation, from the zone whose id is the marker. */
export function pageOfHostedZones<Zone extends Named>(zones: readonly Zone[], start: HostedZonesStart): Page<Zone> {
  const at = start.marker === null ? 0 : zones.findIndex((zone) => zone.id === start.marker);
  if (at < 0) throw invalidInput(`The specified marker is not valid: ${start.marker}`);
  return pageFrom(zones, at, start.maxItems ?? HOSTED_ZONES_PAGE_MAX, HOSTED_ZONES_PAGE_MAX);
}

/** A page of the hosted zones by name (reversed labels, escaped form), then id. */
export function pageOfHostedZonesByName<Zone extends Named>(
  zones: readonly Zone[],
  start: HostedZonesByNameStart,
): Page<Zone> {
  const { dnsName, hostedZoneId } = start;
  if (hostedZoneId !== null && dnsName === null) {
    throw invalidInput('The input is not valid: a hosted zone id was given without a DNS name');
  }
  const sorted = [...zones].sort(
    (a, b) => compareAscii(zoneNameSortKey(a.name), zoneNameSortKey(b.name)) || compareAscii(a.id, b.id),
  );
  let at = 0;
  if (dnsName !== null) {
    const parsed = parseDomainName(dnsName);
    if (!parsed.ok) throw invalidInput(parsed.problem);
    const key = zoneNameSortKey(parsed.name);
    at = partitionPoint(sorted, (zone) => {
      const byName = compareAscii(zoneNameSortKey(zone.name), key);
      return byName !== 0 || hostedZoneId === null ? byName < 0 : compareAscii(zone.id, hostedZoneId) < 0;
    });
  }
  return pageFrom(sorted, at, start.maxItems ?? HOSTED_ZONES_PAGE_MAX, HOSTED_ZONES_PAGE_MAX);
}

/** At most `wanted` items from an index on, and never more than `most`. */
export function pageFrom<Item>(items: readonly Item[], at: number, wanted: number, most: number): Page<Item> {
  const maxItems = Math.min(wanted, most);
  return { items: items.slice(at, at + maxItems), next: items[at + maxItems] ?? null, maxItems };
}
