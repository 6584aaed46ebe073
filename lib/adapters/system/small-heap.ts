// Keeps the memory of a process near what it holds: of the command, and of the function that sweeps. By itself, V8 collects an old
// generation only when it is up to four times what lives in it, and lets the young one grow: an `apply` of 10,000 Records then
// peaks at 1.5 times as much, and uses hardly less CPU (docs/benchmarks.md). Flags of V8 that Node 24 takes at run time.
import { setFlagsFromString } from 'node:v8';

/** How much an old generation may grow between two collections. */
const GROWTH_PERCENT = 40;

/** From now on. The young generation stays as large as loading the modules has made it. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
