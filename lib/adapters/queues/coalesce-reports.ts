// Combines reports, as the batching window of Lambda does in a deployment. An object that is requested
// again while it waits is reported once; one that is being reported waits until that is over. That is safe because a
// report is only a key: a later report reads a later state of the ledger.
import { formatRef, isZone, type ObjectKind, type ObjectRef } from '../../objects/object-ref.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SetTimer } from './in-process-queue.ts';

/** Reporting an object takes at most a tenth of the time, unless it takes longer than the longest pause allows. */
const PAUSE_SHARE = 9;
const PAUSE_MS_MAX = 60_000;
/** The longest pause of an object other than a Zone: its report reads its own names only, and may just have waited. */
const OTHERS_PAUSE_MS_MAX = 5_000;

/** For how long reports are combined, in milliseconds: of Zones, which read their whole zone, and of all others. */
export type ReportWindows = { readonly zones: number; readonly others: number };

export type ReportWindow = {
  /** Requests reports of these objects. */
  add(refs: readonly ObjectRef[]): void;
  /** Measures the reports of these objects from now on: what failed or waited before this try does not count. */
  begin(refs: readonly ObjectRef[]): void;
  /** Marks the reports of these objects as done or given up. */
  done(refs: readonly ObjectRef[]): void;
  /** True if nothing waits, except for reports under way or pauses. */
  isEmpty(): boolean;
  /** Drops what waits. */
  close(): void;
};

/** `send` gets the objects of a window; each is under way until `done`. */
export function reportWindow(
  windows: ReportWindows,
  {
    clock,
    setTimer,
    waitsMs = () => 0,
  }: {
    readonly clock: Clock;
    readonly setTimer: SetTimer;
    /** How long a window with so many objects waits at most for a burst to end; 0: there is none. Default: none. */
    readonly waitsMs?: (held: number) => number;
  },
  send: (refs: readonly ObjectRef[]) => void,
): ReportWindow {
  const held = new Map<string, ObjectRef>();
  /** Since when, in milliseconds. */
  const underway = new Map<string, number>();
  /** How long the last report of each Zone took. */
  const tookBefore = new Map<string, number>();
  /** Until when each object pauses whose report took long. */
  const paused = new Map<string, number>();
  const timers = new Map<ObjectKind, () => void>();
  /** Since when a kind waits for a burst to end. */
  const waitingMs = new Map<ObjectKind, number>();
  const windowOf = (kind: ObjectKind) => (isZone({ kind }) ? windows.zones : windows.others);
  const pauseOf = (key: string) => (paused.get(key) ?? 0) - clock.nowMs();
  /** One slow report may have waited for the API server. Only two in a row show that the Zone is slow. */
  const usualMs = (key: string, tookMs: number) => {
    const before = tookBefore.get(key) ?? tookMs;
    tookBefore.set(key, tookMs);
    return Math.min(before, tookMs);
  };
  const flush = (kind: ObjectKind) => {
    timers.delete(kind);
    const sinceMs = waitingMs.get(kind) ?? clock.nowMs();
    if (clock.nowMs() - sinceMs < waitsMs(held.size)) {
      waitingMs.set(kind, sinceMs);
      return open(kind);
    }
    waitingMs.delete(kind);
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
    begin: (refs) => {
      for (const ref of refs) underway.set(formatRef(ref), clock.nowMs());
    },
    done: (refs) => {
      for (const ref of refs) {
        const key = formatRef(ref);
        const tookMs = (clock.nowMs() - (underway.get(key) ?? clock.nowMs())) / refs.length;
        const pauseMs = isZone(ref)
          ? Math.min(PAUSE_MS_MAX, PAUSE_SHARE * usualMs(key, tookMs))
          : Math.min(OTHERS_PAUSE_MS_MAX, PAUSE_SHARE * tookMs);
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
