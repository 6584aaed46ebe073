// Deletions of record sets whose write had no answer: zone53 looks for them, and keeps the finalizer until it has.
import { expect, it } from 'vitest';
import { A, failingAccount, lastOf, seedWorld } from '../../test/fakes/seed-world.ts';
import { AccountError } from '../ports/seed/accounts.ts';

it('serveDnsRecords() deletes what a run that died had written, though its account does not answer at first', async () => {
  const world = seedWorld();
  const ref = world.create('api', A);
  const { port } = world.account;
  const dying: typeof port = {
    ...port,
    change: async (...asked) => {
      await port.change(...asked);
      throw new Error('crash');
    },
  };
  const serveOver = (hostedZones: typeof port) =>
    world.serve([ref], { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones }) } });
  await expect(serveOver(dying)).rejects.toThrow('crash');
  world.remove(ref);
  const silent = failingAccount(new AccountError('unanswered', 'TimeoutError', 'TimeoutError: no answer'));
  await world.serve([ref], { ...world.deps, accounts: silent });
  expect(lastOf(world, ref)).toBe('Error');
  world.clock.ms += 3_600_000;
  await serveOver(port);
  expect(world.read(ref)).toBeNull();
  expect(world.account.recordSets('Z1').some(({ type }) => type === 'A')).toBe(false);
});

/** A DNSRecord whose create was never answered, and landed after every run had given it up. */
async function landedUnseen() {
  const world = seedWorld();
  const ref = world.create('api', A);
  const { port } = world.account;
  const sent: Parameters<typeof port.change>[] = [];
  const slow: typeof port = {
    ...port,
    change: async (...asked) => {
      sent.push(asked);
      return { kind: 'unknown', message: 'no answer' };
    },
  };
  const serveOver = (over: typeof port) =>
    world.serve([ref], { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones: over }) } });
  await serveOver(slow);
  for (const asked of sent) await port.change(...asked);
  return { world, ref, port, serveOver };
}

it('serveDnsRecords() deletes a record that was given up and landed later, unseen', async () => {
  const { world, ref, port, serveOver } = await landedUnseen();
  expect(world.account.recordSets('Z1').some(({ type }) => type === 'A')).toBe(true);
  world.remove(ref);
  await serveOver(port);
  expect(world.read(ref)).toBeNull();
  expect(world.account.recordSets('Z1').some(({ type }) => type === 'A')).toBe(false);
});

it('serveDnsRecords() does not take a read that failed for one that found nothing', async () => {
  const { world, ref, port, serveOver } = await landedUnseen();
  world.remove(ref);
  const denied = new AccountError('refused', 'AccessDenied', 'AccessDenied: not authorized');
  await serveOver({ ...port, readName: () => Promise.reject(denied) });
  expect(lastOf(world, ref)).toBe('Error ERR_INFRA_UNAUTHORIZED');
  world.clock.ms += 60_000;
  await serveOver(port);
  expect(world.read(ref)).toBeNull();
  expect(world.account.recordSets('Z1').some(({ type }) => type === 'A')).toBe(false);
});

it('serveDnsRecords() sends nothing for a neighbour that is deleted and never existed', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const [ref, neighbour] = [world.create('api', A), world.create('beside', { ...A, recordType: 'TXT', values: ['a'] })];
  const { port } = world.account;
  const refusing: typeof port = { ...port, change: async () => ({ kind: 'refused', messages: ['not permitted'] }) };
  await world.serve([ref], { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones: refusing }) } });
  expect(lastOf(world, ref)).toMatch(/^Error/);
  world.remove(ref);
  const { seed } = world.deps;
  const patchMetadata: typeof seed.patchMetadata = async (...asked) => {
    if (asked[0].ref.name === ref.name) await world.serve([neighbour]);
    return seed.patchMetadata(...asked);
  };
  world.clock.ms += 3_600_000;
  await world.serve([ref], { ...world.deps, seed: { ...seed, patchMetadata } });
  expect(world.read(ref)).toBeNull();
  expect(world.account.recordSets('Z1').map(({ type }) => type)).not.toContain('A');
  expect(world.account.recordSets('Z1').map(({ type }) => type)).toContain('TXT');
});

it('serveDnsRecords() forgets what it migrates also when another run writes it at the same moment', async () => {
  const world = seedWorld();
  const ref = world.create('api', A);
  await world.serve([ref]);
  world.edit(ref, null, { 'gardener.cloud/operation': 'migrate' });
  const { ledger } = world.deps;
  let left = 2;
  const remove: typeof ledger.remove = async (key, expected) => {
    const item = key.partition.startsWith('recordsets#') && left > 0 ? await ledger.get(key) : null;
    if (item === null) return ledger.remove(key, expected);
    left -= 1;
    expect(await ledger.put(key, item.body, expected)).not.toBeNull();
    return ledger.remove(key, expected);
  };
  await world.serve([ref], { ...world.deps, ledger: { ...ledger, remove } });
  expect(left).toBe(0);
  expect(await ledger.query('recordsets#Z1/dnsrecords', {})).toMatchObject({ items: [] });
});

it('a deletion with takeover forgets the alias that it took for its own and somebody changed since (seed 5107242)', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const key = { name: 'api.example.org.', type: 'A', setIdentifier: null };
  const alias = {
    hostedZoneId: 'Z2IFOLAFXWLO4F',
    dnsName: 'lb.elb.eu-west-1.amazonaws.com.',
    evaluateTargetHealth: true,
  };
  const ref = world.create('api', { ...A, recordType: 'CNAME', values: ['c.example.net'] });
  await world.serve([ref]);
  world.account.edit('Z1', { ...key, type: 'CNAME' }, null);
  world.account.edit('Z1', key, { kind: 'alias', alias });
  world.remove(ref);
  const { port } = world.account;
  const denied: typeof port = { ...port, change: async () => ({ kind: 'denied', message: 'AccessDenied: no' }) };
  await world.serve([ref], { ...world.deps, accounts: { open: () => ({ id: 'sha', hostedZones: denied }) } });
  expect(lastOf(world, ref)).toBe('Error ERR_INFRA_UNAUTHORIZED');
  world.account.edit('Z1', key, { kind: 'values', ttlSeconds: 60, values: ['198.51.100.9'] });
  world.clock.ms += 3_600_000;
  await world.serve([ref]);
  expect(world.read(ref)).toBeNull();
  expect((await world.ledger.query('recordsets#Z1/dnsrecords')).items).toEqual([]);
  expect(world.events.map(({ message }) => message).join()).toContain('A api.example.org is left unchanged');
  const other = world.create('other', A);
  await world.serve([other]);
  expect(lastOf(world, other)).toBe('Succeeded');
});
