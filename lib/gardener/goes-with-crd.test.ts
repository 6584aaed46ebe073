// DNSRecords that Kubernetes deletes together with their CRD: what they published stays.
import { expect, test } from 'vitest';
import { A, seedWorld } from '../../test/fakes/seed-world.ts';
import type { CrdState } from '../ports/cluster.ts';

async function deleted(state: CrdState, confirmed = false) {
  const world = seedWorld();
  const ref = world.create('api', A);
  await world.serve([ref]);
  if (confirmed) world.edit(ref, null, { 'confirmation.gardener.cloud/deletion': 'true' });
  world.remove(ref);
  const deps = { ...world.deps, seed: { ...world.deps.seed, crd: async () => state } };
  await world.serve([ref], deps);
  return {
    stands: world.account.recordSets('Z1').some(({ type }) => type === 'A'),
    isThere: world.read(ref) !== null,
    hinted: world.hints.at(-1)?.seconds,
  };
}

test('serveDnsRecords() keeps what a DNSRecord published that goes with its CRD, and looks again later', async () => {
  const kept = { stands: true, isThere: true, hinted: 300 };
  expect(await deleted({ kind: 'leaving' })).toEqual(kept);
  expect(await deleted({ kind: 'unread', message: 'Cannot read the CRD: 403' })).toEqual(kept);
});

test('serveDnsRecords() deletes it if somebody confirmed the deletion, as Gardener does, or if the CRD stays', async () => {
  const done = { stands: false, isThere: false };
  expect(await deleted({ kind: 'leaving' }, true)).toMatchObject(done);
  expect(await deleted({ kind: 'since', createdAt: '2020-01-01T00:00:00Z' })).toMatchObject(done);
});
