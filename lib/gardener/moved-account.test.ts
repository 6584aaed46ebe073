// A DNSRecord whose hosted zone and Secret move to another account at once: the old record is deleted with the Secret
// that published it, or an Event says why it stays.
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryHostedZones } from '../../test/fakes/memory-hosted-zones.ts';
import {
  failingAccount,
  NAMESPACE,
  RECONCILE,
  SECRET_KEY,
  type SeedWorld,
  seedWorld,
} from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { type AccountCredentials, AccountError } from '../ports/seed/accounts.ts';
import type { DnsRecordDeps } from './deps.ts';

const SPEC = { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'], zone: 'Z1' };
const keyOf = (id: string) => ({ accessKeyID: id, secretAccessKey: SECRET_KEY });
const idOf = (credentials: AccountCredentials) => (credentials.kind === 'key' ? credentials.accessKeyId : '');

let world: SeedWorld;
let ref: ObjectRef;
let other: ReturnType<typeof memoryHostedZones>;
/** Access key ids that AWS refuses, with its error. */
let refused: Map<string, AccountError>;
let deps: DnsRecordDeps;

const standing = () =>
  [world.account, other].flatMap((account) =>
    ['Z1', 'Z2'].flatMap((id) =>
      account.recordSets(id).flatMap(({ name, type }) => (name === 'api.example.org.' ? [`${id} ${type}`] : [])),
    ),
  );
const status = () => world.read(ref)?.status as { lastOperation: { state: string }; lastError?: { codes: string[] } };
const serve = async (seconds = 60) => {
  world.clock.ms += seconds * 1_000;
  await world.serve([ref], deps);
};

beforeEach(async () => {
  world = seedWorld();
  other = memoryHostedZones([{ id: 'Z2', name: 'example.org.' }]);
  refused = new Map();
  deps = {
    ...world.deps,
    accounts: {
      open: (credentials) => {
        const id = idOf(credentials);
        const error = refused.get(id);
        if (error !== undefined) return failingAccount(error).open(credentials);
        return { id: `sha of ${id}`, hostedZones: (id.endsWith('B') ? other : world.account).port };
      },
    },
  };
  world.secrets.set(`${NAMESPACE}/a`, keyOf('AKIAA'));
  world.secrets.set(`${NAMESPACE}/b`, keyOf('AKIAB'));
  ref = world.create('api', { ...SPEC, secretRef: { name: 'a' } }, RECONCILE);
  await serve();
  expect(standing()).toEqual(['Z1 A']);
});

describe('a DNSRecord whose spec.zone and secretRef change at once', () => {
  const move = () => world.edit(ref, { zone: 'Z2', secretRef: { name: 'b' } }, RECONCILE);

  it('deletes the old record in the old account', async () => {
    move();
    await serve();
    expect(standing()).toEqual(['Z2 A']);
    expect(status().lastOperation.state).toBe('Succeeded');
    expect(world.events).toEqual([]);
  });

  it('waits while the old account throttles, and its status says so', async () => {
    move();
    refused.set('AKIAA', new AccountError('throttled', 'Throttling', 'Throttling: Rate exceeded'));
    await serve();
    expect(standing()).toEqual(['Z1 A', 'Z2 A']);
    expect(status().lastError?.codes).toEqual(['ERR_INFRA_RATE_LIMITS_EXCEEDED']);
    refused.clear();
    await serve();
    expect(standing()).toEqual(['Z2 A']);
    expect(status().lastOperation.state).toBe('Succeeded');
  });

  it('says that the old account denies access', async () => {
    move();
    refused.set('AKIAA', new AccountError('refused', 'InvalidClientTokenId', 'InvalidClientTokenId: no such key'));
    await serve();
    expect(standing()).toEqual(['Z1 A', 'Z2 A']);
    expect(status().lastError?.codes).toEqual(['ERR_INFRA_UNAUTHORIZED']);
  });

  it.each([
    ['its Secret is gone', () => world.secrets.delete(`${NAMESPACE}/a`), 'Secret shoot--foo--bar/a not found'],
    ['its Secret has no key', () => world.secrets.set(`${NAMESPACE}/a`, {}), 'does not contain any data'],
  ])('succeeds with an Event that names the record left in place: %s', async (_, spoil, why) => {
    move();
    spoil();
    await serve();
    expect(standing()).toEqual(['Z1 A', 'Z2 A']);
    expect(status().lastOperation.state).toBe('Succeeded');
    expect(world.events).toMatchObject([{ type: 'Warning', reason: 'RecordLeft' }]);
    expect(world.events[0]?.message).toContain('A api.example.org is left in hosted zone Z1');
    expect(world.events[0]?.message).toContain(why);
    world.remove(ref);
    await serve();
    expect(world.read(ref)).toBeNull();
    expect(standing()).toEqual(['Z1 A']);
  });

  it('deletes the old record with the new Secret, if that has another key of the same account', async () => {
    other = world.account;
    world.account.port.list();
    world.secrets.set(`${NAMESPACE}/b`, keyOf('AKIANEW'));
    refused.set('AKIAA', new AccountError('refused', 'InvalidClientTokenId', 'InvalidClientTokenId: no such key'));
    world.edit(ref, { values: ['192.0.2.2'], secretRef: { name: 'b' } }, RECONCILE);
    await serve();
    world.remove(ref);
    await serve();
    expect(world.read(ref)).toBeNull();
    expect(world.account.recordSets('Z1').some(({ type }) => type === 'A')).toBe(false);
  });
});

it('an Event names the record left in place when the Secret was given the key of another account', async () => {
  world.secrets.set(`${NAMESPACE}/a`, keyOf('AKIAB'));
  world.edit(ref, { zone: 'Z2' }, RECONCILE);
  await serve();
  expect(standing()).toEqual(['Z1 A', 'Z2 A']);
  expect(status().lastOperation.state).toBe('Succeeded');
  expect(world.events[0]?.message).toContain('now has another key, whose account');
});

describe('a Secret that was given another key, which may not delete', () => {
  const message = 'AccessDenied: User is not authorized to access this resource';
  const denied = new AccountError('refused', 'AccessDenied', message);
  /** The account of the new key denies everything, except for the listing of hosted zones if `list` is given. */
  const denying = (list: (typeof other.port)['list'] | null): DnsRecordDeps => ({
    ...deps,
    accounts: {
      open: (credentials) => {
        const { hostedZones } = failingAccount(denied).open(credentials);
        const change = async () => ({ kind: 'denied' as const, message });
        return { id: 'sha of another', hostedZones: { ...hostedZones, change, ...(list && { list }) } };
      },
    },
  });
  beforeEach(() => {
    world.secrets.set(`${NAMESPACE}/a`, keyOf('AKIANEW'));
    world.remove(ref);
  });

  it.each([
    ['nor list', () => denying(null)],
    ['of the same account', () => denying(world.account.port.list)],
  ])('%s: the status says so, and the deletion is tried again', async (_, denies) => {
    await world.serve([ref], denies());
    expect(status().lastError?.codes).toEqual(['ERR_INFRA_UNAUTHORIZED']);
    expect(standing()).toEqual(['Z1 A']);
    expect(world.events).toEqual([]);
    await serve();
    expect(world.read(ref)).toBeNull();
    expect(standing()).toEqual([]);
  });

  it('of another account: an Event names the record left in place', async () => {
    await world.serve([ref], denying(other.port.list));
    expect(world.read(ref)).toBeNull();
    expect(standing()).toEqual(['Z1 A']);
    expect(world.events[0]?.message).toContain('now has another key, whose account');
  });
});

it('the account that published a record deletes it, though the spec now names another Secret', async () => {
  world.edit(ref, { secretRef: { name: 'b' } });
  world.remove(ref);
  await serve();
  expect(world.read(ref)).toBeNull();
  expect(standing()).toEqual([]);
});

it('an API server that cannot be asked for a Secret makes the run throw, and the status does not change', async () => {
  const trouble = new Error('etcdserver: request timed out');
  const readSecret = async () => {
    throw trouble;
  };
  world.edit(ref, { values: ['192.0.2.2'] }, RECONCILE);
  await expect(world.serve([ref], { ...deps, seed: { ...deps.seed, readSecret } })).rejects.toThrow(trouble);
  expect(status().lastOperation.state).toBe('Processing');
  await serve();
  expect(status().lastOperation.state).toBe('Succeeded');
});

it('the account that published a record deletes it, though another Secret was reconciled with nothing to do', async () => {
  world.edit(ref, { secretRef: { name: 'b' } }, RECONCILE);
  await serve();
  expect(status().lastOperation.state).toBe('Succeeded');
  world.remove(ref);
  await serve();
  expect(world.read(ref)).toBeNull();
  expect(standing()).toEqual([]);
});

it('a new object of the same name is served by its own spec, though the earlier one was not forgotten', async () => {
  const { ledger } = world;
  const dying: DnsRecordDeps = {
    ...deps,
    ledger: {
      ...ledger,
      remove: async (key, revision) => {
        if (key.partition.startsWith('dnsrecords#')) throw new Error('crash');
        return ledger.remove(key, revision);
      },
    },
  };
  world.remove(ref);
  await expect(world.serve([ref], dying)).rejects.toThrow('crash');
  expect(world.read(ref)).toBeNull();
  ref = world.create('api', { ...SPEC, recordType: 'TXT', values: ['text'], secretRef: { name: 'a' } }, RECONCILE);
  await serve();
  expect(status().lastOperation.state).toBe('Succeeded');
  expect(standing()).toEqual(['Z1 TXT']);
});
