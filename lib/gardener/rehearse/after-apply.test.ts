import { expect, it } from 'vitest';
import { type SeedWorld, seedWorld } from '../../../test/fakes/seed-world.ts';
import { afterApply } from './after-apply.ts';
import { planDnsRecords } from './plan-dns-records.ts';

const OPERATION = 'gardener.cloud/operation';
const A = { recordType: 'A', values: ['192.0.2.1'] };
const FOREIGN = { kind: 'values' as const, ttlSeconds: 60, values: ['198.51.100.9'] };

const plan = ({ deps }: SeedWorld) => planDnsRecords(deps, { reads: false, checks: false });

/** Plans, serves with `act`, and returns what afterApply() shows. */
async function applied(world: SeedWorld, act: () => Promise<void>) {
  const { seed, server } = world.deps;
  const planned = await plan(world);
  await act();
  const shown = await afterApply(seed, server.settings, planned);
  return shown.map(({ record, operation, state, changes, error, message }) => ({
    name: record.ref.name,
    end: `${operation} ${state}`,
    changes: changes.map(({ action, name, type }) => `${action} ${name} ${type}`),
    codes: error?.codes ?? null,
    message,
  }));
}

it('afterApply() shows how each planned DNSRecord ended', async () => {
  const world = seedWorld();
  const gone = world.create('gone', { ...A, name: 'gone.example.org' });
  await world.serve([gone]);
  world.remove(gone);
  const good = world.create('good', { ...A, name: 'good.example.org' });
  const taken = world.create('taken', { ...A, name: 'taken.example.org' });
  world.account.edit('Z1', { name: 'taken.example.org.', type: 'A', setIdentifier: null }, FOREIGN);
  expect(await applied(world, () => world.serve([gone, good, taken]))).toEqual([
    { name: 'gone', end: 'Delete Succeeded', changes: ['delete gone.example.org. A'], codes: null, message: '' },
    { name: 'good', end: 'Create Succeeded', changes: ['create good.example.org. A'], codes: null, message: '' },
    { name: 'taken', end: 'Create Error', changes: [], codes: ['ERR_CONFIGURATION_PROBLEM'], message: '' },
  ]);
});

it('afterApply() shows which DNSRecords were not served, and which were deleted in the meantime', async () => {
  const world = seedWorld();
  const away = world.create('away', { ...A, name: 'away.example.org' });
  world.create('open', { ...A, name: 'open.example.org' });
  const end = { end: 'Create Processing', changes: [], codes: null };
  expect(await applied(world, async () => world.remove(away))).toEqual([
    { name: 'away', ...end, message: 'It was deleted meanwhile.' },
    { name: 'open', ...end, message: 'Nothing was done with it: another run works on it.' },
  ]);
});

it('afterApply() shows a problem that was found without an annotation, and nothing that is unchanged', async () => {
  const world = seedWorld();
  const refs = ['drifts', 'stands'].map((name) => world.create(name, { ...A, name: `${name}.example.org` }));
  await world.serve(refs);
  world.account.edit('Z1', { name: 'drifts.example.org.', type: 'A', setIdentifier: null }, FOREIGN);
  expect(await applied(world, () => world.serve(refs, world.deps, { checks: true }))).toMatchObject([
    { name: 'drifts', end: 'Reconcile Error', changes: [], codes: ['ERR_CONFIGURATION_PROBLEM'] },
  ]);
});

it('afterApply() shows success when only an annotation is removed', async () => {
  const world = seedWorld();
  const ref = world.create('api', { ...A, name: 'api.example.org' });
  await world.serve([ref]);
  world.edit(ref, null, { [OPERATION]: 'migrate' });
  await world.serve([ref]);
  world.edit(ref, null, { [OPERATION]: 'reconcile' });
  expect(await applied(world, () => world.serve([ref]))).toEqual([]);
});
