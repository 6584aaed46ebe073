// A DNSRecord and a Record of a Zone that want one name of one hosted zone: the one that published first keeps it, even
// if the other may take over.
import { describe, expect, it } from 'vitest';
import { A, lastOf, RECONCILE, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../publish/run/publish-hosted-zone.ts';
import { touchDesired } from '../record-sets/desired-name.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { readName } from '../record-sets/store.ts';

const NAME = 'api.example.org.';

/** A Zone, with `takeover` unless it says otherwise, wants the name, and publishes it. */
async function publishForZone(world: SeedWorld, type: 'A' | 'CNAME' = 'A', takeover = true, value = '203.0.113.9') {
  const { deps, ledger } = world;
  const hostedZone = newHostedZoneItem({ id: 'Z1', name: 'example.org.', zone: 'team/zone', nameServers: [] });
  await changeHostedZone(ledger, 'Z1', (item) => item ?? hostedZone);
  const content = { kind: 'values', ttlSeconds: 300, values: [type === 'A' ? value : 'c.example.'] } as const;
  const set = { name: NAME, type, setIdentifier: null, content };
  const owned = { ...set, objects: ['Record team/api'], zone: 'team/zone', takeover };
  const wanted = { hostedZoneId: 'Z1', apex: 'example.org.', name: NAME, recordSets: [owned], heir: null };
  await touchDesired(ledger, wanted, deps.clock.nowMs());
  return runOfZone(world, type);
}

/** The run of the Zone's hosted zone; the refusal that it saved. */
async function runOfZone({ deps, ledger, account }: SeedWorld, type: 'A' | 'CNAME') {
  const guard = { deletesMax: 100, deletesShareMax: 1 };
  const queues = { hint: async () => {}, publish: async () => {}, report: async () => {}, follow: async () => {} };
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

const KEY = { name: NAME, type: 'A', setIdentifier: null };
const THEIRS = { kind: 'values', ttlSeconds: 60, values: ['198.51.100.7'] } as const;

/** The world while Route 53 refuses this value. */
function refusing(world: SeedWorld, value: string): SeedWorld {
  const { account } = world;
  const change: typeof account.port.change = async (id, changes, ...rest) => {
    const isBad = JSON.stringify(changes).includes(value);
    if (isBad) return { kind: 'refused', messages: [`Invalid Resource Record: '${value}' at ${NAME}, type A`] };
    return account.port.change(id, changes, ...rest);
  };
  const port = { ...account.port, change };
  const deps = { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones: port }) } };
  return { ...world, account: { ...account, port }, deps };
}

it('a Record whose takeover Route 53 refused keeps no DNSRecord that takes over from the name', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  world.account.edit('Z1', KEY, THEIRS);
  expect(await publishForZone(refusing(world, '203.0.113.9'))).toMatchObject({ reason: 'Rejected' });
  const ref = world.create('api', A);
  await world.serve([ref]);
  expect(lastOf(world, ref)).toBe('Succeeded');
  expect(standing(world)).toEqual(['192.0.2.1']);
  // What the Record took to be there is gone. It does not take over what the DNSRecord published.
  const { ledger, deps } = world;
  await markDirty(ledger, 'Z1', NAME, deps.clock.nowMs(), { retry: true });
  expect(await runOfZone(world, 'A')).toMatchObject({ reason: 'ForeignRecord' });
  expect(standing(world)).toEqual(['192.0.2.1']);
});

it('a DNSRecord whose takeover Route 53 refused keeps no Record that takes over from the name', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  world.account.edit('Z1', KEY, THEIRS);
  const ref = world.create('api', A);
  await world.serve([ref], refusing(world, '192.0.2.1').deps);
  expect(lastOf(world, ref)).toMatch(/^Error/);
  expect(await publishForZone(world)).toBeNull();
  expect(standing(world)).toEqual(['203.0.113.9']);
});

