// The poll function: once a minute, what has changed of each kind becomes hints. A kind that cannot be polled keeps its
// version, so the next poll finds its changes too; the invocation fails, which its alarm counts.
import type { ObjectKind } from '../../lib/objects/object-ref.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Context } from '../../lib/ports/context.ts';
import { pollKinds } from '../../lib/sweep/poll-kinds.ts';
import { withCorrelation } from '../runtime/correlation.ts';
import { shortReason } from '../runtime/messages.ts';
import type { Meter } from '../runtime/meter.ts';
import { dueOf, eachInTime, type Scheduled } from './each-in-time.ts';

/** The time of one cluster: less than that of the invocation. */
const POLL_MS_MAX = 50_000;

export type PollDeps = {
  readonly context: Context;
  /** The kinds that are read with the configuration. */
  readonly kinds: readonly ObjectKind[];
  readonly meter: Meter;
  /** Adds fields to every log line of this invocation from now on. */
  readonly tag: (fields: Readonly<Record<string, unknown>>) => void;
};

/** The handler of the poll function. Throws once every cluster was polled if one of them failed. */
export function pollEach(
  clusters: readonly (Scheduled & { readonly poll: () => Promise<void> })[],
  clock: Clock,
): () => Promise<void> {
  const due = dueOf(clusters, clock);
  const options = { msMax: POLL_MS_MAX, isOnly: clusters.length === 1 };
  return () => eachInTime(due(), options, ({ poll }) => poll());
}

/** The handler of one cluster. Throws once all kinds were tried if one of them could not be polled. */
export function handlePoll({ context, kinds, meter, tag }: PollDeps) {
  return async (): Promise<void> => {
    const correlationId = `poll-${context.clock.nowMs()}`;
    tag({ correlationId });
    const queues = withCorrelation(context.queues, correlationId);
    const { hints, failed } = await pollKinds({ ...context, queues }, kinds);
    meter('Hints', hints);
    if (hints > 0) context.log('info', 'hints queued', { hints });
    for (const { kind, error } of failed)
      context.log('error', 'a kind cannot be polled', { kind, reason: shortReason(error) });
    const [first] = failed;
    if (first === undefined) return;
    const names = failed.map(({ kind }) => kind).join(', ');
    throw new Error(`Cannot poll ${names}: ${shortReason(first.error)}`, { cause: first.error });
  };
}
