// The rows of the incident list (incidents.test.ts) about two writers of one record set, and about one writer that runs
// twice.
import { describe, expect, test } from 'vitest';
import { hostedZonesByAccount } from '../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../lib/objects/object-ref.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { changeCalls, key, values } from './fakes/publish-world.ts';
import { apply, publishedNames, reasonOf, sweepAndPublish, worldOf, zone } from './fakes/reconcile-steps.ts';
import { deliverAll, hintFor, reconcileWorld, standingInRoute53, sweepAll } from './fakes/reconcile-world.ts';
import { a } from './fakes/sweep-world.ts';

const MINUTE_MS = 60_000;

describe('incidents of writers', () => {
  test('7 Kuadrant #83, k8gb #1767: two writers overwrote one another for ever', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    const before = changeCalls(world);
    for (let round = 0; round < 20; round += 1) {
      world.route53.edit('Z1', key('www.e.', 'A'), values(60, '203.0.113.9'));
      await sweepAndPublish(world);
      await apply(world, { 'Record a/www': a('www.e.', `192.0.2.${round + 2}`) });
      await deliverAll(world);
    }
    expect(reasonOf(world, 'Record a/www', 'Programmed')).toBe('Drifted');
    expect(standingInRoute53(world)).toEqual([
      'Z1 www.e. A {"kind":"values","ttlSeconds":60,"values":["203.0.113.9"]}',
    ]);
    // Each edit of ours costs one refused call at most, and none was accepted.
    const since = world.route53.calls.filter(({ method }) => method === 'change').slice(before);
    expect(since.filter(({ accepted }) => accepted)).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ['a Record', { 'Record a/one': a('new.e.') }, ['new.e. A', 'two.s.e. A']],
    [
      'its zoneRef',
      { 'Record a/one': a('one', '192.0.2.1', { zoneRef: { name: 's' } }) },
      ['one.s.e. A', 'two.s.e. A'],
    ],
    ['a Zone', { 'Zone a/s': zone('t', { zoneRef: { name: 'z' } }) }, ['one.e. A', 'two.t.e. A']],
    ['a type', { 'Record a/one': { domainName: 'one.e.', type: 'TXT', rdata: 'x' } }, ['one.e. TXT', 'two.s.e. A']],
  ])('8 ACK #2202, kuadrant-operator #794: renaming left the old record behind: %s', async (_what, edit, left) => {
    const world = await worldOf({
      'Zone a/z': zone('e.'),
      'Zone a/s': zone('s', { zoneRef: { name: 'z' } }),
      'Record a/one': a('one.e.'),
      'Record a/two': a('two', '192.0.2.1', { zoneRef: { name: 's' } }),
    });
    await apply(world, edit);
    await deliverAll(world);
    expect(publishedNames(world)).toEqual(left);
  });

  test('8 the same for an object that was deleted and created again under its name', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/www': a('old.e.') });
    world.cluster.remove(parseRef('Record a/www'));
    await apply(world, { 'Record a/www': a('new.e.') });
    await deliverAll(world);
    expect(publishedNames(world)).toEqual(['new.e. A']);
  });

  test.each([0, 2 * 60 * MINUTE_MS])(
    '9 upjet-aws #1567: a zone whose id was not kept was created twice (%d ms later)',
    async (laterMs) => {
      const world = reconcileWorld({ hostedZones: [], config: { createHostedZones: 'all' } });
      world.cluster.put(parseRef('Zone a/z'), zone('e.'));
      let died = false;
      const hostedZones = new Proxy(world.route53.port, {
        get:
          (of, method) =>
          async (...args: unknown[]) => {
            const answer = await (Reflect.get(of, method) as (...all: unknown[]) => Promise<unknown>)(...args);
            if (method !== 'create' || died) return answer;
            died = true;
            throw new Error('killed');
          },
      });
      const context = { ...world.context, account: { hostedZones } };
      const hints = [hintFor(parseRef('Zone a/z'))];
      await expect(reconcile(context, hints)).rejects.toThrow('killed');
      world.clock.ms += laterMs;
      await reconcile(context, hints);
      await reconcile(context, hints);
      expect(await world.route53.port.list()).toHaveLength(1);
    },
  );

  test('9 the same for two runs at once', async () => {
    const world = reconcileWorld({ hostedZones: [], config: { createHostedZones: 'all' } });
    world.cluster.put(parseRef('Zone a/z'), zone('e.'));
    const hints = [hintFor(parseRef('Zone a/z'))];
    await Promise.all([reconcile(world.context, hints), reconcile(world.context, hints)]);
    expect(await world.route53.port.list()).toHaveLength(1);
  });

  describe('10 terraform #4493: of two authors of one record the last one won, and both showed Ready', () => {
    test('of two CNAMEs the older one is published, and the other Record shows Conflict', async () => {
      const cname = (target: string) => ({ domainName: 'www.e.', type: 'CNAME', rdata: target });
      const world = await worldOf({ 'Zone a/z': zone('e.') });
      world.cluster.put(parseRef('Record b/young'), cname('young.e.'), {}, 2_000);
      world.cluster.put(parseRef('Record a/old'), cname('old.e.'), {}, 1_000);
      await reconcile(world.context, ['Record b/young', 'Record a/old'].map(parseRef).map(hintFor));
      await deliverAll(world);
      expect(standingInRoute53(world)[0]).toContain('"old.e."');
      expect(reasonOf(world, 'Record a/old', 'Programmed')).toBe('Published');
      expect(reasonOf(world, 'Record b/young')).toBe('Conflict');
    });

    test('a second cluster does not change what the first has published in a hosted zone', async () => {
      const first = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
      const other = reconcileWorld({ config: { clusterId: 'other' } });
      const cluster: Cluster = { ...other.cluster.port, clusterId: 'other' };
      const config = { ...first.context.config, clusterId: 'other' };
      const hostedZones = hostedZonesByAccount(first.route53.port, new Map(), { config });
      const context = { ...first.context, cluster, config, account: { hostedZones } };
      const deps = { ...first.deps, hostedZones };
      for (const [id, spec] of Object.entries({ 'Zone x/z': zone('e.'), 'Record x/www': a('www.e.', '203.0.113.9') }))
        other.cluster.put(parseRef(id), spec);
      await reconcile(context, ['Zone x/z', 'Record x/www'].map(parseRef).map(hintFor));
      await sweepAll({ ...first, cluster: other.cluster, context, deps });
      await deliverAll({ ...first, deps });
      expect(standingInRoute53(first)[0]).toContain('192.0.2.1');
      await report(context, ['Zone x/z', 'Record x/www'].map(parseRef));
      const shown = { ...first, cluster: other.cluster };
      expect(reasonOf(shown, 'Zone x/z', 'Programmed')).toBe('Published');
      expect(reasonOf(shown, 'Record x/www', 'Programmed')).toBe('OwnedByAnotherCluster');
    });
  });
});
