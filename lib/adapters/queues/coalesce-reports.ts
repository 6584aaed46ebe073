// Gathers what is to be reported, as the window of an SQS event source does for the deployed system: an object that is
// asked for again while it waits is reported once, and one that is being reported waits until that is over. Safe
// because a report is only a key: whoever reports later reads the ledger later.
import { formatRef, isZone, type ObjectKind, type ObjectRef } from '../../objects/object-ref.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SetTimer } from './in-process-queue.ts';

/**
 * An object is under report for a tenth of the time at most, but for one that takes longer than the longest pause
 * allows.
 */
const PAUSE_SHARE = 9;
const PAUSE_MS_MAX = 60_000;

/** How long reports are gathered, milliseconds: those of Zones, each of which reads its whole zone, and all others. */
export type ReportWindows = { readonly zones: number; readonly others: number };

export type ReportWindow = {
  /** Asks for reports of these. */
  add(refs: readonly ObjectRef[]): void;
  /** Says that the reports of these were made, or given up. */
  done(refs: readonly ObjectRef[]): void;
  /** Nothing waits, but for what is under way to end, or for a pause to be over. */
  isEmpty(): boolean;
  /** Forgets what waits. */
  close(): void;
};

/** `send` gets what a window gathered; each of it is under way until `done`. */
export function reportWindow(
  windows: ReportWindows,
  { clock, setTimer }: { readonly clock: Clock; readonly setTimer: SetTimer },
  send: (refs: readonly ObjectRef[]) => void,
): ReportWindow {
  const held = new Map<string, ObjectRef>();
  /** Since when; milliseconds. */
  const underway = new Map<string, number>();
  /** Until when those pause whose report took long. */
  const paused = new Map<string, number>();
  const timers = new Map<ObjectKind, () => void>();
  const windowOf = (kind: ObjectKind) => (isZone({ kind }) ? windows.zones : windows.others);
  const pauseOf = (key: string) => (paused.get(key) ?? 0) - clock.nowMs();
  const flush = (kind: ObjectKind) => {
    timers.delete(kind);
    const waiting = [...held].filter(([key, ref]) => ref.kind === kind && !underway.has(key));
    const ready = waiting.filter(([key]) => pauseOf(key) <= 0);
    for (const [key] of ready) {
      held.delete(key);
      paused.delete(key);
      underway.set(key, clock.nowMs());
    }
    if (ready.length < waiting.length) open(kind);
    if (ready.length > 0) send(ready.map(([, ref]) => ref));
  };
  const open = (kind: ObjectKind) => {
    if (!timers.has(kind))
      timers.set(
        kind,
        setTimer(() => flush(kind), windowOf(kind)),
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
        const key = formatRef(ref);
        const tookMs = (clock.nowMs() - (underway.get(key) ?? clock.nowMs())) / refs.length;
        const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_SHARE * tookMs);
        if (pauseMs > windowOf(ref.kind)) paused.set(key, clock.nowMs() + pauseMs);
        underway.delete(key);
        if (held.has(key)) open(ref.kind);
      }
    },
    isEmpty: () => [...held.keys()].every((key) => underway.has(key) || pauseOf(key) > 0),
    close: () => {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      held.clear();
    },
  };
}
