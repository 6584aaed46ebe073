// Wakes other hosted zones when something changed that their names may wait for (lib/publish/order/waits.ts). A name
// that waits is dirty, so a hosted zone without dirty names costs one read, and no run.
import { isAtOrBelow, isBelow } from '../dns/names/name.ts';
import { zoneOfKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { Cause, Queues } from '../ports/queues.ts';
import { dirtyPartition, markDirty } from './dirty-mark.ts';
import { type HostedZoneItem, isOfDnsRecords } from './hosted-zone-item.ts';
import { readHostedZone } from './lease.ts';

/** Queues those of these hosted zones that have dirty names, or that are being published. */
export async function wakeHostedZones(
  { ledger, queues }: Pick<Context, 'ledger' | 'queues'>,
  hostedZones: readonly HostedZoneItem[],
): Promise<void> {
  for (const { id, lease } of hostedZones) {
    const isBusy = lease !== null || (await ledger.query(dirtyPartition(id), { limit: 1 })).items.length > 0;
    if (isBusy) await queues.publish(id);
  }
}

/**
 * Has other clusters place their Zones at or above this name again: here, a Zone of this one has changed. Their next
 * runs of publish send the hints, since only they have the queues of their cluster.
 */
export async function tellOtherClusters(
  { ledger, queues, clock, config: { clusterId } }: Pick<Context, 'ledger' | 'queues' | 'clock' | 'config'>,
  fqdn: string,
  all: readonly HostedZoneItem[],
): Promise<void> {
  for (const { id } of ofOthers(all, clusterId).filter(({ name }) => isAtOrBelow(fqdn, name))) {
    await markDirty(ledger, id, fqdn, clock.nowMs(), { moves: true });
    await queues.publish(id);
  }
}

function ofOthers(all: readonly HostedZoneItem[], own: string): readonly HostedZoneItem[] {
  return all.filter(({ cluster, gone, retired, id }) => cluster !== own && !gone && !retired && !isOfDnsRecords(id));
}

/**
 * Has the Zone of a hosted zone placed again, and those of other clusters below it whose hosted zones may make a cut
 * now that these names were published, or withdrawn. A cluster that is alone has none.
 */
export async function placeAgain(
  { ledger, queues, clock }: Pick<Context, 'ledger' | 'queues' | 'clock'>,
  { cluster, name, zone }: HostedZoneItem,
  names: readonly string[],
  all: readonly HostedZoneItem[],
): Promise<void> {
  const others = ofOthers(all, cluster);
  if (others.length === 0) return;
  await hintZoneOf(queues, { zone });
  for (const other of others) {
    if (!isBelow(other.name, name) || !names.some((one) => isAtOrBelow(one, other.name))) continue;
    await markDirty(ledger, other.id, other.name, clock.nowMs(), { moves: true });
    await queues.publish(other.id);
  }
}

/**
 * Queues a hosted zone whose message was delayed and is due now. `after`: the epoch of the run that asked for it. If a
 * later run has concluded, that one has asked for what is needed, and this message is dropped. Otherwise each event
 * while names wait would begin another series of runs, each of which asks for the next one.
 */
export async function wakeWhenDue(
  { ledger, queues }: Pick<Context, 'ledger' | 'queues'>,
  { hostedZoneId, cause, after }: { readonly hostedZoneId: string; readonly cause?: Cause; readonly after?: number },
): Promise<void> {
  const stored = after === undefined ? null : await readHostedZone(ledger, hostedZoneId);
  if (after !== undefined && stored !== null && stored.item.concluded > after) return;
  await queues.publish(hostedZoneId, 0, cause);
}

/** True if the hosted zone of this apex may have names at, above or below this name. */
export function isOnSameBranch(apex: string, name: string): boolean {
  return isAtOrBelow(apex, name) || isAtOrBelow(name, apex);
}

/** Sends a hint for the Zone of a hosted zone, so that it and everything below it is placed again. */
export async function hintZoneOf(queues: Queues, { zone }: Pick<HostedZoneItem, 'zone'>): Promise<void> {
  if (zone !== '') await queues.hint([zoneOfKey(zone)]);
}
