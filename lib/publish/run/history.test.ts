// Each change of a record set stands in the history once, whatever dies meanwhile.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  annotate,
  hostedZone,
  intercepted,
  key,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { LINES, NAMES, OWNER, put, putBoth, REGISTRY, wantOnly } from '../../../test/fakes/shared-text.ts';
import { recordSetId } from '../../dns/record-set.ts';
import { type FoundEntry, findEntries } from '../../history/find-entries.ts';
import type { Cause } from '../../ports/queues.ts';
import { type DesiredRecordSet, touchDesired } from '../../record-sets/desired-name.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import type { PublishConfig } from './run.ts';

const ALL = { hostedZones: [{ id: ZONE_ID, name: APEX }], sinceMs: 0, untilMs: 9e12, limit: 10_000 };

/** The entries, the oldest first. */
async function entries(world: PublishWorld, name?: string): Promise<FoundEntry[]> {
  const found = await findEntries(world.ledger, { ...ALL, ...(name !== undefined && { name }) });
  return found.entries.toReversed();
}

function text(content: FoundEntry['before']): string {
  return content?.kind === 'values' ? content.values.map((value) => value.slice(0, 20)).join(',') : String(content);
}

async function lines(world: PublishWorld, name?: string): Promise<string[]> {
  return (await entries(world, name)).map((one) => {
    return `${one.action} ${one.name.replace(APEX, '')} ${one.type}: ${text(one.before)} > ${text(one.after)}`;
  });
}

async function retry(world: PublishWorld, name = WWW): Promise<void> {
  await markDirty(world.ledger, ZONE_ID, name, world.clock.ms, { retry: true });
  await run(world);
}

