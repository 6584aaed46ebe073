// Health checks that zone53 makes: created before the record sets that name them, shared, and deleted after them.
import { describe, expect, test } from 'vitest';
import {
  CHECK,
  checked,
  type HealthCheckWorld,
  healthCheckWorld,
  keyOf,
  left,
} from '../../test/fakes/health-check-world.ts';
import { APEX, dirtyNames, itemAt, standing, WWW, want, ZONE_ID } from '../../test/fakes/publish-world.ts';
import { fixedRandom } from '../../test/fakes/route53-account.ts';
import { type HealthCheck, parseHealthCheckKey } from '../dns/health-check.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { UNUSED_MS } from './tidy-health-checks.ts';

const K = keyOf();
const API = `api.${APEX}`;
const wantWww = (world: HealthCheckWorld, key: string | null) => want(world, WWW, checked('www', key));
const refusal = async (world: HealthCheckWorld, name = WWW) =>
  (await itemAt(world, { name, type: 'A' }))?.refusal?.message;

describe('publish() with a health check that is to be made', () => {
  test('creates it once for all equal ones of a namespace, and names it by its id', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await want(world, API, checked('api', K));
    await world.publish();
    const [id = ''] = world.checks.standing.keys();
    expect(world.named()).toEqual([`${API} ${id}`, `${WWW} ${id}`]);
    expect([...world.checks.standing.values()]).toEqual([
      { reference: expect.stringMatching(/^zone53\/default\/shop\/[0-9a-f]{8}-\d+$/), check: CHECK },
    ]);
    expect((await itemAt(world, { name: WWW, type: 'A' }))?.published?.routing?.healthCheckId).toBe(K);
  });

  test('makes another one for another namespace', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await want(world, API, checked('api', keyOf({}, 'other')));
    await world.publish();
    expect(world.checks.standing.size).toBe(2);
  });

  test('reads its own health check as its key: a settled world makes no batch', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await world.run();
    const calls = world.route53.calls.filter(({ method }) => method === 'change').length;
    await want(world, WWW, checked('www', K, '192.0.2.2'));
    await want(world, WWW, checked('www', K));
    await world.run();
    expect(world.route53.calls.filter(({ method }) => method === 'change').length).toBe(calls);
    expect(world.checks.standing.size).toBe(1);
  });

  test('leaves the id of a health check that exists as it is, without a call or an item', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, '01234567-89ab-cdef-0123-456789abcdef');
    await world.run();
    expect(world.named()).toEqual([`${WWW} 01234567-89ab-cdef-0123-456789abcdef`]);
    expect(world.checks.calls).toEqual([]);
    expect(await left(world)).toBe(0);
  });

  test.each([
    ['none allowed', { max: 0, namespaces: null }, 'the configuration allows none'],
    ['namespace not listed', { max: 5, namespaces: ['other'] }, 'does not list namespace shop'],
  ])('refuses it by the configuration: %s', async (_, quota, message) => {
    const world = await healthCheckWorld();
    world.quota.now = quota;
    await wantWww(world, K);
    await want(world, API, checked('api', null));
    await world.publish();
    expect(await refusal(world)).toContain(message);
    expect(standing(world)).toEqual([`${API} A 192.0.2.1 300`]);
    expect(world.checks.calls).toEqual([]);
    expect(await left(world)).toBe(0);
  });

  test('refuses one more than the quota, and the one that it refuses costs nothing else', async () => {
    const world = await healthCheckWorld();
    world.quota.now = { max: 1, namespaces: null };
    await wantWww(world, K);
    await world.publish();
    await want(world, API, checked('api', keyOf({ port: 8443 })));
    await want(world, `more.${APEX}`, checked('more', null));
    await world.publish();
    expect(await refusal(world, API)).toContain(
      'namespace shop has 1 already, and healthChecks.max of the configuration is 1',
    );
    expect(standing(world)).toHaveLength(2);
    expect(world.checks.standing.size).toBe(1);
  });

  test('says what Route 53 refuses on the record set that wants it', async () => {
    const world = await healthCheckWorld();
    world.checks.fault = { isDone: false, outcome: { kind: 'refused', message: 'TooManyHealthChecks: the maximum' } };
    await wantWww(world, K);
    await world.publish();
    expect(await refusal(world)).toContain('was not created: TooManyHealthChecks: the maximum');
  });

  test.each([true, false])('repeats a creation whose answer was lost (%s) with the same reference', async (isDone) => {
    const world = await healthCheckWorld();
    world.checks.fault = { isDone, outcome: { kind: 'again', message: 'no answer' } };
    await wantWww(world, K);
    await world.run();
    const creates = world.checks.calls.filter((call) => call.startsWith('create'));
    expect(creates).toHaveLength(2);
    expect(new Set(creates).size).toBe(1);
    expect(world.checks.standing.size).toBe(1);
    expect(world.named()).toHaveLength(1);
  });

  test.each([1, 3])(
    'refuses what needs an item that cannot be read, and publishes the rest (version %i)',
    async (v) => {
      const world = await healthCheckWorld();
      await wantWww(world, K);
      if (v === 3) await world.run();
      const { revision = null } = (await world.ledger.get({ partition: 'healthchecks', sort: 'shop' })) ?? {};
      await world.ledger.put({ partition: 'healthchecks', sort: 'shop' }, { v }, revision);
      await want(world, WWW, checked('www', keyOf({ port: 1 })));
      await want(world, API, checked('api', keyOf({}, 'other')));
      await world.publish();
      expect(await refusal(world)).toContain('Cannot read ledger item "healthchecks" / "shop"');
      expect(world.named().filter((line) => line.startsWith(API))).toHaveLength(1);
    },
  );

  test('publishes all others while Route 53 takes no more health checks for now', async () => {
    const world = await healthCheckWorld();
    const fault = { isDone: false, outcome: { kind: 'again' as const, message: 'Throttling: Rate exceeded' } };
    Object.defineProperty(world.checks, 'fault', { get: () => fault, set: () => {} });
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    for (const name of names) await want(world, `${name}.${APEX}`, checked(name, null));
    await wantWww(world, K);
    await world.publish();
    expect(standing(world)).toHaveLength(20);
    expect(await refusal(world)).toBe(undefined);
    expect(await dirtyNames(world)).toEqual([WWW]);
    expect(world.queued.at(-1)).toEqual({ hostedZoneId: ZONE_ID, delaySeconds: 15 });
    expect(world.checks.calls).toHaveLength(1);
  });

  test('takes another reference if Route 53 has deleted a health check with this one', async () => {
    const world = await healthCheckWorld();
    world.checks.fault = { isDone: false, outcome: { kind: 'spent', message: 'HealthCheckAlreadyExists' } };
    await wantWww(world, K);
    await world.run();
    expect(new Set(world.checks.calls.filter((call) => call.startsWith('create'))).size).toBe(2);
    expect(world.named()).toHaveLength(1);
  });
});

