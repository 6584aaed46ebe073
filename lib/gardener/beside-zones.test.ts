// A DNSRecord and a Record of a Zone that want one name of one hosted zone: the one that published first keeps it, even
// if the other may take over.
import { expect, it } from 'vitest';
import { A, RECONCILE, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../publish/run/publish-hosted-zone.ts';
import { touchDesired } from '../record-sets/desired-name.ts';
import { newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { readName } from '../record-sets/store.ts';

const NAME = 'api.example.org.';

/** A Zone, with `takeover` unless it says otherwise, wants the name, and publishes it. */
async function publishForZone(world: SeedWorld, type: 'A' | 'CNAME' = 'A', takeover = true) {
  const { deps, ledger } = world;
  const hostedZone = newHostedZoneItem({ id: 'Z1', name: 'example.org.', zone: 'team/zone', nameServers: [] });
  await changeHostedZone(ledger, 'Z1', (item) => item ?? hostedZone);
  const content = { kind: 'values', ttlSeconds: 300, values: [type === 'A' ? '203.0.113.9' : 'c.example.'] } as const;
  const set = { name: NAME, type, setIdentifier: null, content };
  const owned = { ...set, objects: ['Record team/api'], zone: 'team/zone', takeover };
  const wanted = { hostedZoneId: 'Z1', apex: 'example.org.', name: NAME, recordSets: [owned], heir: null };
  await touchDesired(ledger, wanted, deps.clock.nowMs());
  return runOfZone(world, type);
}

/** The run of the Zone's hosted zone; the refusal that it saved. */
async function runOfZone({ deps, ledger, account }: SeedWorld, type: 'A' | 'CNAME') {
  const guard = { deletesMax: 100, deletesShareMax: 1 };
  const queues = { hint: async () => {}, publish: async () => {}, report: async () => {} };
  const config = { ...DEFAULT_PUBLISH_CONFIG, guard };
  const { clock, newHolder } = deps;
  await publish({ ledger, hostedZones: account.port, clock, queues, config, newHolder, log: () => {} }, 'Z1');
  const stored = await readName(ledger, 'Z1', NAME);
  return stored.find(({ item }) => item.type === type)?.item.refusal ?? null;
}

function standing({ account }: SeedWorld): string[] {
  const sets = account.recordSets('Z1').filter(({ name }) => name === NAME);
  return sets.map(({ content }) => (content.kind === 'values' ? content.values.join() : 'alias'));
}

it.each([false, true])(
  'a DNSRecord keeps the name that it published before a Record (takeover of DNSRecords: %s)',
  async (takeover) => {
    const world = seedWorld({ settings: { takeover } });
    await world.serve([world.create('api', A)]);
    const refusal = await publishForZone(world);
    expect(refusal).toMatchObject({ reason: 'ForeignRecord' });
    expect(refusal?.message).toContain('DNSRecord shoot--foo--bar/api');
    expect(standing(world)).toEqual(['192.0.2.1']);
  },
);

it.each([false, true])(
  'a Record keeps the name that it published before a DNSRecord (takeover of DNSRecords: %s)',
  async (takeover) => {
    const world = seedWorld({ settings: { takeover } });
    expect(await publishForZone(world)).toBeNull();
    const ref = world.create('api', A);
    await world.serve([ref]);
    const lastError = world.read(ref)?.status?.lastError as { codes: string[]; description: string } | undefined;
    expect(lastError?.codes).toEqual(['ERR_CONFIGURATION_PROBLEM']);
    expect(lastError?.description).toContain('Record team/api');
    expect(standing(world)).toEqual(['203.0.113.9']);
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
    expect(standing(world)).toEqual(['203.0.113.9']);
  },
);

const CNAME = { name: 'api.example.org', recordType: 'CNAME', values: ['c.example.net'] };

it('a DNSRecord that takes over leaves what a Zone published at the name of its CNAME', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  expect(await publishForZone(world)).toBeNull();
  const ref = world.create('api', CNAME);
  await world.serve([ref]);
  const lastError = world.read(ref)?.status?.lastError as { codes: string[]; description: string } | undefined;
  expect(lastError?.codes).toEqual(['ERR_CONFIGURATION_PROBLEM']);
  expect(lastError?.description).toContain('Record team/api');
  expect(standing(world)).toEqual(['203.0.113.9']);
});

it('a Zone that takes over leaves what a DNSRecord published at the name of its CNAME', async () => {
  const world = seedWorld();
  await world.serve([world.create('api', A)]);
  const refusal = await publishForZone(world, 'CNAME');
  expect(refusal).toMatchObject({ reason: 'ForeignRecord' });
  expect(refusal?.message).toContain('DNSRecord shoot--foo--bar/api');
  expect(standing(world)).toEqual(['192.0.2.1']);
});

it('a DNSRecord that takes over leaves what a Zone publishes after it looked', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const { port } = world.account;
  let published = false;
  const hostedZones: typeof port = {
    ...port,
    readName: async (id, name) => {
      // This happens after the ledger was read and before Route 53 is read.
      if (!published) {
        published = true;
        await publishForZone(world);
      }
      return port.readName(id, name);
    },
  };
  const ref = world.create('api', A);
  await world.serve([ref], { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones }) } });
  const lastError = world.read(ref)?.status?.lastError as { codes: string[]; description: string } | undefined;
  expect(lastError?.codes).toEqual(['ERR_CONFIGURATION_PROBLEM']);
  expect(lastError?.description).toContain('Record team/api');
  expect(standing(world)).toEqual(['203.0.113.9']);
});

