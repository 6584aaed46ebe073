// A process that sleeps for longer than its turn, while another one serves the DNSRecord: it writes nothing when it
// wakes up.
import { describe, expect, it } from 'vitest';
import { type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { Seed } from '../ports/seed/seed.ts';
import type { DnsRecordDeps } from './deps.ts';
import { readDnsRecordItem } from './items/dns-record-item.ts';

const RECONCILE = { 'gardener.cloud/operation': 'reconcile' };
const REF: ObjectRef = { kind: 'DNSRecord', namespace: 'shoot--foo--bar', name: 'api' };
const A = { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] };
const KEY = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const FOREIGN = { kind: 'values', ttlSeconds: 60, values: ['198.51.100.9'] } as const;

const valuesOf = (world: SeedWorld) =>
  world.account
    .recordSets('Z1')
    .flatMap(({ type, content }) => (type === 'A' && content.kind === 'values' ? content.values : []));
const stateOf = (world: SeedWorld) =>
  (world.read(REF)?.status?.lastOperation as { state: string } | undefined)?.state ?? null;
const serveLater = async (world: SeedWorld, options = {}) => {
  world.clock.ms += 1_000_000;
  await world.serve([REF], world.deps, options);
};

/** Another process, which sleeps in the first call that `where` accepts, until `meanwhile` has ended. */
function sleeper(
  { deps, clock }: SeedWorld,
  where: (method: string, status: unknown) => boolean,
  meanwhile: () => Promise<void>,
): DnsRecordDeps {
  let hasSlept = false;
  const seed = new Proxy(deps.seed, {
    get: (of, method: keyof Seed) => {
      const call = of[method] as (...asked: unknown[]) => Promise<unknown>;
      return async (...asked: unknown[]) => {
        if (!hasSlept && where(method, asked[1])) {
          hasSlept = true;
          clock.ms += 200_000;
          await meanwhile();
        }
        return call(...asked);
      };
    },
  });
  return { ...deps, seed, server: { ...deps.server, holder: 'sleeper' } };
}

const failing = ({ deps }: SeedWorld): DnsRecordDeps => ({
  ...deps,
  seed: { ...deps.seed, readSecret: async () => null },
});
const dying = ({ deps }: SeedWorld): DnsRecordDeps => ({
  ...deps,
  seed: { ...deps.seed, patchStatus: async () => Promise.reject(new Error('it dies')) },
});
const isSuccess = (status: unknown) =>
  (status as { lastOperation?: { state: string } } | undefined)?.lastOperation?.state === 'Succeeded';

it('does not write that an older spec succeeded over the failure of a newer one', async () => {
  const world = seedWorld();
  world.create('api', A, RECONCILE);
  const meanwhile = async () => {
    world.edit(REF, { values: ['192.0.2.2'] }, RECONCILE);
    await world.serve([REF], failing(world));
    expect(stateOf(world)).toBe('Error');
  };
  const ends = (method: string, status: unknown) => method === 'patchStatus' && isSuccess(status);
  await world.serve([REF], sleeper(world, ends, meanwhile));
  await serveLater(world);
  expect(stateOf(world)).toBe('Succeeded');
  expect(valuesOf(world)).toEqual(['192.0.2.2']);
});

it('does not publish an older spec over what was served meanwhile', async () => {
  const world = seedWorld();
  world.create('api', A, RECONCILE);
  const meanwhile = async () => {
    world.edit(REF, { values: ['192.0.2.2'] }, RECONCILE);
    await world.serve([REF]);
    expect(stateOf(world)).toBe('Succeeded');
  };
  await world.serve(
    [REF],
    sleeper(world, (method) => method === 'readSecret', meanwhile),
  );
  expect(valuesOf(world)).toEqual(['192.0.2.2']);
});

it.each([
  ['query', 'recordsets#Z1'],
  ['query', 'recordsets#Z1/dnsrecords'],
  ['put', 'recordsets#Z1/dnsrecords'],
] as const)('does not note an older spec for publishing, asleep in ledger.%s of %s', async (method, asleepIn) => {
  const world = seedWorld({ settings: { takeover: true } });
  world.create('api', A, RECONCILE);
  const { ledger } = world.deps;
  let hasSlept = false;
  const sleep = async (called: string, partition: string) => {
    if (hasSlept || called !== method || partition !== asleepIn) return;
    hasSlept = true;
    world.clock.ms += 200_000;
    world.edit(REF, { values: ['192.0.2.2'] }, RECONCILE);
    await world.serve([REF]);
    expect(stateOf(world)).toBe('Succeeded');
  };
  const query: typeof ledger.query = async (partition, ...asked) => {
    await sleep('query', partition);
    return ledger.query(partition, ...asked);
  };
  const put: typeof ledger.put = async (key, ...asked) => {
    await sleep('put', key.partition);
    return ledger.put(key, ...asked);
  };
  const server = { ...world.deps.server, holder: 'sleeper' };
  await world.serve([REF], { ...world.deps, server, ledger: { ...ledger, query, put } });
  expect(hasSlept).toBe(true);
  await serveLater(world, { checks: true });
  expect(stateOf(world)).toBe('Succeeded');
  expect(valuesOf(world)).toEqual(['192.0.2.2']);
});

