// Works on the publish queue, which has one group for each hosted zone. A run publishes all dirty names, so the
// messages of one hosted zone in one batch need one run. If another run has the lease of the hosted zone, the message
// is sent again with a short delay; that is not a failure.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Cause } from '../../lib/ports/queues.ts';
import type { ChangeOutcome } from '../../lib/publish/plan/outcome.ts';
import { isWaitingForRoom } from '../../lib/publish/plan/outcome.ts';
import type { PublishResult } from '../../lib/publish/plan/publish-result.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { OBJECTS_MAX } from '../runtime/messages.ts';
import { type BatchDeps, handleBatch } from './handle-batch.ts';

/**
 * No batch begins if less than this is left of an invocation: a call of Route 53 takes up to 20 s, and saving its
 * outcome takes more.
 */
const MARGIN_MS = 30_000;

/**
 * The longest wait for the lease of another run. A live run may end at any moment; only a killed one keeps it to the
 * end.
 */
const BUSY_SECONDS_MAX = 5;

type Deps = BatchDeps & {
  readonly publishDeps: PublishDeps;
  /**
   * Reads the external-dns that may be taken over, with their keys; default: those of `publishDeps`. If it throws, the
   * message comes back soon. At the start of the function, the message would stay hidden for a quarter of an hour.
   */
  readonly takeover?: () => Promise<PublishDeps['config']['externalDns']>;
  /** Called with the outcome of each change. */
  readonly hintAliases: (outcomes: readonly ChangeOutcome[]) => Promise<void>;
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
  const { publishDeps, log, takeover = async () => publishDeps.config.externalDns } = deps;
  const config = { ...publishDeps.config, externalDns: await takeover() };
  const result = await publish({ ...publishDeps, config }, hostedZoneId, { stopAtMs });
  if (result.kind === 'busy') {
    await publishDeps.queues.publish(hostedZoneId, Math.min(BUSY_SECONDS_MAX, result.retryAfterSeconds), cause);
  }
  if (result.kind === 'unknown') log('warn', 'the ledger does not have this hosted zone', { hostedZoneId });
  if (result.kind !== 'done' && result.kind !== 'gone') return;
  countOutcomes(deps, hostedZoneId, result);
  await deps.hintAliases(result.outcomes);
}

/**
 * Logs one line for each record set with the event behind it, and measures the time from that event to the accepted
 * batch. Record sets that wait for room in a full hosted zone wait at every run: they share one line.
 */
function countOutcomes(
  { meter, log }: Deps,
  hostedZoneId: string,
  { outcomes, causes }: Extract<PublishResult, { outcomes: unknown }>,
): void {
  const waiting = outcomes.filter(isWaitingForRoom);
  const [first] = waiting;
  if (first !== undefined) {
    const objects = [...new Set(waiting.flatMap(({ change }) => change.objects))].slice(0, OBJECTS_MAX);
    log('warn', 'record sets wait for room', { hostedZoneId, count: waiting.length, objects, reason: first.message });
  }
  for (const one of outcomes) {
    const { change, outcome, message, isNews, atMs } = one;
    if (isWaitingForRoom(one)) continue;
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
