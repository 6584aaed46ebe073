// What a run of publish has done so far, and why it ends before its plan is done. Only the functions of this file and
// of run.ts change it. A value read from it never changes afterwards.
import type { Protection } from '../../ports/hosted-zones.ts';
import type { ChangeOutcome } from './outcome.ts';

/**
 * How many refused calls a run makes for changes that were never refused before, and how many more for the others. At
 * the default budget both take some seconds: refusals delay whoever waits for the run by no more than that.
 */
const REFUSED_CALLS_MAX = 12;
const REFUSED_AGAIN_CALLS_MAX = 4;

/** What a run adds to the guard's counts: of its hosted zone, or of one namespace there. */
export type Tallies = {
  readonly published: number;
  /** `sinceMs`: the time at which it was counted before, if it was. */
  readonly deletions: readonly { readonly atMs: number; readonly count: number; readonly sinceMs?: number | null }[];
};

/** A change of the counts of one namespace. */
export type Tally = Tallies & { readonly namespace: string };

const NOTHING: Tallies = { published: 0, deletions: [] };

function added(all: Tallies, { published, deletions }: Tallies): Tallies {
  return { published: all.published + published, deletions: [...all.deletions, ...deletions] };
}

/** Why a run ends before its plan is done. `lost`: another run has the lease. */
type Stop = { readonly kind: 'lost' | 'throttled' | 'gone' | 'denied' | 'late'; readonly message: string };

/** Counts of calls of Route 53 that changed nothing. */
type Calls = {
  /** Denied calls in a row. */
  readonly denied: number;
  /** Calls that were refused or denied, and after how many of them the run leaves the rest to the next run. */
  readonly refused: number;
  readonly refusedMax: number;
  /** Changes that were never refused are through; those that were are tried again. */
  readonly areAgain: boolean;
  /** Foreign record sets that were read for a message. */
  readonly foreignLooks: number;
};

/** How the run ends, and what it leaves to the next one. */
type Ending = {
  readonly stop: Stop | null;
  /** How soon another run is needed; null: none is needed. */
  readonly againAfterSeconds: number | null;
  /** Names are left over, and the next run begins to read behind the names of this one. */
  readonly leftOver: boolean;
  /** The hosted zone is full: the message, and the fewest additions refused, counted from the run's start. */
  readonly full: { readonly message: string; readonly growth: number } | null;
  /** The fewest record sets of a batch that wait for room; null: none does. */
  readonly waiting: number | null;
  /** The message of the last call that was denied; null: none was. */
  readonly denied: string | null;
};

export type Progress = {
  /** In the order in which they were noted. The last outcome of a change counts. */
  readonly outcomes: ChangeOutcome[];
  readonly tallies: Tallies;
  /** The same for each namespace, as far as it is not saved yet. */
  readonly talliesOf: ReadonlyMap<string, Tallies>;
  readonly calls: Calls;
  readonly ending: Ending;
  /** The protections of the hosted zone, as listed for the present batch; null: they were not. */
  readonly protections: readonly Protection[] | null;
  noteProtections(listed: readonly Protection[] | null): void;
  addTally(tally: Tally): void;
  /** The tallies of namespaces, which are saved from here on. */
  takeTallies(): ReadonlyMap<string, Tallies>;
  note(news: { readonly calls?: Partial<Calls>; readonly ending?: Partial<Ending> }): void;
};

type Of = { readonly progress: Progress };

