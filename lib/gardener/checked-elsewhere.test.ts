// Checks whether a DNSRecord is still published when its Secret is now of another account or its hosted zone is gone:
// first with the object's own Secret, then with the one that published it.
import { beforeEach, describe, expect, it } from 'vitest';
import { type MemoryHostedZones, memoryHostedZones } from '../../test/fakes/memory-hosted-zones.ts';
import {
  failingAccount,
  NAMESPACE,
  RECONCILE,
  SECRET_KEY,
  type SeedWorld,
  seedWorld,
} from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { AccountError } from '../ports/seed/accounts.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import type { DnsRecordDeps } from './deps.ts';

const KEY = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const FOREIGN = { kind: 'values' as const, ttlSeconds: 60, values: ['198.51.100.9'] };
const keyOf = (id: string) => ({ accessKeyID: id, secretAccessKey: SECRET_KEY });
const refused = (code: string) => new AccountError('refused', code, `${code}: no`);

let world: SeedWorld;
let ref: ObjectRef;
let other: MemoryHostedZones;
/** The errors that access key ids get in place of an answer. */
let told: Map<string, AccountError>;
let deps: DnsRecordDeps;

const standing = () =>
  world.account
    .recordSets('Z1')
    .flatMap(({ name, content }) => (name === KEY.name && content.kind === 'values' ? content.values : []));
const lastOf = () => {
  const status = world.read(ref)?.status as { lastOperation: { state: string }; lastError?: { codes: string[] } };
  return [status.lastOperation.state, ...(status.lastError?.codes ?? [])].join(' ');
};
const messageOf = () => (world.read(ref)?.status?.lastError as { description: string } | undefined)?.description;
const serve = async (seconds: number, options = {}) => {
  world.clock.ms += seconds * 1_000;
  await world.serve([ref], deps, options);
};
const check = () => serve(100, { checks: true });
/** Expects that a check finds no problem, and that the next one, after an edit by hand, reports it. */
const expectDriftTold = async () => {
  await check();
  expect(lastOf()).toBe('Succeeded');
  world.account.edit('Z1', KEY, FOREIGN);
  await check();
  expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
  expect(messageOf()).toContain('198.51.100.9');
};
const remove = (name: string) => world.secrets.delete(`${NAMESPACE}/${name}`);

beforeEach(async () => {
  world = seedWorld();
  other = memoryHostedZones([{ id: 'Z2', name: 'example.org.' }]);
  told = new Map();
  deps = {
    ...world.deps,
    accounts: {
      open: (credentials) => {
        const id = credentials.kind === 'key' ? credentials.accessKeyId : '';
        const error = told.get(id);
        if (error !== undefined) return failingAccount(error).open(credentials);
        return { id: `sha of ${id}`, hostedZones: (id === 'AKIAB' ? other : world.account).port };
      },
    },
  };
  for (const name of ['a', 'b', 'c']) world.secrets.set(`${NAMESPACE}/${name}`, keyOf(`AKIA${name.toUpperCase()}`));
  const spec = { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] };
  ref = world.create('api', { ...spec, secretRef: { name: 'a' } }, RECONCILE);
  await serve(0);
});

describe.each([
  ['knows of no such hosted zone', () => {}],
  ['is denied it', () => told.set('AKIAB', refused('AccessDenied'))],
])('a DNSRecord that now names a Secret of an account that %s', (_, spoil) => {
  beforeEach(async () => {
    world.edit(ref, { secretRef: { name: 'b' } }, RECONCILE);
    await serve(0);
    expect(lastOf()).toBe('Succeeded');
    spoil();
  });

  it('reports drift, which only the Secret that published it can see', async () => {
    await expectDriftTold();
    expect(standing()).toEqual(['198.51.100.9']);
  });

  it('is published again with the Secret that published it', async () => {
    world.account.edit('Z1', KEY, null);
    await check();
    expect(standing()).toEqual(['192.0.2.1']);
    expect(lastOf()).toBe('Succeeded');
  });

  it('says that its own Secret is missing, whatever the other Secret sees', async () => {
    remove('b');
    await check();
    expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf()).toContain(`Secret ${NAMESPACE}/b not found`);
  });

  it('says that its own Secret is missing, also when the other one is missing', async () => {
    remove('a');
    remove('b');
    await check();
    expect(messageOf()).toContain(`Secret ${NAMESPACE}/b not found`);
  });

  it('waits while the account of the Secret that published it does not answer', async () => {
    told.set('AKIAA', new AccountError('throttled', 'Throttling', 'Throttling: no'));
    await check();
    expect(lastOf()).toBe('Succeeded');
    expect(world.logged.join()).toContain('a DNSRecord could not be checked');
  });
});

