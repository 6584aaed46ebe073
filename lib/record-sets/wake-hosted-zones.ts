// Wakes other hosted zones when something changed that their names may wait for (lib/publish/order/waits.ts). A name
// that waits is dirty, so a hosted zone without dirty names costs one read, and no run.
import { isAtOrBelow } from '../dns/names/name.ts';
import { zoneOfKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { Cause, Queues } from '../ports/queues.ts';
import { dirtyPartition } from './dirty-mark.ts';
import type { HostedZoneItem } from './hosted-zone-item.ts';
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

/** Sends a hint for the Zone of a hosted zone that is gone, so that it and everything below it is placed again. */
export async function hintGone(queues: Queues, { zone }: Pick<HostedZoneItem, 'zone'>): Promise<void> {
  if (zone !== '') await queues.hint([zoneOfKey(zone)]);
}
