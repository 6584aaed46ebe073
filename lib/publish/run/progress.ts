// What a run of publish has come to so far, and why it ends before its plan is done.
import type { ChangeOutcome } from '../plan/outcome.ts';

/**
 * Refused calls of a run over what was never refused before, and how many more over what was: at the default budget
 * both take some seconds, and whoever waits for the run to end waits no longer for their sake.
 */
const REFUSED_CALLS_MAX = 12;
const REFUSED_AGAIN_CALLS_MAX = 4;

/** Why a run ends before its plan is done. `lost`: the lease is another's. */
type Stop = { readonly kind: 'lost' | 'throttled' | 'gone' | 'denied' | 'late'; readonly message: string };

/** What a run has come to. Written by the functions of this file, and its counts by run.ts. */
export type Progress = {
  readonly outcomes: ChangeOutcome[];
  /** Net growth of what is published. */
  published: number;
  /** Deletes (1) and those that were undone (-1). */
  readonly deletions: { readonly atMs: number; readonly count: 1 | -1 }[];
  /** Calls denied in a row, and foreign record sets looked at. */
  denied: number;
  foreignLooks: number;
  /** Calls that Route 53 refused or denied, and how many of them this run may make before it leaves the rest to the next. */
  refusedCalls: number;
  refusedCallsMax: number;
  /** How soon another run is needed; null: none is. */
  againAfterSeconds: number | null;
  /** Names are left to the next run, which reads on behind those of this one. */
  leftOver: boolean;
  /** What Route 53 said, when it refused a record set more in this hosted zone. */
  full: string | null;
  stop: Stop | null;
};

type Of = { readonly progress: Progress };

export function newProgress(): Progress {
  return {
    outcomes: [],
    published: 0,
    deletions: [],
    denied: 0,
    foreignLooks: 0,
    refusedCalls: 0,
    refusedCallsMax: REFUSED_CALLS_MAX,
    againAfterSeconds: null,
    leftOver: false,
    full: null,
    stop: null,
  };
}

/** Ends the run before its plan is done: no further batch is begun. */
export function stopRun({ progress }: Of, kind: Stop['kind'], message: string): void {
  progress.stop = { kind, message };
}

/** Notes that another run is needed, at the latest so many seconds from now. */
export function runAgain(run: Of, afterSeconds: number): void {
  run.progress.againAfterSeconds = Math.min(run.progress.againAfterSeconds ?? afterSeconds, afterSeconds);
}

/** Counts calls that are denied, one after the other, and says how many: 0 begins anew. */
export function countDenied({ progress }: Of, isDenied: boolean): number {
  progress.denied = isDenied ? progress.denied + 1 : 0;
  return progress.denied;
}

/** Counts the calls that were refused or denied. */
export function countRefused({ progress }: Of): void {
  progress.refusedCalls += 1;
}

/** Leaves names to the next run, at once. */
export function leaveOver(run: Of): void {
  run.progress.leftOver = true;
  runAgain(run, 0);
}

/** Notes that the hosted zone takes no record set more. */
export function noteFull({ progress }: Of, message: string): void {
  progress.full = message;
}

/** True when this run is to make no call more for the sake of what Route 53 refuses. */
export function hasRefusedEnough({ progress }: Of): boolean {
  return progress.refusedCalls >= progress.refusedCallsMax;
}

/** Allows some refused calls more, for what was refused before. */
export function allowMoreRefused({ progress }: Of): void {
  progress.refusedCallsMax = progress.refusedCalls + REFUSED_AGAIN_CALLS_MAX;
}

/** Counts the foreign record sets that were looked at. */
export function countForeignLook({ progress }: Of): void {
  progress.foreignLooks += 1;
}
