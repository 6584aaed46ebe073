// Names whose turn to be published has not come (publish-moves.ts): they are left dirty and asked again, or, where that may take long,
// told when what they wait for has moved. Who tells does so for hosted zones that it does not publish itself, by their names.
import { isAtOrBelow } from '../dns/name.ts';
import type { Change } from '../dns/plan-changes.ts';
import type { HostedZoneItem } from './ledger-items.ts';
import { patienceSeconds, type Run, runAgain } from './publish-run.ts';
import { readableHostedZones } from './readable-hosted-zones.ts';

/** Who has waited longer is not asked again for its own sake. */
const ASKED_MS_MAX = 900_000;

/** What a name waits for. `stuck`: nobody knows for how long; `begun`: a write is under way, and nobody tells of its end. */
export type Wait = { readonly why: string; readonly stuck: boolean; readonly begun?: true };
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
  const isFresh = (name: string) => nowMs - (run.marks.get(name)?.sinceMs ?? nowMs) <= ASKED_MS_MAX;
  const open = [...waits]
    .filter(([name, { stuck, begun = false }]) => begun || (!stuck && isFresh(name)))
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
  await tell(run, names, (apex, name) => isAtOrBelow(apex, name) || isAtOrBelow(name, apex));
}

/** Has the hosted zones published that may hold, and have waited long for, what this run was at last through with. */
export async function tellOfLate(run: Run): Promise<void> {
  const late = run.outcomes.filter(({ outcome, change: { name }, atMs }) => {
    const sinceMs = run.causes.get(name)?.sinceMs ?? atMs;
    return outcome === 'published' && (run.freed.has(name) || atMs - sinceMs > ASKED_MS_MAX);
  });
  const names = late.map(({ change }) => change.name);
  await tell(run, names, (apex, name) => isAtOrBelow(name, apex));
}

async function tell(
  run: Run,
  names: readonly string[],
  concerns: (apex: string, name: string) => boolean,
): Promise<void> {
  if (names.length === 0) return;
  for (const hostedZone of await ownHostedZones(run)) {
    const isTold = names.some((name) => concerns(hostedZone.name, name));
    if (isTold && hostedZone.id !== run.lease.hostedZoneId) await run.deps.queues.publish(hostedZone.id);
  }
}

/** An NS set below the apex: whoever asks for a name at or below it is sent elsewhere. */
export function isDelegation({ hostedZone }: Run, { name, type }: Change): boolean {
  return type === 'NS' && name !== hostedZone.name;
}

/** The hosted zones of this cluster that are not gone. */
export async function ownHostedZones({ deps, hostedZone }: Run): Promise<HostedZoneItem[]> {
  const { id, cluster } = hostedZone;
  const log = (_: unknown, message: string) => deps.log({ level: 'error', message, hostedZoneId: id });
  const all = await readableHostedZones(deps.ledger, log);
  return all.filter((item) => item.cluster === cluster && !item.gone);
}
