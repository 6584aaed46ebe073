import { describe, expect, it } from 'vitest';
import {
  A,
  dyingAt,
  failingAccount,
  lastOf,
  NOW_MS,
  SECRET_KEY,
  type SeedWorld,
  seedWorld,
} from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { AccountError } from '../ports/seed/accounts.ts';

const OPERATION = 'gardener.cloud/operation';

function messageOf(world: SeedWorld, ref: ObjectRef): string {
  return String((world.read(ref)?.status?.lastError as { description?: string } | undefined)?.description ?? '');
}

describe('an account in trouble', () => {
  it.each([
    ['throttled', 'Throttling', 'ERR_INFRA_RATE_LIMITS_EXCEEDED', [31, 61, 121]],
    ['unanswered', 'ECONNRESET', '', [31, 61, 121]],
    ['unanswered', 'ServiceUnavailable', '', [31, 61, 121]],
    ['refused', 'InvalidClientTokenId', 'ERR_INFRA_UNAUTHORIZED', [11, 21, 41]],
    ['refused', 'AccessDenied', 'ERR_INFRA_UNAUTHORIZED', [11, 21, 41]],
    ['refused', 'InvalidAccessKeyId', 'ERR_INFRA_UNAUTHENTICATED', [11, 21, 41]],
  ] as const)('%s with %s is %s, and tried again with growing pauses', async (kind, code, expected, pauses) => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const deps = { ...world.deps, accounts: failingAccount(new AccountError(kind, code, `${code}: no`)) };
    for (const pause of pauses) {
      await world.serve([ref], deps);
      expect(lastOf(world, ref)).toBe(`Error ${expected}`.trim());
      expect(world.hints.at(-1)?.seconds).toBe(pause);
      const before = world.history.length;
      // A hint before the pause is over, as the watch gives of our own write, does nothing.
      await world.serve([ref], deps);
      expect(world.history.length).toBe(before);
      world.clock.ms += pause * 1_000;
    }
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Succeeded');
  });

  it.each([true, false])('is tried again, whichever call the process dies at (after the call: %s)', async (after) => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const world = seedWorld();
      const ref = world.create('api', A);
      const accounts = failingAccount(new AccountError('throttled', 'Throttling', 'no'));
      // The pause after the second failure is longer than the time until a message is delivered again.
      await world.serve([ref], { ...world.deps, accounts });
      world.clock.ms += 31_000;
      const { deps, calls } = dyingAt({ ...world.deps, accounts }, at, after);
      const dueMs: number[] = [];
      let known = world.hints.length;
      const serve = async (by = world.deps) => {
        const isDone = await world.serve([ref], by).then(
          () => true,
          () => false,
        );
        dueMs.push(...world.hints.slice(known).map(({ seconds }) => world.clock.ms + seconds * 1_000));
        known = world.hints.length;
        return isDone;
      };
      if (!(await serve(deps))) {
        // The queue delivers the message again.
        world.clock.ms += 40_000;
        await serve();
      }
      isOver = calls() < at;
      for (let nextMs = Math.min(...dueMs); dueMs.length > 0; nextMs = Math.min(...dueMs)) {
        dueMs.splice(dueMs.indexOf(nextMs), 1);
        world.clock.ms = Math.max(world.clock.ms, nextMs);
        await serve();
      }
      expect(lastOf(world, ref), `died at call ${at}`).toBe('Succeeded');
    }
  });

  it.each([
    [3, 'Succeeded'],
    [4, 'Error ERR_INFRA_RATE_LIMITS_EXCEEDED'],
  ])('is tried again at once while Route 53 works on an earlier change: %i times', async (times, end) => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const { clock, accounts: plain } = world.deps;
    const slept: number[] = [];
    let left = times;
    const accounts: typeof plain = {
      open: (credentials) => {
        const { id, hostedZones } = plain.open(credentials);
        const message = 'PriorRequestNotComplete: still processing a prior request';
        const change: typeof hostedZones.change = async (...asked) => {
          left -= 1;
          return left >= 0 ? { kind: 'throttled', message } : hostedZones.change(...asked);
        };
        return { id, hostedZones: { ...hostedZones, change } };
      },
    };
    const pausing = async (ms: number) => {
      slept.push(ms);
      await clock.sleep(ms);
    };
    await world.serve([ref], { ...world.deps, accounts, clock: { ...clock, sleep: pausing } });
    expect(lastOf(world, ref)).toBe(end);
    expect(slept.filter((ms) => [100, 300, 900].includes(ms))).toEqual([100, 300, 900]);
  });

  it('does not wait when somebody annotates', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    const deps = { ...world.deps, accounts: failingAccount(new AccountError('throttled', 'Throttling', 'no')) };
    await world.serve([ref], deps);
    world.edit(ref, null, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Succeeded');
  });

  it('delays no other account', async () => {
    const world = seedWorld();
    world.secrets.set('shoot--foo--bar/bad', { accessKeyID: 'AKIABAD', secretAccessKey: 'x' });
    const bad = world.create('bad', { ...A, name: 'bad.example.org', secretRef: { name: 'bad' } });
    const good = world.create('good', { ...A, name: 'good.example.org' });
    const { promise, resolve } = Promise.withResolvers<never[]>();
    const hanging = failingAccount(new AccountError('unanswered', 'Timeout', 'no'));
    const accounts = {
      open: (credentials: Parameters<typeof world.deps.accounts.open>[0]) =>
        credentials.kind === 'key' && credentials.accessKeyId === 'AKIABAD'
          ? { id: 'bad', hostedZones: { ...hanging.open(credentials).hostedZones, list: () => promise } }
          : world.deps.accounts.open(credentials),
    };
    const serving = world.serve([bad, good], { ...world.deps, accounts });
    const deadline = Date.now() + 2_000;
    while (lastOf(world, good) !== 'Succeeded' && Date.now() < deadline) await new Promise((end) => setTimeout(end, 5));
    expect(lastOf(world, good)).toBe('Succeeded');
    expect(lastOf(world, bad)).toBe('Processing');
    resolve([]);
    await serving;
    expect(lastOf(world, bad)).toBe('Error ERR_CONFIGURATION_PROBLEM');
  });
});

