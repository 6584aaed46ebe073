// Keeps Zones and DNSRecords from taking record sets from one another. Both may publish into the same hosted zone.
// Neither takes over a record set of the other, even with the takeover annotation: whoever published a name first keeps
// it.
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../../dns/record-set.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { dnsRecordsIdOf, otherLedgerIdOf } from '../../record-sets/hosted-zone-item.ts';
import type { Taking } from '../../record-sets/judge-reading.ts';
import { readHostedZone } from '../../record-sets/lease.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { isBegun } from '../../record-sets/state.ts';
import { readName } from '../../record-sets/store.ts';

/** Adds to `takings` those record sets of `wanted` that the other side published. One read if it publishes nothing. */
export async function withKept(
  { ledger, hostedZoneId }: { readonly ledger: Ledger; readonly hostedZoneId: string },
  existing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  takings: ReadonlyMap<string, Taking>,
): Promise<ReadonlyMap<string, Taking>> {
  const id = otherLedgerIdOf(hostedZoneId);
  const ids = new Set([...wanted].map(recordSetId).filter((one) => existing.has(one)));
  if (ids.size === 0 || (await readHostedZone(ledger, id)) === null) return takings;
  const isOfDnsRecord = id === dnsRecordsIdOf(hostedZoneId);
  const kept = new Map(takings);
  for (const name of new Set([...ids].map((one) => (existing.get(one) as RecordSet).name))) {
    for (const { item } of await readName(ledger, id, name)) {
      const key = recordSetId(item);
      const actual = existing.get(key)?.content ?? null;
      if (!ids.has(key) || !wrote(item, actual)) continue;
      const objects = item.publishedObjects.length > 0 ? item.publishedObjects : item.objects;
      const who = objects.map((one) => (isOfDnsRecord ? withoutNamespace(one) : one)).join(', ');
      const note = `It is published for ${who}, which was first: ask its owner.`;
      const isTheirs = sameContent(publishedOf(item), actual);
      kept.set(key, { texts: null, note, isKept: true, ...(isTheirs && { isTheirs }) });
    }
  }
  return kept;
}

/** An object's kind and name. Owners of Zones do not see the namespaces of DNSRecords. */
function withoutNamespace(ref: string): string {
  return ref.replace(/ [^/]*\//, ' ');
}

/** What was published; null also for a takeover that has written nothing. */
function publishedOf(item: RecordSetItem): RecordSet['content'] | null {
  return isBegun(item) ? null : item.published;
}

/** True for content that was published, and for content that a run is about to write or may have written. */
function wrote(item: RecordSetItem, actual: RecordSet['content'] | null): boolean {
  const contents = [publishedOf(item), item.intent?.content ?? null, ...item.late.map(({ content }) => content)];
  return contents.some((content) => content !== null && sameContent(content, actual));
}