it('a DNSRecord whose CNAME is refused delays no other DNSRecord of its name', async () => {
  const world = seedWorld();
  expect(await publishForZone(world)).toBeNull();
  const refused = world.create('refused', CNAME);
  const other = world.create('other', { ...CNAME, recordType: 'TXT', values: ['text'] });
  for (const refs of [[refused], [other], [refused], [refused, other]]) {
    world.clock.ms += 600_000;
    await world.serve(refs);
  }
  const states = [refused, other].map((ref) => world.read(ref)?.status?.lastOperation as { state: string });
  expect(states.map(({ state }) => state)).toEqual(['Error', 'Succeeded']);
  expect(standing(world)).toEqual(['203.0.113.9', '"text"']);
});

it.each([
  ['is deleted', 'A', (world: SeedWorld, ref: ObjectRef) => world.remove(ref), ['203.0.113.9']],
  ['is deleted', 'CNAME', (world: SeedWorld, ref: ObjectRef) => world.remove(ref), ['c.example.']],
  [
    'moves to another hosted zone',
    'A',
    (world: SeedWorld, ref: ObjectRef) => world.edit(ref, { zone: 'Z2' }, RECONCILE),
    ['203.0.113.9'],
  ],
] as const)('if a DNSRecord %s, a Zone publishes the %s for which it waits', async (_, type, ends, expected) => {
  const hostedZones = ['Z1', 'Z2'].map((id) => ({ id, name: 'example.org.' }));
  const world = seedWorld({ hostedZones });
  const ref = world.create('api', { ...A, zone: 'Z1' });
  await world.serve([ref]);
  expect(await publishForZone(world, type, false)).toMatchObject({ reason: 'ForeignRecord' });
  expect(world.woken).toEqual([]);
  ends(world, ref);
  await world.serve([ref]);
  expect(world.woken).toEqual(['Z1']);
  expect(await runOfZone(world, type)).toBeNull();
  expect(standing(world)).toEqual(expected);
});

it('a DNSRecord that is deleted wakes no hosted zone if nothing waits for its name', async () => {
  const world = seedWorld();
  const ref = world.create('api', A);
  await world.serve([ref]);
  world.remove(ref);
  await world.serve([ref]);
  expect(world.read(ref)).toBeNull();
  expect(world.woken).toEqual([]);
});
