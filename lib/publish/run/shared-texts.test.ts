// A TXT record set of external-dns in the old format notes the owner of several record sets of its name, and is deleted
// with the last of them.
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
import { CLAIM, OWNER, put, REGISTRY, W } from '../../../test/fakes/shared-text.ts';

function putExternalDns(world: PublishWorld): void {
  put(world, W, 'A', '192.0.2.9');
  put(world, W, 'MX', '10 old.example.net.');
  put(world, OWNER, 'TXT', CLAIM);
}

/** external-dns writes both record sets, and the TXT record set that names their owner, just after our read. */
async function worldOf(refused: string | null) {
  let isWritten = false;
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ type }) => (type === refused && isWritten ? 'Invalid Resource Record' : null),
    changeFault: () => {
      if (isWritten) return null;
      isWritten = true;
      putExternalDns(world);
      return null;
    },
  });
  await want(world, W, wanted(W, 'A', ['192.0.2.1']), wanted(W, 'MX', ['10 new.example.net.']));
  for (let round = 0; round < 3; round += 1) {
    await run(world);
    world.clock.ms += 70_000;
  }
  return world.route53
    .recordSets(ZONE_ID)
    .filter(({ name }) => name !== APEX)
    .map(({ name, type, content }) => `${name} ${type} ${content.kind === 'values' ? content.values.join() : ''}`);
}

test('publish() deletes the TXT record when both of its record sets are refused in one batch, and then taken over', async () => {
  expect(await worldOf(null)).toEqual([`${W} A 192.0.2.1`, `${W} MX 10 new.example.net.`]);
});

test.each(['A', 'MX'])(
  'publish() keeps the TXT record when the %s of its two record sets cannot be replaced',
  async (type) => {
    const stands = await worldOf(type);
    expect(stands).toContain(`${OWNER} TXT "heritage=external-dns,external-dns/owner=prod"`);
    expect(stands.filter((one) => one.includes('192.0.2.1') || one.includes('new'))).toHaveLength(1);
  },
);

/**
 * The same world, but one of the two was refused before, for a value that it no longer has, and is sent apart from the
 * other. `refused` cannot be replaced after Route 53 has said that both exist.
 */
async function worldApart(before: 'A' | 'MX', refused: string | null) {
  const bad = { A: '192.0.2.66', MX: '10 bad.example.net.' }[before];
  let calls = 0;
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ type, content }) => {
      const isBad = content.kind === 'values' && content.values.includes(bad);
      return isBad || (calls > 2 && type === refused) ? 'Invalid Resource Record' : null;
    },
    changeFault: () => {
      calls += 1;
      if (calls === 2) putExternalDns(world);
      return null;
    },
  });
  await want(world, W, wanted(W, before, [bad]));
  await run(world);
  await want(world, W, wanted(W, 'A', ['192.0.2.1']), wanted(W, 'MX', ['10 new.example.net.']));
  await run(world);
  return standing(world);
}

test.each(['A', 'MX'] as const)(
  'publish() deletes the TXT record with the last of the two, when the %s was refused before',
  async (before) => {
    expect(await worldApart(before, null)).toEqual([`${W} A 192.0.2.1 300`, `${W} MX 10 new.example.net. 300`]);
  },
);

test.each([
  ['A', 'A'],
  ['A', 'MX'],
  ['MX', 'A'],
  ['MX', 'MX'],
] as const)(
  'publish() keeps the TXT record when the %s was refused before, and the %s cannot be replaced',
  async (before, refused) => {
    const stands = await worldApart(before, refused);
    expect(stands).toContain(`${OWNER} TXT "heritage=external-dns,external-dns/owner=prod" 300`);
    expect(stands.filter((one) => one.includes('192.0.2.1 ') || one.includes('new'))).toHaveLength(1);
  },
);