describe('a Secret', () => {
  it.each([
    ['missing', null, 'could not get AWS credentials: Secret shoot--foo--bar/creds not found'],
    ['without a key', { accessKeyID: 'AKIAGOODGOODGOODGOOD' }, 'secretAccessKey'],
    ['empty', {}, 'does not contain any data'],
  ] as const)('that is %s is a configuration problem, until it is there', async (_, data, words) => {
    const world = seedWorld();
    const whole = world.secrets.get('shoot--foo--bar/creds') as Record<string, string>;
    world.secrets.delete('shoot--foo--bar/creds');
    if (data !== null) world.secrets.set('shoot--foo--bar/creds', data);
    const ref = world.create('api', A);
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf(world, ref)).toContain(words);
    world.secrets.set('shoot--foo--bar/creds', whole);
    world.clock.ms += 11_000;
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Succeeded');
  });

  it('of a namespace that is not listed is not read', async () => {
    const world = seedWorld({ settings: { secretNamespaces: ['garden'] } });
    const ref = world.create('api', A);
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf(world, ref)).toContain('secretNamespaces');
  });

  it('is in no item, no log line, no status, no Event and no hint', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    await world.serve([ref]);
    world.edit(ref, { values: ['192.0.2.9'] }, { [OPERATION]: 'reconcile' });
    const refusing = failingAccount(new AccountError('refused', 'SignatureDoesNotMatch', 'the signature is wrong'));
    await world.serve([ref], { ...world.deps, accounts: refusing });
    const partitions = ['dnsrecords#seed', 'hostedzones', 'recordsets#Z1/dnsrecords', 'dirty#Z1/dnsrecords'];
    const items = await Promise.all(partitions.map((partition) => world.ledger.query(partition)));
    expect(items[0]?.items).toHaveLength(1);
    const { history, logged, events, hints } = world;
    const said = JSON.stringify([items, history, logged, events, hints]);
    expect(said).not.toContain(SECRET_KEY);
    expect(said).not.toContain('AKIAGOODGOODGOODGOOD');
  });
});

describe('an edited spec', () => {
  it.each([
    ['name', { name: 'other.example.org' }, 'spec.name'],
    ['recordType', { recordType: 'TXT' }, 'spec.recordType'],
    ['type', { type: 'google-clouddns' }, 'spec.type'],
    ['values', { values: ['2001:db8::1'] }, 'spec.values[0]'],
  ])('with a wrong %s keeps the record set', async (_, spec, words) => {
    const world = seedWorld();
    const ref = world.create('api', A);
    await world.serve([ref]);
    world.edit(ref, spec, { [OPERATION]: 'reconcile' });
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf(world, ref)).toContain(words);
    expect(world.account.recordSets('Z1').some(({ name }) => name === 'api.example.org.')).toBe(true);
    world.remove(ref);
    await world.serve([ref]);
    expect(world.read(ref)).toBeNull();
    expect(world.account.recordSets('Z1').some(({ name }) => name === 'api.example.org.')).toBe(false);
  });

  it('writes times in whole seconds', async () => {
    const world = seedWorld();
    const ref = world.create('api', A);
    await world.serve([ref]);
    const last = world.read(ref)?.status?.lastOperation as { lastUpdateTime: string } | undefined;
    expect(last?.lastUpdateTime).toBe(new Date(NOW_MS).toISOString().replace('.000', ''));
  });
});

