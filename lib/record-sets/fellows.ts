// The clusters that share a hosted zone with one: each has an id of its own in the ledger (lib/objects/share-id.ts).
import type { Ledger } from '../ports/ledger.ts';
import { type HostedZoneItem, hostedZoneIdOf, isOfDnsRecords } from './hosted-zone-item.ts';
import { readHostedZone } from './lease.ts';

/** Another cluster in the same hosted zone, with its id there. */
export type Fellow = { readonly id: string; readonly cluster: string };

type Of = Pick<HostedZoneItem, 'id' | 'shares'>;

/** The other clusters in the hosted zone. A hosted zone of one cluster alone costs nothing. */
export async function fellowsOf(ledger: Ledger, { id, shares = [] }: Of): Promise<readonly Fellow[]> {
  if (isOfDnsRecords(id)) return [];
  const own = hostedZoneIdOf(id);
  if (id === own) return shares.map(fellowOfShare);
  const first = await readHostedZone(ledger, own);
  if (first === null) return [];
  const { cluster, shares: all = [], retired } = first.item;
  const others = all.filter((one) => one !== id).map(fellowOfShare);
  return retired ? others : [{ id: own, cluster }, ...others];
}

function fellowOfShare(id: string): Fellow {
  return { id, cluster: id.slice(hostedZoneIdOf(id).length + 1) };
}
