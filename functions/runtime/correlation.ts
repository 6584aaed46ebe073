// One correlation id for all messages of an invocation.
import type { Queues } from '../../lib/ports/queues.ts';

/** The queues, whose messages carry this id where they have none, through all queues to the comment of the batch. */
export function withCorrelation(queues: Queues, correlationId: string): Queues {
  return {
    hint: (hints, seconds) =>
      queues.hint(
        hints.map((hint) => ({ correlationId, ...hint })),
        seconds,
      ),
    publish: (id, seconds, cause = { correlationId }, after = undefined) => queues.publish(id, seconds, cause, after),
    report: (refs, cause = { correlationId }, ...rest) => queues.report(refs, cause, ...rest),
    follow: queues.follow,
  };
}