describe('publish() with a health check that changes', () => {
  const OTHER = keyOf({ path: '/health', threshold: 1 });
  const ids = (world: HealthCheckWorld) => [...world.checks.standing.keys()];

  test('changes it in place, for all record sets that have it', async () => {
    const world = await healthCheckWorld();
    world.quota.now = { max: 1, namespaces: null };
    await wantWww(world, K);
    await want(world, API, checked('api', K));
    await world.run();
    const before = ids(world);
    await wantWww(world, OTHER);
    await want(world, API, checked('api', OTHER));
    await world.run();
    expect(ids(world)).toEqual(before);
    expect(world.checks.calls.filter((call) => !call.startsWith('list'))).toEqual([
      expect.stringContaining('create'),
      `update ${before[0]}`,
    ]);
    expect([...world.checks.standing.values()].map(({ check }) => check)).toEqual([
      { ...CHECK, path: '/health', threshold: 1 },
    ]);
    expect(world.named()).toEqual([`${API} ${before[0]}`, `${WWW} ${before[0]}`]);
  });

  test('makes another one while a record set still wants it as it is', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await want(world, API, checked('api', K));
    await world.run();
    await wantWww(world, OTHER);
    await world.run();
    const [first = '', second = ''] = ids(world);
    expect(world.named()).toEqual([`${API} ${first}`, `${WWW} ${second}`]);
    expect(world.checks.standing.get(first)?.check).toEqual(CHECK);
  });

  test.each([
    ['its protocol', keyOf({ protocol: 'HTTP', port: 80 })],
    ['a search string', keyOf({ searchString: 'ok' })],
    ['its interval', keyOf({ interval: 10 })],
    ['its latency', keyOf({ measureLatency: true })],
    ['an address', keyOf({ host: '198.51.100.1' })],
  ])('makes another one for %s, before the old one goes, also with a quota of one', async (_, key) => {
    const world = await healthCheckWorld();
    world.quota.now = { max: 1, namespaces: null };
    await wantWww(world, K);
    await world.run();
    const [old = ''] = ids(world);
    await wantWww(world, key);
    await world.publish();
    const made = ids(world).filter((id) => id !== old);
    expect(world.named()).toEqual([`${WWW} ${made[0]}`]);
    expect(ids(world)).toEqual([old, ...made]);
    await world.run();
    expect(ids(world)).toEqual(made);
  });

  test('makes no more than twice the quota within a quarter of an hour', async () => {
    const world = await healthCheckWorld();
    world.quota.now = { max: 1, namespaces: null };
    for (const port of [1, 2, 3]) {
      await wantWww(world, keyOf({ protocol: port % 2 === 0 ? 'HTTP' : 'TCP', port }));
      await world.publish();
    }
    expect(ids(world)).toHaveLength(2);
    expect(await refusal(world)).toContain('has had too many within a quarter of an hour');
  });

  test('says what Route 53 refuses of the change, and leaves it as it was', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await world.run();
    world.checks.fault = { isDone: false, outcome: { kind: 'refused', message: 'AccessDenied: no' } };
    await wantWww(world, OTHER);
    await world.publish();
    expect(await refusal(world)).toContain('AccessDenied: no');
    expect([...world.checks.standing.values()].map(({ check }) => check)).toEqual([CHECK]);
    await wantWww(world, K);
    await world.run();
    expect(world.named()).toEqual([`${WWW} ${ids(world)[0]}`]);
  });

  test('makes it again if somebody deleted it before the change', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await world.run();
    world.checks.standing.clear();
    await wantWww(world, OTHER);
    await world.run();
    expect(world.named()).toEqual([`${WWW} ${ids(world)[0]}`]);
    expect([...world.checks.standing.values()].map(({ check }) => check.path)).toEqual(['/health']);
  });
});

