// What a run of publish has come to so far, and why it ends before its plan is done. Only the functions of this file
// and of run.ts change it. What is read of it is a value that does not change any more.
import type { ChangeOutcome } from './outcome.ts';

/**
 * Refused calls of a run over what was never refused before, and how many more over what was: at the default budget
 * both take some seconds, and whoever waits for the run to end waits no longer for their sake.
 */
const REFUSED_CALLS_MAX = 12;
const REFUSED_AGAIN_CALLS_MAX = 4;

/** What a run adds to the guard's counts of its hosted zone. */
export type Tallies = {
  readonly published: number;
  readonly deletions: readonly { readonly atMs: number; readonly count: number }[];
};

/** Why a run ends before its plan is done. `lost`: the lease is another's. */
type Stop = { readonly kind: 'lost' | 'throttled' | 'gone' | 'denied' | 'late'; readonly message: string };

/** Calls of Route 53 that were in vain. */
type Calls = {
  /** Denied, in a row. */
  readonly denied: number;
  /** Refused or denied, and how many of them this run may make before it leaves the rest to the next. */
  readonly refused: number;
  readonly refusedMax: number;
  /** Foreign record sets looked at. */
  readonly foreignLooks: number;
};

/** How the run ends, and what the next one is for. */
type Ending = {
  readonly stop: Stop | null;
  /** How soon another run is needed; null: none is. */
  readonly againAfterSeconds: number | null;
  /** Names are left to the next run, which reads on behind those of this one. */
  readonly leftOver: boolean;
  /** The hosted zone is full: Route 53's message, and the fewest additions that it refused, at the start of the run. */
  readonly full: { readonly message: string; readonly growth: number } | null;
  /** The fewest record sets of a batch that wait for room; null: none does. */
  readonly waiting: number | null;
};

export type Progress = {
  /** In the order in which they were noted; of one change the last one counts. */
  readonly outcomes: ChangeOutcome[];
  readonly tallies: Tallies;
  readonly calls: Calls;
  readonly ending: Ending;
  addTally(tally: Tallies): void;
  note(news: { readonly calls?: Partial<Calls>; readonly ending?: Partial<Ending> }): void;
};

type Of = { readonly progress: Progress };

export function newProgress(): Progress {
  let published = 0;
  const deletions: { readonly atMs: number; readonly count: number }[] = [];
  let calls: Calls = { denied: 0, refused: 0, refusedMax: REFUSED_CALLS_MAX, foreignLooks: 0 };
  let ending: Ending = { stop: null, againAfterSeconds: null, leftOver: false, full: null, waiting: null };
  return {
    outcomes: [],
    get tallies() {
      return { published, deletions };
    },
    get calls() {
      return calls;
    },
    get ending() {
      return ending;
    },
    addTally: (tally) => {
      published += tally.published;
      deletions.push(...tally.deletions);
    },
    note: (news) => {
      calls = { ...calls, ...news.calls };
      ending = { ...ending, ...news.ending };
    },
  };
}

const STOPPED_WORDS = {
  lost: 'Another run has taken over the hosted zone.',
  gone: 'The hosted zone is gone.',
} as const;

/** True when no further batch is to be begun. */
export function isStopped({ progress }: Of): boolean {
  return progress.ending.stop !== null;
}

/** Ends the run before its plan is done: no further batch is begun. */
export function stopRun(run: Of, kind: Stop['kind'], message: string): void {
  run.progress.note({ ending: { stop: { kind, message } } });
}

/** The same, where there is one thing to say. */
export function endRun(run: Of, kind: keyof typeof STOPPED_WORDS): void {
  stopRun(run, kind, STOPPED_WORDS[kind]);
}

/** Notes that another run is needed, at the latest so many seconds from now. */
export function runAgain(run: Of, afterSeconds: number): void {
  const { againAfterSeconds } = run.progress.ending;
  run.progress.note({ ending: { againAfterSeconds: Math.min(againAfterSeconds ?? afterSeconds, afterSeconds) } });
}

/** A denied call is for people to mend: there is no hurry to try again. */
export function askAfterDenial(run: Of): void {
  runAgain(run, 300);
}

/** Leaves names to the next run, at once. */
export function leaveOver(run: Of): void {
  run.progress.note({ ending: { leftOver: true } });
  runAgain(run, 0);
}

/** Notes that the hosted zone is full. */
export function noteFull(run: Of, full: NonNullable<Ending['full']>): void {
  run.progress.note({ ending: { full } });
}

/** Notes that a batch waits for room for so many record sets. */
export function noteWithoutRoom(run: Of, growth: number): void {
  run.progress.note({ ending: { waiting: Math.min(growth, run.progress.ending.waiting ?? growth) } });
}

/** Counts calls that are denied, one after the other; any other begins anew. */
export function countDenied(run: Of, isDenied: boolean): void {
  run.progress.note({ calls: { denied: isDenied ? run.progress.calls.denied + 1 : 0 } });
}

/** Counts the calls that were refused or denied. */
export function countRefused(run: Of): void {
  run.progress.note({ calls: { refused: run.progress.calls.refused + 1 } });
}

/** True when this run is to make no call more for the sake of what Route 53 refuses. */
export function hasRefusedEnough({ progress: { calls } }: Of): boolean {
  return calls.refused >= calls.refusedMax;
}

/** Allows some refused calls more, for what was refused before. */
export function allowMoreRefused(run: Of): void {
  run.progress.note({ calls: { refusedMax: run.progress.calls.refused + REFUSED_AGAIN_CALLS_MAX } });
}

/** Counts the foreign record sets that were looked at. */
export function countForeignLook(run: Of): void {
  run.progress.note({ calls: { foreignLooks: run.progress.calls.foreignLooks + 1 } });
}
