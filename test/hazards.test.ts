// The hazards of Kubizone's reference implementation that could affect zone53, replayed with its use cases. The title
// of a test says what happened there; its assertions say what must happen here. Of K7 one part is accepted: a zoneRef
// into another namespace shows whether that Zone exists.
import { describe, expect, test } from 'vitest';
import { matchesPattern, parsePattern, parseRootPattern } from '../lib/dns/names/pattern.ts';
import { compareSerials } from '../lib/dns/serial.ts';
import { parseRef } from '../lib/objects/object-ref.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { apply, asRead, publishedNames, reasonOf, sweepAndPublish, worldOf, zone } from './fakes/reconcile-steps.ts';
import { deliverAll, deliverReports, hintFor, reconcileWorld, standingInRoute53 } from './fakes/reconcile-world.ts';
import { a, FIVE } from './fakes/sweep-world.ts';

describe('hazards of the reference implementation', () => {
  test('K1 a `*` in the middle of a pattern matched any labels to its left', async () => {
    const parsed = parsePattern('_acme-challenge.*');
    if (!parsed.ok) throw new Error('the pattern does not parse');
    expect(matchesPattern(parsed.pattern, 'evil.www.example.org.', 'example.org.')).toBe(false);
    const delegations = [{ records: [{ pattern: '_acme-challenge.*', types: ['TXT', 'A'] }] }];
    const world = await worldOf({
      'Zone a/z': zone('e.', { delegations }),
      'Record b/evil': a('evil.www.e.'),
      'Record b/right': { domainName: '_acme-challenge.www.e.', type: 'TXT', rdata: 'token' },
    });
    expect(publishedNames(world)).toEqual(['_acme-challenge.www.e. TXT']);
    expect(reasonOf(world, 'Record b/evil')).toBe('DelegationDenied');
  });

  test('K2 a rule without restrictions allows every namespace and type, but never the SOA or the apex NS', async () => {
    const world = await worldOf({
      'Zone a/z': zone('e.', {
        delegations: [{ namespaces: [], records: [{ pattern: '*', types: [] }, { pattern: '@' }] }],
      }),
      'Record far/away': a('x.e.'),
      'Record far/soa': { domainName: 'e.', type: 'SOA', rdata: 'ns.evil. x.evil. 1 2 3 4 5' },
      'Record far/ns': { domainName: 'e.', type: 'NS', rdata: 'ns.evil.' },
    });
    expect(publishedNames(world)).toEqual(['x.e. A']);
    expect(JSON.stringify(world.route53.recordSets('Z1'))).not.toContain('evil');
    expect(reasonOf(world, 'Record far/soa', 'Programmed')).toBe('UnsupportedType');
  });

  test('K3 any namespace could make itself a root, and capture the names below', async () => {
    const parsed = parseRootPattern('e.');
    if (!parsed.ok) throw new Error('the root does not parse');
    const roots = [{ pattern: parsed.pattern, namespaces: ['platform'] }];
    const narrow = zone('e.', { delegations: [{ namespace: 'team', records: [{ pattern: '*' }] }] });
    const world = reconcileWorld({
      hostedZones: [
        { id: 'Z1', name: 'e.' },
        { id: 'Z2', name: 'bank.example.' },
      ],
      config: { roots, createHostedZones: 'all' },
    });
    await apply(world, {
      'Zone rogue/bank': zone('bank.example.'),
      'Record rogue/bank': a('www.bank.example.'),
      'Zone rogue/www': zone('www.e.'),
      'Zone platform/z': narrow,
      'Record team/shop': a('shop.www.e.'),
    });
    await deliverAll(world);
    expect([publishedNames(world), publishedNames(world, 'Z2').filter((one) => one.includes('www'))]).toEqual([
      ['shop.www.e. A'],
      [],
    ]);
    expect(reasonOf(world, 'Zone rogue/bank')).toBe('RootNotAllowed');
    expect(reasonOf(world, 'Zone rogue/www')).toBe('DelegationDenied');
    expect(await world.route53.port.list()).toHaveLength(2);
  });

  test('K4 a delegation that was withdrawn stayed in force for Zones and for Records with a zoneRef', async () => {
    const world = await worldOf({
      'Zone a/z': zone('e.'),
      'Zone b/s': zone('s', { zoneRef: { namespace: 'a', name: 'z' } }),
      'Record b/below': a('x', '192.0.2.1', { zoneRef: { name: 's' } }),
      'Record b/direct': a('y', '192.0.2.1', { zoneRef: { namespace: 'a', name: 'z' } }),
    });
    expect(publishedNames(world)).toEqual(['x.s.e. A', 'y.e. A']);
    await apply(world, { 'Zone a/z': zone('e.', { delegations: [] }) });
    await deliverAll(world);
    expect(publishedNames(world)).toEqual([]);
    expect(['Zone b/s', 'Record b/below', 'Record b/direct'].map((id) => reasonOf(world, id))).toEqual([
      'DelegationDenied',
      'ParentNotLive',
      'DelegationDenied',
    ]);
  });

  test('K5 labels, which any tenant may write, were believed; zone53 does not even read the status', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.', { delegations: [] }), 'Record b/evil': undefined });
    world.cluster.put(parseRef('Record b/evil'), a('www.e.'));
    const { cluster } = world.context;
    const forged = { 'kubi.zone/parent-zone': 'z.a' };
    const lying = asRead(world, {
      listPage: async (kind, namespace, cursor) => {
        const page = await cluster.listPage(kind, namespace, cursor);
        return page && { ...page, objects: page.objects.map((object) => ({ ...object, labels: forged })) };
      },
      get: async (ref, file) => {
        const seen = await cluster.get(ref, file);
        return seen.kind === 'present' ? { ...seen, object: { ...seen.object, labels: forged } } : seen;
      },
    });
    await reconcile(lying.context, [hintFor(parseRef('Record b/evil'))]);
    await sweepAndPublish(lying);
    expect(publishedNames(world)).toEqual([]);
    expect(reasonOf(world, 'Record b/evil')).toBe('DelegationDenied');
  });

  test('K6 the hash depended on the order of objects, and the serial on a stale status: it repeated and went back', async () => {
    const ids = Object.keys(FIVE);
    const hashes = new Set<unknown>();
    for (const order of [ids, ids.toReversed()]) {
      const world = await worldOf({ ...Object.fromEntries(order.map((id) => [id, FIVE[id]])), 'Zone a/z': zone('e.') });
      hashes.add(world.cluster.statuses.get('Zone a/z')?.zone?.hash);
    }
    expect(hashes.size).toBe(1);
    const world = await worldOf({ 'Zone a/z': zone('e.') });
    const serial = () => world.cluster.statuses.get('Zone a/z')?.zone?.serial ?? 0;
    for (let step = 0; step < 6; step += 1) {
      const before = serial();
      // The clock is set back by days, and somebody sets the status back to its earlier value.
      world.clock.ms += step % 2 === 0 ? -3 * 86_400_000 : 86_400_000;
      await apply(world, { 'Record a/www': a('www.e.', `192.0.2.${step + 1}`) });
      await deliverReports(world);
      expect(compareSerials(serial(), before)).toBe(1);
      const same = serial();
      await report(world.context, [parseRef('Zone a/z')]);
      expect(serial()).toBe(same);
    }
  });

  test('K7 a zoneRef into another namespace counts only if that Zone allows it', async () => {
    const ref = { zoneRef: { namespace: 'a', name: 'z' } };
    const world = await worldOf({
      'Zone a/z': zone('e.', { delegations: [{ namespace: 'b', records: [{ pattern: 'b' }] }] }),
      'Record b/b': a('b', '192.0.2.1', ref),
      'Record c/b': a('b', '192.0.2.66', ref),
      'Zone c/z': zone('sub', ref),
    });
    expect(standingInRoute53(world)).toHaveLength(1);
    expect(standingInRoute53(world)[0]).not.toContain('192.0.2.66');
    expect([reasonOf(world, 'Record c/b'), reasonOf(world, 'Zone c/z')]).toEqual([
      'DelegationDenied',
      'DelegationDenied',
    ]);
  });
});
