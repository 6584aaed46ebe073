// Remembers the objects that this execution environment reported recently. A report reads everything again, so a report
// that began after a message was sent also covers that message. This keeps a busy Zone from being reported once for
// every change below it.
import type { SQSRecord } from 'aws-lambda';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** The largest difference that is expected between the clocks of SQS and of this machine. */
const CLOCKS_MS = 500;
/** How long a report is remembered. A message stays in the queue for longer only when something fails. */
const REMEMBERED_MS = 60_000;

export type RecentReports = {
  /** Whether a report of the object began after the message was due, and succeeded. `afterSeconds`: its own delay. */
  covers(record: SQSRecord, ref: ObjectRef, afterSeconds?: number): boolean;
  /** Notes reports that are done. */
  note(refs: readonly ObjectRef[], beganMs: number): void;
};

/** The memory of one execution environment. */
export function recentReports(clock: Clock): RecentReports {
  const beganMs = new Map<string, number>();
  return {
    covers: ({ attributes }, ref, afterSeconds = 0) => {
      const sentMs = Number(attributes.SentTimestamp);
      const dueMs = sentMs + afterSeconds * 1_000;
      const began = beganMs.get(formatRef(ref));
      return began !== undefined && sentMs > 0 && began > dueMs + CLOCKS_MS;
    },
    note: (refs, began) => {
      const oldestMs = clock.nowMs() - REMEMBERED_MS;
      for (const [key, atMs] of beganMs) if (atMs < oldestMs) beganMs.delete(key);
      for (const ref of refs) beganMs.set(formatRef(ref), began);
    },
  };
}
