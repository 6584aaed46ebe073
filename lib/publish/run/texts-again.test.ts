// TXT records of external-dns stay while external-dns, or an object of ours, needs them. Those that an earlier run was
// to delete are judged again.
import { expect, test } from 'vitest';
import {
  annotate,
  hostedZone,
  intercepted,
  itemAt,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { CLAIM, OWNER, put, REGISTRY, W } from '../../../test/fakes/shared-text.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';

const OURS = { A: wanted(W, 'A', ['192.0.2.1']), MX: wanted(W, 'MX', ['10 new.example.net.']) };
const LINE = `${W} A 192.0.2.1 300`;
const THEIRS = `${W} MX 10 old.example.net. 300`;
const TEXT = `${OWNER} TXT ${CLAIM} 300`;

/** The A is taken over, and the TXT record stays for the MX, which somebody deletes then. */
async function takenOver(deletesMax = 100): Promise<PublishWorld> {
  const world = await publishWorld({
    config: { externalDns: [REGISTRY], guard: { deletesMax, deletesShareMax: 1 } },
  });
  put(world, W, 'A', '192.0.2.9');
  put(world, W, 'MX', '10 old.example.net.');
  put(world, OWNER, 'TXT', CLAIM);
  await want(world, W, OURS.A);
  await run(world);
  expect(standing(world)).toEqual([TEXT, LINE, THEIRS]);
  put(world, W, 'MX', null);
  world.clock.ms += 60_000;
  return world;
}

/** The guard holds the delete of the A, and `meanwhile` happens before somebody acknowledges it. */
async function heldDelete(meanwhile: (world: PublishWorld) => void): Promise<PublishWorld> {
  const world = await takenOver(0);
  await want(world, W);
  await run(world);
  const { held } = await hostedZone(world);
  expect(held?.count).toBe(1);
  world.clock.ms += 60_000;
  meanwhile(world);
  await annotate(world, held?.digest ?? '');
  for (let round = 0; round < 3; round += 1) {
    await run(world);
    const again = (await hostedZone(world)).held;
    if (again !== null) await annotate(world, again.digest);
    world.clock.ms += 60_000;
  }
  return world;
}

test('publish() keeps the TXT record if external-dns needs it again before a held delete is acknowledged', async () => {
  const world = await heldDelete((now) => put(now, W, 'MX', '10 old.example.net.'));
  expect(standing(world)).toEqual([TEXT, THEIRS]);
});

test('publish() deletes what is ours if another owner claims its name before a held delete is acknowledged', async () => {
  const world = await heldDelete((now) => put(now, OWNER, 'TXT', CLAIM.replace('prod', 'other')));
  expect(standing(world)).toEqual([TEXT.replace('prod', 'other')]);
});

/** Another run judges the TXT record, which nobody needs any more, and `before` happens just before its call. */
async function judgedAgain(before: (world: PublishWorld) => void, dies = false): Promise<PublishWorld> {
  const world = await takenOver();
  await markDirty(world.ledger, ZONE_ID, W, world.clock.ms, { retry: true });
  let isDone = false;
  const deps = intercepted(world.deps, (port, method, call) => {
    if (port === 'hostedZones' && method === 'change' && !isDone) {
      isDone = true;
      before(world);
      if (dies) throw new Error('the run died');
    }
    return call();
  });
  const first = run({ ...world, deps });
  if (dies) await expect(first).rejects.toThrow('the run died');
  else await first;
  expect(isDone).toBe(true);
  for (let round = 0; round < 2; round += 1) {
    world.clock.ms += 60_000;
    await run(world);
  }
  return world;
}

test.each([false, true])(
  'publish() still owns what it published when another owner claims it just before the TXT record goes, died: %s',
  async (dies) => {
    const world = await judgedAgain((now) => put(now, OWNER, 'TXT', CLAIM.replace('prod', 'other')), dies);
    expect(standing(world)).toEqual([TEXT.replace('prod', 'other'), LINE]);
    const item = await itemAt(world, OURS.A);
    expect(item).toMatchObject({ refusal: null, published: OURS.A.content, texts: [], sharedTexts: [] });
  },
);

test('publish() keeps the TXT record if external-dns needs it again after a run died that was to delete it', async () => {
  const world = await judgedAgain((now) => put(now, W, 'MX', '10 old.example.net.'), true);
  expect(standing(world)).toEqual([TEXT, LINE, THEIRS]);
});

test('publish() keeps the TXT record of a record set that external-dns wrote over ours', async () => {
  const world = await takenOver();
  put(world, W, 'MX', '10 old.example.net.');
  await want(world, W, OURS.A, OURS.MX);
  await run(world);
  expect(standing(world)).toEqual([LINE, `${W} MX 10 new.example.net. 300`]);
  put(world, W, 'MX', '10 old.example.net.');
  put(world, OWNER, 'TXT', CLAIM);
  await want(world, W, OURS.MX);
  world.clock.ms += 60_000;
  await run(world);
  expect(standing(world)).toEqual([TEXT, THEIRS]);
});

test('publish() keeps a TXT record that an object asks for when it takes over what the TXT record speaks for', async () => {
  const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
  await want(world, OWNER, wanted(OWNER, 'TXT', [CLAIM]));
  await run(world);
  expect(standing(world)).toEqual([TEXT]);
  put(world, W, 'A', '192.0.2.9');
  await want(world, W, OURS.A);
  world.clock.ms += 60_000;
  await run(world);
  expect(standing(world)).toEqual([TEXT, LINE]);
});
