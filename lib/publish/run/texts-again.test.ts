// TXT records of external-dns stay while external-dns, or an object of ours, needs them.
import { expect, test } from 'vitest';
import {
  APEX,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';

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
const CLAIM = '"heritage=external-dns,external-dns/owner=prod"';
const OURS = { A: wanted(W, 'A', ['192.0.2.1']), MX: wanted(W, 'MX', ['10 new.example.net.']) };
const LINE = `${W} A 192.0.2.1 300`;
const THEIRS = `${W} MX 10 old.example.net. 300`;
const TEXT = `${OWNER} TXT ${CLAIM} 300`;

function put({ route53 }: PublishWorld, name: string, type: string, rdata: string | null): void {
  route53.edit(ZONE_ID, { name, type, setIdentifier: null }, rdata === null ? null : values(300, rdata));
}

/** The A is taken over, and the TXT record stays for the MX, which somebody deletes then. */
async function takenOver(): Promise<PublishWorld> {
  const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
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