describe('a shoot that failed', () => {
  it('is left alone, with its annotation, until it has recovered', async () => {
    const world = seedWorld();
    const ref = world.create('api', A, { [OPERATION]: 'reconcile' });
    const shoot = (state: string) => ({ spec: { shoot: { status: { lastOperation: { state } } } } });
    const seed = (state: string) => ({ ...world.deps.seed, readShoot: async () => shoot(state) });
    await world.serve([ref], { ...world.deps, seed: seed('Failed') });
    expect(world.read(ref)?.status).toBeUndefined();
    expect(world.read(ref)?.metadata).toMatchObject({ annotations: { [OPERATION]: 'reconcile' } });
    expect(world.account.calls).toEqual([]);
    await world.serve([ref], { ...world.deps, seed: seed('Processing') });
    expect(lastOf(world, ref)).toBe('Succeeded');
  });
});

describe('ignoreOperationAnnotation', () => {
  it('reconciles every new generation', async () => {
    const world = seedWorld({ settings: { ignoreOperationAnnotation: true } });
    const ref = world.create('api', A);
    await world.serve([ref]);
    world.edit(ref, { values: ['192.0.2.8'] });
    await world.serve([ref]);
    const standing = world.account.recordSets('Z1').find(({ name }) => name === 'api.example.org.');
    expect(standing?.content).toMatchObject({ values: ['192.0.2.8'] });
    expect(world.read(ref)?.status?.observedGeneration).toBe(2);
  });
});

describe('a hosted zone', () => {
  it.each([
    ['that is not there', { zone: 'Z9' }, /hosted ?zone/i],
    ['of another name', { name: 'api.example.com', zone: 'Z1' }, /is not permitted in zone/],
    ['that nobody has', { name: 'api.example.com' }, /could not find DNS hosted zone for name api.example.com/],
  ])('%s is a configuration problem, with the message of its source', async (_, spec, words) => {
    const world = seedWorld();
    const ref = world.create('api', { ...A, ...spec });
    await world.serve([ref]);
    expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
    expect(messageOf(world, ref)).toMatch(words);
    expect(world.read(ref)?.status?.zone).toBeUndefined();
  });
});

it('a full hosted zone is reported as a quota, until it has room', async () => {
  let isFull = true;
  const messages = ['LimitsExceeded: The maximum number of resource record sets that can be created is 10000.'];
  const changeFault = () => (isFull ? { apply: false, outcome: { kind: 'refused' as const, messages } } : null);
  const world = seedWorld({ account: { changeFault } });
  const ref = world.create('api', A);
  await world.serve([ref]);
  expect(lastOf(world, ref)).toBe('Error ERR_INFRA_QUOTA_EXCEEDED');
  expect(messageOf(world, ref)).toContain(messages[0]);
  world.clock.ms += 11_000;
  await world.serve([ref]);
  expect(lastOf(world, ref)).toBe('Error ERR_INFRA_QUOTA_EXCEEDED');
  isFull = false;
  world.clock.ms += 3_700_000;
  await world.serve([ref]);
  expect(lastOf(world, ref)).toBe('Succeeded');
});

it('a status that is refused delays no other DNSRecord of the hosted zone', async () => {
  const world = seedWorld();
  const names = ['first', 'second', 'third'];
  const refs = names.map((name) => world.create(name, { ...A, name: `${name}.example.org` }));
  const { seed } = world.deps;
  const patchStatus: typeof seed.patchStatus = async (of, status) => {
    const { state } = status.lastOperation as { state: string };
    if (of.ref.name === 'first' && state !== 'Processing') throw new Error('422: the status is refused');
    return seed.patchStatus(of, status);
  };
  await expect(world.serve(refs, { ...world.deps, seed: { ...seed, patchStatus } })).rejects.toThrow('422');
  expect(refs.map((ref) => lastOf(world, ref))).toEqual(['Processing', 'Succeeded', 'Succeeded']);
});
