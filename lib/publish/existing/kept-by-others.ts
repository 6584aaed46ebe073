// Keeps Zones and DNSRecords, and the Zones of several clusters, from taking record sets from one another. All may
// publish into the same hosted zone. None takes over a record set of another, even with the takeover annotation:
// whoever published a name first keeps it.
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../../dns/record-set.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { type Fellow, fellowsOf } from '../../record-sets/fellows.ts';
import { isOfDnsRecords, otherLedgerIdOf } from '../../record-sets/hosted-zone-item.ts';
import type { Taking } from '../../record-sets/judge-reading.ts';
import { readHostedZone } from '../../record-sets/lease.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { isBegun } from '../../record-sets/state.ts';
import { readName } from '../../record-sets/store.ts';

/** `fellows`: the other clusters that publish into the hosted zone. */
type Asked = { readonly ledger: Ledger; readonly hostedZoneId: string; readonly fellows?: readonly Fellow[] };

/** Adds to `takings` those record sets of `wanted` that the other side published. One read if it publishes nothing. */
export async function withKept(
  { ledger, hostedZoneId, fellows = [] }: Asked,
  existing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  takings: ReadonlyMap<string, Taking>,
): Promise<ReadonlyMap<string, Taking>> {
  const id = otherLedgerIdOf(hostedZoneId);
  const ids = new Set([...wanted].map(recordSetId).filter((one) => existing.has(one)));
  if (ids.size === 0) return takings;
  const other = await readHostedZone(ledger, id);
  const isOfDnsRecord = isOfDnsRecords(id);
  const all = other === null || isOfDnsRecord ? fellows : await fellowsOf(ledger, other.item);
  const sides = [...(other === null ? [] : [{ id, cluster: null }]), ...all];
  const kept = new Map(takings);
  for (const name of new Set([...ids].map((one) => (existing.get(one) as RecordSet).name)))
    for (const side of sides)
      for (const { item } of await readName(ledger, side.id, name)) {
        const key = recordSetId(item);
        const actual = existing.get(key)?.content ?? null;
        if (!ids.has(key) || !wrote(item, actual)) continue;
        const objects = item.publishedObjects.length > 0 ? item.publishedObjects : item.objects;
        const own = objects.map((one) => (isOfDnsRecord ? withoutNamespace(one) : one)).join(', ');
        const who = side.cluster === null ? own : `cluster ${side.cluster}`;
        const note = `It is published for ${who}, which was first: ask its owner.`;
        const isTheirs = sameContent(publishedOf(item), actual);
        const cluster = side.cluster === null ? {} : { cluster: side.cluster };
        kept.set(key, { texts: null, note, isKept: true, ...(isTheirs && { isTheirs }), ...cluster });
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