it('a DNSRecord whose takeover Route 53 refused keeps no other DNSRecord from the name', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  world.account.edit('Z1', KEY, THEIRS);
  const refused = world.create('refused', A);
  await world.serve([refused], refusing(world, '192.0.2.1').deps);
  const other = world.create('other', { ...A, values: ['192.0.2.2'] });
  await world.serve([other]);
  expect(lastOf(world, other)).toBe('Succeeded');
  expect(standing(world)).toEqual(['192.0.2.2']);
  world.clock.ms += 600_000;
  await world.serve([refused]);
  expect(lastOf(world, refused)).toBe('Error ERR_CONFIGURATION_PROBLEM');
  const beside = world.create('beside', CNAME);
  await world.serve([beside]);
  expect(lastOf(world, beside)).toBe('Error ERR_CONFIGURATION_PROBLEM');
  expect(standing(world)).toEqual(['192.0.2.2']);
});

it.each(['deletion', 'restore'])('a %s with takeover leaves what a Zone wrote and has not saved yet', async (which) => {
  const world = seedWorld({ settings: { takeover: true } });
  const { port } = world.account;
  const dying: typeof port = {
    ...port,
    change: async (...asked) => {
      await port.change(...asked);
      throw new Error('died');
    },
  };
  const value = which === 'restore' ? ['203.0.113.9'] : A.values;
  const ref = world.create('api', { ...A, values: value, ttl: 300 });
  if (which === 'deletion') await world.serve([ref]);
  world.account.edit('Z1', KEY, null);
  const killed = { ...world, account: { ...world.account, port: dying } };
  await expect(publishForZone(killed)).rejects.toThrow('died');
  expect(standing(world)).toEqual(['203.0.113.9']);
  if (which === 'deletion') world.remove(ref);
  else world.edit(ref, null, { 'gardener.cloud/operation': 'restore' });
  await world.serve([ref]);
  if (which === 'deletion') expect(world.read(ref)).toBeNull();
  else expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
  world.clock.ms += 600_000;
  expect(await runOfZone(world, 'A')).toBeNull();
  expect(standing(world)).toEqual(['203.0.113.9']);
});

describe('a Record that wants exactly what a DNSRecord published', () => {
  type Change = SeedWorld['account']['port']['change'];

  /** The Record's call does not end as it should; a DNSRecord published the same before. */
  async function published(change: (real: Change) => Change) {
    const world = seedWorld();
    const ref = world.create('api', { ...A, ttl: 300 });
    await world.serve([ref]);
    const { port } = world.account;
    const failing = { ...world.account, port: { ...port, change: change(port.change) } };
    await publishForZone({ ...world, account: failing }, 'A', false, A.values[0]).catch(() => {});
    world.clock.ms += 600_000;
    await markDirty(world.ledger, 'Z1', NAME, world.deps.clock.nowMs(), { retry: true });
    const refusal = await runOfZone(world, 'A');
    return { world, ref, refusal };
  }

  const dies = (real: Change): Change => {
    return (...asked) => real(...asked).then(() => Promise.reject(new Error('died')));
  };
  const isUnanswered = (real: Change): Change => {
    return (...asked) => real(...asked).then(() => ({ kind: 'unknown', message: 'no answer' }));
  };

  it.each([
    ['dies after Route 53 refused it', dies],
    ['gets no answer', isUnanswered],
  ])('leaves it if its run %s', async (_, change) => {
    const { world, ref, refusal } = await published(change);
    expect(refusal).toMatchObject({ reason: 'ForeignRecord' });
    expect(refusal?.message).toContain('DNSRecord shoot--foo--bar/api');
    world.edit(ref, { values: ['192.0.2.2'] }, RECONCILE);
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Succeeded');
    expect(standing(world)).toEqual(['192.0.2.2']);
  });

  it('publishes it when the DNSRecord is deleted', async () => {
    const { world, ref } = await published(dies);
    world.remove(ref);
    await world.serve([ref]);
    expect(world.woken).toEqual(['Z1']);
    expect(await runOfZone(world, 'A')).toBeNull();
    expect(standing(world)).toEqual(A.values);
  });
});