test.each([
  ['A', 'MX'],
  ['MX', 'A'],
] as const)(
  'publish() deletes the TXT record with the %s, after a run died that took over only the %s',
  async (last, first) => {
    const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
    putExternalDns(world);
    const all = { A: wanted(W, 'A', ['192.0.2.1']), MX: wanted(W, 'MX', ['10 new.example.net.']) };
    await want(world, W, all[first]);
    const dies = intercepted(world.deps, (port, method, call) => {
      if (port === 'hostedZones' && method === 'change') throw new Error('the run died');
      return call();
    });
    await expect(run({ ...world, deps: dies })).rejects.toThrow('the run died');
    world.clock.ms += 70_000;
    await want(world, W, all[last], all[first]);
    for (let round = 0; round < 2; round += 1) {
      await run(world);
      world.clock.ms += 70_000;
    }
    expect(standing(world)).toEqual([`${W} A 192.0.2.1 300`, `${W} MX 10 new.example.net. 300`]);
  },
);

test.each([
  ['A', 'MX'],
  ['MX', 'A'],
] as const)(
  'publish() keeps the TXT record when the %s is no longer wanted after Route 53 was read for the %s too',
  async (dropped, last) => {
    const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
    putExternalDns(world);
    const all = { A: wanted(W, 'A', ['192.0.2.1']), MX: wanted(W, 'MX', ['10 new.example.net.']) };
    await want(world, W, all.A, all.MX);
    const deps = intercepted(world.deps, async (port, method, call) => {
      const answer = await call();
      if (port === 'hostedZones' && method === 'readName') await want(world, W, all[last]);
      return answer;
    });
    await run({ ...world, deps });
    world.clock.ms += 70_000;
    await run(world);
    const theirs = { A: `${W} A 192.0.2.9 300`, MX: `${W} MX 10 old.example.net. 300` }[dropped];
    const ours = { A: `${W} A 192.0.2.1 300`, MX: `${W} MX 10 new.example.net. 300` }[last];
    const text = `${OWNER} TXT "heritage=external-dns,external-dns/owner=prod" 300`;
    expect(standing(world).toSorted()).toEqual([theirs, ours, text].toSorted());
  },
);

test('publish() keeps the TXT record when a run died over one of the two, which Route 53 refuses, and the other goes first', async () => {
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ type, content }) =>
      type === 'A' && content.kind === 'values' && content.values.includes('192.0.2.1')
        ? 'Invalid Resource Record'
        : null,
  });
  const all = { A: wanted(W, 'A', ['192.0.2.1']), MX: wanted(W, 'MX', ['10 new.example.net.']) };
  await want(world, W, all.A);
  const dies = intercepted(world.deps, (port, method, call) => {
    if (port === 'hostedZones' && method === 'change') throw new Error('the run died');
    return call();
  });
  await expect(run({ ...world, deps: dies })).rejects.toThrow('the run died');
  putExternalDns(world);
  world.clock.ms += 70_000;
  await want(world, W, all.A, all.MX);
  for (let round = 0; round < 3; round += 1) {
    await run(world);
    world.clock.ms += 70_000;
  }
  const text = `${OWNER} TXT "heritage=external-dns,external-dns/owner=prod" 300`;
  expect(standing(world)).toEqual([text, `${W} A 192.0.2.9 300`, `${W} MX 10 new.example.net. 300`]);
});

test('publish() writes what it was about to adopt, if external-dns first deletes that with its TXT record', async () => {
  let isDone = false;
  const put = (name: string, type: string, rdata: string | null) =>
    world.route53.edit(ZONE_ID, { name, type, setIdentifier: null }, rdata === null ? null : values(300, rdata));
  const world: PublishWorld = await publishWorld({
    config: { externalDns: [REGISTRY] },
    changeFault: () => {
      if (!isDone) put(W, 'A', null);
      if (!isDone) put(OWNER, 'TXT', null);
      isDone = true;
      return null;
    },
  });
  put(W, 'A', '192.0.2.9');
  put(OWNER, 'TXT', '"heritage=external-dns,external-dns/owner=prod"');
  await want(world, W, wanted(W, 'A', ['192.0.2.9']));
  for (let round = 0; round < 2; round += 1) await run(world);
  expect(standing(world)).toEqual([`${W} A 192.0.2.9 300`]);
});
