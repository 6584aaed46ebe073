// The simulation, as many seeds as a commit has time for: `npm run simulation` goes on after them.
// First the seeds that once failed; then a stretch of others; and of the sabotages those that show soonest, so that a
// simulation that finds nothing any more is noticed here.
import { describe, expect, test } from 'vitest';
import { WANTED } from './coverage.ts';
import { REGRESSIONS } from './regressions.ts';
import { SABOTAGES } from './sabotages.ts';
import { simulate } from './simulate.ts';
import { calmed } from './swarm.ts';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 30);
const PARTS = 2;
const CALM_SEEDS = 5;
/** Sabotages that any few seeds find. */
const SOON: readonly string[] = [
  'conditions of ledger writes are ignored',
  'intents are lost',
  'dirty marks are lost',
  'messages to publish are lost',
  'messages to report are lost',
];
const SOON_SEEDS = 60;

describe('simulate()', () => {
  test.each(REGRESSIONS)('seed $seed: $was', async ({ seed }) => {
    expect((await simulate(seed)).violation).toBe(null);
  });

  test(`nothing goes wrong all by itself, ${CALM_SEEDS} seeds without a fault`, async () => {
    for (let seed = 1; seed <= CALM_SEEDS; seed += 1) {
      const { violation } = await simulate(seed, { swarm: calmed });
      expect(violation, `seed ${seed}, without faults`).toBe(null);
    }
  }, 120_000);

  test.each(Array.from({ length: PARTS }, (_, part) => part))(
    `every invariant holds, ${SEEDS} seeds, part %i of ${PARTS}`,
    async (part) => {
      for (let seed = 1 + part; seed <= SEEDS; seed += PARTS) {
        const { violation } = await simulate(seed);
        expect(violation, `replay: npm run simulation -- --seed ${seed}`).toBe(null);
      }
    },
    120_000,
  );

  test('one seed is one story', async () => {
    const [once, again] = [await simulate(7, { trace: true }), await simulate(7, { trace: true })];
    expect(again.trace).toEqual(once.trace);
    expect(once.trace.length).toBeGreaterThan(100);
  });

  test.each(SOON)('finds that %s', async (name) => {
    const sabotage = SABOTAGES.find((one) => one.name === name);
    expect(sabotage).toBeDefined();
    let found = null;
    for (let seed = 1; seed <= SOON_SEEDS && found === null; seed += 1) {
      found = (await simulate(seed, { sabotage: sabotage ?? null })).violation;
    }
    expect(found).not.toBe(null);
  });

  test('sabotages and counters have names of their own', () => {
    expect(new Set(SABOTAGES.map(({ name }) => name)).size).toBe(SABOTAGES.length);
    expect(new Set(WANTED).size).toBe(WANTED.length);
    expect(SABOTAGES.length).toBeGreaterThanOrEqual(15);
  });
});
