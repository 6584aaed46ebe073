// What `zone53 history` and `zone53 explain` ask: over all hosted zones that the ledger knows, also those that are
// gone, and no further back than the history is kept.
import { historyEndMs } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { hostedZoneIdOf } from '../record-sets/hosted-zone-item.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { type FoundEntry, findEntries, type HistoryQuery } from './find-entries.ts';

/** What somebody asks. Times in milliseconds since the epoch; null: without that bound. */
export type HistoryQuestion = Pick<HistoryQuery, 'name' | 'type' | 'object' | 'namespace' | 'cluster' | 'limit'> & {
  readonly hostedZone?: string;
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
};

export type HistoryAnswer = { readonly entries: readonly FoundEntry[]; readonly more: boolean };

/** Answers a question. What the ledger does not know has no entries. */
export async function queryHistory(
  { ledger, clock, config, log }: Pick<Context, 'ledger' | 'clock' | 'config' | 'log'>,
  { sinceMs, untilMs, hostedZone, ...asked }: HistoryQuestion,
): Promise<HistoryAnswer> {
  const nowMs = clock.nowMs();
  // An entry of this moment or earlier is past its time.
  const keptMs = nowMs - (historyEndMs(config.history, nowMs) - nowMs);
  if (config.history.days === 0) return { entries: [], more: false };
  const all = await readableHostedZones(ledger, log);
  const hostedZones = all.filter(({ id }) => hostedZone === undefined || hostedZoneIdOf(id) === hostedZone);
  return findEntries(ledger, {
    ...asked,
    hostedZones,
    sinceMs: Math.max(sinceMs ?? 0, keptMs + 1),
    untilMs: untilMs ?? nowMs + FUTURE_MS,
  });
}

/** The clocks of those who write may be ahead of ours. */
const FUTURE_MS = 3_600_000;
