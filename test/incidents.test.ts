// Other people's bad days, replayed over our use cases: each row of the incident list that can touch us
// (hazards.test.ts has the hazards of Kubizone's reference implementation). A row's name says what happened there; its
// assertions, what must stand here.
//
//   cannot touch us                        why
//   2  Slack, DNSSEC off and on (2021)     nothing here signs, and nothing turns signing on or off; a DS is a Record
//   15 DENIC, malformed RRSIG (2026)       the same
//   16 an import that missed records       import writes manifests only; our half, foreign sets left whole, is below
//   12 in part: staged deployment          one account, one version at a time; the half about dormant objects is below
//   14 in part: health-based withdrawal    nothing is withdrawn for being unhealthy; the guard's half is below
//   17 in part: accelerated recovery       a setting of the hosted zone, its owner's; the outage itself is below
import { describe, expect, test } from 'vitest';
import { parseRef } from '../lib/objects/object-ref.ts';
import type { BatchOutcome, HostedZones } from '../lib/ports/hosted-zones.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import {
  A,
  APEX,
  changeCalls,
  intercepted,
  itemAt,
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
} from './fakes/publish-world.ts';
import { apply, asRead, publishedNames, reasonOf, sweepAndPublish, worldOf, zone } from './fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverReports,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
  sweepAll,
  wantedInRoute53,
} from './fakes/reconcile-world.ts';
import { a, FIVE } from './fakes/sweep-world.ts';

const MINUTE_MS = 60_000;

