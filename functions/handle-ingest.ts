// Whatever arrived becomes hints, and nothing else of it is believed. What is not HTTP was sent by AWS itself, on IAM's
// permission: log batches and bus events, of which nobody waits for an answer; those that cannot be read are counted and gone.
import { parseCloudwatchLogs } from '../events/cloudwatch-logs.ts';
import { parseBusEvent } from '../events/event-bridge.ts';
import type { Log } from '../lib/reconcile/context.ts';
import type { Clock, Hint, Queues } from '../lib/reconcile/ports.ts';
import { answerHttp, type HttpAnswer, isHttp } from './answer-http.ts';
import { shortReason } from './messages.ts';
import type { Meter } from './meter.ts';

export type IngestDeps = {
  readonly queues: Pick<Queues, 'hint'>;
  readonly secrets: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: Log;
};

/** The handler of the ingest function. Throws when the hints could not be queued: the sender tries again. */
export function handleIngest(deps: IngestDeps) {
  const refuse = (reason: string, count = 1) => {
    deps.meter('EventsRefused', count);
    deps.log('warn', 'an event is refused', { count, reason });
  };
  const accept = async (hints: readonly Hint[], problems: readonly string[]) => {
    if (problems.length > 0) refuse(shortReason(problems[0]), problems.length);
    deps.meter('Hints', hints.length);
    await deps.queues.hint(hints);
  };
  const nowMs = () => deps.clock.nowMs();
  return async (event: unknown): Promise<HttpAnswer | undefined> => {
    if (isHttp(event)) return answerHttp({ secrets: deps.secrets, accept, refuse, nowMs }, event);
    const read = readEvent(event, nowMs());
    if (read === null) refuse('neither HTTP, nor a log batch, nor an event of a bus');
    else await accept(read.hints, read.problems);
    return undefined;
  };
}

type Read = { readonly hints: readonly Hint[]; readonly problems: readonly string[] };

function readEvent(event: unknown, nowMs: number): Read | null {
  try {
    if (typeof event !== 'object' || event === null) return null;
    if ('awslogs' in event) return parseCloudwatchLogs(event);
    return 'detail-type' in event ? parseBusEvent(event, nowMs) : null;
  } catch (error) {
    return { hints: [], problems: [shortReason(error)] };
  }
}
