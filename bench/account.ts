// What reading an account costs: a plan of 10,000 record sets that reads what Route 53 already has at the names that it
// would create, compared with the same plan without reading; and the import of a hosted zone of 10,000 record sets.
// Each runs three times, every time in a new process.
import { execFileSync } from 'node:child_process';
import type { AccountCost } from './account-process.ts';
import { atMost, type BenchResult } from './result.ts';
import { median } from './statistics.ts';

const SETS = 10_000;
const PAGE_SETS = 300;
const TIMES = 3;
const PROCESS = new URL('account-process.ts', import.meta.url).pathname;

function costsOf(what: string): AccountCost {
  const costs = Array.from({ length: TIMES }, () => {
    return JSON.parse(execFileSync(process.execPath, [PROCESS, what], { encoding: 'utf8' })) as AccountCost;
  });
  const middle = (of: (cost: AccountCost) => number) => median(costs.map(of));
  return {
    cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds),
    peakMiB: Math.max(...costs.map(({ peakMiB }) => peakMiB)),
    calls: middle(({ calls }) => calls),
    count: middle(({ count }) => count),
  };
}

/** Measures a plan, a plan that reads, and an import, of 10,000 record sets each. */
export async function benchAccount(): Promise<BenchResult> {
  const [plan, reading, imported] = ['plan', 'plan-reading', 'import'].map(costsOf) as [
    AccountCost,
    AccountCost,
    AccountCost,
  ];
  const row = (what: string, { cpuSeconds, peakMiB, calls, count }: AccountCost) => {
    return {
      what,
      'changes or objects': count,
      'CPU s': Number(cpuSeconds.toFixed(2)),
      'MiB at the peak': peakMiB,
      calls,
    };
  };
  const pages = Math.ceil(SETS / PAGE_SETS);
  return {
    name: `account: ${SETS} record sets`,
    rows: [row('plan', plan), row('plan that reads', reading), row('import', imported)],
    limits: [
      atMost('calls of a plan that reads, beyond those of one that does not', reading.calls - plan.calls, pages + 1),
      atMost('CPU of a plan that reads, times one that does not', reading.cpuSeconds / plan.cpuSeconds, 2),
      atMost('CPU seconds of an import', imported.cpuSeconds, 60),
      atMost('MiB at the peak of an import', imported.peakMiB, 512),
    ],
    notes: ['Route 53 is a double in the same process: all figures include it.'],
  };
}
