// The hosted zones that the ledger knows, without those whose item this code cannot read (written by a newer version,
// or damaged). Such a hosted zone waits, and the log says so each time. Other hosted zones are not affected.

import { UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { HOSTED_ZONES_PARTITION, type HostedZoneItem, hostedZoneCodec, hostedZoneIdOf } from './hosted-zone-item.ts';
import { readHostedZone } from './lease.ts';

/** Every hosted zone item that can be read, of all clusters. */
export async function readableHostedZones(ledger: Ledger, log: Log): Promise<readonly HostedZoneItem[]> {
  const stored = await allItems(ledger, HOSTED_ZONES_PARTITION);
  return stored.flatMap((raw) => {
    const item = hostedZoneCodec.read(raw);
    if (!(item instanceof UnreadableItemError)) return [item];
    log('error', item.message, { hostedZoneId: raw.sort });
    return [];
  });
}

/** The hosted zones of a cluster that are not gone, by id. One that was retired has none. */
export async function hostedZonesOf(ledger: Ledger, cluster: string, log: Log): Promise<HostedZoneItem[]> {
  const all = await readableHostedZones(ledger, log);
  return all.filter((item) => item.cluster === cluster && !item.gone && !item.retired);
}

/** Says in which account of the configuration a hosted zone is, as the ledger knows it; null: in the stack's own. */
export function accountInLedger(ledger: Ledger): (id: string) => Promise<string | null> {
  return async (id) => (await readHostedZone(ledger, id))?.item.account ?? null;
}

/** True if this hosted zone may be read. One that the configuration of a deployment no longer lists may not be. */
export function isUsable({ account: { onlyHostedZones } }: Pick<Context, 'account'>, hostedZoneId: string): boolean {
  return onlyHostedZones?.has(hostedZoneIdOf(hostedZoneId)) !== false;
}
