import { describe, expect, it } from 'vitest';
import { A, failingAccount, type SeedWorld, type SeedWorldOptions, seedWorld } from '../../../test/fakes/seed-world.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { AccountError } from '../../ports/seed/accounts.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import type { DnsRecordDeps } from '../deps.ts';
import { type PlanDnsRecordsOptions, planDnsRecords } from './plan-dns-records.ts';

const OPERATION = 'gardener.cloud/operation';
const KEY = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const saying = (value: string, ttlSeconds = 120): RecordSet['content'] => ({
  kind: 'values',
  ttlSeconds,
  values: [value],
});
const ALL: PlanDnsRecordsOptions = { reads: true, checks: false };

/** The plan in short form, made with ports that refuse every write. */
async function planned(world: SeedWorld, options: PlanDnsRecordsOptions = ALL, more: Partial<DnsRecordDeps> = {}) {
  const never = async (): Promise<never> => {
    throw new Error('a plan writes nothing');
  };
  const { ledger, seed, accounts } = { ...world.deps, ...more };
  const plan = await planDnsRecords(
    {
      ...world.deps,
      ledger: { ...ledger, put: never, remove: never },
      seed: { ...seed, patchMetadata: never, patchStatus: never, recordEvent: never },
      accounts: {
        open: (credentials) => {
          const account = accounts.open(credentials);
          return { ...account, hostedZones: { ...account.hostedZones, change: never, create: never } };
        },
      },
    },
    options,
  );
  return plan.map(({ record, operation, state, hostedZoneId, changes, error, message }) => ({
    name: record.ref.name,
    end: `${operation} ${state} ${hostedZoneId}`,
    changes: changes.map((one) => {
      const text = (content: RecordSet['content'] | null) =>
        content === null
          ? '-'
          : content.kind === 'values'
            ? `${content.ttlSeconds} ${content.values.join(',')}`
            : 'alias';
      return `${one.action} ${one.hostedZoneId} ${one.name} ${one.type} ${text(one.before)} > ${text(one.after)} ${one.standing}`;
    }),
    error: error === null ? null : `${error.codes.join(',')} ${error.message}`,
    message,
  }));
}

