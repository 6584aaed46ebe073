// The life of a DNSRecord with a process that dies at any call of any port, before or after its effect. After the
// queue's next delivery the end is always the same, and no foreign record set is touched.

import { describe, expect, it } from 'vitest';
import { dyingAt, type SeedWorld, type SeedWorldOptions, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { changeDnsRecord, type DnsRecordItem, readDnsRecordItem } from './items/dns-record-item.ts';

const OPERATION = 'gardener.cloud/operation';
const SPEC = { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] };
/** More calls than any step makes. */
const CALLS_MAX = 200;

type Step = {
  readonly name: string;
  readonly options?: SeedWorldOptions;
  /** Brings the world to the state in which the step begins. */
  readonly before: (world: SeedWorld) => Promise<ObjectRef>;
  readonly expects: {
    readonly stands: readonly string[];
    /** Type and state of the last operation; null: the object is gone. */
    readonly last: string | null;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: number;
  };
};

const created = async (world: SeedWorld) => {
  const ref = world.create('api', SPEC);
  await world.serve([ref]);
  return ref;
};

const ZONES = [
  { id: 'Z1', name: 'example.org.' },
  { id: 'Z2', name: 'example.org.' },
];

const STEPS: readonly Step[] = [
  {
    name: 'create',
    before: async (world) => world.create('api', SPEC, { [OPERATION]: 'reconcile' }),
    expects: { stands: ['Z1 A 192.0.2.1'], last: 'Create Succeeded', annotations: {}, finalizers: 1 },
  },
  {
    name: 'reconcile other values',
    before: async (world) => {
      const ref = await created(world);
      world.edit(ref, { values: ['192.0.2.2'] }, { [OPERATION]: 'reconcile' });
      return ref;
    },
    expects: { stands: ['Z1 A 192.0.2.2'], last: 'Reconcile Succeeded', annotations: {}, finalizers: 1 },
  },
  {
    name: 'move to another hosted zone',
    options: { hostedZones: ZONES },
    before: async (world) => {
      const ref = world.create('api', { ...SPEC, zone: 'Z1' });
      await world.serve([ref]);
      world.edit(ref, { zone: 'Z2' }, { [OPERATION]: 'reconcile' });
      return ref;
    },
    expects: { stands: ['Z2 A 192.0.2.1'], last: 'Reconcile Succeeded', annotations: {}, finalizers: 1 },
  },
  {
    name: 'take over',
    options: { settings: { takeover: true } },
    before: async (world) => {
      const content = { kind: 'values', ttlSeconds: 60, values: ['198.51.100.9'] } as const;
      world.account.edit('Z1', { name: 'api.example.org.', type: 'A', setIdentifier: null }, content);
      return world.create('api', SPEC);
    },
    expects: { stands: ['Z1 A 192.0.2.1'], last: 'Create Succeeded', finalizers: 1 },
  },
  {
    name: 'migrate',
    before: async (world) => {
      const ref = await created(world);
      world.edit(ref, null, { [OPERATION]: 'migrate' });
      return ref;
    },
    expects: { stands: ['Z1 A 192.0.2.1'], last: 'Migrate Succeeded', annotations: {}, finalizers: 0 },
  },
  {
    name: 'restore what stands',
    before: async (world) => {
      const content = { kind: 'values', ttlSeconds: 120, values: ['192.0.2.1'] } as const;
      world.account.edit('Z1', { name: 'api.example.org.', type: 'A', setIdentifier: null }, content);
      return world.create('api', SPEC, { [OPERATION]: 'restore' });
    },
    expects: { stands: ['Z1 A 192.0.2.1'], last: 'Restore Succeeded', annotations: {}, finalizers: 1 },
  },
  {
    name: 'delete',
    before: async (world) => {
      const ref = await created(world);
      world.remove(ref);
      return ref;
    },
    expects: { stands: [], last: null },
  },
  {
    name: 'delete with takeover what somebody else wrote since',
    options: { settings: { takeover: true } },
    before: async (world) => {
      const ref = await created(world);
      const content = { kind: 'values', ttlSeconds: 60, values: ['198.51.100.9'] } as const;
      world.account.edit('Z1', { name: 'api.example.org.', type: 'A', setIdentifier: null }, content);
      world.remove(ref);
      return ref;
    },
    expects: { stands: [], last: null },
  },
];

function stands({ account }: SeedWorld, zones: SeedWorldOptions['hostedZones'] = ZONES.slice(0, 1)): string[] {
  return zones.flatMap(({ id }) =>
    account
      .recordSets(id)
      .filter(({ name }) => name === 'api.example.org.')
      .map(({ type, content }) => `${id} ${type} ${content.kind === 'values' ? content.values.join(' ') : 'alias'}`),
  );
}

/** Serves the DNSRecord until nothing is left to do, as hints and their pauses would. */
async function serveToTheEnd(world: SeedWorld, ref: ObjectRef): Promise<void> {
  for (let runs = 0; runs < 5; runs += 1) {
    world.clock.ms += 60_000;
    await world.serve([ref]);
  }
}

describe.each(STEPS)('a process that dies at any call of: $name', ({ options, before, expects }) => {
  it.each([true, false])('ends right when it runs again (dead after the call: %s)', async (after) => {
    let died = 0;
    for (let at = 1; at <= CALLS_MAX; at += 1) {
      const world = seedWorld(options);
      const ref = await before(world);
      const { deps, calls } = dyingAt(world.deps, at, after);
      const isDead = await world.serve([ref], deps).then(
        () => false,
        (error: Error) => {
          if (error.message !== 'crash') throw error;
          return true;
        },
      );
      if (calls() < at) break;
      died += isDead ? 1 : 0;
      await serveToTheEnd(world, ref);
      const object = world.read(ref);
      const last = object?.status?.lastOperation as { type: string; state: string } | undefined;
      const found = {
        stands: stands(world, options?.hostedZones),
        last: last === undefined ? null : `${last.type} ${last.state}`,
        ...(expects.annotations === undefined ? {} : { annotations: object?.metadata.annotations }),
        ...(expects.finalizers === undefined ? {} : { finalizers: object?.metadata.finalizers?.length }),
      };
      expect(found, `died at call ${at}`).toEqual(expects);
    }
    expect(died).toBeGreaterThan(3);
  });
});

it('an object forgets what a run that died had begun with an earlier object of the same name', async () => {
  const world = seedWorld();
  const ref = world.create('api', { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] });
  await world.serve([ref]);
  const { clock, deps } = world;
  const turn = { holder: 'dead', untilMs: clock.ms + 60_000 };
  const begun = (item: DnsRecordItem) => ({ ...item, pending: 'Create' as const, turn });
  await changeDnsRecord(deps, { ref, uid: 'earlier' }, begun);
  const noted = async () => (await readDnsRecordItem(deps, ref))?.item;
  await world.serve([ref]);
  expect(await noted()).toMatchObject({ uid: 'earlier', pending: 'Create' });
  clock.ms += 600_000;
  await world.serve([ref]);
  expect(await noted()).toMatchObject({ uid: world.read(ref)?.metadata.uid, pending: null });
});