/** `corrections`: what the saved numbers of namespaces lack. */
export function newProgress(corrections: ReadonlyMap<string, Tallies> = new Map()): Progress {
  let tallies = NOTHING;
  const talliesOf = new Map(corrections);
  let calls: Calls = {
    denied: 0,
    refused: 0,
    refusedMax: REFUSED_CALLS_MAX,
    areAgain: false,
    foreignLooks: 0,
  };
  let protections: readonly Protection[] | null = null;
  let ending: Ending = {
    stop: null,
    againAfterSeconds: null,
    leftOver: false,
    full: null,
    waiting: null,
    denied: null,
  };
  return {
    outcomes: [],
    get tallies() {
      return tallies;
    },
    get calls() {
      return calls;
    },
    get ending() {
      return ending;
    },
    get protections() {
      return protections;
    },
    noteProtections: (listed) => {
      protections = listed;
    },
    talliesOf,
    addTally: ({ namespace, ...tally }) => {
      tallies = added(tallies, tally);
      talliesOf.set(namespace, added(talliesOf.get(namespace) ?? NOTHING, tally));
    },
    takeTallies: () => {
      const taken = [...talliesOf].filter(([, one]) => one.published !== 0 || one.deletions.length > 0);
      talliesOf.clear();
      return new Map(taken);
    },
    note: (news) => {
      calls = { ...calls, ...news.calls };
      ending = { ...ending, ...news.ending };
    },
  };
}

const STOPPED_WORDS = {
  lost: 'Another run has taken over the hosted zone.',
  gone: 'The hosted zone no longer exists.',
} as const;

/** True when no further batch is to be begun. */
export function isStopped({ progress }: Of): boolean {
  return progress.ending.stop !== null;
}

/** Ends the run before its plan is done: no further batch is begun. */
export function stopRun(run: Of, kind: Stop['kind'], message: string): void {
  run.progress.note({ ending: { stop: { kind, message } } });
}

/** The same, with the message that belongs to the kind. */
export function endRun(run: Of, kind: keyof typeof STOPPED_WORDS): void {
  stopRun(run, kind, STOPPED_WORDS[kind]);
}

/** Notes that another run is needed, at the latest so many seconds from now. */
export function runAgain(run: Of, afterSeconds: number): void {
  const { againAfterSeconds } = run.progress.ending;
  run.progress.note({ ending: { againAfterSeconds: Math.min(againAfterSeconds ?? afterSeconds, afterSeconds) } });
}

/** Notes that another run is needed after a denied call. People must mend the permissions, so it is not urgent. */
export function askAfterDenial(run: Of): void {
  runAgain(run, 300);
}

/**
 * Leaves the remaining names to the next run, which follows at once; but after a pause if every change that was tried
 * again was denied.
 */
export function leaveOver(run: Of): void {
  const { denied, areAgain } = run.progress.calls;
  run.progress.note({ ending: { leftOver: true } });
  if (areAgain && denied >= REFUSED_AGAIN_CALLS_MAX) askAfterDenial(run);
  else runAgain(run, 0);
}

export function noteFull(run: Of, full: NonNullable<Ending['full']>): void {
  run.progress.note({ ending: { full } });
}

/** Notes that a batch waits for room for `growth` record sets. */
export function noteWithoutRoom(run: Of, growth: number): void {
  run.progress.note({ ending: { waiting: Math.min(growth, run.progress.ending.waiting ?? growth) } });
}

/** Counts denied calls in a row. Any other outcome sets the count to zero. `message`: null if it was not denied. */
export function countDenied(run: Of, message: string | null): void {
  const denied = message === null ? 0 : run.progress.calls.denied + 1;
  run.progress.note({ calls: { denied }, ...(message !== null && { ending: { denied: message } }) });
}

/** Counts one call that was refused or denied. */
export function countRefused(run: Of): void {
  run.progress.note({ calls: { refused: run.progress.calls.refused + 1 } });
}

export function hasRefusedEnough({ progress: { calls } }: Of): boolean {
  return calls.refused >= calls.refusedMax;
}

/** Allows some more refused calls, for changes that were refused before. */
export function allowMoreRefused(run: Of): void {
  const refusedMax = run.progress.calls.refused + REFUSED_AGAIN_CALLS_MAX;
  run.progress.note({ calls: { refusedMax, areAgain: true } });
}

/** Counts one foreign record set that was read for a message. */
export function countForeignLook(run: Of): void {
  run.progress.note({ calls: { foreignLooks: run.progress.calls.foreignLooks + 1 } });
}
