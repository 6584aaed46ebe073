// Keeps the memory of a process near what it holds: of the command, and of the function that sweeps. By itself, V8
// collects an old generation only when it is up to four times what lives in it, and lets the young one grow to 128 MiB:
// an `apply` of 10,000 Records then peaks at 1.5 times as much, and uses hardly less CPU. A young generation as small
// as V8 begins with costs a quarter more CPU: garbage then counts as what lives, and is collected with it
// (docs/benchmarks.md). Flags of V8 that Node 24 takes at run time.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** How much an old generation may grow between two collections. */
const GROWTH_PERCENT = 40;
const MIB = 1024 * 1024;
/** Objects of a round: enough to live through a collection, so that V8 lets the young generation grow. */
const OBJECTS = 20_000;
const ROUNDS_MAX = 20;

/**
 * From now on. The young generation, both halves of it, grows to `youngMiB` at once, and no further: V8 takes no size
 * of it while it runs. Without, it stays as large as loading the modules has made it.
 */
export function keepHeapSmall(youngMiB = 0): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  for (let round = 0; round < ROUNDS_MAX && youngBytes() < youngMiB * MIB; round += 1)
    Array.from({ length: OBJECTS }, (_, index) => [index]);
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** The young generation of the command. */
export const YOUNG_MIB = 16;

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