describe('tidyHealthChecks()', () => {
  test('deletes it a quarter of an hour after the last record set that used it, with all its items', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await want(world, API, checked('api', K));
    await world.run();
    await want(world, WWW);
    await world.run();
    expect(world.checks.standing.size).toBe(1);
    await want(world, API);
    await world.publish();
    await world.tidy();
    await world.run();
    expect(world.checks.standing.size).toBe(0);
    expect(await left(world)).toBe(0);
    expect((await world.ledger.query('healthcheckuses')).items).toEqual([]);
  });

  test('keeps one that was touched less than a quarter of an hour ago, whatever the ledger says', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await world.publish();
    await want(world, WWW);
    await world.publish();
    world.clock.ms += UNUSED_MS - 1;
    await world.tidy();
    expect(world.checks.standing.size).toBe(1);
    world.clock.ms += 1;
    await world.tidy();
    expect(world.checks.standing.size).toBe(0);
  });

  test('keeps one that a record set of Route 53 still names, though zone53 has forgotten that', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await world.run();
    for (const { partition, sort, revision } of (await world.ledger.query(`recordsets#${ZONE_ID}`)).items)
      await world.ledger.remove({ partition, sort }, revision);
    await world.run();
    expect(world.checks.standing.size).toBe(1);
  });

  test('keeps one that a record set of somebody else names, until that is gone', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await world.run();
    const [id = ''] = world.checks.standing.keys();
    const key = { name: `theirs.${APEX}`, type: 'A', setIdentifier: 'one' };
    world.route53.edit(ZONE_ID, key, checked('theirs', id).content);
    await want(world, WWW);
    await world.run();
    await world.run();
    expect([...world.checks.standing.keys()]).toEqual([id]);
    world.route53.edit(ZONE_ID, key, null);
    await world.run();
    expect(world.checks.standing.size).toBe(0);
    expect(await left(world)).toBe(0);
  });

  test('has one that was deleted by hand made again, and the record sets name the new one', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, K);
    await want(world, API, checked('api', K));
    await world.run();
    const [old = ''] = world.checks.standing.keys();
    world.checks.standing.delete(old);
    await world.run();
    await world.run();
    const [id = ''] = world.checks.standing.keys();
    expect(id).not.toBe(old);
    expect(world.named()).toEqual([`${API} ${id}`, `${WWW} ${id}`]);
  });

  test('makes no call where nobody has a health check', async () => {
    const world = await healthCheckWorld();
    await wantWww(world, null);
    await world.run();
    expect(world.checks.calls).toEqual([]);
  });
});

