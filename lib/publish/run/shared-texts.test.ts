// A TXT record set of external-dns in the old format speaks for several record sets of its name, and goes with the last of them.
import { expect, test } from 'vitest';
import { APEX, publishWorld, run, values, want, wanted, ZONE_ID } from '../../../test/fakes/publish-world.ts';

const W = `w.${APEX}`;
const OWNER = `txt.${W}`;
const REGISTRY = {
  ownerId: 'prod',
  txtPrefix: 'txt.',
  txtSuffix: '',
  wildcardReplacement: '',
  decrypt: null,
  deleteUnwanted: false,
};

/** external-dns writes both record sets, and the TXT record set that speaks for them, when we have just looked. */
async function worldOf(refused: string | null) {
  let isWritten = false;
  const world = await publishWorld({
    config: { externalDns: [REGISTRY] },
    reject: ({ type }) => (type === refused && isWritten ? 'Invalid Resource Record' : null),
    changeFault: () => {
      if (isWritten) return null;
      isWritten = true;
      const put = (name: string, type: string, rdata: string) =>
        world.route53.edit(ZONE_ID, { name, type, setIdentifier: null }, values(300, rdata));
      put(W, 'A', '192.0.2.9');
      put(W, 'MX', '10 old.example.net.');
      put(OWNER, 'TXT', '"heritage=external-dns,external-dns/owner=prod"');
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

test('publish() deletes it where both record sets that it spoke for are refused in one batch, and then taken over', async () => {
  expect(await worldOf(null)).toEqual([`${W} A 192.0.2.1`, `${W} MX 10 new.example.net.`]);
});

test.each(['A', 'MX'])(
  'publish() leaves it where the %s that it speaks for as well cannot be replaced',
  async (type) => {
    const standing = await worldOf(type);
    expect(standing).toContain(`${OWNER} TXT "heritage=external-dns,external-dns/owner=prod"`);
    expect(standing.filter((one) => one.includes('192.0.2.1') || one.includes('new'))).toHaveLength(1);
  },
);
