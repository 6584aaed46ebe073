// The simulation, with as many seeds as a commit has time for: the seeds from 1 on, then the sabotages that are found
// soonest, which show that the simulation still finds faults. `npm run simulation` runs more.
import { describe, expect, test } from 'vitest';
import { WANTED } from './coverage.ts';
import { FOUND_BY, SABOTAGES } from './sabotages.ts';
import { simulate } from './simulate.ts';
import { calmed } from './swarm.ts';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 30);
const PARTS = 2;
const CALM_SEEDS = 5;
/** Sabotages that a few seeds always find. */
const SOON: readonly string[] = [
  'conditions of ledger writes are ignored',
  'write intents are lost',
  'dirty marks are lost',
  'messages to publish are lost',
  'messages to report are lost',
];
const SOON_SEEDS = 60;

describe('simulate()', () => {
  test(`nothing goes wrong without a fault, ${CALM_SEEDS} seeds`, async () => {
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

  test('one seed always gives the same trace', async () => {
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

  test('no two sabotages and no two counters have the same name', () => {
    expect(new Set(SABOTAGES.map(({ name }) => name)).size).toBe(SABOTAGES.length);
    expect(Object.keys(FOUND_BY).filter((name) => !SABOTAGES.some((one) => one.name === name))).toEqual([]);
    expect(new Set(WANTED).size).toBe(WANTED.length);
    expect(SABOTAGES.length).toBeGreaterThanOrEqual(15);
  });
});
