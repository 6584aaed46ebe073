import { describe, expect, it } from 'vitest';
import { A, failingAccount, NAMESPACE, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import { findEntries } from '../history/find-entries.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { AccountError } from '../ports/seed/accounts.ts';
import { dnsRecordsIdOf } from '../record-sets/hosted-zone-item.ts';
import { isDnsRecordHint } from '../sources/gardener/dns-record.ts';
import { dnsRecordService } from './service.ts';

const OPERATION = 'gardener.cloud/operation';
const ALL = { kind: 'DNSRecord', namespace: null, name: null };

function stateOf(world: SeedWorld, ref: ObjectRef): string {
  return String((world.read(ref)?.status?.lastOperation as { state?: string } | undefined)?.state ?? 'none');
}

const record = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const foreign = { kind: 'values', ttlSeconds: 60, values: ['198.51.100.9'] } as const;

describe('dnsRecordService()', () => {
  it('serves the objects of its classes that a wide hint means, and no others', async () => {
    const world = seedWorld();
    const own = world.create('api', A);
    const other = world.create('other', { ...A, name: 'other.example.org', class: 'seed' });
    const google = world.create('google', { ...A, name: 'google.example.org', type: 'google-clouddns' });
    await dnsRecordService(world.deps).hint([ALL]);
    expect([own, other, google].map((ref) => stateOf(world, ref))).toEqual(['Succeeded', 'none', 'none']);
    expect([ALL, { kind: 'Zone' }].map(isDnsRecordHint)).toEqual([true, false]);
  });

  it('writes the history, with how its hints came, for as long as the configuration says', async () => {
    const causes = async (days: number) => {
      const world = seedWorld();
      const service = dnsRecordService({ ...world.deps, history: { days } });
      const refs = ['api', 'www'].map((name) => world.create(name, { ...A, name: `${name}.example.org` }));
      for (const [index, ref] of refs.entries()) await service.hint([{ ...ref, via: index === 0 ? 'watch' : 'poll' }]);
      await service.planned([world.create('x', { ...A, name: 'x.example.org' })], false);
      const hostedZones = [{ id: dnsRecordsIdOf('Z1'), name: 'example.org.' }];
      const { entries } = await findEntries(world.ledger, { hostedZones, sinceMs: 0, untilMs: 9e12, limit: 9 });
      return entries.map(({ name, cause }) => `${name} ${cause.kind}`).toSorted();
    };
    expect(await causes(1)).toEqual(['api.example.org. watch', 'www.example.org. poll', 'x.example.org. command']);
    expect(await causes(0)).toEqual([]);
  });

  it('serves an object once at a time, and once more after a hint in the meantime', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const service = dnsRecordService(world.deps);
    const serving = service.hint([ref]);
    await service.hint([ref]);
    await serving;
    expect(world.hints).toEqual([{ ref, seconds: 0 }]);
    expect(world.account.calls.map(({ method }) => method)).toEqual(['list', 'change']);
  });

  it('keeps an object from a second run until its own ends, also if another one fails in another hosted zone (seed 473388)', async () => {
    const hostedZones = [
      { id: 'Z1', name: 'example.org.' },
      { id: 'Z2', name: 'example.net.' },
    ];
    const world = seedWorld({ hostedZones });
    const refs = [world.create('api', A), world.create('bad', { ...A, zone: 'Z2' })];
    const { port } = world.account;
    let answer = () => {};
    const waits = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const change: typeof port.change = async (id, ...asked) => {
      if (id === 'Z1') await waits;
      return port.change(id, ...asked);
    };
    const fails = () => Promise.reject(new Error('the queue fails'));
    const accounts = { open: () => ({ id: 'sha', hostedZones: { ...port, change } }) };
    const service = dnsRecordService({ ...world.deps, accounts, queues: { hint: fails, publish: fails } });
    let isOver = false;
    const serving = service.hint(refs).catch((error: Error) => {
      isOver = true;
      return error.message;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isOver).toBe(false);
    answer();
    expect(await serving).toBe('the queue fails');
    expect(refs.map((ref) => stateOf(world, ref))).toEqual(['Succeeded', 'Error']);
  });

  it('sends few calls for a thousand records whose hints come one by one', async () => {
    const world = seedWorld();
    const refs = Array.from({ length: 100 }, (_, i) => world.create(`r${i}`, { ...A, name: `r${i}.example.org` }));
    const service = dnsRecordService(world.deps);
    await Promise.all(refs.map((ref) => service.hint([ref])));
    expect(refs.every((ref) => stateOf(world, ref) === 'Succeeded')).toBe(true);
    expect(world.account.calls.filter(({ method }) => method === 'change').length).toBeLessThan(10);
  });

  it('tries at once what failed before it began, and then keeps to the pauses', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const accounts = failingAccount(new AccountError('throttled', 'Throttling', 'too fast'));
    await dnsRecordService({ ...world.deps, accounts }).hint([ref]);
    expect(stateOf(world, ref)).toBe('Error');
    const failing = dnsRecordService({ ...world.deps, accounts });
    const before = world.history.length;
    await failing.hint([ALL]);
    expect(world.history.length).toBe(before + 2);
    await failing.hint([ALL]);
    expect(world.history.length).toBe(before + 2);
    await dnsRecordService(world.deps).hint([ALL]);
    expect(stateOf(world, ref)).toBe('Succeeded');
  });

  it('checks in a sweep what a hint is looking at in that moment, as at the start of a watch', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    await dnsRecordService(world.deps).hint([ref]);
    world.account.edit('Z1', record, foreign);
    const { seed } = world.deps;
    let isFirst = true;
    // The hint reads the object for longer than the sweep needs to come to its checks.
    const get: typeof seed.get = async (asked) => {
      const isSlow = isFirst;
      isFirst = false;
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 50));
      return seed.get(asked);
    };
    const service = dnsRecordService({ ...world.deps, seed: { ...seed, get } });
    const hinted = service.hint([ref]);
    await service.sweep();
    await hinted;
    expect(stateOf(world, ref)).toBe('Error');
  });

  it('checks in a sweep what Route 53 has, except what was just published', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const service = dnsRecordService(world.deps);
    await service.sweep();
    const calls = world.account.calls.length;
    await service.sweep();
    expect(world.account.calls.length).toBe(calls);
    world.account.edit('Z1', record, foreign);
    world.clock.ms += 61_000;
    await service.sweep();
    expect(stateOf(world, ref)).toBe('Error');
    world.account.edit('Z1', record, null);
    world.clock.ms += 61_000;
    await service.sweep();
    expect(stateOf(world, ref)).toBe('Succeeded');
  });

  it("reads again after a webhook's hint, because the write is not stored yet", async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const service = dnsRecordService(world.deps);
    await service.hint([{ ...ref, oldVersion: '1' }]);
    expect(world.hints).toEqual([{ ref, seconds: 1 }]);
    world.edit(ref, { values: ['192.0.2.2'] }, { [OPERATION]: 'reconcile' });
    await service.hint([{ ...ref, oldVersion: '1', attempt: 3 }]);
    expect(world.hints.at(-1)?.seconds).toBe(25);
    expect(world.read(ref)?.metadata).toMatchObject({ namespace: NAMESPACE, annotations: {} });
  });

  it("reads again for longer than an API server may take for the write of a webhook's hint", async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const service = dnsRecordService(world.deps);
    for (let attempt = 0; attempt < 10; attempt += 1) await service.hint([{ ...ref, oldVersion: '1', attempt }]);
    expect(world.hints.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0)).toBeGreaterThan(60);
  });
});

describe('two processes', () => {
  it('do not serve one object at once; the turn of a process that died ends by itself', async () => {
    const world = seedWorld();
    const ref = world.create('api', { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] });
    const other = { ...world.deps, server: { ...world.deps.server, holder: 'another process' } };
    const dying = {
      ...other,
      accounts: {
        open: () => {
          throw new Error('crash');
        },
      },
    };
    await expect(world.serve([ref], dying)).rejects.toThrow('crash');
    await world.serve([ref]);
    expect(world.read(ref)?.status?.lastOperation).toMatchObject({ state: 'Processing' });
    expect(world.hints.at(-1)).toEqual({ ref, seconds: 5 });
    world.clock.ms += 96_000;
    await world.serve([ref]);
    expect(world.read(ref)?.status?.lastOperation).toMatchObject({ state: 'Succeeded' });
  });
});
