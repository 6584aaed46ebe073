// A TXT record set of external-dns notes the owner of a wildcard and of the name that replaces it, and is deleted with
// the last of them.
import { expect, test } from 'vitest';
import {
  APEX,
  intercepted,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import {
  CLAIM,
  LINES,
  NAMES,
  putBoth,
  REGISTRY,
  TEXT,
  THEIRS,
  type Which,
  wantOnly,
} from '../../../test/fakes/shared-text.ts';

const W = `w.${APEX}`;

/** external-dns writes both record sets, and the TXT record set that names their owner, just after our read. */
async function worldOf(refused: Which | null) {
  let isWritten = false;
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ name }) => (refused !== null && name === NAMES[refused] && isWritten ? 'Invalid Resource Record' : null),
    changeFault: () => {
      if (isWritten) return null;
      isWritten = true;
      putBoth(world);
      return null;
    },
  });
  await wantOnly(world, 'wild', 'any');
  for (let round = 0; round < 3; round += 1) {
    await run(world);
    world.clock.ms += 70_000;
  }
  return standing(world);
}

test('publish() deletes the TXT record when both of its record sets are refused in one batch, and then taken over', async () => {
  expect(await worldOf(null)).toEqual([LINES.wild, LINES.any]);
});

test.each(['wild', 'any'] as const)(
  'publish() keeps the TXT record when one of its two record sets cannot be replaced: %s',
  async (refused) => {
    const stands = await worldOf(refused);
    expect(stands).toContain(TEXT);
    expect(stands.filter((one) => Object.values(LINES).includes(one))).toHaveLength(1);
  },
);

/**
 * The same world, but one of the two was refused before, for a value that it no longer has, and is sent apart from the
 * other. `refused` cannot be replaced after Route 53 has said that both exist.
 */
async function worldApart(before: Which, refused: Which | null) {
  const bad = '192.0.2.66';
  let calls = 0;
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ name, content }) => {
      const isBad = content.kind === 'values' && content.values.includes(bad);
      const isRefused = refused !== null && name === NAMES[refused];
      return isBad || (calls > 2 && isRefused) ? 'Invalid Resource Record' : null;
    },
    changeFault: () => {
      calls += 1;
      if (calls === 2) putBoth(world);
      return null;
    },
  });
  await want(world, NAMES[before], wanted(NAMES[before], 'A', [bad]));
  await run(world);
  await wantOnly(world, 'wild', 'any');
  await run(world);
  return standing(world);
}

test.each(['wild', 'any'] as const)(
  'publish() deletes the TXT record with the last of the two, when one was refused before: %s',
  async (before) => {
    expect(await worldApart(before, null)).toEqual([LINES.wild, LINES.any]);
  },
);

test.each([
  ['wild', 'wild'],
  ['wild', 'any'],
  ['any', 'wild'],
  ['any', 'any'],
] as const)(
  'publish() keeps the TXT record when one was refused before (%s), and one cannot be replaced (%s)',
  async (before, refused) => {
    const stands = await worldApart(before, refused);
    expect(stands).toContain(TEXT);
    expect(stands.filter((one) => Object.values(LINES).includes(one))).toHaveLength(1);
  },
);

test.each([
  ['wild', 'any'],
  ['any', 'wild'],
] as const)(
  'publish() deletes the TXT record with the %s, after a run died that took over only the %s',
  async (last, first) => {
    const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
    putBoth(world);
    await wantOnly(world, first);
    const dies = intercepted(world.deps, (port, method, call) => {
      if (port === 'hostedZones' && method === 'change') throw new Error('the run died');
      return call();
    });
    await expect(run({ ...world, deps: dies })).rejects.toThrow('the run died');
    world.clock.ms += 70_000;
    await wantOnly(world, last, first);
    for (let round = 0; round < 2; round += 1) {
      await run(world);
      world.clock.ms += 70_000;
    }
    expect(standing(world)).toEqual([LINES.wild, LINES.any]);
  },
);

test.each([
  ['wild', 'any'],
  ['any', 'wild'],
] as const)(
  'publish() keeps the TXT record when the %s is no longer wanted after Route 53 was read for the %s too',
  async (dropped, last) => {
    const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
    putBoth(world);
    await wantOnly(world, 'wild', 'any');
    const deps = intercepted(world.deps, async (port, method, call) => {
      const answer = await call();
      if (port === 'hostedZones' && method === 'readName') await wantOnly(world, last);
      return answer;
    });
    await run({ ...world, deps });
    world.clock.ms += 70_000;
    await run(world);
    expect(standing(world).toSorted()).toEqual([THEIRS[dropped], LINES[last], TEXT].toSorted());
  },
);

test('publish() keeps the TXT record when a run died over one of the two, which Route 53 refuses, and the other goes first', async () => {
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ content }) =>
      content.kind === 'values' && content.values.includes('192.0.2.1') ? 'Invalid Resource Record' : null,
  });
  await wantOnly(world, 'wild');
  const dies = intercepted(world.deps, (port, method, call) => {
    if (port === 'hostedZones' && method === 'change') throw new Error('the run died');
    return call();
  });
  await expect(run({ ...world, deps: dies })).rejects.toThrow('the run died');
  putBoth(world);
  world.clock.ms += 70_000;
  await wantOnly(world, 'wild', 'any');
  for (let round = 0; round < 3; round += 1) {
    await run(world);
    world.clock.ms += 70_000;
  }
  expect(standing(world)).toEqual([THEIRS.wild, LINES.any, TEXT]);
});

test('publish() writes what it was about to adopt, if external-dns first deletes that with its TXT record', async () => {
  let isDone = false;
  const put = (name: string, type: string, rdata: string | null) =>
    world.route53.edit(ZONE_ID, { name, type, setIdentifier: null }, rdata === null ? null : values(300, rdata));
  const world: PublishWorld = await publishWorld({
    config: { externalDns: [REGISTRY] },
    changeFault: () => {
      if (!isDone) put(W, 'A', null);
      if (!isDone) put(`txt.${W}`, 'TXT', null);
      isDone = true;
      return null;
    },
  });
  put(W, 'A', '192.0.2.9');
  put(`txt.${W}`, 'TXT', CLAIM);
  await want(world, W, wanted(W, 'A', ['192.0.2.9']));
  for (let round = 0; round < 2; round += 1) await run(world);
  expect(standing(world)).toEqual([`${W} A 192.0.2.9 300`]);
});