describe('planDnsRecords() shows', () => {
  it('a create, and after that nothing', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const expected = {
      name: 'api',
      end: 'Create Succeeded Z1',
      changes: ['create Z1 api.example.org. A - > 120 192.0.2.1 none'],
      error: null,
      message: '',
    };
    expect(await planned(world)).toEqual([expected]);
    expect(world.read(ref)?.status).toBeUndefined();
    await world.serve([ref]);
    expect(await planned(world)).toEqual([]);
  });

  it('an update, a move into another hosted zone, and a deletion', async () => {
    const hostedZones = [
      { id: 'Z1', name: 'example.org.' },
      { id: 'Z2', name: 'api.example.org.' },
    ];
    const world = seedWorld({ hostedZones });
    const refs = ['one', 'two', 'three'].map((name) =>
      world.create(name, { ...A, zone: 'Z1', name: `${name}.api.example.org` }),
    );
    await world.serve(refs);
    const [one, two, three] = refs as [(typeof refs)[0], (typeof refs)[0], (typeof refs)[0]];
    world.edit(one, { values: ['192.0.2.9'], ttl: 60 }, { [OPERATION]: 'reconcile' });
    world.remove(three);
    world.edit(two, { zone: 'Z2' }, { [OPERATION]: 'reconcile' });
    expect(await planned(world)).toMatchObject([
      {
        name: 'one',
        end: 'Reconcile Succeeded Z1',
        changes: ['update Z1 one.api.example.org. A 120 192.0.2.1 > 60 192.0.2.9 none'],
      },
      {
        name: 'three',
        end: 'Delete Succeeded Z1',
        changes: ['delete Z1 three.api.example.org. A 120 192.0.2.1 > - none'],
      },
      {
        name: 'two',
        end: 'Reconcile Succeeded Z2',
        changes: [
          'create Z2 two.api.example.org. A - > 120 192.0.2.1 none',
          'delete Z1 two.api.example.org. A 120 192.0.2.1 > - none',
        ],
      },
    ]);
  });

  it.each<[string, SeedWorldOptions['settings'], string, string, object]>([
    [
      "a refusal of what is somebody else's",
      {},
      '8.8.8.8',
      'Create Error Z1',
      {
        changes: [],
        error: expect.stringMatching(
          /^ERR_CONFIGURATION_PROBLEM Error reconciling DNSRecord: A api\.example\.org: .*takeover/,
        ),
      },
    ],
    [
      'an update of it, with takeover',
      { takeover: true },
      '8.8.8.8',
      'Create Succeeded Z1',
      { changes: ['update Z1 api.example.org. A 120 8.8.8.8 > 120 192.0.2.1 foreign'] },
    ],
    [
      'what is adopted, with takeover',
      { takeover: true },
      '192.0.2.1',
      'Create Succeeded Z1',
      { changes: ['adopt Z1 api.example.org. A 120 192.0.2.1 > 120 192.0.2.1 equal'] },
    ],
  ])('%s', async (_, settings = {}, value, end, more) => {
    const world = seedWorld({ settings });
    world.account.edit('Z1', KEY, saying(value));
    world.create('api', A);
    expect(await planned(world)).toMatchObject([{ name: 'api', end, ...more }]);
  });

  it('the record set that a restore adopts', async () => {
    const world = seedWorld();
    world.account.edit('Z1', KEY, saying('192.0.2.1'));
    world.create('api', A, { [OPERATION]: 'restore' });
    expect(await planned(world)).toMatchObject([
      { end: 'Restore Succeeded Z1', changes: ['adopt Z1 api.example.org. A 120 192.0.2.1 > 120 192.0.2.1 equal'] },
    ]);
  });

  it('that a migration changes nothing in Route 53, and leaves out wait-for-state', async () => {
    const world = seedWorld();
    const refs = [world.create('api', A), world.create('other', { ...A, name: 'b.example.org' })];
    await world.serve(refs);
    world.edit(refs[0] as (typeof refs)[0], null, { [OPERATION]: 'migrate' });
    world.edit(refs[1] as (typeof refs)[0], null, { [OPERATION]: 'wait-for-state' });
    expect(await planned(world)).toMatchObject([
      { name: 'api', end: 'Migrate Succeeded Z1', changes: [], error: null },
    ]);
  });

  it('which of two that want one name is refused, and which has it', async () => {
    const world = seedWorld();
    world.create('first', A);
    world.create('second', A);
    const plan = await planned(world);
    expect(plan.map(({ end }) => end)).toEqual(['Create Succeeded Z1', 'Create Error Z1']);
    expect(plan[1]?.error).toContain('DNSRecord shoot--foo--bar/first, which was first');
  });

  it.each([
    ['a spec', { values: ['2001:db8::1'] }, 'ERR_CONFIGURATION_PROBLEM', 'spec.values[0]', 'null'],
    ['a Secret that is missing', { secretRef: { name: 'nobody' } }, 'ERR_CONFIGURATION_PROBLEM', 'not found', 'null'],
    ['a hosted zone that is missing', { zone: 'Z9' }, 'ERR_CONFIGURATION_PROBLEM', 'NoSuchHostedZone', 'Z9'],
    [
      'a name outside the hosted zone',
      { name: 'api.example.com', zone: 'Z1' },
      'ERR_CONFIGURATION_PROBLEM',
      'is not permitted in zone',
      'Z1',
    ],
    [
      'a name of no hosted zone',
      { name: 'api.example.com' },
      'ERR_CONFIGURATION_PROBLEM',
      'could not find DNS hosted zone',
      'null',
    ],
  ])('the code for %s', async (_, spec, code, words, zone) => {
    const world = seedWorld();
    world.create('api', { ...A, ...spec });
    const [one] = await planned(world);
    expect(one).toMatchObject({ end: `Create Error ${zone}`, changes: [] });
    expect(one?.error).toContain(code);
    expect(one?.error).toContain(words);
  });

  it.each([
    ['AccessDenied', 'refused', 'ERR_INFRA_UNAUTHORIZED'],
    ['InvalidAccessKeyId', 'refused', 'ERR_INFRA_UNAUTHENTICATED'],
    ['Throttling', 'throttled', 'ERR_INFRA_RATE_LIMITS_EXCEEDED'],
  ] as const)('the code of an account that says %s', async (code, kind, expected) => {
    const world = seedWorld();
    world.create('api', A);
    world.create('zoned', { ...A, zone: 'Z1' });
    const accounts = failingAccount(new AccountError(kind, code, `${code}: no`));
    const plan = await planned(world, ALL, { accounts });
    expect(plan.map(({ error }) => error?.split(' ')[0])).toEqual([expected, expected]);
  });

  it('drift, if it is asked to check', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    await world.serve([ref]);
    world.account.edit('Z1', KEY, saying('8.8.8.8'));
    expect(await planned(world)).toEqual([]);
    const [one] = await planned(world, { reads: true, checks: true });
    expect(one).toMatchObject({ end: 'Reconcile Error Z1', changes: [] });
    expect(one?.error).toContain('ERR_CONFIGURATION_PROBLEM');
  });

  it('that a drifted record set stays at a deletion, and is deleted with takeover', async () => {
    for (const takeover of [false, true]) {
      const world = seedWorld({ settings: { takeover } });
      const ref = world.create('api', A);
      await world.serve([ref]);
      world.account.edit('Z1', KEY, saying('8.8.8.8'));
      world.remove(ref);
      const [one] = await planned(world);
      expect(one?.end).toBe('Delete Succeeded Z1');
      expect(one?.changes).toEqual(takeover ? ['delete Z1 api.example.org. A 120 8.8.8.8 > - foreign'] : []);
      expect(one?.message).toContain(takeover ? '' : 'is left unchanged');
    }
  });

  it('what the ledger has, with no call of Route 53 but the listing, if it is not to read', async () => {
    const world = seedWorld();
    world.account.edit('Z1', KEY, saying('8.8.8.8'));
    world.create('api', A);
    expect(await planned(world, { reads: false, checks: false })).toMatchObject([{ end: 'Create Succeeded Z1' }]);
    expect(world.account.calls.map(({ method }) => method)).toEqual(['list']);
  });

  it('exactly what a run then does, and how it ends', async () => {
    const world = seedWorld({ settings: { takeover: true } });
    world.account.edit('Z1', { ...KEY, type: 'CNAME' }, saying('other.example.'));
    const refs = [
      world.create('api', A),
      world.create(
        'lb',
        { name: 'lb.example.org', recordType: 'CNAME', values: ['x.elb.eu-west-1.amazonaws.com'] },
        { 'dns.gardener.cloud/ip-stack': 'dual-stack' },
      ),
      world.create('txt', { name: '_t.example.org', recordType: 'TXT', values: ['a "b"'], ttl: 0 }),
      world.create('bad', { ...A, ttl: -1 }),
    ];
    const plan = await planned(world);
    await world.serve(refs);
    for (const ref of refs) {
      const last = world.read(ref)?.status?.lastOperation as { type: string; state: string };
      const one = plan.find(({ name }) => name === ref.name);
      expect(one?.end.split(' ').slice(0, 2).join(' ')).toBe(`${last.type} ${last.state}`);
      const error = world.read(ref)?.status?.lastError as { description: string } | undefined;
      expect(one?.error?.split(' ').slice(1).join(' ') ?? null).toBe(error?.description ?? null);
    }
    const standing = world.account.recordSets('Z1').filter(({ type }) => type !== 'NS' && type !== 'SOA').length;
    expect(plan.flatMap(({ changes }) => changes).filter((text) => text.startsWith('create'))).toHaveLength(4);
    expect(standing).toBe(4);
    const items = await world.ledger.query(`recordsets#${dnsRecordsIdOf('Z1')}`);
    expect(items.items.length).toBeGreaterThan(0);
  });
});
