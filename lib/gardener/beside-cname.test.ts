// DNSRecords that want a CNAME and another type at one name: the one that published first keeps the name, and one that
// was never published delays nobody.
import { beforeEach, expect, it } from 'vitest';
import { NAMESPACE, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { RecordSetChange } from '../dns/record-set.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import type { BatchOutcome, HostedZones } from '../ports/hosted-zones.ts';

const OPERATION = 'gardener.cloud/operation';
const NAME = 'api.example.org';
const TEXT = { name: NAME, recordType: 'TXT', values: ['text'] };
const CNAME = { name: NAME, recordType: 'CNAME', values: ['c.example.net'] };
const A = { name: NAME, recordType: 'A', values: ['192.0.2.1'] };
const SILENT: BatchOutcome = { kind: 'unknown', message: 'no answer' };

let world: SeedWorld;
/** The batches that Route 53 got and did not answer. The tests apply them later. */
let sent: (readonly RecordSetChange[])[];

beforeEach(() => {
  world = seedWorld();
  sent = [];
});

const standing = () =>
  world.account.recordSets('Z1').flatMap(({ name, type }) => (name === `${NAME}.` && type !== 'NS' ? [type] : []));
const stateOf = (ref: ObjectRef) => (world.read(ref)?.status?.lastOperation as { state: string } | undefined)?.state;
const errorOf = (ref: ObjectRef) =>
  (world.read(ref)?.status?.lastError as { description: string } | undefined)?.description;

/** Serves ten minutes later. */
async function serve(...refs: ObjectRef[]) {
  world.clock.ms += 600_000;
  await world.serve(refs);
}

/** Serves while Route 53 does not answer; the batch has not landed. */
async function serveSilently(ref: ObjectRef) {
  const { port } = world.account;
  const hostedZones: HostedZones = {
    ...port,
    change: async (_, changes) => {
      sent.push(changes);
      return SILENT;
    },
  };
  await world.serve([ref], { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones }) } });
  expect(stateOf(ref)).toBe('Error');
}

it.each([
  ['a CNAME', CNAME, TEXT],
  ['a TXT', TEXT, CNAME],
])('%s that may still land delays no other record, as long as it does not exist', async (_, late, other) => {
  await serveSilently(world.create('late', late));
  const ref = world.create('other', other);
  await serve(ref);
  await serve(ref);
  expect(stateOf(ref)).toBe('Succeeded');
  expect(standing()).toEqual([other.recordType]);
});

it('a CNAME whose batch landed later has its name, because it was first', async () => {
  const first = world.create('first', CNAME);
  await serveSilently(first);
  for (const changes of sent) await world.account.port.change('Z1', changes, '');
  const ref = world.create('other', TEXT);
  await serve(ref);
  expect(errorOf(ref)).toContain(`CNAME ${NAME} is published for DNSRecord ${NAMESPACE}/first, which was first`);
  await serve(ref, first);
  expect(stateOf(first)).toBe('Succeeded');
  expect(standing()).toEqual(['CNAME']);
});

it.each([
  ['before', (first: ObjectRef, other: ObjectRef) => [first, other]],
  ['after', (first: ObjectRef, other: ObjectRef) => [other, first]],
])(
  'the DNSRecord that was first can change and delete its record, served %s a CNAME that is refused',
  async (_, together) => {
    const other = world.create('other', CNAME);
    await serveSilently(other);
    const first = world.create('first', A);
    await serve(first);
    await serve(first);
    expect(standing()).toEqual(['A']);
    world.edit(first, { values: ['192.0.2.2'] }, { [OPERATION]: 'reconcile' });
    await serve(...together(first, other));
    expect(stateOf(first)).toBe('Succeeded');
    expect(errorOf(other)).toContain(`A ${NAME} is published for DNSRecord ${NAMESPACE}/first, which was first`);
    world.account.edit(
      'Z1',
      { name: `${NAME}.`, type: 'TXT', setIdentifier: null },
      {
        kind: 'values',
        ttlSeconds: 60,
        values: ['"stranger"'],
      },
    );
    world.remove(first);
    await serve(...together(first, other));
    expect(world.read(first)).toBeNull();
    expect(standing()).toEqual(['TXT']);
  },
);

it('a name that was restored is not given to a DNSRecord that only wanted it', async () => {
  const key = { name: `${NAME}.`, type: 'A', setIdentifier: null };
  const wanting = world.create('wanting', { ...A, values: ['192.0.2.9'] });
  world.account.edit('Z1', key, { kind: 'values', ttlSeconds: 120, values: A.values });
  await serve(wanting);
  expect(stateOf(wanting)).toBe('Error');
  const restored = world.create('restored', A, { [OPERATION]: 'restore' });
  await serve(restored);
  expect(stateOf(restored)).toBe('Succeeded');
  await serve(wanting);
  expect(errorOf(wanting)).toContain(`DNSRecord ${NAMESPACE}/restored, which was first`);
});
