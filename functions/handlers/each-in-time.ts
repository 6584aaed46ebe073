// Serves the clusters of a deployment at the same time, in one invocation of a schedule. A cluster that does not answer
// in time, or fails, delays no other.
import { inTime } from '../../lib/adapters/system/with-deadline.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { shortReason } from '../runtime/messages.ts';

/** How much earlier than its time a schedule may begin an invocation. */
const EARLY_MS = 30_000;

/** `everySeconds`: how often it is due; null: never. The schedule is that of the one that is due most often. */
export type Scheduled = { readonly id: string; readonly everySeconds: number | null };

/** Says which clusters are due now. */
export function dueOf<One extends Scheduled>(clusters: readonly One[], { nowMs }: Clock): () => readonly One[] {
  const shortest = Math.min(...clusters.map(({ everySeconds }) => everySeconds ?? Number.POSITIVE_INFINITY));
  const beganMs = new Map<string, number>();
  return () => {
    const now = nowMs();
    const due = clusters.filter(({ id, everySeconds }) => {
      if (everySeconds === null || everySeconds === shortest) return everySeconds !== null;
      return now - (beganMs.get(id) ?? 0) > everySeconds * 1_000 - EARLY_MS;
    });
    for (const { id } of due) beganMs.set(id, now);
    return due;
  };
}

/**
 * Does the work of each cluster, for so long. Throws once all have ended: the error of the only cluster, or one that
 * names those that failed.
 */
export async function eachInTime<One extends Pick<Scheduled, 'id'>>(
  clusters: readonly One[],
  { msMax, isOnly }: { readonly msMax: number; readonly isOnly: boolean },
  work: (cluster: One) => Promise<void>,
): Promise<void> {
  const late = new Error(`it has not ended within ${msMax / 1_000} s`);
  const errors = await Promise.all(
    clusters.map((one) => {
      const ended = work(one).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      return inTime(ended, msMax, { error: late });
    }),
  );
  const failed = errors.flatMap((one, index) => (one === null ? [] : [{ ...one, id: clusters[index]?.id }]));
  const [first] = failed;
  if (first === undefined) return;
  if (isOnly) throw first.error;
  const said = failed.map(({ id, error }) => `${id}: ${shortReason(error)}`).join('; ');
  throw new Error(`Cannot serve every cluster: ${said}`, { cause: first.error });
}
