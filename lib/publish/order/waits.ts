// Names whose turn to be published has not come (cross-zone-order.ts). They stay dirty. They are asked again soon or,
// where the wait may be long, told when what they wait for has moved. Whoever moved it tells other hosted zones, by
// name.
import { isAtOrBelow } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Log } from '../../ports/log.ts';
import type { Queues } from '../../ports/queues.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { hostedZonesOf } from '../../record-sets/list-hosted-zones.ts';
import { isOnTheWay, tellHostedZones } from '../../record-sets/wake-hosted-zones.ts';

/** What is dirty for longer is not waited for by asking again and again: whoever publishes it tells. */
export const ASKED_MS_MAX = 900_000;

/** Who asks whether its turn has come: a run that publishes this hosted zone. */
export type Asker = {
  readonly ledger: Ledger;
  readonly queues: Queues;
  readonly hostedZone: HostedZoneItem;
  readonly log: Log;
  readonly nowMs: () => number;
};

/**
 * What a name waits for. `stuck`: for an unknown time; `begun`: a write is under way, and nobody reports its end;
 * `sinceMs`: since when the name is to be published.
 */
export type Wait = {
  readonly why: string;
  readonly stuck: boolean;
  readonly begun?: true;
  readonly sinceMs?: number;
};

export type Waits = ReadonlyMap<string, Wait>;

/** A wait for this. */
export function waitsFor(why: string, stuck = false): Wait {
  return { why, stuck };
}

/**
 * Has the hosted zones published that may wait for the delegations among these changes: names on the way to which, or
 * behind which, they hold. To be called when the intents are written: who looks from then on sees that something is
 * under way, also where this run dies.
 */
export async function tellWhoWaits(asker: Asker, changes: readonly Change[]): Promise<void> {
  const names = changes.filter((change) => isDelegation(asker, change)).map(({ name }) => name);
  await tell(asker, names, isOnTheWay);
}

/**
 * Has the hosted zones published that may hold, and wait for, these names that the run is through with, where nobody
 * asks any more: they were dirty for long, or the guard held them until now. To be called while they are marked: a run
 * that dies before it could leaves them to the next.
 */
export async function tellOfFreed(asker: Asker, names: readonly string[]): Promise<void> {
  await tell(asker, names, (apex, name) => isAtOrBelow(name, apex));
}

async function tell(
  asker: Asker,
  names: readonly string[],
  concerns: (apex: string, name: string) => boolean,
): Promise<void> {
  if (names.length === 0) return;
  const all = await ownHostedZones(asker);
  const told = all.filter(({ id, name }) => id !== asker.hostedZone.id && names.some((one) => concerns(name, one)));
  await tellHostedZones(asker, told);
}

/** An NS set below the apex: whoever asks for a name at or below it is sent elsewhere. */
export function isDelegation({ hostedZone }: Pick<Asker, 'hostedZone'>, { name, type }: Change): boolean {
  return type === 'NS' && name !== hostedZone.name;
}

/** The hosted zones of the asker's cluster. */
export function ownHostedZones({ ledger, hostedZone, log }: Asker): Promise<HostedZoneItem[]> {
  return hostedZonesOf(ledger, hostedZone.cluster, log);
}
