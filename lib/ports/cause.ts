// Chooses the event that a piece of work is attributed to when several events led to it: the earliest.
import type { Cause, Hint } from './queues.ts';

/** The fields of a hint that describe the event behind it. */
export function causeOf({ atMs, correlationId }: Hint): Cause {
  return {
    ...(atMs === undefined ? {} : { atMs }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
}

/** The earliest cause. A cause without a time is returned only when no cause has one. */
export function earliest(causes: readonly Cause[]): Cause {
  return causes.toSorted(compareCauses)[0] ?? {};
}

function compareCauses(a: Cause, b: Cause): number {
  if (a.atMs !== undefined && b.atMs !== undefined) return a.atMs - b.atMs;
  if (a.atMs !== b.atMs) return a.atMs === undefined ? 1 : -1;
  return Number(a.correlationId === undefined) - Number(b.correlationId === undefined);
}