describe('a DNSRecord that now names a Secret of another account, and the Secret that published it', () => {
  beforeEach(async () => {
    world.edit(ref, { secretRef: { name: 'b' } }, RECONCILE);
    await serve(0);
  });

  it.each([
    ['is gone', () => remove('a'), `Secret ${NAMESPACE}/a not found`],
    ['is not taken any more', () => told.set('AKIAA', refused('InvalidClientTokenId')), 'InvalidClientTokenId'],
  ])('%s: no Secret can check the record, and the status says so until that changes', async (_, spoil, why) => {
    spoil();
    await check();
    expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf()).toContain('Z1');
    expect(messageOf()).toContain(why);
    for (let tries = 0; tries < 3; tries += 1) {
      await serve(1_000);
      expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
    }
  });

  it('is gone: the DNSRecord succeeds once its hosted zone is one of its own Secret', async () => {
    remove('a');
    await check();
    world.edit(ref, { zone: 'Z2' }, RECONCILE);
    await serve(0);
    expect(lastOf()).toBe('Succeeded');
    expect(world.events.map(({ reason }) => reason)).toEqual(['RecordLeft']);
  });

  it('is gone, and the account of its own Secret denies access and lacks the hosted zone: the status says so', async () => {
    remove('a');
    const { list } = other.port;
    const failing = failingAccount(refused('AccessDenied'));
    const accounts: DnsRecordDeps['accounts'] = {
      open: (credentials) => {
        const { id, hostedZones } = failing.open(credentials);
        return { id, hostedZones: { ...hostedZones, list } };
      },
    };
    deps = { ...deps, accounts };
    await check();
    expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf()).toContain('has no hosted zone Z1');
  });
});

it('a DNSRecord that now names another Secret of the same account is checked with it, though the earlier one is gone', async () => {
  world.edit(ref, { secretRef: { name: 'c' } }, RECONCILE);
  await serve(0);
  remove('a');
  await expectDriftTold();
});

describe('a hosted zone that is gone', () => {
  it('is reported by a check until another one is named', async () => {
    world.account.removeHostedZone('Z1');
    await check();
    expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf()).toContain('NoSuchHostedZone');
    await serve(1_000);
    expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
    world.edit(ref, { zone: 'Z2', secretRef: { name: 'b' } }, RECONCILE);
    await serve(0);
    expect(lastOf()).toBe('Succeeded');
  });

  it('is reported by a reconcile with takeover, though nothing changed', async () => {
    deps = { ...deps, server: { ...deps.server, settings: { ...deps.server.settings, takeover: true } } };
    world.account.removeHostedZone('Z1');
    world.edit(ref, null, RECONCILE);
    await serve(0);
    expect(lastOf()).toBe('Error ERR_CONFIGURATION_PROBLEM');
  });

  it('does not end a deletion if it is gone only for another account', async () => {
    const { ledger } = world;
    let isGone = false;
    // Another process finds the hosted zone gone with its own credentials, between our read and our lease.
    const meddled: DnsRecordDeps['ledger'] = {
      ...ledger,
      query: async (partition, ...asked) => {
        if (!isGone && partition === 'recordsets#Z1/dnsrecords')
          await changeHostedZone(ledger, 'Z1/dnsrecords', (item) => (item === null ? null : { ...item, gone: true }));
        isGone = true;
        return ledger.query(partition, ...asked);
      },
    };
    world.remove(ref);
    await world.serve([ref], { ...deps, ledger: meddled });
    expect(isGone).toBe(true);
    expect(standing()).toEqual(['192.0.2.1']);
    await serve(5);
    expect(world.read(ref)).toBeNull();
    expect(standing()).toEqual([]);
  });
});