describe('a process that sleeps in the write of an item that no other process needs', () => {
  const OTHER = { name: 'api.example.org', recordType: 'AAAA', values: ['2001:db8::1'] };
  const typesOf = (world: SeedWorld) =>
    world.account.recordSets('Z1').flatMap(({ name, type }) => (name === KEY.name ? [type] : []));

  /** The process sleeps in its `nth` write of an item of a record set, until `meanwhile` has ended. */
  async function sleepIn(world: SeedWorld, nth: number, meanwhile: () => Promise<void>): Promise<void> {
    const { ledger } = world.deps;
    let writes = 0;
    const put: typeof ledger.put = async (key, ...asked) => {
      writes += Number(key.partition === 'recordsets#Z1/dnsrecords');
      if (writes === nth) {
        writes += 1;
        world.clock.ms += 200_000;
        await meanwhile();
      }
      return ledger.put(key, ...asked);
    };
    const server = { ...world.deps.server, holder: 'sleeper' };
    await world.serve([REF], { ...world.deps, server, ledger: { ...ledger, put } });
    expect(writes).toBeGreaterThanOrEqual(nth);
  }

  it.each([1, 2])('notes nothing for a DNSRecord that was deleted meanwhile (write %i)', async (nth) => {
    const world = seedWorld();
    world.create('api', A, RECONCILE);
    await sleepIn(world, nth, async () => {
      world.remove(REF);
      await world.serve([REF]);
      expect(world.read(REF)).toBeNull();
    });
    expect((await world.ledger.query('recordsets#Z1/dnsrecords')).items).toEqual([]);
    const other = world.create('other', OTHER, RECONCILE);
    await world.serve([other]);
    expect(typesOf(world)).toEqual(['AAAA']);
  });

  it.each([1, 2])('notes nothing of another type than is asked for since (write %i)', async (nth) => {
    const alias = { name: 'api.example.org', recordType: 'CNAME', values: ['lb.elb.eu-west-1.amazonaws.com'] };
    const world = seedWorld();
    world.create('api', alias, { ...RECONCILE, 'dns.gardener.cloud/ip-stack': 'ipv4' });
    await sleepIn(world, nth, async () => {
      world.edit(REF, null, { ...RECONCILE, 'dns.gardener.cloud/ip-stack': 'ipv6' });
      await world.serve([REF]);
      expect(typesOf(world)).toEqual(['AAAA']);
    });
    await serveLater(world, { checks: true });
    const other = world.create('other', { ...OTHER, name: 'other.example.org' }, RECONCILE);
    await world.serve([REF, other], world.deps, { checks: true });
    expect(typesOf(world)).toEqual(['AAAA']);
  });
});

it('does not serve what it read before its turn, if another process died over a newer spec', async () => {
  const world = seedWorld();
  world.create('api', A, RECONCILE);
  await world.serve([REF], failing(world));
  const meanwhile = async () => {
    world.edit(REF, { values: ['192.0.2.2'] }, RECONCILE);
    await expect(world.serve([REF], dying(world))).rejects.toThrow('it dies');
    world.clock.ms += 200_000;
  };
  world.clock.ms += 100_000;
  await world.serve(
    [REF],
    sleeper(world, (method) => method === 'readShoot', meanwhile),
  );
  await serveLater(world);
  expect(stateOf(world)).toBe('Succeeded');
  expect(valuesOf(world)).toEqual(['192.0.2.2']);
});

it('a check that finds no error any more: the error of an operation that was begun meanwhile stays', async () => {
  const world = seedWorld();
  world.create('api', A);
  await world.serve([REF]);
  const [served] = world.account.recordSets('Z1').filter(({ type }) => type === 'A');
  world.account.edit('Z1', KEY, FOREIGN);
  await serveLater(world, { checks: true });
  expect(stateOf(world)).toBe('Error');
  world.account.edit('Z1', KEY, served?.content ?? null);
  // A plain edit, which is not served: its error is only looked for again.
  world.edit(REF, { values: ['192.0.2.2'] });
  const meanwhile = async () => {
    world.edit(REF, null, RECONCILE);
    await world.serve([REF], failing(world));
    expect(stateOf(world)).toBe('Error');
  };
  world.clock.ms += 1_000_000;
  await world.serve(
    [REF],
    sleeper(world, (method) => method === 'patchStatus', meanwhile),
    { checks: true },
  );
  expect(stateOf(world)).toBe('Error');
  await serveLater(world);
  expect(stateOf(world)).toBe('Succeeded');
  expect(valuesOf(world)).toEqual(['192.0.2.2']);
});

it('a check that finds an error: what was begun for a newer object of the name is not forgotten', async () => {
  const world = seedWorld();
  world.create('api', A);
  await world.serve([REF]);
  world.account.edit('Z1', KEY, FOREIGN);
  const { ledger } = world.deps;
  let hasSlept = false;
  const put: typeof ledger.put = async (key, ...asked) => {
    if (!hasSlept && key.partition.startsWith('dnsrecords#')) {
      hasSlept = true;
      const object = world.read(REF);
      if (object === null) throw new Error('it was gone already');
      world.remove(REF);
      const { uid, resourceVersion } = world.read(REF)?.metadata ?? object.metadata;
      await world.deps.seed.patchMetadata({ ref: REF, uid, resourceVersion }, { finalizers: [] });
      world.create('api', A, RECONCILE);
      await expect(world.serve([REF], dying(world))).rejects.toThrow('it dies');
    }
    return ledger.put(key, ...asked);
  };
  world.clock.ms += 200_000;
  await world.serve(
    [REF],
    { ...world.deps, server: { ...world.deps.server, holder: 'sleeper' }, ledger: { ...ledger, put } },
    { checks: true },
  );
  const stored = await readDnsRecordItem(world.deps, REF);
  expect(stored?.item).toMatchObject({ uid: world.read(REF)?.metadata.uid, pending: 'Create' });
});
