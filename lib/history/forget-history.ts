// Removes what is past its time, batch by batch. DynamoDB does that itself within some days (its TTL), so a week is
// left to it. What is past its time is not shown, removed or not.
import { historyEndMs } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { batchesBefore } from './find-entries.ts';
import { batchKey, entryKey } from './history-item.ts';

/** The batches of a hosted zone that are removed at once; the next call removes the next ones. */
const BATCHES_MAX = 500;
const AT_ONCE = 100;
const GRACE_MS = 7 * 86_400_000;

/** Removes old entries of a hosted zone; all of them if no history is kept. */
export async function forgetHistory(
  { ledger, clock, config }: Pick<Context, 'ledger' | 'clock' | 'config'>,
  hostedZoneId: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  const keptMs = historyEndMs(config.history, nowMs) - nowMs;
  const untilMs = keptMs === 0 ? nowMs : nowMs - keptMs - GRACE_MS;
  let batches = 0;
  for await (const { item, revision } of batchesBefore(ledger, hostedZoneId, untilMs)) {
    await inParallel(item.sets, AT_ONCE, async ([name, type, setIdentifier]) => {
      const key = entryKey(hostedZoneId, item, { name, type: type === '' ? null : type, setIdentifier });
      const stored = await ledger.get(key);
      if (stored !== null) await ledger.remove(key, stored.revision);
    });
    await ledger.remove(batchKey(hostedZoneId, item), revision);
    batches += 1;
    if (batches >= BATCHES_MAX) return;
  }
}
