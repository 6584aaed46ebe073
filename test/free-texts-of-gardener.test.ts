// The law of free-texts.test.ts for the DNSRecords of a Gardener seed, and the Secrets that they name.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dnsRecordsPartition } from '../lib/gardener/items/dns-record-item.ts';
import { allItems } from '../lib/ledger/pages.ts';
import { A, NAMESPACE, seedWorld } from './fakes/seed-world.ts';
import { freeDnsRecord } from './support/free-text.ts';

const HOUR_MS = 3_600_000;

type Written = typeof freeDnsRecord extends fc.Arbitrary<infer T> ? T : never;

async function live(written: readonly Written[]): Promise<void> {
  const world = seedWorld();
  const own = world.create('api', A);
  const refs = written.map(({ spec, annotations, text }, index) => {
    world.secrets.set(`${NAMESPACE}/s${index}`, { accessKeyID: text, secretAccessKey: text, region: text });
    return world.create(`o${index}`, spec, annotations);
  });
  const secret = world.create('secret', { ...A, name: 's.example.org', secretRef: { name: 's0' } });
  const all = [...refs, secret, own];
  await world.serve(all);
  expect(world.read(own)?.status?.lastOperation).toMatchObject({ state: 'Succeeded' });
  world.edit(own, { values: ['192.0.2.77'] }, { 'gardener.cloud/operation': 'reconcile' });
  world.clock.ms += HOUR_MS;
  await world.serve(all);
  expect(world.account.recordSets('Z1').find(({ name }) => name === 'api.example.org.')?.content).toMatchObject({
    values: ['192.0.2.77'],
  });
  for (const ref of [...refs, secret]) if (world.read(ref) !== null) world.remove(ref);
  for (let round = 0; round < 3; round += 1) {
    world.clock.ms += HOUR_MS;
    await world.serve(all);
  }
  for (const ref of refs) expect(world.read(ref)?.metadata.finalizers ?? []).toEqual([]);
  const left = await allItems(world.ledger, dnsRecordsPartition('seed'));
  expect(left.map(({ sort }) => sort)).toEqual([`${NAMESPACE}/api`]);
}

test('no text of a DNSRecord or its Secret stops a run, delays another object, or outlives its object', async () => {
  const some = fc.array(freeDnsRecord, { minLength: 1, maxLength: 4 });
  await fc.assert(fc.asyncProperty(some, live), { numRuns: 200 });
});