describe('publish() and the history', () => {
  test('writes an entry of each changed record set, with the id of the change and its objects', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.clock.ms += 1_000;
    await want(world, WWW, A('192.0.2.2'));
    await run(world);
    world.clock.ms += 1_000;
    await want(world, WWW);
    await run(world);
    expect(await lines(world)).toEqual([
      'create www. A: null > 192.0.2.1',
      'update www. A: 192.0.2.1 > 192.0.2.2',
      'delete www. A: 192.0.2.2 > null',
    ]);
    expect(await lines(world, WWW)).toEqual(await lines(world));
    const [first, , last] = await entries(world);
    expect(first).toMatchObject({
      ...{ atMs: Date.parse('2026-01-01T00:00:00Z'), epoch: 1, changeId: 'C1', zone: 'default/zone' },
      ...{ objects: ['Record default/www'], cluster: 'default', view: 'public', hostedZoneName: APEX },
    });
    expect(last).toMatchObject({ changeId: 'C3', objects: ['Record default/www'], zone: 'default/zone' });
  });

  test('writes nothing if the history is off', async () => {
    const world = await publishWorld({ config: { history: { days: 0 } } });
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(await entries(world)).toEqual([]);
  });

  test('tells a restored record set from a new one, and shows the drift', async () => {
    const world = await publishWorld();
    const mine = { ...A('192.0.2.1'), takeover: true };
    await want(world, WWW, mine);
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), null);
    world.clock.ms += 1_000;
    await retry(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.66'));
    world.clock.ms += 1_000;
    await retry(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.77'));
    world.clock.ms += 1_000;
    await want(world, WWW, { ...A('192.0.2.2'), takeover: true });
    await retry(world);
    expect(await lines(world)).toEqual([
      'create www. A: null > 192.0.2.1',
      'drift www. A: 192.0.2.1 > null',
      'restore www. A: null > 192.0.2.1',
      'drift www. A: 192.0.2.1 > 192.0.2.66',
      'restore www. A: 192.0.2.66 > 192.0.2.1',
      'drift www. A: 192.0.2.1 > 192.0.2.77',
      'takeover www. A: 192.0.2.77 > 192.0.2.2',
    ]);
  });

  test('shows a drift that a refused change meets', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.66'));
    await want(world, WWW, { ...A('192.0.2.2'), takeover: true });
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect((await lines(world)).slice(1)).toEqual([
      'drift www. A: 192.0.2.1 > 192.0.2.66',
      'takeover www. A: 192.0.2.66 > 192.0.2.2',
    ]);
  });

  test('tells an adopted record set from one that is taken over', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.1'));
    world.route53.edit(ZONE_ID, key(`api.${APEX}`, 'A'), values(300, '192.0.2.8'));
    await want(world, WWW, { ...A('192.0.2.1'), takeover: true });
    await want(world, `api.${APEX}`, { ...A('192.0.2.1', `api.${APEX}`), takeover: true });
    await run(world);
    expect((await lines(world)).toSorted()).toEqual([
      'adopt www. A: 192.0.2.1 > 192.0.2.1',
      'takeover api. A: 192.0.2.8 > 192.0.2.1',
    ]);
    expect((await entries(world, WWW))[0]).toMatchObject({ changeId: null, objects: ['Record default/www'] });
  });

  test('has the deleted ownership texts of external-dns', async () => {
    const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
    putBoth(world);
    await wantOnly(world, 'wild', 'any');
    await run(world);
    expect(standing(world)).toEqual([LINES.wild, LINES.any]);
    expect((await lines(world)).toSorted()).toEqual([
      'delete txt.any. TXT: "heritage=external-d > null',
      'takeover *. A: 192.0.2.9 > 192.0.2.1',
      'takeover any. A: 192.0.2.8 > 192.0.2.2',
    ]);
    expect(await lines(world, OWNER)).toHaveLength(1);
    expect(await lines(world, NAMES.wild)).toHaveLength(1);
  });

  test('has the two batches of a record set that is too large for one', async () => {
    const world = await publishWorld();
    const long = (seed: string) => Array.from({ length: 70 }, (_, index) => `"${seed}${index}${'x'.repeat(240)}"`);
    await want(world, WWW, wanted(WWW, 'TXT', long('a')));
    await run(world);
    world.clock.ms += 1_000;
    await want(world, WWW, wanted(WWW, 'TXT', long('b')));
    await run(world);
    const all = await entries(world);
    expect(all.map(({ action, changeId }) => `${action} ${changeId}`)).toEqual(['create C1', 'delete C2', 'create C3']);
  });

  test('has the SOA when its timers change, and not for its serial', async () => {
    const world = await publishWorld();
    const soa = (refresh: number, serial = 1) =>
      wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} ${serial} ${refresh} 7200 3600000 360`]);
    await want(world, APEX, soa(86_400));
    await run(world);
    await want(world, APEX, soa(86_400, 2));
    await run(world);
    await want(world, APEX, soa(43_200));
    await run(world);
    const all = await entries(world);
    const refresh = (content: FoundEntry['before']) => content?.kind === 'values' && content.values[0]?.split(' ')[3];
    expect(all.map((one) => [one.action, refresh(one.before), refresh(one.after), one.changeId])).toEqual([
      ['update', '7200', '86400', 'C1'],
      ['update', '86400', '43200', 'C2'],
    ]);
  });

  test('names the event behind a change, the first of several; a name that none led to is of the schedule', async () => {
    const world = await publishWorld();
    const mark = (name: string, cause: Cause) => markDirty(world.ledger, ZONE_ID, name, world.clock.ms, { cause });
    const beganMs = world.clock.ms;
    await want(world, WWW, A('192.0.2.1'));
    await want(world, `api.${APEX}`, A('192.0.2.1', `api.${APEX}`));
    await mark(WWW, { via: 'audit', atMs: beganMs - 5_000, user: 'jane' });
    await mark(WWW, { via: 'webhook', atMs: beganMs - 1_000, user: 'eve' });
    world.clock.ms += 1_000;
    await run(world);
    expect((await entries(world)).map(({ name, cause }) => [name, cause]).toSorted()).toEqual([
      [`api.${APEX}`, { kind: 'schedule', atMs: beganMs, user: null, digest: null }],
      [WWW, { kind: 'audit', atMs: beganMs - 5_000, user: 'jane', digest: null }],
    ]);
  });

  test('is of the command, and of its time, whatever event made the name dirty', async () => {
    const world = await publishWorld({ config: { history: { days: 90, via: 'command' } } });
    await want(world, WWW, A('192.0.2.1'));
    await markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms, { cause: { via: 'audit', atMs: 7, user: 'jane' } });
    world.clock.ms += 60_000;
    await run(world);
    const cause = { kind: 'command', atMs: world.clock.ms, user: null, digest: null };
    expect((await entries(world)).map((one) => one.cause)).toEqual([cause]);
  });

  test.each(['before', 'after'] as const)(
    'names the digest that released a delete, also if a run dies %s',
    async (when) => {
      const world = await publishWorld({ config: { guard: { deletesMax: 0, deletesShareMax: 0 } } });
      await want(world, WWW, A('192.0.2.1'));
      await run(world);
      await want(world, WWW, wanted(WWW, 'AAAA', ['2001:db8::1']));
      await run(world);
      const digest = (await hostedZone(world)).held?.digest ?? '';
      await annotate(world, digest);
      world.clock.ms += 1_000;
      const deps = intercepted(world.deps, async (_port, method, call) => {
        if (method !== 'change') return call();
        if (when === 'after') await call();
        throw new Error('killed');
      });
      await expect(run({ ...world, deps })).rejects.toThrow('killed');
      world.clock.ms += 60_000;
      await run(world);
      const of = (action: string) => async () =>
        (await entries(world)).filter((one) => one.action === action).map((one) => one.cause.digest);
      expect(await of('delete')()).toEqual([digest]);
      expect(await of('create')()).toEqual([null, null]);
    },
  );

  test('has the Zone that a deleted record set was published for, and not its heir', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    const left = { hostedZoneId: ZONE_ID, apex: APEX, name: WWW, recordSets: [] };
    for (const zone of ['default/parent', 'default/grandparent'])
      await touchDesired(world.ledger, { ...left, heir: { zone, takeover: false } }, world.clock.ms);
    world.clock.ms += 1_000;
    await run(world);
    await touchDesired(world.ledger, { ...left, recordSets: [{ ...A('192.0.2.2'), zone: 'a/b' }], heir: null }, 0);
    world.clock.ms += 1_000;
    await run(world);
    expect((await entries(world)).map(({ action, zone }) => `${action} ${zone}`)).toEqual([
      'create default/zone',
      'delete default/zone',
      'create a/b',
    ]);
  });

  test('has a refusal that begins, once, and its end if no change says that', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.66'));
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2']) {
      world.clock.ms += 1_000;
      await want(world, WWW, A(address));
      await retry(world);
    }
    world.clock.ms += 1_000;
    await want(world, WWW);
    await run(world);
    expect(await lines(world)).toEqual([
      'refused www. A: 192.0.2.66 > 192.0.2.1',
      'refused www. A: 192.0.2.66 > 192.0.2.2',
      'cleared www. A: null > null',
    ]);
    expect((await entries(world))[0]).toMatchObject({
      ...{ objects: ['Record default/www'], changeId: null, zone: 'default/zone' },
      message: expect.stringMatching(/^Route 53 already has A www\.example\.org\. 192\.0\.2\.66/),
    });
  });

  test('has no end of a refusal where a change says it', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.66'));
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), null);
    world.clock.ms += 1_000;
    await retry(world);
    expect(await lines(world)).toEqual(['refused www. A: 192.0.2.66 > 192.0.2.1', 'create www. A: null > 192.0.2.1']);
  });

  test('has drift that is left alone, once, until it is restored by hand or taken over', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    const edit = async (address: string, more: object = {}) => {
      world.clock.ms += 1_000;
      world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, address));
      await want(world, WWW, { ...A('192.0.2.1'), ...more });
      await retry(world);
    };
    await edit('192.0.2.66');
    await edit('192.0.2.66');
    await edit('192.0.2.1');
    await edit('192.0.2.77');
    await edit('192.0.2.77', { takeover: true });
    expect((await lines(world)).slice(1)).toEqual([
      'drift www. A: 192.0.2.1 > 192.0.2.66',
      'cleared www. A: 192.0.2.1 > 192.0.2.1',
      'drift www. A: 192.0.2.1 > 192.0.2.77',
      'restore www. A: 192.0.2.77 > 192.0.2.1',
    ]);
  });

  test('has adopted what somebody wrote once it is wanted', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.66'));
    await retry(world);
    world.clock.ms += 1_000;
    await want(world, WWW, A('192.0.2.66'));
    await run(world);
    expect((await lines(world)).slice(1)).toEqual([
      'drift www. A: 192.0.2.1 > 192.0.2.66',
      'adopt www. A: 192.0.2.66 > 192.0.2.66',
    ]);
  });

  test('has what the guard holds, each time that it changes, and its end', async () => {
    const world = await publishWorld({ config: { guard: { deletesMax: 0, deletesShareMax: 0 } } });
    const names = ['a', 'b', 'c'].map((label) => `${label}.${APEX}`);
    for (const name of names) await want(world, name, A('192.0.2.1', name));
    await run(world);
    const digests: (string | null)[] = [];
    const step = async (name: string, ...sets: DesiredRecordSet[]) => {
      world.clock.ms += 1_000;
      await want(world, name, ...sets);
      await run(world);
      digests.push((await hostedZone(world)).held?.digest ?? null);
    };
    const [a = '', b = '', c = ''] = names;
    await step(a);
    await step(b);
    await step(a, A('192.0.2.1', a));
    await step(b, A('192.0.2.1', b));
    await step(c);
    await annotate(world, digests.at(-1) ?? '');
    world.clock.ms += 1_000;
    await run(world);
    const seen = (await entries(world)).slice(3).map(({ action, name, type, objects, cause }) => {
      return [action, type === null ? name : `${name} ${type}`, objects.join(), cause.digest];
    });
    expect(seen).toEqual([
      ['held', APEX, 'Record default/a', digests[0]],
      ['held', APEX, 'Record default/a,Record default/b', digests[1]],
      ['held', APEX, 'Record default/b', digests[2]],
      ['cleared', APEX, 'Record default/b', digests[2]],
      ['held', APEX, 'Record default/c', digests[4]],
      ['delete', `${c} A`, 'Record default/c', digests[4]],
    ]);
    expect(new Set(digests).size).toBe(5);
  });

  test('has a forgotten record set, as it stands', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    await want(world, WWW, A('192.0.2.1'));
    const forgets = new Map([[recordSetId(A('')), { content: A('192.0.2.1').content, texts: [], message: 'gone' }]]);
    await run(world, { names: { names: [WWW], retryNames: new Set() }, forgets });
    expect((await lines(world)).slice(1)).toEqual(['forget www. A: 192.0.2.1 > 192.0.2.1']);
  });
});

type Scene = {
  readonly config?: Partial<PublishConfig>;
  readonly before?: (world: PublishWorld) => void | Promise<void>;
  readonly edit: (world: PublishWorld) => void | Promise<void>;
  readonly expected: readonly string[];
};

const GUARDED = { guard: { deletesMax: 0, deletesShareMax: 0 } };
const SCENES: Readonly<Record<string, Scene>> = {
  'a create': {
    edit: async (world) => void (await want(world, WWW, A('192.0.2.1'))),
    expected: ['create www. A: null > 192.0.2.1'],
  },
  'an update': {
    before: async (world) => void (await want(world, WWW, A('192.0.2.1'))),
    edit: async (world) => void (await want(world, WWW, A('192.0.2.2'))),
    expected: ['create www. A: null > 192.0.2.1', 'update www. A: 192.0.2.1 > 192.0.2.2'],
  },
  'a delete, and a create beside it': {
    before: async (world) => void (await want(world, WWW, A('192.0.2.1'))),
    edit: async (world) => void (await want(world, WWW, wanted(WWW, 'AAAA', ['2001:db8::1']))),
    expected: [
      'create www. A: null > 192.0.2.1',
      'create www. AAAA: null > 2001:db8::1',
      'delete www. A: 192.0.2.1 > null',
    ],
  },
  'a takeover with an ownership text': {
    edit: async (world) => {
      put(world, NAMES.any, 'A', '192.0.2.8');
      put(world, OWNER, 'TXT', '"heritage=external-dns,external-dns/owner=prod"');
      await wantOnly(world, 'any');
    },
    expected: ['delete txt.any. TXT: "heritage=external-d > null', 'takeover any. A: 192.0.2.8 > 192.0.2.2'],
  },
  'a refusal': {
    edit: async (world) => {
      world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.66'));
      await want(world, WWW, A('192.0.2.1'));
    },
    expected: ['refused www. A: 192.0.2.66 > 192.0.2.1'],
  },
  'a change that meets drift': {
    before: async (world) => void (await want(world, WWW, A('192.0.2.1'))),
    edit: async (world) => {
      world.route53.edit(ZONE_ID, key(WWW, 'A'), values(60, '192.0.2.66'));
      await want(world, WWW, A('192.0.2.2'));
    },
    expected: ['create www. A: null > 192.0.2.1', 'drift www. A: 192.0.2.1 > 192.0.2.66'],
  },
  'a delete that is held': {
    config: GUARDED,
    before: async (world) => void (await want(world, WWW, A('192.0.2.1'))),
    edit: async (world) => void (await want(world, WWW)),
    expected: ['create www. A: null > 192.0.2.1', 'held  null: null > null'],
  },
};

describe.each(Object.entries(SCENES))(
  'publish() of %s that is killed at any call',
  (_, { config, before, edit, expected }) => {
    test('has each change once', async () => {
      for (const effect of ['before', 'after'] as const) {
        for (let crashAt = 1; ; crashAt += 1) {
          const world = await publishWorld({ config: { externalDns: [REGISTRY], ...config } });
          if (before !== undefined) {
            await before(world);
            await run(world);
            world.clock.ms += 1_000;
          }
          await edit(world);
          let calls = 0;
          const deps = intercepted(world.deps, async (_port, _method, call) => {
            calls += 1;
            if (calls === crashAt && effect === 'after') await call();
            if (calls >= crashAt) throw new Error('killed');
            return call();
          });
          const whole = await run({ ...world, deps }).then(
            () => calls < crashAt,
            () => false,
          );
          for (let round = 0; round < 3; round += 1) {
            world.clock.ms += 60_000;
            await run(world);
          }
          expect((await lines(world)).toSorted(), `${effect} call ${crashAt}`).toEqual(expected.toSorted());
          if (whole) break;
        }
      }
    });
  },
);
