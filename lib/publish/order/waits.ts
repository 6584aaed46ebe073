// When names that must wait before they are published (cross-zone-order.ts) are tried again. They stay dirty. The
// waiting run asks again soon. If the wait may be long, the run that ends it wakes the other hosted zones which the
// name concerns.
import { pointerCodec, pointerItemsAt, pointersPartition } from '../../directory/pointer-item.ts';
import { isAtOrBelow } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Log } from '../../ports/log.ts';
import type { Queues } from '../../ports/queues.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { hostedZonesOf } from '../../record-sets/list-hosted-zones.ts';
import { isOnSameBranch, wakeHostedZones } from '../../record-sets/wake-hosted-zones.ts';

/** Nobody asks again and again for a name that has been dirty for longer: the run that publishes it wakes others. */
export const ASKED_MS_MAX = 900_000;
/** How many hosts are looked up at once. */
const HOSTS_AT_ONCE = 100;

/** The run that asks whether names must wait: it publishes this hosted zone. */
export type Asker = {
  readonly ledger: Ledger;
  readonly queues: Queues;
  readonly hostedZone: HostedZoneItem;
  readonly log: Log;
  readonly nowMs: () => number;
};

/**
 * What a name waits for. `stuck`: the wait may be long. `begun`: a write is under way, and nobody reports its end.
 * `sinceMs`: since when the name has been dirty in the other hosted zone.
 */
export type Wait = {
  readonly why: string;
  readonly stuck: boolean;
  readonly begun?: true;
  readonly sinceMs?: number;
};

export type Waits = ReadonlyMap<string, Wait>;

export function buildWait(why: string, stuck = false): Wait {
  return { why, stuck };
}

const HELD_HERE = ', which the guard holds here';

/** The wait of a delegation that would hide what the guard holds. `held`: that in words. */
export function buildWaitForHeld(held: string): Wait {
  return buildWait(`it would hide ${held}${HELD_HERE}`, true);
}

/** True for the words of such a wait. */
export function saysHeldHere(why: string | undefined): boolean {
  return why?.endsWith(HELD_HERE) === true;
}

/**
 * Wakes the hosted zones that may wait for the delegations among these changes: those whose names are above or below
 * the delegated name. To be called when the intents are written. From then on, everybody who asks sees that a write is
 * under way, even if this run dies.
 */
export async function wakeForDelegations(asker: Asker, changes: readonly Change[]): Promise<void> {
  const names = changes.filter((change) => isDelegation(asker, change)).map(({ name }) => name);
  await wakeOthers(asker, names, isOnSameBranch);
}

/**
 * Wakes the hosted zones that may wait for these names, which this run has finished. They no longer ask by themselves,
 * because the names were dirty for long, or the guard held them. To be called before the marks are removed: if the run
 * dies first, the next one calls it.
 */
export async function wakeForNames(asker: Asker, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const all = [...names, ...(await reverseNamesOf(asker, names))];
  await wakeOthers(asker, all, (apex, name) => isAtOrBelow(name, apex));
}

/** The reverse names of the addresses of these hosts: after an outage, of all names. */
async function reverseNamesOf({ ledger, hostedZone }: Asker, hosts: readonly string[]): Promise<string[]> {
  const { cluster } = hostedZone;
  const any = await ledger.query(pointersPartition(cluster), { limit: 1 });
  const found: string[] = [];
  await inParallel(any.items.length === 0 ? [] : hosts, HOSTS_AT_ONCE, async (host) => {
    for (const pointer of readableItems(pointerCodec, await pointerItemsAt(ledger, cluster, host)))
      if (pointer.host === host) found.push(pointer.name);
  });
  return found;
}

async function wakeOthers(
  asker: Asker,
  names: readonly string[],
  concerns: (apex: string, name: string) => boolean,
): Promise<void> {
  if (names.length === 0) return;
  const all = await ownHostedZones(asker);
  // A hosted zone whose changes are denied asks again by itself, after a pause. Two of them would wake each other for
  // ever.
  const others = all.filter(
    ({ id, name, denied }) => id !== asker.hostedZone.id && denied === null && names.some((one) => concerns(name, one)),
  );
  await wakeHostedZones(asker, others);
}

/** True for an NS record set below the apex: queries for names at or below it are referred to other servers. */
export function isDelegation({ hostedZone }: Pick<Asker, 'hostedZone'>, { name, type }: Change): boolean {
  return type === 'NS' && name !== hostedZone.name;
}

/** The hosted zones of the asker's cluster. */
export function ownHostedZones({ ledger, hostedZone, log }: Asker): Promise<HostedZoneItem[]> {
  return hostedZonesOf(ledger, hostedZone.cluster, log);
}
