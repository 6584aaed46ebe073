// Keeps the memory of a process close to its live data, for the command and for the function that sweeps. By default,
// V8 collects the old generation only at up to four times its live data, and lets the young one grow to 128 MiB: an
// `apply` of 10,000 Records then peaks at 1.5 times as much, with hardly less CPU. A young generation of V8's initial
// size costs a quarter more CPU, because garbage is then promoted (docs/benchmarks.md). The flags of V8 may be set at
// run time in Node 24.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How much the old generation may grow between two collections, besides what is made while V8 marks. At 40 in place of
 * 20, an `apply` of 100,000 Records peaks 30 MiB higher with as much CPU, and one of 10,000 takes 7 % less CPU.
 */
const GROWTH_PERCENT = 20;
/** The same for a large process, in which more is garbage: a `local` of 100,000 Records peaks some 20 MiB lower. */
const GROWTH_PERCENT_LARGE = 12;
const MIB = 1024 * 1024;
/** Objects of a round: enough that some survive a collection, so that V8 lets the young generation grow. */
const OBJECTS = 20_000;
const ROUNDS_MAX = 20;
/** Whether this process is kept small. In any other, such as one with many tests, a collection of all takes seconds. */
let isKept = false;

/**
 * Sets the flags from now on. The young generation (both halves) grows to `youngMiB` at once and no further: V8 does
 * not take its size at run time. Without `youngMiB` it stays as large as loading the modules made it.
 */
export function keepHeapSmall(youngMiB = 0): void {
  isKept = true;
  growYoung(youngMiB);
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** A smaller process has little to give back. */
const GIVES_BACK_FROM_MIB = 224;

/**
 * Gives memory back to the operating system, in a large process that is kept small and has just let go of much. V8
 * keeps the pages of what it collected for itself, and what it makes next may not fit them: an `apply` of 100,000
 * Records kept 90 MiB.
 */
export function giveBack(): void {
  if (!isKept || process.memoryUsage.rss() < GIVES_BACK_FROM_MIB * MIB) return;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // Such a collection shrinks the young generation, too.
  growYoung(YOUNG_MIB);
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT_LARGE}`);
}

function growYoung(youngMiB: number): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  for (let round = 0; round < ROUNDS_MAX && youngBytes() < youngMiB * MIB; round += 1)
    Array.from({ length: OBJECTS }, (_, index) => [index]);
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** The size of the command's young generation. */
export const YOUNG_MIB = 16;

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