describe('incidents', () => {
  describe('1 AWS DynamoDB, October 2025: a delayed run wrote an old plan, the clean-up deleted what was live', () => {
    /** Runs `meanwhile` between a run's last check and its batch. */
    async function delayedRun(world: PublishWorld | ReconcileWorld, meanwhile: () => Promise<void>): Promise<void> {
      let delayed = false;
      const deps = intercepted(world.deps, async (_port, method, call) => {
        if (method === 'change' && !delayed) {
          delayed = true;
          world.clock.ms += 10 * MINUTE_MS;
          await meanwhile();
        }
        return call();
      });
      await publish(deps, 'logged' in world ? ZONE_ID : 'Z1');
      expect(delayed).toBe(true);
    }

    test('an old plan that arrives after a newer one changes nothing', async () => {
      const world = await publishWorld();
      await want(world, WWW, A('192.0.2.1'));
      await run(world);
      await want(world, WWW, A('192.0.2.2'));
      await delayedRun(world, async () => {
        await want(world, WWW, A('192.0.2.3'));
        await run(world);
      });
      expect(standing(world)).toEqual([`${WWW} A 192.0.2.3 300`]);
    });

    test('an old plan with a delete does not delete what a newer one created', async () => {
      const world = await publishWorld();
      await want(world, WWW, A('192.0.2.1'));
      await run(world);
      await want(world, WWW);
      await delayedRun(world, async () => {
        await want(world, WWW, A('192.0.2.2'));
        await run(world);
      });
      expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
      expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.2'));
    });

    test('an old create that lands after the deletion is found by the sweep, recognised as ours, and deleted', async () => {
      const world = await worldOf({ 'Zone a/z': zone('e.') });
      await apply(world, { 'Record a/www': a('www.e.') });
      await delayedRun(world, async () => {
        await apply(world, { 'Record a/www': undefined });
        await deliverReports(world);
        await publish(world.deps, 'Z1');
      });
      world.clock.ms += 5 * MINUTE_MS;
      await sweepAndPublish(world);
      expect(publishedNames(world)).toEqual([]);
    });

    test('without a ledger nothing is deleted, and takeover repairs it from the cluster alone', async () => {
      const before = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
      const fresh = reconcileWorld({ hostedZones: [] });
      const world: ReconcileWorld = {
        ...before,
        ledger: fresh.ledger,
        context: { ...before.context, ledger: fresh.ledger },
        deps: { ...before.deps, ledger: fresh.ledger },
      };
      const stood = standingInRoute53(world);
      await sweepAndPublish(world);
      expect(standingInRoute53(world)).toEqual(stood);
      expect(reasonOf(world, 'Record a/b', 'Programmed')).toBe('ForeignRecord');
      world.cluster.put(parseRef('Zone a/z'), zone('e.'), { 'zone53.dev/takeover': 'true' });
      await sweepAndPublish(world);
      await apply(world, { 'Record a/b': a('b.e.', '192.0.2.9'), 'Record a/c': undefined });
      await deliverAll(world);
      expect(standingInRoute53(world)).toEqual(await wantedInRoute53(world));
    });
  });

  describe('3 external-dns #414, #2858, #3997: an API server that timed out counted as an empty cluster', () => {
    const stands = Object.keys(FIVE).length;

    test('a listing that fails stops the sweep before it concludes anything', async () => {
      const world = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
      const sick = asRead(world, { listPage: () => Promise.reject(new Error('RequestTimeout')) });
      await expect(sweepAll(sick)).rejects.toThrow('RequestTimeout');
      await deliverAll(world);
      expect(publishedNames(world)).toHaveLength(stands);
    });

    test('a listing with status 200 that is empty or lacks a page deletes no existing object', async () => {
      for (const kept of [0, 3]) {
        const world = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
        const { cluster } = world.context;
        const short = asRead(world, {
          listPage: async (kind, namespace) => {
            const { objects } = await cluster.list();
            const asked = objects.filter(({ ref }) => ref.kind === kind && namespace === null);
            return { objects: asked.slice(0, kept), next: null, unreadable: new Set() };
          },
        });
        await sweepAndPublish(short);
        expect(publishedNames(world)).toHaveLength(stands);
      }
    });

    test('an empty listing of a server that then stops answering deletes nothing', async () => {
      const world = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
      const sick = asRead(world, {
        listPage: async () => ({ objects: [], next: null, unreadable: new Set() }),
        get: () => Promise.reject(new Error('socket hang up')),
      });
      await expect(sweepAll(sick)).rejects.toThrow('socket hang up');
      await deliverAll(world);
      expect(publishedNames(world)).toHaveLength(stands);
    });

    test('hints whose reads fail are delivered again, and delete nothing', async () => {
      const world = await worldOf({ 'Zone a/z': zone('e.'), ...FIVE });
      const sick = asRead(world, { get: () => Promise.reject(new Error('RequestTimeout')) });
      const hints = Object.keys(FIVE).map(parseRef).map(hintFor);
      await expect(reconcile(sick.context, hints)).rejects.toThrow('RequestTimeout');
      await deliverAll(world);
      expect(publishedNames(world)).toHaveLength(stands);
    });
  });

  test('4 external-dns #2931, #3070: a client that forgot its filter returned everything, and everything was deleted', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key(`theirs.${APEX}`, 'A'), values(60, '203.0.113.9'));
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), null);
    const readName: HostedZones['readName'] = async (id) => world.route53.recordSets(id);
    const deps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, readName } };
    await want(world, WWW);
    await run({ ...world, deps });
    expect(standing(world)).toEqual([`theirs.${APEX} A 203.0.113.9 60`]);
  });

  test('5 external-dns #3706: a CREATE was refused, its ownership was saved nevertheless, the next loop deleted it', async () => {
    const theirs = [`${WWW} CNAME theirs.example.net. 60`];
    const fresh = async () => {
      const world = await publishWorld();
      world.route53.edit(ZONE_ID, key(WWW, 'CNAME'), values(60, 'theirs.example.net.'));
      await want(world, WWW, wanted(WWW, 'CNAME', ['ours.example.net.']));
      return world;
    };
    const counting = await fresh();
    let calls = 0;
    const counted = intercepted(counting.deps, (_port, _method, call) => {
      calls += 1;
      return call();
    });
    await run({ ...counting, deps: counted });
    expect(calls).toBeGreaterThan(5);
    for (let died = 0; died <= calls; died += 1) {
      const world = await fresh();
      let call = 0;
      const deps = intercepted(world.deps, async (_port, _method, go) => {
        if (call++ >= died) throw new Error('killed');
        return go();
      });
      await run({ ...world, deps }).catch(() => null);
      await want(world, WWW);
      for (let round = 0; round < 3; round += 1) {
        world.clock.ms += 2 * MINUTE_MS;
        await run(world);
      }
      expect(standing(world), `killed at call ${died}`).toEqual(theirs);
    }
  });

  test('6 external-dns #992: equal values that compared as different were deleted and created again every minute', async () => {
    const spec = { domainName: 'v6.e.', type: 'AAAA', rdata: '2001:DB8:0:0::1' };
    const text = { domainName: 't.e.', type: 'TXT', rdata: 'v=spf1 -all' };
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/v6': spec, 'Record a/t': text });
    const before = changeCalls(world);
    for (let minute = 0; minute < 60; minute += 1) await sweepAndPublish(world);
    await apply(world, {
      'Record a/v6': { ...spec, domainName: 'V6.E.', rdata: '2001:db8::0001' },
      'Record a/t': { ...text, rdata: '"v=spf1 -all"' },
    });
    await sweepAndPublish(world);
    expect(changeCalls(world)).toBe(before);
  });

  test('16 ZenML, February 2025: wildcards, aliases and weighted records were lost', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.') });
    const alias = { hostedZoneId: 'Z2FDTNDATAQYW2', dnsName: 'd1.cloudfront.net.', evaluateTargetHealth: false };
    world.route53.edit('Z1', key('e.', 'A'), { kind: 'alias', alias });
    world.route53.edit('Z1', key('*.e.', 'A'), values(60, '203.0.113.1'));
    for (const setIdentifier of ['blue', 'green'])
      world.route53.edit('Z1', { ...key('w.e.', 'A'), setIdentifier }, values(60, '203.0.113.2'));
    const theirs = world.route53.recordSets('Z1');
    await apply(world, { ...FIVE, 'Record a/apex': a('e.'), 'Record a/wild': a('*.e.'), 'Record a/w': a('w.e.') });
    await deliverAll(world);
    await apply(
      world,
      Object.fromEntries([...Object.keys(FIVE), 'Record a/wild', 'Record a/w'].map((id) => [id, undefined])),
    );
    await sweepAndPublish(world);
    expect(world.route53.recordSets('Z1').filter(({ type }) => type !== 'SOA')).toEqual(
      theirs.filter(({ type }) => type !== 'SOA'),
    );
  });

  test.each<[string, BatchOutcome]>([
    ['no answer', { kind: 'unknown', message: 'socket hang up' }],
    ['throttles', { kind: 'throttled', message: 'Rate exceeded' }],
  ])('17 us-east-1 down: 70 minutes without a control plane, %s', async (_what, outcome) => {
    let until = 0;
    const world = await publishWorld({
      changeFault: () => (world.clock.ms < until ? { apply: false, outcome } : null),
    });
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    until = world.clock.ms + 70 * MINUTE_MS;
    await want(world, WWW, A('192.0.2.2'));
    await want(world, `new.${APEX}`, A('192.0.2.3', `new.${APEX}`));
    const before = changeCalls(world);
    while (world.clock.ms < until + 10 * MINUTE_MS) {
      const result = await run(world);
      world.clock.ms += 1000 * ((result.kind === 'done' ? result.retryAfterSeconds : null) ?? 60);
    }
    expect(standing(world)).toEqual([`new.${APEX} A 192.0.2.3 300`, `${WWW} A 192.0.2.2 300`]);
    // A Route 53 that is down gets at most one call in four seconds, of the ten a second that the account has.
    expect(changeCalls(world) - before).toBeLessThan((70 * MINUTE_MS) / 4_000);
  });

  test('18 cert-manager #736: deleting a record set that did not exist failed for ever', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    world.route53.edit('Z1', key('www.e.', 'A'), null);
    await apply(world, { 'Record a/www': undefined });
    await deliverAll(world);
    const before = changeCalls(world);
    await sweepAndPublish(world);
    expect(publishedNames(world)).toEqual([]);
    expect(changeCalls(world)).toBe(before);
  });
});
