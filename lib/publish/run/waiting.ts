// Asks which names must wait for another name or hosted zone (publish/order), and notes them in the run. They stay
// dirty.
import type { Change } from '../../dns/plan-changes.ts';
import { namesThatWait } from '../order/cross-zone-order.ts';
import { ASKED_MS_MAX, type Asker, type Waits } from '../order/waits.ts';
import { dirtySinceMs, nameOf, noteName } from '../plan/names.ts';
import { runAgain } from '../plan/progress.ts';
import { patienceSeconds, type Run } from './run.ts';

/** Clocks differ: whoever waits asks for so much longer than `ASKED_MS_MAX`. */
const ASKED_MORE_MS = 60_000;

/** The part of the run that namesThatWait() needs. */
export function askerOf({ deps, hostedZone }: Run): Asker {
  const { ledger, queues, log } = deps;
  return { ledger, queues, hostedZone, log, nowMs: () => deps.clock.nowMs() };
}

/** The names among these changes that must wait. Names that move between hosted zones are noted in the run. */
export async function readWaits(run: Run, changes: readonly Change[]): Promise<Waits> {
  const { waits, moving } = await namesThatWait(askerOf(run), changes);
  for (const name of moving) noteName(run.names, name, { moves: true });
  return waits;
}

/** Notes that these names wait. They stay dirty, and the next run asks again. */
export function noteWaiting(run: Run, waits: Waits): void {
  for (const [name, { why }] of waits) noteName(run.names, name, { waitsFor: why, stays: true });
  const [first] = waits;
  if (first === undefined) return;
  const nowMs = run.deps.clock.nowMs();
  const isFresh = (name: string, sinceMs: number) =>
    nowMs - Math.max(dirtySinceMs(nameOf(run.names, name)) ?? nowMs, sinceMs) <= ASKED_MS_MAX + ASKED_MORE_MS;
  const open = [...waits]
    .filter(([name, { stuck, begun = false, sinceMs = 0 }]) => begun || (!stuck && isFresh(name, sinceMs)))
    .map(([name]) => name);
  for (const name of open) runAgain(run, patienceSeconds(run, [{ name }]));
  const more = waits.size === 1 ? '' : ` (and ${waits.size - 1} more)`;
  const message = `${first[0]} waits: ${first[1].why}${more}`;
  run.deps.log('info', message, { hostedZoneId: run.lease.hostedZoneId });
}
