// Gardener's contract, through the service: the error of each wrong spec, the order of writes, and the hosted zone of a
// name.
import { describe, expect, it } from 'vitest';
import { A, type SeedWorld, type SeedWorldOptions, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';

const OPERATION = 'gardener.cloud/operation';
const FINALIZER = 'extensions.gardener.cloud/dnsrecord';

type Status = {
  readonly lastOperation: object;
  readonly lastError?: { readonly description: string; readonly codes: readonly string[] };
  readonly observedGeneration: number;
  readonly conditions: readonly object[];
  readonly zone?: string;
};

function statusOf(world: SeedWorld, ref: ObjectRef): Status {
  return world.read(ref)?.status as Status;
}

async function served(spec: object, operation = 'reconcile', options: SeedWorldOptions = {}) {
  const world = seedWorld(options);
  const ref = world.create('api', { ...A, ...spec }, { [OPERATION]: operation });
  await world.serve([ref]);
  return { world, ref };
}

const CNAME = { recordType: 'CNAME' };
const TXT = { recordType: 'TXT', values: ['x'] };

it.each<[object, string]>([
  [{ secretRef: undefined }, 'spec.secretRef.name: Required value: field is required'],
  [{ secretRef: { name: '' } }, 'spec.secretRef.name: Required value: field is required'],
  [{ region: '' }, 'spec.region: Invalid value: "": field cannot be empty if specified'],
  [{ zone: '' }, 'spec.zone: Invalid value: "": field cannot be empty if specified'],
  [{ name: '' }, 'spec.name: Required value'],
  [
    { name: 'test' },
    'spec.name: Invalid value: "test": should be a domain with at least two segments separated by dots',
  ],
  [{ name: 'Api.example.org' }, 'spec.name: Invalid value: "Api.example.org": a lowercase RFC 1123 subdomain'],
  [{ name: 'api.example.org.' }, 'spec.name: Invalid value: "api.example.org.": must not end in a dot'],
  [{ name: '_a.example.org' }, 'spec.name: Invalid value: "_a.example.org"'],
  [{ ...TXT, name: '_a._b.example.org' }, 'spec.name: Invalid value: "a._b.example.org"'],
  [{ ...TXT, name: '*.example.org' }, 'spec.name: Invalid value: "*.example.org"'],
  [{ name: 'a.*.example.org' }, 'spec.name: Invalid value: "a.*.example.org"'],
  [{ recordType: 'SOA' }, 'spec.recordType: Unsupported value: "SOA": supported values: "A", "AAAA", "CNAME", "TXT"'],
  [{ recordType: undefined }, 'spec.recordType: Unsupported value: "": supported values: "A", "AAAA", "CNAME", "TXT"'],
  [{ values: [] }, 'spec.values: Required value: field is required'],
  [{ ...CNAME, values: ['a.example.com', 'b.example.com'] }, 'CNAME records must have a single value'],
  [{ ...CNAME, values: ['example'] }, 'spec.values[0]: Invalid value: "example": should be a domain'],
  [{ ...CNAME, values: [''] }, 'spec.values[0]: Required value'],
  [
    { values: ['192.0.2.1', 'example.com'] },
    'spec.values[1]: Invalid value: "example.com": must be a valid IP address',
  ],
  [{ values: ['192.0.2.01'] }, 'spec.values[0]: Invalid value: "192.0.2.01": must be a valid IP address'],
  [
    { values: ['2001:db8::1'] },
    'spec.values[0]: Invalid value: "2001:db8::1": a record of type A holds IPv4 addresses',
  ],
  [{ recordType: 'AAAA' }, 'spec.values[0]: Invalid value: "192.0.2.1": a record of type AAAA holds IPv6 addresses'],
  [{ ...TXT, values: [''] }, 'spec.values[0]: Invalid value: "": a TXT value must not be empty'],
  [{ ttl: -1 }, 'spec.ttl: Invalid value: -1'],
  [{ ttl: 2 ** 31 }, 'spec.ttl: Invalid value: 2147483648'],
  [{ zone: 'not a zone' }, 'spec.zone: Invalid value: "not a zone"'],
  [{ secretRef: { name: 'none' } }, 'could not get AWS credentials: Secret shoot--foo--bar/none not found'],
  [{ name: 'api.example.com' }, 'could not find DNS hosted zone for name api.example.com'],
])('a DNSRecord with %j ends in ERR_CONFIGURATION_PROBLEM, and its deletion changes nothing', async (spec, words) => {
  const { world, ref } = await served(spec);
  const { lastOperation, lastError, observedGeneration, conditions, zone } = statusOf(world, ref);
  expect(lastError?.description).toContain(words);
  expect(lastError?.description).toMatch(/^Error reconciling DNSRecord: /);
  expect(lastError?.codes).toEqual(['ERR_CONFIGURATION_PROBLEM']);
  expect(lastOperation).toMatchObject({ type: 'Create', state: 'Error', progress: 50 });
  expect(lastOperation).toMatchObject({ description: lastError?.description });
  expect([observedGeneration, zone]).toEqual([1, undefined]);
  const message = 'Error on initial record creation in infrastructure';
  expect(conditions).toMatchObject([{ type: 'Created', status: 'False', reason: 'Error', message }]);
  expect(world.read(ref)?.metadata).toMatchObject({ annotations: {}, finalizers: [FINALIZER] });
  const calls = world.account.calls.length;
  world.remove(ref);
  await world.serve([ref]);
  expect(world.read(ref)).toBeNull();
  expect(world.account.calls.length).toBe(calls);
});

/** The annotation, the number of finalizers and the last operation, in each state that the object had. */
function historyOf({ history }: SeedWorld): readonly string[] {
  return history.map(({ metadata, status }) => {
    const last = status?.lastOperation as Record<string, string | number> | undefined;
    const operation = last === undefined ? '' : `${last.type} ${last.state} ${last.progress} ${last.description}`;
    return `${metadata.annotations?.[OPERATION] ?? '-'} ${(metadata.finalizers ?? []).length} ${operation}`.trim();
  });
}

describe('the writes to a DNSRecord, in their order,', () => {
  it('are those of a reconcile', async () => {
    const { world } = await served({});
    expect(historyOf(world)).toEqual([
      'reconcile 0',
      '- 1',
      '- 1 Create Processing 1 Reconciling the DNSRecord',
      '- 1 Create Succeeded 100 Successfully reconciled DNSRecord',
    ]);
  });

  it('are those of a restore', async () => {
    const { world } = await served({}, 'restore');
    expect(historyOf(world)).toEqual([
      'restore 0',
      'restore 1',
      'restore 1 Restore Processing 1 Restoring the DNSRecord',
      'restore 1 Restore Succeeded 100 Successfully restored DNSRecord',
      '- 1 Restore Succeeded 100 Successfully restored DNSRecord',
    ]);
  });

  it('are those of a deletion', async () => {
    const { world, ref } = await served({});
    world.history.length = 0;
    world.remove(ref);
    await world.serve([ref]);
    expect(historyOf(world).slice(1)).toEqual([
      '- 1 Delete Processing 1 Deleting the DNSRecord',
      '- 1 Delete Succeeded 100 Successfully deleted DNSRecord',
      '- 0 Delete Succeeded 100 Successfully deleted DNSRecord',
    ]);
  });

  it('are none for wait-for-state', async () => {
    const { world } = await served({}, 'wait-for-state');
    expect(historyOf(world)).toEqual(['wait-for-state 0']);
    expect(world.account.calls).toEqual([]);
  });
});

it.each([
  ['api.test.example.org', 'Z2'],
  ['test.example.org', 'Z2'],
  ['apitest.example.org', 'Z1'],
  ['bar.foo.com', 'Z3'],
  ['foo.com', 'Z3'],
])('%s belongs into %s, which the status then names', async (name, zone) => {
  const hostedZones = [
    { id: 'Z1', name: 'example.org.' },
    { id: 'Z2', name: 'test.example.org.' },
    { id: 'Z3', name: 'foo.com.' },
  ];
  const { world, ref } = await served({ name }, 'reconcile', { hostedZones });
  expect(statusOf(world, ref).zone).toBe(zone);
  world.edit(ref, { ttl: 60 }, { [OPERATION]: 'reconcile' });
  await world.serve([ref]);
  expect(world.account.calls.filter(({ method }) => method === 'list')).toHaveLength(1);
});

it('finalizers and conditions of others are left unchanged', async () => {
  const { world, ref } = await served({});
  const { seed } = world.deps;
  const uid = world.read(ref)?.metadata.uid ?? '';
  const resourceVersion = world.read(ref)?.metadata.resourceVersion ?? '';
  await seed.patchMetadata({ ref, uid, resourceVersion }, { finalizers: [FINALIZER, 'other/one'] });
  await seed.patchStatus({ ref, uid }, { conditions: [{ type: 'Other', status: 'True' }] });
  world.edit(ref, { ttl: 60 }, { [OPERATION]: 'reconcile' });
  await world.serve([ref]);
  expect(statusOf(world, ref).conditions).toMatchObject([{ type: 'Other' }, { type: 'Created', status: 'True' }]);
  world.remove(ref);
  await world.serve([ref]);
  expect(world.read(ref)?.metadata.finalizers).toEqual(['other/one']);
});

it.each([
  ['a name that ends in a dot', { name: 'api.example.org.' }, ['MX']],
  ['a type that DNSRecords do not have', { recordType: 'MX' }, ['A', 'MX']],
])(
  'with takeover, a deletion of what another controller published under %s comes to its end',
  async (_, spec, left) => {
    const world = seedWorld({ settings: { takeover: true } });
    for (const type of ['MX', 'A'] as const) {
      const values = type === 'A' ? A.values : ['10 mail.example.org.'];
      const key = { name: 'api.example.org.', type, setIdentifier: null };
      world.account.edit('Z1', key, { kind: 'values', ttlSeconds: 60, values });
    }
    const ref = world.create('api', { ...A, ...spec });
    const { uid = '', resourceVersion = '' } = world.read(ref)?.metadata ?? {};
    await world.deps.seed.patchMetadata({ ref, uid, resourceVersion }, { finalizers: [FINALIZER] });
    const conditions = [{ type: 'Created', status: 'True' }];
    const lastOperation = { type: 'Reconcile', state: 'Succeeded' };
    await world.deps.seed.patchStatus({ ref, uid }, { conditions, zone: 'Z1', lastOperation });
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
    const types = world.account.recordSets('Z1').filter(({ name }) => name === 'api.example.org.');
    expect(types.map(({ type }) => type).toSorted()).toEqual(left);
  },
);

const FAILED = { spec: { shoot: { status: { lastOperation: { state: 'Failed' } } } } };
const FOREIGN = { kind: 'values' as const, ttlSeconds: 60, values: ['198.51.100.9'] };

it.each([
  ['lost', null],
  ['overwritten', FOREIGN],
])('of a shoot that failed, a record set that was %s is neither published again nor reported', async (_, content) => {
  const { world, ref } = await served({});
  world.account.edit('Z1', { name: 'api.example.org.', type: 'A', setIdentifier: null }, content);
  const [before, calls] = [world.read(ref), world.account.calls.length];
  const failed = { ...world.deps, seed: { ...world.deps.seed, readShoot: async () => FAILED } };
  await world.serve([ref], failed, { checks: true });
  expect([world.read(ref), world.account.calls.length]).toEqual([before, calls]);
  await world.serve([ref], world.deps, { checks: true });
  expect(world.account.calls.length).toBeGreaterThan(calls);
});

it('of a shoot that failed, a migrated object keeps its annotation reconcile', async () => {
  const { world, ref } = await served({}, 'migrate');
  world.edit(ref, null, { [OPERATION]: 'reconcile' });
  const before = world.read(ref);
  await world.serve([ref], { ...world.deps, seed: { ...world.deps.seed, readShoot: async () => FAILED } });
  expect(world.read(ref)).toEqual(before);
  await world.serve([ref]);
  expect(world.read(ref)?.metadata.annotations).toEqual({});
});
