// The publish queue, one group for each hosted zone. A run takes all that is dirty, so messages of one hosted zone in one
// batch are one run. A hosted zone whose lease is another's is sent for again when that may have ended: nothing failed.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { decodeDirtyItem, dirtyPartition } from '../lib/reconcile/ledger-items.ts';
import { type PublishResult, publish } from '../lib/reconcile/publish.ts';
import type { PublishDeps } from '../lib/reconcile/publish-run.ts';
import { type BatchDeps, handleBatch } from './handle-batch.ts';
import { readMessages } from './messages.ts';

/** No batch is begun when less than this is left of an invocation: a call of Route 53 takes 20 s, its notes some more. */
const MARGIN_MS = 30_000;
/** Dirty marks that are looked at for the latency figure. */
const MARKS_MAX = 100;

type Deps = BatchDeps & { readonly publishDeps: PublishDeps };

/** The handler of the publish function. */
export function handlePublish(deps: Deps) {
  return async (event: SQSEvent, invocation: { getRemainingTimeInMillis(): number }): Promise<SQSBatchResponse> => {
    const messages = readMessages(event.Records, deps);
    const stopAtMs = deps.publishDeps.clock.nowMs() + invocation.getRemainingTimeInMillis() - MARGIN_MS;
    const published = new Set<string>();
    return handleBatch(deps, event, 'fifo', async ({ messageId }) => {
      const message = messages.get(messageId);
      if (message?.kind !== 'publish' || published.has(message.hostedZoneId)) return;
      await publishOne(deps, message.hostedZoneId, stopAtMs);
      published.add(message.hostedZoneId);
    });
  };
}

async function publishOne(deps: Deps, hostedZoneId: string, stopAtMs: number): Promise<void> {
  const { publishDeps, log } = deps;
  const since = await dirtySince(deps, hostedZoneId);
  const result = await publish(publishDeps, hostedZoneId, { stopAtMs });
  if (result.kind === 'busy') await publishDeps.queues.publish(hostedZoneId, result.retryAfterSeconds);
  if (result.kind === 'unknown') log('warn', 'the ledger knows no such hosted zone', { hostedZoneId });
  if (result.kind === 'done' || result.kind === 'gone') countOutcomes(deps, hostedZoneId, result, since);
}

/** When each of the first dirty names became so, or the event behind it happened; by name, milliseconds since the epoch. */
async function dirtySince({ publishDeps }: Deps, hostedZoneId: string): Promise<ReadonlyMap<string, number>> {
  const { items } = await publishDeps.ledger.query(dirtyPartition(hostedZoneId), { limit: MARKS_MAX });
  return new Map(items.map(decodeDirtyItem).map(({ name, sinceMs, hintAtMs }) => [name, hintAtMs ?? sinceMs]));
}

function countOutcomes(
  { meter, log, publishDeps }: Deps,
  hostedZoneId: string,
  { outcomes }: Extract<PublishResult, { outcomes: unknown }>,
  since: ReadonlyMap<string, number>,
): void {
  const nowMs = publishDeps.clock.nowMs();
  for (const { change, outcome, message } of outcomes) {
    const { action, name, type, objects } = change;
    log(outcome === 'published' ? 'info' : 'warn', 'a record set', {
      ...{ hostedZoneId, outcome, action, name, type, objects },
      ...(outcome === 'published' ? {} : { reason: message }),
    });
    if (outcome !== 'published') {
      meter('Refusals', 1, { reason: outcome });
      continue;
    }
    meter('Changes', 1);
    const sinceMs = since.get(name);
    if (sinceMs !== undefined) meter('PublishLatency', Math.max(0, nowMs - sinceMs));
  }
}
