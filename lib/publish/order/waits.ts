// Names whose turn to be published has not come (cross-zone-order.ts): they are left dirty and asked again, or, where that may take long,
// told when what they wait for has moved. Who tells does so for hosted zones that it does not publish itself, by their names.
import { isAtOrBelow } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { hostedZonesOf } from '../../record-sets/list-hosted-zones.ts';
import type { HostedZoneItem } from '../../record-sets/record-set-item.ts';
import { isOnTheWay, tellHostedZones } from '../../record-sets/wake-hosted-zones.ts';
import { patienceSeconds, type Run, runAgain } from '../run/run.ts';

/** What is dirty for longer is not waited for by asking again and again: whoever publishes it tells. */
const ASKED_MS_MAX = 900_000;
/** Clocks differ: who waits asks for so long after that. */
const ASKED_MORE_MS = 60_000;

/**
 * What a name waits for. `stuck`: nobody knows for how long; `begun`: a write is under way, and nobody tells of its end; `sinceMs`:
 * since when it is to be published.
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

/** These names are left as they are, dirty, for the next run to ask again. */
export function noteWaiting(run: Run, waits: Waits): void {
  for (const [name, { why }] of waits) {
    run.waiting.set(name, why);
    run.unsettled.add(name);
  }
  const [first] = waits;
  if (first === undefined) return;
  const nowMs = run.deps.clock.nowMs();
  const isFresh = (name: string, sinceMs: number) =>
    nowMs - Math.max(run.marks.get(name)?.sinceMs ?? nowMs, sinceMs) <= ASKED_MS_MAX + ASKED_MORE_MS;
  const open = [...waits]
    .filter(([name, { stuck, begun = false, sinceMs = 0 }]) => begun || (!stuck && isFresh(name, sinceMs)))
    .map(([name]) => name);
  for (const name of open) runAgain(run, patienceSeconds(run, [{ name }]));
  const more = waits.size === 1 ? '' : ` (and ${waits.size - 1} more)`;
  const message = `${first[0]} waits: ${first[1].why}${more}`;
  run.deps.log({ level: 'info', message, hostedZoneId: run.lease.hostedZoneId });
}

/**
 * Has the hosted zones published that may wait for the delegations among these changes: names on the way to which, or behind which, they
 * hold. To be called when the intents are written: who looks from then on sees that something is under way, also where this run dies.
 */
export async function tellWhoWaits(run: Run, changes: readonly Change[]): Promise<void> {
  const names = changes.filter((change) => isDelegation(run, change)).map(({ name }) => name);
  await tell(run, names, isOnTheWay);
}

/**
 * Has the hosted zones published that may hold, and wait for, these names that the run is through with, where they were dirty for so long
 * that nobody asks any more. To be called while they are marked: a run that dies before it could leaves them to the next.
 */
export async function tellOfLate(run: Run, names: readonly string[]): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  await tellOfFreed(
    run,
    names.filter((name) => nowMs - (run.marks.get(name)?.sinceMs ?? nowMs) > ASKED_MS_MAX),
  );
}

/** The same of names that the guard held until now. */
export async function tellOfFreed(run: Run, names: readonly string[]): Promise<void> {
  await tell(run, names, (apex, name) => isAtOrBelow(name, apex));
}

async function tell(
  run: Run,
  names: readonly string[],
  concerns: (apex: string, name: string) => boolean,
): Promise<void> {
  if (names.length === 0) return;
  const all = await ownHostedZones(run);
  const told = all.filter(({ id, name }) => id !== run.lease.hostedZoneId && names.some((one) => concerns(name, one)));
  await tellHostedZones(run.deps, told);
}

/** An NS set below the apex: whoever asks for a name at or below it is sent elsewhere. */
export function isDelegation({ hostedZone }: Run, { name, type }: Change): boolean {
  return type === 'NS' && name !== hostedZone.name;
}

/** The hosted zones of the run's cluster. */
export function ownHostedZones({ deps, hostedZone: { id, cluster } }: Run): Promise<HostedZoneItem[]> {
  const log = (_: unknown, message: string) => deps.log({ level: 'error', message, hostedZoneId: id });
  return hostedZonesOf(deps.ledger, cluster, log);
}
