// A TXT is wanted where external-dns notes the owner of an A of the same name. The wanted one replaces it, wherever a
// run dies, and only if external-dns does not need it.
import { expect, test } from 'vitest';
import {
  APEX,
  intercepted,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { CLAIM, put, REGISTRY } from '../../../test/fakes/shared-text.ts';
import { sweepContext } from '../../../test/fakes/sweep-world.ts';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { DEFAULT_CONFIG } from '../../ports/config.ts';
import { sweepHostedZone } from '../../sweep/sweep-hosted-zone.ts';

const W = `w.${APEX}`;
const SPF = wanted(W, 'TXT', ['"v=spf1 -all"']);
const A = wanted(W, 'A', ['192.0.2.1']);
const OURS = [`${W} A 192.0.2.1 300`, `${W} TXT "v=spf1 -all" 300`];

/** external-dns owns an A, by the TXT record at its name; no prefix. */
async function migrating(address: string): Promise<PublishWorld> {
  const world = await publishWorld({ config: { externalDns: [{ ...REGISTRY, txtPrefix: '' }] } });
  put(world, W, 'A', address);
  put(world, W, 'TXT', CLAIM);
  return world;
}

/** A run that dies at its call number `at`, before or after the call. False if it makes fewer calls. */
async function runsAndDies(world: PublishWorld, at: number, isAfter: boolean): Promise<boolean> {
  let calls = 0;
  const dying = intercepted(world.deps, async (_, __, call) => {
    calls += 1;
    if (calls < at) return call();
    if (isAfter && calls === at) await call();
    throw new Error('the run died');
  });
  return run({ ...world, deps: dying }).then(
    () => false,
    () => true,
  );
}

/** The same, and then runs until nothing is left to do. */
async function runsAfterDeath(world: PublishWorld, at: number, isAfter: boolean): Promise<boolean> {
  const hasDied = await runsAndDies(world, at, isAfter);
  for (let round = 0; round < 3; round += 1) {
    world.clock.ms += 70_000;
    await run(world);
  }
  return hasDied;
}

test.each([
  ['equal', '192.0.2.1', true],
  ['equal', '192.0.2.1', false],
  ['another', '192.0.2.9', true],
  ['another', '192.0.2.9', false],
])(
  'publish() replaces the TXT record wherever a run dies: %s content, %s, after the call: %s',
  async (_, address, isAfter) => {
    for (let at = 1; ; at += 1) {
      const world = await migrating(address);
      await want(world, W, A, SPF);
      const hasDied = await runsAfterDeath(world, at, isAfter);
      expect([at, standing(world)]).toEqual([at, OURS]);
      if (!hasDied) break;
    }
  },
);

test('publish() leaves the TXT record while external-dns owns the A, and replaces it when the A is taken over', async () => {
  const world = await migrating('192.0.2.9');
  await want(world, W, SPF);
  await run(world);
  expect(standing(world)).toEqual([`${W} A 192.0.2.9 300`, `${W} TXT ${CLAIM} 300`]);
  await want(world, W, A, SPF);
  await run(world);
  expect(standing(world)).toEqual(OURS);
});

const THEIR_A = '192.0.2.9';

/** Objects, external-dns, deaths and time in random order; then quiet. */
async function history(seed: number): Promise<{ readonly steps: readonly string[]; readonly world: PublishWorld }> {
  const random = seededRandom(seed);
  const steps: string[] = [];
  const world = await publishWorld({ config: { externalDns: [{ ...REGISTRY, txtPrefix: '' }] } });
  const has = (type: string, value: string) => standing(world).some((one) => one.startsWith(`${W} ${type} ${value}`));
  const acts = {
    wantNothing: () => want(world, W),
    wantA: () => want(world, W, A),
    wantText: () => want(world, W, SPF),
    wantBoth: () => want(world, W, A, SPF),
    externalDnsWrites: async () => {
      if (standing(world).length > 0) return;
      put(world, W, 'A', THEIR_A);
      put(world, W, 'TXT', CLAIM);
    },
    externalDnsDeletes: async () => {
      if (!has('A', THEIR_A) || !has('TXT', CLAIM)) return;
      put(world, W, 'A', null);
      put(world, W, 'TXT', null);
    },
    dies: () => runsAndDies(world, 1 + random.below(25), random.next() < 0.5),
    runs: () => run(world),
    time: async () => {
      world.clock.ms += 70_000;
    },
  };
  for (let step = 0; step < 14; step += 1) {
    const act = random.pick(Object.keys(acts) as (keyof typeof acts)[]);
    steps.push(act);
    await acts[act]();
  }
  return { steps, world };
}

async function quiet(world: PublishWorld): Promise<void> {
  const externalDns = [{ ...REGISTRY, txtPrefix: '', aesKeySecret: null }];
  const config = { ...DEFAULT_CONFIG, takeover: { namespaces: null, equal: false, externalDns } };
  for (let round = 0; round < 6; round += 1) {
    world.clock.ms += 26 * 3_600_000;
    await sweepHostedZone(sweepContext(world, config), ZONE_ID, { retryRefused: true });
    await run(world);
  }
}

test('publish() ends with what is wanted, and with what external-dns owns, after any history (300 seeds)', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const { steps, world } = await history(seed);
    const wish = steps.findLast((step) => step.startsWith('want')) ?? 'wantNothing';
    await quiet(world);
    const theirs = [`${W} A ${THEIR_A} 300`, `${W} TXT ${CLAIM} 300`];
    const isTheirs = standing(world).includes(theirs[0] ?? '');
    const expected = { wantNothing: [], wantA: OURS.slice(0, 1), wantText: OURS.slice(1), wantBoth: OURS }[wish];
    const mayStay = isTheirs && (wish === 'wantNothing' || wish === 'wantText');
    expect([seed, wish, steps.join(' '), standing(world)]).toEqual([
      seed,
      wish,
      steps.join(' '),
      mayStay ? theirs : expected,
    ]);
  }
});
