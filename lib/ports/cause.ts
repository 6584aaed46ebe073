// Which event a piece of work is put down to, where there are several: the one that has waited longest.
import type { Cause, Hint } from './queues.ts';

/** What a hint says of the event behind it. */
export function causeOf({ atMs, correlationId }: Hint): Cause {
  return {
    ...(atMs === undefined ? {} : { atMs }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
}

/** The earliest of them; one whose time is not known only where there is no other. */
export function earliest(causes: readonly Cause[]): Cause {
  return causes.toSorted(compareCauses)[0] ?? {};
}

function compareCauses(a: Cause, b: Cause): number {
  if (a.atMs !== undefined && b.atMs !== undefined) return a.atMs - b.atMs;
  if (a.atMs !== b.atMs) return a.atMs === undefined ? 1 : -1;
  return Number(a.correlationId === undefined) - Number(b.correlationId === undefined);
}
