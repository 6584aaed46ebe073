// Waits after an apply until resolvers answer all of it: asks Route 53 about each batch that its name servers may not
// have yet, also of earlier runs, and then waits for what resolvers may keep.
import type { Stored } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { timeText } from '../objects/conditions.ts';
import type { Context } from '../ports/context.ts';
import { FIRST_SECONDS, lookAtChange } from '../record-sets/follow-change.ts';
import { propagationOf, worstPropagation } from '../record-sets/propagation.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';

export type Waiting = {
  /** The longest wait in milliseconds; null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** Milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>;
};

/** `text`: what is not resolved, and until when; null: everything is. */
export type Waited = { readonly text: string | null };

type Found = Stored<RecordSetItem> & { readonly hostedZoneId: string };

/** Waits for all record sets that are published in these hosted zones. */
export async function waitUntilResolved(
  context: Context,
  hostedZoneIds: readonly string[],
  { timeoutMs, sleep }: Waiting,
  { progress, signal }: { readonly progress: (text: string) => void; readonly signal?: AbortSignal | undefined },
): Promise<Waited> {
  const { clock } = context;
  const endMs = timeoutMs === null ? Number.POSITIVE_INFINITY : clock.nowMs() + timeoutMs;
  for (;;) {
    const seconds = await lookAtAll(context, await findWaiting(context, hostedZoneIds));
    const left = await findWaiting(context, hostedZoneIds);
    const nowMs = clock.nowMs();
    const worst = worstPropagation(left.map(({ item }) => propagationOf(item.propagation, nowMs)));
    if (worst === null || worst.reason === 'Resolved') return { text: null };
    const count = left.length === 1 ? '1 record set' : `${left.length} record sets`;
    if (worst.reason === 'Unknown') return { text: `Route 53 did not say whether its name servers have ${count}` };
    const about = worst.sinceMs === null ? 'about ' : '';
    const until = `until ${about}${timeText(Math.ceil(worst.untilMs / 1_000) * 1_000)}`;
    const text = `resolvers may answer what was there before at ${count} ${until}`;
    if (nowMs >= endMs || signal?.aborted === true) return { text };
    progress(`waiting ${until}: ${text}`);
    await sleep(Math.max(0, Math.min(seconds * 1_000, endMs - nowMs, PAUSE_MS_MAX)));
  }
}

/** So often an interrupt is noticed, and the progress line written. */
const PAUSE_MS_MAX = 5_000;

async function findWaiting(context: Context, hostedZoneIds: readonly string[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const hostedZoneId of hostedZoneIds)
    for await (const stored of eachItem(context.ledger, recordSetsPartition(hostedZoneId))) {
      const item = readable(context, recordSetCodec, stored);
      if (item?.propagation === undefined || item.published === null || item.type === 'SOA') continue;
      found.push({ item, revision: stored.revision, hostedZoneId });
    }
  return found;
}

/** Looks at each batch, the oldest first. Returns after how many seconds to look again. */
async function lookAtAll(context: Context, found: readonly Found[]): Promise<number> {
  const oldestFirst = found.toSorted((a, b) => acceptedMs(a) - acceptedMs(b));
  const batches = Map.groupBy(oldestFirst, ({ item, hostedZoneId }) => `${hostedZoneId} ${item.propagation?.changeId}`);
  const seconds: number[] = [];
  for (const items of batches.values()) {
    const [first] = items;
    if (first === undefined) continue;
    const leftMs = acceptedMs(first) + FIRST_SECONDS * 1_000 - context.clock.nowMs();
    const changeId = first.item.propagation?.changeId ?? null;
    if (first.item.propagation?.insyncMs === null && leftMs > 0) seconds.push(leftMs / 1_000);
    else seconds.push((await lookAtChange(context, first.hostedZoneId, changeId, items)).againSeconds ?? 0);
  }
  return Math.max(0, Math.min(...seconds.filter((one) => one > 0)));
}

function acceptedMs({ item }: Found): number {
  return item.propagation?.atMs ?? 0;
}
