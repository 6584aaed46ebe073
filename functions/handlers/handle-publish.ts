// The publish queue, one group for each hosted zone. A run takes all that is dirty, so messages of one hosted zone in
// one batch are one run. A hosted zone whose lease is another's is sent for again a moment later: nothing failed.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Cause } from '../../lib/ports/queues.ts';
import type { ChangeOutcome } from '../../lib/publish/plan/outcome.ts';
import { waitsForRoom } from '../../lib/publish/run/full-hosted-zone.ts';
import { type PublishResult, publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { type BatchDeps, handleBatch } from './handle-batch.ts';

/**
 * No batch is begun when less than this is left of an invocation: a call of Route 53 takes 20 s, its notes some more.
 */
const MARGIN_MS = 30_000;

/**
 * A run that lives may be done at any moment, and only one that was killed holds its lease to the end: nobody waits
 * longer to look.
 */
const BUSY_SECONDS_MAX = 5;

/** Objects that are named in one line. */
const OBJECTS_MAX = 20;

type Deps = BatchDeps & {
  readonly publishDeps: PublishDeps;
  /** Told what became of each change. */
  readonly tell: (outcomes: readonly ChangeOutcome[]) => Promise<void>;
};

/** The handler of the publish function. */
export function handlePublish(deps: Deps) {
  return async (event: SQSEvent, invocation: { getRemainingTimeInMillis(): number }): Promise<SQSBatchResponse> => {
    const stopAtMs = deps.publishDeps.clock.nowMs() + invocation.getRemainingTimeInMillis() - MARGIN_MS;
    const published = new Set<string>();
    return handleBatch(deps, event, 'fifo', async (message) => {
      if (message.kind !== 'publish' || published.has(message.hostedZoneId)) return;
      await publishOne(deps, message.hostedZoneId, stopAtMs, message.cause);
      published.add(message.hostedZoneId);
    });
  };
}

async function publishOne(deps: Deps, hostedZoneId: string, stopAtMs: number, cause?: Cause): Promise<void> {
  const { publishDeps, log } = deps;
  const result = await publish(publishDeps, hostedZoneId, { stopAtMs });
  if (result.kind === 'busy') {
    await publishDeps.queues.publish(hostedZoneId, Math.min(BUSY_SECONDS_MAX, result.retryAfterSeconds), cause);
  }
  if (result.kind === 'unknown') log('warn', 'the ledger knows no such hosted zone', { hostedZoneId });
  if (result.kind !== 'done' && result.kind !== 'gone') return;
  countOutcomes(deps, hostedZoneId, result);
  await deps.tell(result.outcomes);
}

/**
 * A line for each record set, with the event behind it, and the time from that event to the batch that was accepted.
 * What waits for room in a full hosted zone waits at every run: it is one line together.
 */
function countOutcomes(
  { meter, log }: Deps,
  hostedZoneId: string,
  { outcomes, causes }: Extract<PublishResult, { outcomes: unknown }>,
): void {
  const waiting = outcomes.filter(waitsForRoom);
  const [first] = waiting;
  if (first !== undefined) {
    const objects = [...new Set(waiting.flatMap(({ change }) => change.objects))].slice(0, OBJECTS_MAX);
    log('warn', 'record sets wait for room', { hostedZoneId, count: waiting.length, objects, reason: first.message });
  }
  for (const one of outcomes) {
    const { change, outcome, message, isNews, atMs } = one;
    if (waitsForRoom(one)) continue;
    const { action, name, type, objects } = change;
    const cause = causes.get(name);
    log(outcome === 'published' ? 'info' : 'warn', 'a record set', {
      ...{ hostedZoneId, outcome, action, name, type, objects },
      ...(cause?.correlationId === undefined ? {} : { correlationId: cause.correlationId }),
      ...(outcome === 'published' ? {} : { reason: message }),
    });
    if (outcome !== 'published') {
      if (isNews) meter('Refusals', 1, { reason: outcome });
      continue;
    }
    meter('Changes', 1);
    if (cause !== undefined) meter('PublishLatency', Math.max(0, atMs - (cause.atMs ?? cause.sinceMs)));
  }
}