describe('a process that dies at any call', () => {
  const kills = async (
    work: 'publish' | 'tidy',
    prepare: (world: HealthCheckWorld) => Promise<void>,
    checks: readonly HealthCheck[],
  ) => {
    for (const isAfter of [false, true]) {
      for (let at = 1; ; at += 1) {
        const world = await healthCheckWorld();
        await prepare(world);
        const isDead = await world.dies(at, isAfter, work);
        for (let round = 0; round < 3; round += 1) await world.run();
        const label = `${work} dies ${isAfter ? 'after' : 'before'} call ${at}`;
        const standing = [...world.checks.standing.values()];
        expect(
          standing.map((one) => one.check),
          label,
        ).toEqual(checks);
        expect(world.named(), label).toEqual([...world.checks.standing.keys()].map((id) => `${WWW} ${id}`));
        expect(await left(world), label).toBe(checks.length);
        if (!isDead) break;
      }
    }
  };

  test('leaves one health check, where one is wanted', async () => {
    await kills('publish', async (world) => void (await wantWww(world, K)), [CHECK]);
  });

  test('leaves none, where it was wanted no more before the next run', async () => {
    for (let at = 1, isDead = true; isDead; at += 1) {
      const world = await healthCheckWorld();
      await wantWww(world, K);
      isDead = await world.dies(at, true, 'publish');
      await want(world, WWW);
      for (let round = 0; round < 3; round += 1) await world.run();
      // A batch without an answer may still land within the hour.
      world.clock.ms += 3_600_000;
      await world.run();
      expect([world.checks.standing.size, await left(world)], `dies after call ${at}`).toEqual([0, 0]);
    }
  });

  test('leaves one, where another is wanted', async () => {
    const prepare = async (world: HealthCheckWorld) => {
      await wantWww(world, K);
      await world.run();
      await wantWww(world, keyOf({ path: '/health' }));
    };
    await kills('publish', prepare, [{ ...CHECK, path: '/health' }]);
  });

  test('leaves one, where one is wanted that needs another', async () => {
    const prepare = async (world: HealthCheckWorld) => {
      world.quota.now = { max: 1, namespaces: null };
      await wantWww(world, K);
      await world.run();
      await wantWww(world, keyOf({ interval: 10 }));
    };
    await kills('publish', prepare, [{ ...CHECK, interval: 10 }]);
  });

  test('leaves none while the last one is deleted', async () => {
    const prepare = async (world: HealthCheckWorld) => {
      await wantWww(world, K);
      await world.run();
      await want(world, WWW);
      await world.publish();
      world.clock.ms += UNUSED_MS;
    };
    await kills('tidy', prepare, []);
  });

  test('leaves one while one that was deleted by hand is made again', async () => {
    const prepare = async (world: HealthCheckWorld) => {
      await wantWww(world, K);
      await world.run();
      world.checks.standing.clear();
      world.clock.ms += UNUSED_MS;
    };
    await kills('tidy', prepare, [CHECK]);
  });
});

describe('any history', () => {
  const NAMES = ['a', 'b', 'c'].map((name) => `${name}.${APEX}`);
  const KEYS = [null, K, keyOf({ path: '/health' }), keyOf({ interval: 10 }), keyOf({}, 'other')];

  /** Histories that once lost a record set whose health check was deleted by hand. */
  const PINNED = [794, 1337, 1370, 1461];

  test.each([...Array.from({ length: 60 }, (_, seed) => seed + 1), ...PINNED])(
    'leaves what is wanted and nothing else: %i',
    async (seed) => {
      const random = fixedRandom(seed * 7_919);
      const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
      const world = await healthCheckWorld();
      const wanted = new Map<string, string | null>();
      const steps = [
        async () => {
          const [name, key] = [pick(NAMES), pick(KEYS)];
          const isGone = random() < 0.3;
          if (isGone) wanted.delete(name);
          else wanted.set(name, key);
          await (isGone ? want(world, name) : want(world, name, checked(name.slice(0, 1), key)));
        },
        async () => void (await world.dies(1 + Math.floor(random() * 40), random() < 0.5, 'publish')),
        async () => void (await world.dies(1 + Math.floor(random() * 25), random() < 0.5, 'tidy')),
        async () => {
          world.clock.ms += pick([1_000, 120_000, UNUSED_MS, 3_600_000]);
        },
        async () => {
          const isDone = random() < 0.5;
          world.checks.fault = { isDone, outcome: { kind: 'again', message: 'no answer' } };
        },
        async () => {
          if (random() < 0.3) world.checks.standing.delete(pick([...world.checks.standing.keys(), '']));
        },
      ];
      for (let step = 0; step < 30; step += 1) await pick(steps)();
      for (let round = 0; round < 6; round += 1) {
        world.clock.ms += 3_600_000;
        for (const name of NAMES) await markDirty(world.ledger, ZONE_ID, name, world.clock.ms, { retry: true });
        await world.run();
      }
      const keys = new Set([...wanted.values()].filter((key) => key !== null));
      expect(world.checks.standing.size).toBe(keys.size);
      const named = new Map(world.named().map((line) => line.split(' ') as [string, string]));
      expect([...named.keys()].toSorted()).toEqual(
        [...wanted].flatMap(([name, key]) => (key === null ? [] : [name])).toSorted(),
      );
      expect(new Set(named.values())).toEqual(new Set(world.checks.standing.keys()));
      for (const [name, key] of wanted)
        if (key !== null)
          expect(world.checks.standing.get(named.get(name) ?? '')?.check).toEqual(parseHealthCheckKey(key)?.check);
    },
  );
});
