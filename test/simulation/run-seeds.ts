// Runs seeds in several threads: a list of seeds shared by all threads, or one sabotage after another, each until it is
// found.
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { FOUND_BY, SABOTAGES } from './sabotages.ts';
import { simulate } from './simulate.ts';
import { calmed } from './swarm.ts';

type Job =
  | { readonly kind: 'seeds'; readonly seeds: readonly number[]; readonly calm: boolean }
  | { readonly kind: 'sabotage'; readonly name: string; readonly first: number; readonly seeds: number };

type Failure = { readonly seed: number; readonly invariant: string; readonly message: string };
export type Outcome = {
  readonly ran: number;
  readonly failures: readonly Failure[];
  /** Counters of what was reached (coverage.ts). */
  readonly seen: ReadonlyMap<string, number>;
  /** The most sweeps that any seed took until nothing moved. */
  readonly roundsMax: number;
};

/** What a sabotage took to be found; `found` null: nothing did in `ran` seeds. */
export type Proof = { readonly name: string; readonly found: Failure | null; readonly ran: number };

async function runSeeds({ seeds, calm }: Extract<Job, { kind: 'seeds' }>): Promise<Outcome> {
  const seen = new Map<string, number>();
  const failures: Failure[] = [];
  let roundsMax = 0;
  for (const seed of seeds) {
    const result = await simulate(seed, calm ? { swarm: calmed } : {});
    roundsMax = Math.max(roundsMax, result.rounds);
    for (const [what, count] of result.seen) seen.set(what, (seen.get(what) ?? 0) + count);
    if (result.violation !== null) failures.push({ seed, ...result.violation });
  }
  return { ran: seeds.length, failures, seen, roundsMax };
}

async function runSabotage({ name, first, seeds }: Extract<Job, { kind: 'sabotage' }>): Promise<Proof> {
  const sabotage = SABOTAGES.find((one) => one.name === name) ?? null;
  let ran = 0;
  const foundBy = FOUND_BY[name];
  const soonest = foundBy === undefined ? [] : [foundBy];
  for (const seed of [...soonest, ...Array.from({ length: seeds }, (_, index) => first + index)]) {
    if (sabotage?.concerns?.(seed) === false) continue;
    ran += 1;
    const { violation } = await simulate(seed, { sabotage });
    // What fails by itself proves nothing about the sabotage.
    if (violation === null || violation.invariant !== (sabotage?.breaks ?? violation.invariant)) continue;
    if ((await simulate(seed)).violation !== null) continue;
    return { name, found: { seed, ...violation }, ran };
  }
  return { name, found: null, ran };
}

type Thread = { readonly run: <Result>(job: Job) => Promise<Result>; readonly end: () => Promise<unknown> };

/** A thread that does one job after another. */
function startThread(): Thread {
  const worker = new Worker(new URL(import.meta.url));
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        worker.removeAllListeners();
        worker.on('message', resolve);
        worker.on('error', reject);
        worker.on('exit', () => reject(new Error('a thread ended without a result')));
        worker.postMessage(job);
      }),
    end: () => worker.terminate(),
  };
}

/** Does something in so many threads, which end with it. */
async function inThreads<Result>(
  count: number,
  task: (thread: Thread, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const threads = Array.from({ length: count }, startThread);
  try {
    return await Promise.all(threads.map(task));
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/** Runs these seeds, spread over the threads; `calm`: without a fault. */
export async function runSeedsInThreads(threads: number, seeds: readonly number[], calm: boolean): Promise<Outcome> {
  const outcomes = await inThreads(threads, (thread, index) =>
    thread.run<Outcome>({ kind: 'seeds', seeds: seeds.filter((_, place) => place % threads === index), calm }),
  );
  const seen = new Map<string, number>();
  for (const outcome of outcomes)
    for (const [what, count] of outcome.seen) seen.set(what, (seen.get(what) ?? 0) + count);
  return {
    ran: outcomes.reduce((sum, { ran }) => sum + ran, 0),
    failures: outcomes.flatMap(({ failures }) => failures).toSorted((a, b) => a.seed - b.seed),
    seen,
    roundsMax: Math.max(...outcomes.map(({ roundsMax }) => roundsMax)),
  };
}

/**
 * Tries each sabotage until it is found: with the seed that once found it, if few seeds do, and with at most `seeds`
 * seeds from `first` on. `tell` is called as each ends.
 */
export async function proveSabotages(
  threads: number,
  first: number,
  seeds: number,
  names: readonly string[],
  tell: (proof: Proof) => void,
): Promise<readonly Proof[]> {
  const proofs: Proof[] = [];
  const waiting = [...names];
  await inThreads(threads, async (thread) => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const proof = await thread.run<Proof>({ kind: 'sabotage', name, first, seeds });
      proofs.push(proof);
      tell(proof);
    }
  });
  return proofs;
}

if (!isMainThread) {
  parentPort?.on('message', async (job: Job) => {
    parentPort?.postMessage(job.kind === 'seeds' ? await runSeeds(job) : await runSabotage(job));
  });
}
