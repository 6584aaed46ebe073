// A plain edit changes nothing: neither a check nor what follows from it serves it, or reports an error in it.
import { beforeEach, expect, it } from 'vitest';
import { RECONCILE, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';

const KEY = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const OURS = { kind: 'values' as const, ttlSeconds: 120, values: ['192.0.2.1'] };
const FOREIGN = { kind: 'values' as const, ttlSeconds: 60, values: ['198.51.100.9'] };

let world: SeedWorld;
let ref: ObjectRef;

const lastOf = () => {
  const status = world.read(ref)?.status as {
    lastOperation: { type: string; state: string };
    lastError?: { codes: string[] };
    observedGeneration: number;
  };
  const { lastOperation: last, lastError, observedGeneration } = status;
  return [last.type, last.state, ...(lastError?.codes ?? []), observedGeneration].join(' ');
};
const standing = () => world.account.recordSets('Z1').find(({ name }) => name === KEY.name)?.content ?? null;
const check = () => world.serve([ref], world.deps, { checks: true });
/** The retries of the next hours, as the queue delivers them. */
const retry = async () => {
  for (let tries = 0; tries < 4; tries += 1) {
    world.clock.ms += 1_000_000;
    await world.serve([ref]);
  }
};
const DRIFTED = 'Reconcile Error ERR_CONFIGURATION_PROBLEM 1';

beforeEach(async () => {
  world = seedWorld();
  ref = world.create('api', { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] });
  await world.serve([ref]);
});

const EDITS: readonly (readonly [string, object])[] = [
  ['a wrong value', { values: ['2001:db8::1'] }],
  ['another value', { values: ['192.0.2.3'] }],
  ['a Secret that is missing', { secretRef: { name: 'none' } }],
  ['a hosted zone that is missing', { zone: 'Z9' }],
  ['another name', { name: 'other.example.org' }],
];

it.each(EDITS)('a check says nothing of a plain edit to %s', async (_, spec) => {
  world.edit(ref, spec);
  await check();
  expect(lastOf()).toBe('Create Succeeded 1');
});

it.each(EDITS)('drift beside a plain edit to %s is reported, and the edit is not served', async (_, spec) => {
  world.edit(ref, spec);
  world.account.edit('Z1', KEY, FOREIGN);
  await check();
  expect(lastOf()).toBe(DRIFTED);
  await retry();
  expect(lastOf()).toBe(DRIFTED);
  world.account.edit('Z1', KEY, OURS);
  await retry();
  expect(lastOf()).toBe('Reconcile Succeeded 1');
  expect(standing()).toEqual(OURS);
});

it.each(EDITS)('a plain edit to %s after drift was reported is not served', async (_, spec) => {
  world.account.edit('Z1', KEY, FOREIGN);
  await check();
  await retry();
  world.edit(ref, spec);
  await retry();
  expect(lastOf()).toBe(DRIFTED);
  world.account.edit('Z1', KEY, null);
  await retry();
  expect(lastOf()).toBe('Reconcile Succeeded 1');
  expect(standing()).toEqual(OURS);
});

it('a record set that is gone beside a plain edit is published again as it was', async () => {
  world.edit(ref, { values: ['192.0.2.3'] });
  world.account.edit('Z1', KEY, null);
  await check();
  expect([lastOf(), standing()]).toEqual(['Create Succeeded 1', OURS]);
});

it('an annotation has the edit served, and a failed operation that it asked for is repeated', async () => {
  world.edit(ref, { values: ['192.0.2.3'] });
  world.account.edit('Z1', KEY, FOREIGN);
  await check();
  world.edit(ref, null, RECONCILE);
  await world.serve([ref]);
  expect(lastOf()).toBe('Reconcile Error ERR_CONFIGURATION_PROBLEM 2');
  world.edit(ref, { values: ['192.0.2.4'] });
  world.account.edit('Z1', KEY, null);
  await retry();
  expect(lastOf()).toBe('Reconcile Succeeded 3');
  expect(standing()).toMatchObject({ values: ['192.0.2.4'] });
});

it('another IP stack after drift was reported is not served, and the drift is looked for again', async () => {
  const alias = { recordType: 'CNAME', values: ['lb.elb.eu-west-1.amazonaws.com'] };
  ref = world.create('lb', { name: 'lb.example.org', ...alias });
  await world.serve([ref]);
  const key = { ...KEY, name: 'lb.example.org.' };
  const ofBalancer = () => world.account.recordSets('Z1').filter(({ name }) => name === key.name);
  const ours = ofBalancer();
  world.account.edit('Z1', key, FOREIGN);
  await check();
  world.edit(ref, null, { 'dns.gardener.cloud/ip-stack': 'dual-stack' });
  await retry();
  expect(lastOf()).toBe(DRIFTED);
  world.account.edit('Z1', key, ours[0]?.content ?? null);
  await retry();
  expect([lastOf(), ofBalancer()]).toEqual(['Reconcile Succeeded 1', ours]);
  world.edit(ref, null, RECONCILE);
  await world.serve([ref]);
  expect(ofBalancer().map(({ type }) => type)).toEqual(['A', 'AAAA']);
});
