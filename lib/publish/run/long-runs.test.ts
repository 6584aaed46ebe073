// publish() with more changes than a few calls can carry: changes that come meanwhile wait for the end of the run.
import { expect, test } from 'vitest';
import {
  APEX,
  annotate,
  dirtyNames,
  hostedZone,
  publishWorld,
  run,
  standing,
  want,
  wanted,
} from '../../../test/fakes/publish-world.ts';

/** The calls of Route 53 that the default budget allows in five seconds. */
const RUN_CALLS_MAX = 20;
const MANY = 400;
/** So many that they need more batches of one change than a run sends. */
const SUSPECTS = 40;

const large = (index: number) => `large${String(index).padStart(4, '0')}.${APEX}`;

/** Five of these values fill a batch; with deletes, two of them do. */
function largeValues(round: number, index: number): string[] {
  const strings = Array.from({ length: 12 }, () => `"${'x'.repeat(240)}"`).join(' ');
  return [`"${round} ${index} a" ${strings}`, `"${round} ${index} b" ${strings}`];
}

test('publish() ends after some calls, and the next run begins with the names that became dirty since', async () => {
  const world = await publishWorld();
  const wantGood = async (name: string, address: string) =>
    want(world, name, { ...wanted(name, 'A', [address]), objects: [`Record good/${name}`] });
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < MANY; index += 1) {
      const objects = [`Record large-${index % 20}/r${index}`];
      await want(world, large(index), { ...wanted(large(index), 'TXT', largeValues(round, index)), objects });
    }
    await wantGood(`z.${APEX}`, `192.0.2.${round}`);
    const before = world.route53.calls.length;
    expect(await run(world)).toMatchObject({ kind: 'done', retryAfterSeconds: 0 });
    expect(standing(world)).toContain(`z.${APEX} A 192.0.2.${round} 300`);
    expect(world.route53.calls.length - before).toBeLessThanOrEqual(RUN_CALLS_MAX);
    await wantGood(`z-later.${APEX}`, `192.0.2.${round}`);
    await run(world);
    expect(standing(world)).toContain(`z-later.${APEX} A 192.0.2.${round} 300`);
    expect(world.route53.calls.length - before).toBeLessThanOrEqual(2 * RUN_CALLS_MAX);
    const runsMax = MANY / 2 / RUN_CALLS_MAX + 2;
    for (let runs = 0; runs < runsMax; runs += 1) await run(world);
    expect(await dirtyNames(world)).toEqual([]);
  }
});

test('publish() continues acknowledged deletes in the next run, and holds one that was added since', async () => {
  const world = await publishWorld();
  for (let index = 0; index < 300; index += 1) {
    const objects = [`Record large-${index % 20}/r${index}`];
    await want(world, large(index), { ...wanted(large(index), 'TXT', largeValues(0, index)), objects });
  }
  while ((await dirtyNames(world)).length > 0) await run(world);
  for (let index = 0; index < 200; index += 1) await want(world, large(index));
  await run(world);
  expect(standing(world)).toHaveLength(300);
  await annotate(world, (await hostedZone(world)).held?.digest ?? null);
  expect(await run(world)).toMatchObject({ kind: 'done', retryAfterSeconds: 0 });
  expect(standing(world)).toHaveLength(200);
  await want(world, large(250));
  for (let runs = 0; runs < 3; runs += 1) await run(world);
  expect(standing(world)).toHaveLength(100);
  expect(standing(world).some((line) => line.startsWith(large(250)))).toBe(true);
  expect((await hostedZone(world)).held?.count).toBe(1);
});

test('publish() sends few batches of earlier refused names in one run, also if Route 53 accepts them now', async () => {
  let refuses = true;
  const isEvil = (name: string) => name.startsWith('evil');
  const world = await publishWorld({
    wordless: true,
    reject: ({ name }) => (refuses && isEvil(name) ? 'no' : null),
  });
  const touch = async (round: number) => {
    for (let index = 0; index < SUSPECTS; index += 1) {
      const name = `evil${index}.${APEX}`;
      await want(world, name, { ...wanted(name, 'TXT', [`"${round}"`]), objects: [`Record evil-${index}/r`] });
    }
  };
  const again = async () => {
    const result = await run(world);
    return result.kind === 'done' && result.retryAfterSeconds === 0;
  };
  for (let round = 0; round < 5; round += 1) {
    await touch(round);
    for (let runs = 0; (await again()) && runs < SUSPECTS; runs += 1);
  }
  refuses = false;
  await touch(5);
  for (let runs = 0; runs < SUSPECTS; runs += 1) {
    const before = world.route53.calls.length;
    const isLeft = await again();
    expect(world.route53.calls.length - before).toBeLessThanOrEqual(RUN_CALLS_MAX / 2);
    if (!isLeft) break;
    // A change that comes in the meantime is in the next run.
    const good = `z.${APEX}`;
    await want(world, good, { ...wanted(good, 'A', [`192.0.2.${runs}`]), objects: ['Record good/z'] });
    await run(world);
    expect(standing(world)).toContain(`${good} A 192.0.2.${runs} 300`);
  }
  expect(await dirtyNames(world)).toEqual([]);
  expect(standing(world).filter(isEvil)).toHaveLength(SUSPECTS);
});
