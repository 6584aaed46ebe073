// How far behind the pipeline is, read from the ledger alone: what waits to be published and since when, what the guard
// holds, how long ago a whole sweep came to its end. It is measured on a schedule, so that silence is noticed too.

import { eachItem } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import { dirtyPartition } from '../record-sets/dirty-mark.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { readSweepNotes } from './last-swept.ts';

export type HostedZoneMeasures = {
  readonly hostedZoneId: string;
  readonly name: string;
  /** Names whose desired and published may differ. */
  readonly dirty: number;
  /** Age of the oldest of them, milliseconds; 0 where there is none. */
  readonly oldestDirtyMs: number;
  /** Record sets whose delete the guard holds. */
  readonly held: number;
  /** Since the last whole sweep began, milliseconds; null: there was none yet. */
  readonly sweepAgeMs: number | null;
  readonly gone: boolean;
};

/** Measures every hosted zone of the cluster. Reads the ledger only. */
export async function measure({
  ledger,
  clock,
  config,
  log,
}: Pick<Context, 'ledger' | 'clock' | 'config' | 'log'>): Promise<readonly HostedZoneMeasures[]> {
  const notes = new Map((await readSweepNotes(ledger, config.clusterId)).map((note) => [note.hostedZoneId, note]));
  const items = await readableHostedZones(ledger, log);
  const measures: HostedZoneMeasures[] = [];
  for (const item of items) {
    if (item.cluster !== config.clusterId) continue;
    const nowMs = clock.nowMs();
    let dirty = 0;
    let oldestMs = nowMs;
    for await (const stored of eachItem(ledger, dirtyPartition(item.id))) {
      dirty += 1;
      // Whatever else a mark says: one that this code cannot read waits as well.
      const { sinceMs } = stored.body;
      if (typeof sinceMs === 'number') oldestMs = Math.min(oldestMs, sinceMs);
    }
    const wholeMs = notes.get(item.id)?.wholeMs ?? null;
    measures.push({
      hostedZoneId: item.id,
      name: item.name,
      dirty,
      oldestDirtyMs: nowMs - oldestMs,
      held: item.held?.count ?? 0,
      sweepAgeMs: wholeMs === null ? null : nowMs - wholeMs,
      gone: item.gone,
    });
  }
  return measures;
}
