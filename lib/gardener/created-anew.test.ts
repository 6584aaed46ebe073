// A DNSRecord that is created again while a run forgets the earlier object of its name, which was gone when it looked;
// and one whose restore begins while its migration ends.
import { describe, expect, it } from 'vitest';
import { A, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { DnsRecordSettings } from '../ports/config.ts';
import type { DnsRecordDeps } from './deps.ts';

const REF: ObjectRef = { kind: 'DNSRecord', namespace: 'shoot--foo--bar', name: 'api' };
const KEY = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const FOREIGN = { kind: 'values', ttlSeconds: 60, values: ['198.51.100.9'] } as const;
const valuesOf = (world: SeedWorld) =>
  world.account
    .recordSets('Z1')
    .flatMap(({ type, content }) => (type === 'A' && content.kind === 'values' ? content.values : []));
const standsA = (world: SeedWorld) => world.account.recordSets('Z1').some(({ type }) => type === 'A');
const slow = (world: SeedWorld): DnsRecordDeps => ({ ...world.deps, server: { ...world.deps.server, holder: 'slow' } });

/** The first object is published, and then gone without a deletion, as after somebody removed its finalizer. */
async function gone(world: SeedWorld): Promise<void> {
  world.create('api', A);
  await world.serve([REF]);
  world.remove(REF);
  const object = world.read(REF);
  if (object === null) throw new Error('it was gone already');
  await world.deps.seed.patchMetadata({ ref: REF, ...object.metadata }, { finalizers: [] });
}

async function createAgain(world: SeedWorld): Promise<void> {
  world.create('api', { ...A, values: ['192.0.2.2'] });
  await world.serve([REF]);
}

/** Afterwards zone53 still knows whose the record set is: it goes with the object. */
async function expectOwned(world: SeedWorld): Promise<void> {
  world.clock.ms += 600_000;
  await world.serve([REF]);
  expect(standsA(world)).toBe(true);
  world.remove(REF);
  await world.serve([REF]);
  expect(world.read(REF)).toBeNull();
  expect(standsA(world)).toBe(false);
}

it('a DNSRecord that is new: created and published after a run found no object (seed 592772)', async () => {
  const world = seedWorld();
  let looks = 0;
  const get: typeof world.deps.seed.get = async (ref) => {
    const object = await world.deps.seed.get(ref);
    looks += 1;
    if (looks === 1) await createAgain(world);
    return object;
  };
  await world.serve([REF], { ...slow(world), seed: { ...world.deps.seed, get } });
  await expectOwned(world);
});

it.each(['get', 'put', 'query', 'remove'] as const)(
  'a DNSRecord in place of one that is gone: created before a run that forgets that one calls %s of the ledger',
  async (method) => {
    const world = seedWorld({ settings: { takeover: true } });
    await gone(world);
    let hasActed = false;
    const act = async () => {
      if (!hasActed) {
        hasActed = true;
        await createAgain(world);
      }
    };
    const { ledger } = world.deps;
    const ofOthers = { ...ledger };
    const acting = {
      ...ofOthers,
      [method]: async (...asked: never[]) => {
        await act();
        return (ledger[method] as (...all: never[]) => Promise<unknown>)(...asked);
      },
    } as typeof ledger;
    await world.serve([REF], { ...slow(world), ledger: acting });
    await expectOwned(world);
  },
);

it('a DNSRecord whose migration ends while its restore begins: it has the finalizer before it is published (seed 711387)', async () => {
  const world = seedWorld();
  world.create('api', A);
  await world.serve([REF]);
  world.edit(REF, null, { 'gardener.cloud/operation': 'restore' });
  const { seed } = world.deps;
  let migrated = false;
  const readShoot: typeof seed.readShoot = async (namespace) => {
    const object = world.read(REF);
    if (!migrated && object !== null) await seed.patchMetadata({ ref: REF, ...object.metadata }, { finalizers: [] });
    migrated = true;
    return seed.readShoot(namespace);
  };
  await world.serve([REF], { ...world.deps, seed: { ...seed, readShoot } });
  expect(world.read(REF)?.metadata.finalizers).toEqual(['extensions.gardener.cloud/dnsrecord']);
  world.remove(REF);
  await world.serve([REF]);
  expect(standsA(world)).toBe(false);
});

describe('a DNSRecord in place of one that is gone, in another hosted zone', () => {
  /** Another DNSRecord asks for the name that is left. Returns its state after one more try. */
  async function beside(settings: Partial<DnsRecordSettings>) {
    const hostedZones = [
      { id: 'Z1', name: 'example.org.' },
      { id: 'Z2', name: 'sub.example.org.' },
    ];
    const world = seedWorld({ hostedZones, settings });
    await gone(world);
    // The hosted zone does not have its name, so it never succeeds.
    world.create('api', { ...A, zone: 'Z2' });
    await world.serve([REF]);
    const other = world.create('other', { ...A, values: ['192.0.2.2'] });
    const statusOfOther = async () => {
      world.clock.ms += 600_000;
      await world.serve([other]);
      return world.read(other)?.status;
    };
    expect(await statusOfOther()).toMatchObject({ lastOperation: { state: 'Error' } });
    return { world, statusOfOther };
  }

  it('what somebody deleted is free (seed 3001865)', async () => {
    const { world, statusOfOther } = await beside({});
    world.account.edit('Z1', KEY, null);
    expect(await statusOfOther()).toMatchObject({ lastOperation: { state: 'Succeeded' } });
    expect(standsA(world)).toBe(true);
  });

  it('what somebody overwrote is taken over (seed 20010784)', async () => {
    const { world, statusOfOther } = await beside({ takeover: true });
    world.account.edit('Z1', KEY, FOREIGN);
    expect(await statusOfOther()).toMatchObject({ lastOperation: { state: 'Succeeded' } });
    expect(valuesOf(world)).toEqual(['192.0.2.2']);
    world.remove(REF);
    await world.serve([REF]);
    expect(valuesOf(world)).toEqual(['192.0.2.2']);
  });

  it('what somebody overwrote is foreign without takeover', async () => {
    const { world, statusOfOther } = await beside({});
    world.account.edit('Z1', KEY, FOREIGN);
    const { lastError } = (await statusOfOther()) as { lastError: { description: string } };
    expect(lastError.description).toContain('not created by zone53');
    expect(valuesOf(world)).toEqual(['198.51.100.9']);
  });
});

it('a DNSRecord keeps what it asks for, although somebody deleted it', async () => {
  const world = seedWorld();
  world.create('api', A);
  await world.serve([REF]);
  world.account.edit('Z1', KEY, null);
  const other = world.create('other', A);
  await world.serve([other]);
  expect(world.read(other)?.status).toMatchObject({ lastOperation: { state: 'Error' } });
});
