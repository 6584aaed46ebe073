// Gathers what is to be reported, as the window of an SQS event source does for the deployed system: an object that is asked
// for again while it waits is reported once, and one that is being reported waits until that is over. Safe because a report
// is only a key: whoever reports later reads the ledger later.
import { formatRef } from '../kubizone/objects.ts';
import type { ObjectKind, ObjectRef } from '../reconcile/ports.ts';
import type { SetTimer } from './in-process-queues-lane.ts';

/** How long reports of a kind are gathered, milliseconds. */
export type ReportWindows = Readonly<Record<ObjectKind, number>>;

export type ReportWindow = {
  /** Asks for reports of these. */
  add(refs: readonly ObjectRef[]): void;
  /** Says that the reports of these were made, or given up. */
  done(refs: readonly ObjectRef[]): void;
  /** Nothing waits, but for what is under way to end. */
  isEmpty(): boolean;
  /** Forgets what waits. */
  close(): void;
};

/** `send` gets what a window gathered; each of it is under way until `done`. */
export function reportWindow(
  windows: ReportWindows,
  setTimer: SetTimer,
  send: (refs: readonly ObjectRef[]) => void,
): ReportWindow {
  const held = new Map<string, ObjectRef>();
  const underway = new Set<string>();
  const timers = new Map<ObjectKind, () => void>();
  const flush = (kind: ObjectKind) => {
    timers.delete(kind);
    const ready = [...held].filter(([key, ref]) => ref.kind === kind && !underway.has(key));
    for (const [key] of ready) {
      held.delete(key);
      underway.add(key);
    }
    if (ready.length > 0) send(ready.map(([, ref]) => ref));
  };
  const open = (kind: ObjectKind) => {
    if (!timers.has(kind))
      timers.set(
        kind,
        setTimer(() => flush(kind), windows[kind]),
      );
  };
  return {
    add: (refs) => {
      for (const ref of refs) {
        held.set(formatRef(ref), ref);
        open(ref.kind);
      }
    },
    done: (refs) => {
      for (const ref of refs) {
        underway.delete(formatRef(ref));
        if (held.has(formatRef(ref))) open(ref.kind);
      }
    },
    isEmpty: () => [...held.keys()].every((key) => underway.has(key)),
    close: () => {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      held.clear();
    },
  };
}
