// Measures how far behind the pipeline is, from the ledger alone: names that wait to be published and since when,
// deletes that the guard holds, the age of the last whole sweep. It runs on a schedule, so that silence is noticed too.

import { eachItem } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import { dirtyPartition } from '../record-sets/dirty-mark.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { isUsable, readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { readSweepNotes } from './last-swept.ts';
import { wasSwept } from './sweep-cursor.ts';

export type HostedZoneMeasures = {
  readonly hostedZoneId: string;
  readonly name: string;
  /** How many names are dirty. */
  readonly dirty: number;
  /** Since when the oldest of them has been dirty, in milliseconds; 0 if there is none. */
  readonly oldestDirtyMs: number;
  /** How many deletes the guard holds. */
  readonly held: number;
  /** Time since the last whole sweep began, in milliseconds; null: there was none yet. */
  readonly sweepAgeMs: number | null;
};

/**
 * Measures the hosted zones of the cluster, without those that are gone or no longer configured, whose alarms nothing
 * would end. `onAll` is told those of every cluster.
 */
export async function measure(
  context: Pick<Context, 'ledger' | 'clock' | 'config' | 'account' | 'log'>,
  onAll: (hostedZones: readonly HostedZoneItem[]) => void = () => {},
): Promise<readonly HostedZoneMeasures[]> {
  const { ledger, clock, config, log } = context;
  const notes = new Map((await readSweepNotes(ledger, config.clusterId)).map((note) => [note.hostedZoneId, note]));
  const measures: HostedZoneMeasures[] = [];
  const all = await readableHostedZones(ledger, log);
  onAll(all);
  for (const item of all) {
    if (item.cluster !== config.clusterId || item.gone || item.retired || !isUsable(context, item.id)) continue;
    const nowMs = clock.nowMs();
    let dirty = 0;
    let oldestMs = nowMs;
    for await (const stored of eachItem(ledger, dirtyPartition(item.id))) {
      dirty += 1;
      // A mark that this code cannot read counts, too: its name waits as well.
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
    });
  }
  return measures;
}

/**
 * The clusters that functions have swept and that the configuration does not have any more, although they have record
 * sets: with their number.
 */
export async function leftClusters(
  ledger: Ledger,
  hostedZones: readonly HostedZoneItem[],
  configured: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const owned = new Map<string, number>();
  for (const { cluster, gone, publishedCount } of hostedZones)
    if (!gone && publishedCount > 0 && !configured.includes(cluster))
      owned.set(cluster, (owned.get(cluster) ?? 0) + publishedCount);
  for (const cluster of owned.keys()) if (!(await wasSwept(ledger, cluster))) owned.delete(cluster);
  return owned;
}
