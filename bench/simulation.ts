// How many seeds of the simulation (the whole pipeline under faults) this machine runs in a second, in one thread.
import { simulate } from '../test/simulation/simulate.ts';
import type { BenchResult } from './result.ts';
import { median, rounded, withSpread } from './statistics.ts';

const RUNS = 5;
const SEEDS_OF_A_RUN = 40;

/** Seeds a second: the median of five runs over the same seeds. It has no limit, because it depends on the machine. */
export async function benchSimulation(): Promise<BenchResult> {
  const perSecond: number[] = [];
  const cpuMs: number[] = [];
  // The first run warms up and is not counted.
  for (let run = -1; run < RUNS; run += 1) {
    const begunMs = performance.now();
    const cpu = process.cpuUsage();
    for (let seed = 1; seed <= SEEDS_OF_A_RUN; seed += 1) await simulate(seed);
    const used = process.cpuUsage(cpu);
    if (run < 0) continue;
    perSecond.push((SEEDS_OF_A_RUN * 1_000) / (performance.now() - begunMs));
    cpuMs.push((used.user + used.system) / 1_000 / SEEDS_OF_A_RUN);
  }
  return {
    name: 'simulation: seeds a second, one thread',
    rows: [
      {
        runs: RUNS,
        'seeds of a run': SEEDS_OF_A_RUN,
        'seeds/s': rounded(median(perSecond), 1),
        'seeds/s (spread)': withSpread(perSecond, 1),
        'CPU ms a seed': withSpread(cpuMs),
      },
    ],
    limits: [],
  };
}
