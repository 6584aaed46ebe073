// What stands because a DNSRecord published it: no Zone takes it over, whatever its annotation says. Who published a name first keeps it.
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../../dns/record-set.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../../record-sets/lease.ts';
import type { Taking } from '../../record-sets/seen.ts';
import { readName } from '../../record-sets/store.ts';

/** These takings, with those of `wanted` that stand for a DNSRecord. One read where no DNSRecord publishes into the hosted zone. */
export async function withKept(
  { ledger, hostedZoneId }: { readonly ledger: Ledger; readonly hostedZoneId: string },
  standing: ReadonlyMap<string, RecordSet>,
  wanted: Iterable<RecordSetKey>,
  takings: ReadonlyMap<string, Taking>,
): Promise<ReadonlyMap<string, Taking>> {
  const id = dnsRecordsIdOf(hostedZoneId);
  const ids = new Set([...wanted].map(recordSetId).filter((one) => standing.has(one)));
  if (ids.size === 0 || (await readHostedZone(ledger, id)) === null) return takings;
  const kept = new Map(takings);
  for (const name of new Set([...ids].map((one) => (standing.get(one) as RecordSet).name))) {
    for (const { item } of await readName(ledger, id, name)) {
      const key = recordSetId(item);
      const isSame = sameContent(item.published, standing.get(key)?.content ?? null);
      if (!ids.has(key) || item.published === null || !isSame) continue;
      const who = item.publishedObjects.map((one) => one.replace(/^DNSRecord [^/]*\//, 'DNSRecord ')).join(', ');
      kept.set(key, { texts: null, note: `It is published for ${who}, which was first: ask its owner.`, isKept: true });
    }
  }
  return kept;
}
