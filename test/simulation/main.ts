// npm run simulation -- --help; npm run soak runs until it is stopped.
// The first failures are printed with their seed, the end of their trace, and the command that replays them. Situations
// that no seed reached are printed too, and fail the run.
import { Command, InvalidArgumentError, Option } from 'commander';
import { neverReached } from './coverage.ts';
import { REGRESSIONS } from './regressions.ts';
import { proveSabotages, runSeedsInThreads } from './run-seeds.ts';
import { SABOTAGES } from './sabotages.ts';
import { simulate } from './simulate.ts';
import { calmed } from './swarm.ts';

/** Failures that are printed in full. Further ones are only counted. */
const SHOWN_MAX = 3;
const TRACE_LINES_MAX = 120;
/** From so many seeds on, every wanted situation must have been reached. */
const COVERAGE_SEEDS_MIN = 2_000;
const SEEDS_DEFAULT = 10_000;
/** `npm run laws` runs those below. */
const FIRST_DEFAULT = 31;

async function show(
  seed: number,
  sabotage: string | null,
  { whole = false, calm = false }: Partial<Options>,
): Promise<boolean> {
  const result = await simulate(seed, {
    trace: true,
    sabotage: SABOTAGES.find(({ name }) => name === sabotage) ?? null,
    ...(calm ? { swarm: calmed } : {}),
  });
  if (result.violation === null) {
    console.log(`seed ${seed}: nothing wrong, ${result.rounds} sweeps until quiet`);
    return true;
  }
  const { invariant, message } = result.violation;
  console.log(`\nseed ${seed} breaks ${invariant}: ${message}`);
  const once = REGRESSIONS.find((regression) => regression.seed === seed);
  if (once !== undefined) console.log(`it once failed because ${once.was}`);
  const left = result.trace.length - TRACE_LINES_MAX;
  if (left > 0 && !whole) console.log(`… ${left} lines of trace before (--whole shows all)`);
  console.log((whole ? result.trace : result.trace.slice(-TRACE_LINES_MAX)).join('\n'));
  const how = `${calm ? ' --calm' : ''}${sabotage === null ? '' : ` --sabotage '${sabotage}'`}`;
  console.log(`replay: npm run simulation -- --seed ${seed}${how}`);
  return false;
}

async function holds(threads: number, seeds: readonly number[], calm: boolean): Promise<boolean> {
  const beganMs = Date.now();
  const { ran, failures, seen, roundsMax } = await runSeedsInThreads(threads, seeds, calm);
  const seconds = (Date.now() - beganMs) / 1_000;
  for (const { seed } of failures.slice(0, SHOWN_MAX)) await show(seed, null, { calm });
  for (const { seed, invariant, message } of failures.slice(SHOWN_MAX))
    console.log(`seed ${seed} breaks ${invariant}: ${message.split('\n')[0]}`);
  const missing = calm || ran < COVERAGE_SEEDS_MIN ? [] : neverReached(seen);
  for (const what of missing) console.log(`never reached: ${what}`);
  console.log(
    `${ran} seeds up to ${seeds.at(-1)} in ${seconds.toFixed(0)} s (${(ran / seconds).toFixed(0)}/s, ${threads} threads), ` +
      `${failures.length} violations, quiet after at most ${roundsMax} sweeps`,
  );
  return failures.length === 0 && missing.length === 0;
}

async function findsSabotages(threads: number, first: number, seeds: number, only: string): Promise<boolean> {
  const names = SABOTAGES.map(({ name }) => name).filter((name) => only === '' || name === only);
  const beganMs = Date.now();
  const proofs = await proveSabotages(threads, first, seeds, names, ({ name, found, ran }) => {
    const how =
      found === null
        ? `NOT FOUND in ${ran} seeds`
        : `${ran} seeds, ${found.invariant}: ${found.message.split('\n')[0]?.slice(0, 120)} (--seed ${found.seed})`;
    console.log(`${name}: ${how}`);
  });
  const found = proofs.filter((proof) => proof.found !== null).length;
  const ran = proofs.reduce((sum, proof) => sum + proof.ran, 0);
  const seconds = (Date.now() - beganMs) / 1_000;
  console.log(`${names.length} sabotages, ${found} found, in ${ran} seeds and ${seconds.toFixed(0)} s`);
  return names.length > 0 && found === names.length;
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

type Options = {
  readonly seeds: number;
  readonly first?: number;
  readonly seed?: number;
  readonly sabotage?: string | true;
  readonly threads: number;
  readonly soak?: true;
  readonly whole?: boolean;
  readonly calm?: boolean;
};

async function main(): Promise<boolean> {
  const { seeds, threads, ...values } = new Command('npm run simulation --')
    .description(
      'The real use cases over ports that fail, each seed a world of its own; exits 1 where an invariant breaks.',
    )
    .option('--seeds <count>', 'how many', whole, SEEDS_DEFAULT)
    .option(
      '--first <seed>',
      `the first of them (default: those that once failed, then from ${FIRST_DEFAULT} on)`,
      whole,
    )
    .option('--threads <count>', 'threads to share them', whole, 2)
    .option('--seed <seed>', 'only this one, with its trace where it fails', whole)
    .option('--calm', 'without a fault')
    .option('--whole', 'the whole of a trace, not its end')
    .addOption(
      new Option('--sabotage [name]', 'weaken a safeguard, or one after the other, until a seed finds it').choices(
        SABOTAGES.map(({ name }) => name),
      ),
    )
    .option('--soak', 'go on until stopped')
    .addHelpText(
      'after',
      "\n  npm run simulation -- --seed 123 --whole\n  npm run simulation -- --sabotage 'write intents are lost'",
    )
    .parse()
    .opts<Options>();
  const first = values.first ?? FIRST_DEFAULT;
  if (values.seed !== undefined)
    return show(values.seed, typeof values.sabotage === 'string' ? values.sabotage : null, values);
  if (values.sabotage !== undefined)
    return findsSabotages(threads, first, seeds, values.sabotage === true ? '' : values.sabotage);
  const calm = values.calm === true;
  const before = values.first === undefined ? REGRESSIONS.map(({ seed }) => seed) : [];
  const from = (start: number) => Array.from({ length: seeds }, (_, index) => start + index);
  if (values.soak !== true) return holds(threads, [...before, ...from(first)], calm);
  for (let start = first; ; start += seeds) if (!(await holds(threads, from(start), calm))) return false;
}

process.exitCode = (await main()) ? 0 : 1;
