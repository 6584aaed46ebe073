// Publishing aliases: the target first, and the alias again when its target is published.
import { describe, expect, test } from 'vitest';
import {
  A,
  changeCalls,
  intercepted,
  itemAt,
  key,
  publishWorld,
  run,
  standing,
  WWW,
  want,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { hintFor } from '../../../test/fakes/reconcile-world.ts';
import { begun, put, refusalOf, through, ZONE } from '../../../test/fakes/spied-batches.ts';
import { formatRef, parseRef } from '../../objects/object-ref.ts';
import { readName } from '../../record-sets/store.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { sweepHostedZone } from '../../sweep/sweep-hosted-zone.ts';
import { publish } from './publish-hosted-zone.ts';

describe('publish() of aliases', () => {
  test('makes the target first, in the same batch', async () => {
    const spy = await begun();
    const refs = [
      put(spy.world, 'a', { domainName: 'a.e.', alias: { target: 'b.e.' } }),
      put(spy.world, 'b', { domainName: 'b.e.', alias: { target: 'c.e.' } }),
      put(spy.world, 'c', { domainName: 'c.e.', rdata: '192.0.2.1' }),
      put(spy.world, 'e', { domainName: 'e.', alias: { target: 'a.e.' } }),
    ];
    expect(await through(spy, refs)).toEqual([['CREATE c.e. -', 'CREATE b.e. -', 'CREATE a.e. -'], ['CREATE e. -']]);
    const stays = ['1', '2', '3', '4', '5'].map((n) =>
      put(spy.world, n, { domainName: `s${n}.e.`, rdata: '192.0.2.1' }),
    );
    await through(spy, stays);
    for (const ref of refs) spy.world.cluster.remove(ref);
    expect((await through(spy, refs)).flat()).toEqual([
      'DELETE e. -',
      'DELETE a.e. -',
      'DELETE b.e. -',
      'DELETE c.e. -',
    ]);
  });

  test('makes the target first also if the namespace of the alias has fewer changes', async () => {
    const spy = await begun();
    const apex = parseRef('Record b/apex');
    spy.world.cluster.put(apex, { domainName: 'e.', type: 'A', alias: { target: 'c.e.' } });
    const refs = ['c', 'd'].map((name) => put(spy.world, name, { domainName: `${name}.e.`, rdata: '192.0.2.1' }));
    expect(await through(spy, [apex, ...refs])).toEqual([['CREATE c.e. -', 'CREATE d.e. -'], ['CREATE e. -']]);
  });

  test('tries an alias again when its target is created later', async () => {
    const spy = await begun();
    await through(spy, [put(spy.world, 'a', { domainName: 'a.e.', alias: { target: 'c.e.' } })]);
    expect(await refusalOf(spy, 'a.e.')).toBe('Rejected');
    expect(await through(spy, [put(spy.world, 'c', { domainName: 'c.e.', rdata: '192.0.2.1' })])).toEqual([
      ['CREATE c.e. -'],
      ['CREATE a.e. -'],
    ]);
    expect(await refusalOf(spy, 'a.e.')).toBe(null);
    expect(await through(spy, [ZONE, ...['a', 'c'].map((name) => parseRef(`Record a/${name}`))])).toEqual([]);
  });

  test('tries an alias again when its target is created after sweeps that came before its pause is over (seed 599783)', async () => {
    const spy = await begun();
    await through(spy, [put(spy.world, 'a', { domainName: 'a.e.', alias: { target: 'c.e.' } })]);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await sweepHostedZone(spy.world.context, 'Z1', { retryRefused: true });
      expect(await through(spy, [])).toEqual([]);
    }
    expect(await through(spy, [put(spy.world, 'c', { domainName: 'c.e.', rdata: '192.0.2.1' })])).toEqual([
      ['CREATE c.e. -'],
      ['CREATE a.e. -'],
    ]);
  });

  test.each(['before', 'after'])(
    'tries an alias again when its target is created, if the run of the target dies %s any call',
    async (when) => {
      let isDead = true;
      for (let dying = 1; isDead; dying += 1) {
        const spy = await begun();
        await through(spy, [put(spy.world, 'a', { domainName: 'a.e.', alias: { target: 'c.e.' } })]);
        await reconcile(spy.world.context, [hintFor(put(spy.world, 'c', { domainName: 'c.e.', rdata: '192.0.2.1' }))]);
        let calls = 0;
        const deps = intercepted(spy.world.deps, async (_port, _method, call) => {
          calls += 1;
          if (calls > dying || (calls === dying && when === 'before')) throw new Error('the run died');
          const answer = await call();
          if (calls === dying) throw new Error('the run died');
          return answer;
        });
        const ended = publish(deps, 'Z1');
        isDead = await ended.then(
          () => false,
          () => true,
        );
        spy.world.clock.ms += 60_000;
        await through(spy, []);
        expect(await refusalOf(spy, 'a.e.'), `dies ${when} call ${dying}`).toBe(null);
      }
    },
  );

  test('tries an alias to its own name once, although its former content is published', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.clock.ms += 60_000;
    const calls = changeCalls(world);
    // The rules let no object ask for this.
    const alias = { dnsName: WWW, hostedZoneId: ZONE_ID, evaluateTargetHealth: true };
    await want(world, WWW, { ...A('192.0.2.1'), content: { kind: 'alias', alias } });
    await run(world);
    expect(changeCalls(world) - calls).toBe(1);
    expect((await itemAt(world, key(WWW, 'A')))?.refusal?.reason).toBe('Rejected');
    await run(world);
    expect(changeCalls(world) - calls).toBe(1);
    await want(world, WWW, A('192.0.2.2'));
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect(changeCalls(world) - calls).toBe(2);
  });

  test('tries aliases that point at each other once, also when their pause is over', async () => {
    const { world, batches } = await begun();
    const { hostedZones } = world.deps;
    const refusing: typeof hostedZones = {
      ...hostedZones,
      change: async (id, changes, ...rest) => {
        const isAlias = changes.some(
          ({ action, recordSet: { content } }) => action === 'CREATE' && content.kind === 'alias',
        );
        if (!isAlias) return hostedZones.change(id, changes, ...rest);
        batches.push([]);
        return { kind: 'refused', messages: ['Alias loop'] };
      },
    };
    const spy = { world: { ...world, deps: { ...world.deps, hostedZones: refusing } }, batches };
    const ring = { a: 'b.e.', b: 'c.e.', c: 'a.e.' };
    for (const name of Object.keys(ring))
      await through(spy, [put(world, name, { domainName: `${name}.e.`, rdata: '192.0.2.1' })]);
    world.clock.ms += 60_000;
    const refs = Object.entries(ring).map(([name, target]) =>
      put(world, name, { domainName: `${name}.e.`, alias: { target } }),
    );
    const calls = (await through(spy, refs)).length;
    expect(await through(spy, [])).toEqual([]);
    world.clock.ms += 20 * 60_000;
    await sweepHostedZone(world.context, 'Z1', { retryRefused: true });
    expect((await through(spy, [])).length).toBeLessThan(2 * calls);
    expect(await through(spy, [])).toEqual([]);
  });

  test('forgets with a sweep who waits for a target, when nobody does any more', async () => {
    const spy = await begun();
    const ref = put(spy.world, 'a', { domainName: 'a.e.', alias: { target: 'c.e.' } });
    await through(spy, [ref]);
    put(spy.world, 'a', { domainName: 'a.e.', rdata: '192.0.2.1' });
    await through(spy, [ref]);
    const targets = async () => readName(spy.world.ledger, 'Z1', 'c.e.');
    expect(await targets()).toHaveLength(1);
    await sweepHostedZone(spy.world.context, 'Z1');
    expect(await targets()).toEqual([]);
  });

  test('makes no call when aliases differ only in spelling', async () => {
    const spy = await begun();
    const ref = put(spy.world, 'a', { alias: { target: 'Web.EU-west-1.elb.amazonaws.com' } });
    await through(spy, [ref]);
    put(spy.world, 'a', { alias: { target: 'web.eu-west-1.elb.amazonaws.com.' } });
    expect(await through(spy, [ref])).toEqual([]);
    expect(await sweepHostedZone(spy.world.context, 'Z1')).toMatchObject({
      lost: 0,
      drifted: 0,
      retried: 0,
    });
    expect(formatRef(ref)).toBe('Record a/a');
  });
});

test('publish() reads a private hosted zone once, by its id', async () => {
  const spy = await begun({
    hostedZones: [{ id: 'Z1', name: 'e.', isPrivate: true }],
    config: { soa: 'never', hostedZones: [{ zone: 'e.', id: 'Z1' }] },
  });
  await through(spy, [put(spy.world, 'a', { rdata: '192.0.2.1' })]);
  await through(spy, [ZONE]);
  expect(spy.world.route53.calls.map(({ method }) => method)).toEqual(['get', 'change']);
});
