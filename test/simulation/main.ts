// npm run simulation -- [--seeds 10000] [--first 1] [--seed 123] [--sabotage [NAME]] [--threads 2]; npm run soak: until stopped.
// Seeds are spread over threads. The first failures are printed with their seed, the end of their trace, and the command
// that replays them; what was never reached is printed too, and fails the run.
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { neverReached } from './coverage.ts';
import { REGRESSIONS } from './regressions.ts';
import { SABOTAGES } from './sabotages.ts';
import { simulate } from './simulate.ts';

type Job = { readonly first: number; readonly step: number; readonly seeds: number; readonly sabotage: string | null };
type Message =
  | { readonly kind: 'failed'; readonly seed: number; readonly invariant: string; readonly message: string }
  | { readonly kind: 'done'; readonly ran: number; readonly seen: [string, number][]; readonly roundsMax: number };

/** Failures that are printed whole, and after which the rest is only counted. */
const SHOWN_MAX = 3;
const TRACE_LINES_MAX = 120;
/** Seeds from which every kind of trouble must have been met. */
const COVERAGE_SEEDS_MIN = 2_000;
const SEEDS_DEFAULT = 10_000;

async function work(job: Job): Promise<void> {
  const sabotage = SABOTAGES.find(({ name }) => name === job.sabotage) ?? null;
  const seen = new Map<string, number>();
  let ran = 0;
  let roundsMax = 0;
  for (let seed = job.first; ran < job.seeds; seed += job.step) {
    let result = await simulate(seed, { sabotage });
    // What fails by itself proves nothing about the sabotage.
    if (sabotage !== null && result.violation !== null && (await simulate(seed)).violation !== null)
      result = { ...result, violation: null };
    ran += 1;
    roundsMax = Math.max(roundsMax, result.rounds);
    for (const [what, count] of result.seen) seen.set(what, (seen.get(what) ?? 0) + count);
    const { violation } = result;
    if (violation === null) continue;
    parentPort?.postMessage({ kind: 'failed', seed, ...violation } satisfies Message);
    if (sabotage !== null) break;
  }
  parentPort?.postMessage({ kind: 'done', ran, seen: [...seen], roundsMax } satisfies Message);
}

type Outcome = {
  ran: number;
  failures: Extract<Message, { kind: 'failed' }>[];
  seen: Map<string, number>;
  roundsMax: number;
};

function runJobs(threads: number, first: number, seeds: number, sabotage: string | null): Promise<Outcome> {
  const outcome: Outcome = { ran: 0, failures: [], seen: new Map(), roundsMax: 0 };
  const one = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const share = Math.ceil((seeds - index) / threads);
      const job: Job = { first: first + index, step: threads, seeds: share, sabotage };
      const worker = new Worker(new URL(import.meta.url), { workerData: job });
      worker.on('message', (message: Message) => {
        if (message.kind === 'failed') return void outcome.failures.push(message);
        outcome.ran += message.ran;
        outcome.roundsMax = Math.max(outcome.roundsMax, message.roundsMax);
        for (const [what, count] of message.seen) outcome.seen.set(what, (outcome.seen.get(what) ?? 0) + count);
      });
      worker.on('error', reject);
      worker.on('exit', () => resolve());
    });
  return Promise.all(Array.from({ length: threads }, (_, index) => one(index))).then(() => outcome);
}

async function show(seed: number, sabotage: string | null): Promise<boolean> {
  const result = await simulate(seed, {
    trace: true,
    sabotage: SABOTAGES.find(({ name }) => name === sabotage) ?? null,
  });
  if (result.violation === null) {
    console.log(`seed ${seed}: nothing wrong, ${result.rounds} sweeps until quiet`);
    return true;
  }
  const { invariant, message } = result.violation;
  console.log(`\nseed ${seed} breaks ${invariant}: ${message}`);
  const left = result.trace.length - TRACE_LINES_MAX;
  if (left > 0) console.log(`… ${left} lines of trace before (--whole shows all)`);
  console.log((process.argv.includes('--whole') ? result.trace : result.trace.slice(-TRACE_LINES_MAX)).join('\n'));
  console.log(`replay: npm run simulation -- --seed ${seed}${sabotage === null ? '' : ` --sabotage '${sabotage}'`}`);
  return false;
}

async function seedsWithoutSabotage(threads: number, first: number, seeds: number): Promise<boolean> {
  let fine = true;
  for (const { seed, was } of REGRESSIONS) {
    if ((await simulate(seed)).violation === null) continue;
    console.log(`regression: ${was}`);
    fine = (await show(seed, null)) && fine;
  }
  const beganMs = Date.now();
  const outcome = await runJobs(threads, first, seeds, null);
  const seconds = (Date.now() - beganMs) / 1_000;
  for (const { seed } of outcome.failures.toSorted((a, b) => a.seed - b.seed).slice(0, SHOWN_MAX))
    await show(seed, null);
  for (const { seed, invariant, message } of outcome.failures.slice(SHOWN_MAX))
    console.log(`seed ${seed} breaks ${invariant}: ${message.split('\n')[0]}`);
  const missing = outcome.ran < COVERAGE_SEEDS_MIN ? [] : neverReached(outcome.seen);
  for (const what of missing) console.log(`never reached: ${what}`);
  console.log(
    `${outcome.ran} seeds from ${first} in ${seconds.toFixed(0)} s (${(outcome.ran / seconds).toFixed(0)}/s, ${threads} threads), ` +
      `${outcome.failures.length} violations, quiet after at most ${outcome.roundsMax} sweeps`,
  );
  return fine && outcome.failures.length === 0 && missing.length === 0;
}

async function sabotaged(threads: number, first: number, seeds: number, only: string): Promise<boolean> {
  let missed = 0;
  const chosen = only === '' ? SABOTAGES : SABOTAGES.filter(({ name }) => name === only);
  for (const { name } of chosen) {
    const { failures, ran } = await runJobs(threads, first, seeds, name);
    const found = failures.toSorted((a, b) => a.seed - b.seed)[0];
    if (found === undefined) missed += 1;
    const how =
      found === undefined
        ? `NOT FOUND in ${ran} seeds`
        : `${found.invariant}, seed ${found.seed}: ${found.message.split('\n')[0]}`;
    console.log(`${name}: ${how.slice(0, 200)}`);
  }
  console.log(`${chosen.length} sabotages, ${chosen.length - missed} found`);
  return chosen.length > 0 && missed === 0;
}

async function main(): Promise<boolean> {
  const args = process.argv.slice(2).flatMap((arg, index, all) => {
    const bare = arg === '--sabotage' && (all[index + 1] === undefined || all[index + 1]?.startsWith('--'));
    return bare ? ['--sabotage='] : [arg];
  });
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: String(SEEDS_DEFAULT) },
      first: { type: 'string', default: '1' },
      seed: { type: 'string' },
      sabotage: { type: 'string' },
      threads: { type: 'string', default: '2' },
      soak: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
    },
  });
  const [seeds, first, threads] = [Number(values.seeds), Number(values.first), Number(values.threads)];
  if (values.seed !== undefined) return show(Number(values.seed), values.sabotage || null);
  if (values.sabotage !== undefined) return sabotaged(threads, first, seeds, values.sabotage);
  if (!values.soak) return seedsWithoutSabotage(threads, first, seeds);
  for (let from = first; ; from += seeds) if (!(await seedsWithoutSabotage(threads, from, seeds))) return false;
}

if (isMainThread) process.exitCode = (await main()) ? 0 : 1;
else await work(workerData as Job);
