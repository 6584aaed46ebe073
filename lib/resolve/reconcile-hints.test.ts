// reconcile(), report() and what lies between, by example: the ordinary path, and each thing that the law of
// incremental.test.ts found broken, by name.
import { describe, expect, test } from 'vitest';
import {
  a,
  apply,
  below,
  expectRight,
  publishedNames,
  reasonOf,
  sweepAndPublish,
  worldOf,
  write,
  zone,
} from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  deliverReports,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  reconcileWorld,
  standingInRoute53,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { parseRootPattern } from '../dns/names/pattern.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import type { Cluster, ClusterObject, Observation } from '../ports/cluster.ts';
import type { Hint } from '../ports/queues.ts';
import { reconcile } from './reconcile-hints.ts';

const HOSTED = [{ id: 'Z1', name: 'e.' }];

describe('reconcile()', () => {
  test('publishes a Zone and a Record, an edit and a deletion', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    await deliverAll(world);
    expect(standingInRoute53(world)).toEqual(['Z1 www.e. A {"kind":"values","ttlSeconds":360,"values":["192.0.2.1"]}']);
    await apply(world, { 'Record a/www': a('www.e.', { ttl: 60 }) });
    await deliverAll(world);
    expect(standingInRoute53(world)).toEqual(['Z1 www.e. A {"kind":"values","ttlSeconds":60,"values":["192.0.2.1"]}']);
    await apply(world, { 'Record a/www': undefined });
    await deliverAll(world);
    expect(standingInRoute53(world)).toEqual([]);
  });

  test('keeps the last valid spec while an edit is invalid, and says so', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    await apply(world, { 'Record a/www': a('www.e.', { rdata: 'nonsense' }) });
    await expectRight(world);
    expect(await desiredInLedger(world)).toHaveLength(2);
    const status = world.cluster.statuses.get('Record a/www');
    expect(status?.conditions[0]).toMatchObject({ type: 'Accepted', status: 'False', reason: 'InvalidSpec' });
  });

  test('withdraws the parent that an invalid Zone was reported with and never had (seed 1757521)', async () => {
    const pattern = parseRootPattern('e.');
    const roots = pattern.ok ? [{ pattern: pattern.pattern, namespaces: ['a'] }] : null;
    const world = reconcileWorld({ hostedZones: HOSTED, config: { roots } });
    await apply(world, { 'Zone b/sub': zone('s.e.') });
    await apply(world, { 'Zone b/sub': {} });
    const list = async () => {
      throw new Error('throttled');
    };
    const busy = { ...world, context: { ...world.context, account: { hostedZones: { ...world.route53.port, list } } } };
    await expect(apply(busy, { 'Zone a/z': { ...zone('e.'), delegations: [{ zones: ['*'] }] } })).rejects.toThrow();
    world.queued.reports.set('Zone b/sub', parseRef('Zone b/sub'));
    await deliverReports(world);
    expect(world.cluster.statuses.get('Zone b/sub')?.parent).toBe('a/z');
    await apply(world, { 'Zone a/z': { ...zone('e.'), delegations: [{ zones: [] }] } });
    await deliverReports(world);
    expect(world.cluster.statuses.get('Zone b/sub')?.parent).toBeNull();
  });

  test('reports a Zone again that was reported while one of its sub-zones changed for a moment (seed 2489628)', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': { ...zone('e.'), delegations: [{ zones: ['*'] }] }, 'Zone b/sub': zone('s.e.') });
    await deliverReports(world);
    const list = async () => {
      throw new Error('throttled');
    };
    const busy = { ...world, context: { ...world.context, account: { hostedZones: { ...world.route53.port, list } } } };
    await expect(apply(busy, { 'Zone b/sub': zone('t.e.') })).rejects.toThrow();
    world.queued.reports.clear();
    await apply(world, { 'Zone b/sub': zone('s.e.') });
    expect([...world.queued.reports.keys()]).toContain('Zone a/z');
  });

  test('gives a new object nothing of an earlier one with its name, valid or not', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    world.cluster.remove(parseRef('Record a/www'));
    await apply(world, { 'Record a/www': { domainName: 'www.e.' } });
    await expectRight(world);
    expect((await desiredInLedger(world)).filter((line) => line.includes('www'))).toEqual([]);
  });

  test('handles a hint without a name page by page, with a hint for each page', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    const named = (from: number, to: number, spec: (name: string) => unknown) =>
      Object.fromEntries(
        Array.from({ length: to - from }, (_, index) => [`Record a/r${from + index}`, spec(`r${from + index}.e.`)]),
      );
    await apply(world, { 'Zone a/z': zone('e.'), ...named(10, 20, (name) => a(name)) });
    write(world, { ...named(10, 13, () => undefined), ...named(20, 30, (name) => a(name)) });
    await reconcile(world.context, [{ kind: 'Record', namespace: null, name: null, correlationId: 'c1' }]);
    const [more] = world.queued.hints.filter(({ name }) => name === null);
    expect(more).toMatchObject({ kind: 'Record', namespace: null, correlationId: 'c1' });
    expect(world.queued.hints.length).toBeLessThan(10);
    await deliverHints(world);
    await expectRight(world);
    await reconcile(world.context, [{ ...(more as object), cursor: 'nonsense' } as typeof more & object]);
    expect(world.queued.hints.filter(({ name }) => name !== null)).toEqual([]);
  });

  test('takes a hint without a name for all objects of that kind, existing or deleted', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/old': a('old.e.'), 'Record b/kept': a('kept.e.') });
    write(world, { 'Record a/old': undefined, 'Record a/new': a('new.e.'), 'Record b/kept': undefined });
    await reconcile(world.context, [{ kind: 'Record', namespace: 'a', name: null }]);
    await deliverHints(world);
    const names = (await desiredInLedger(world)).map((line) => line.split(' ')[1]);
    expect(names).toEqual(['e.', 'kept.e.', 'new.e.']);
  });

  test('reads again while it reads what was there before the write that a webhook saw, and gives up in the end', async () => {
    const world = reconcileWorld();
    write(world, { 'Zone a/z': zone('e.') });
    const [object] = world.cluster.objects() as [ClusterObject];
    const hint = { ...hintFor(object.ref), oldVersion: object.version };
    await reconcile(world.context, [hint]);
    expect(world.queued.hints).toEqual([{ ...hint, attempt: 1 }]);
    await reconcile(world.context, [{ ...hint, attempt: 11 }]);
    expect(world.queued.hints).toHaveLength(1);
  });

  test('reads again for longer than an API server takes for a request, whose other webhooks may delay it', async () => {
    const world = reconcileWorld();
    write(world, { 'Zone a/z': zone('e.') });
    const [object] = world.cluster.objects() as [ClusterObject];
    const delays: number[] = [];
    const hint = async (hints: readonly Hint[], seconds = 0) => {
      delays.push(seconds);
      for (const one of hints) await reconcile(context, [one]);
    };
    const context = { ...world.context, queues: { ...world.context.queues, hint } };
    await reconcile(context, [{ ...hintFor(object.ref), oldVersion: object.version }]);
    expect(delays.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(60);
    // Most writes are stored at once, so the first read is not delayed.
    expect(delays.slice(0, 6)).toEqual([0, 1, 1, 1, 1, 1]);
  });

  test('reads again for a deletion whose hint came too early, also when a status was written in between', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/x': a('x.e.') });
    const ref = parseRef('Record a/x');
    const { port } = world.cluster;
    const told = world.cluster.objects().find((object) => formatRef(object.ref) === 'Record a/x');
    // The API server asks the webhook, then our own report changes the version, and then the object is deleted.
    const moved: Cluster = {
      ...port,
      get: async (asked, file) => {
        const seen = await port.get(asked, file);
        return seen.kind === 'present' ? { ...seen, object: { ...seen.object, version: '999999' } } : seen;
      },
    };
    await reconcile(through(world, { cluster: moved }).context, [{ ...hintFor(ref), oldVersion: told?.version ?? '' }]);
    world.cluster.remove(ref);
    await deliverHints(world);
    await deliverAll(world);
    expect(publishedNames(world)).toEqual([]);
  });

  test('reads again for a deletion that comes in one batch with an edit', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/x': a('x.e.') });
    const ref = parseRef('Record a/x');
    const object = () => world.cluster.objects().find((one) => formatRef(one.ref) === 'Record a/x') as ClusterObject;
    const { uid, version: first } = object();
    world.cluster.put(ref, a('x.e.', { rdata: '192.0.2.9' }));
    // Both webhooks were asked before our report changed the version. The edit is stored, and the deletion is not yet.
    const hints = [
      { ...hintFor(ref), oldVersion: first, awaited: { uid: uid ?? '', generation: object().generation } },
      { ...hintFor(ref), oldVersion: 'between', awaited: { uid: uid ?? '', generation: null } },
    ];
    await reconcile(world.context, hints);
    expect(world.queued.hints).toEqual([{ ...hints[1], attempt: 1 }]);
    world.cluster.remove(ref);
    await deliverHints(world);
    await deliverAll(world);
    expect(publishedNames(world)).toEqual([]);
    expect(world.queued.hints).toEqual([]);
  });

  test.each(['create', 'update', 'delete'] as const)(
    'reads again for a %s that is stored after the object was observed, and before it was read again',
    async (what) => {
      const world = await worldOf({
        'Zone a/z': zone('e.'),
        ...(what === 'create' ? {} : { 'Record a/x': a('x.e.') }),
      });
      const ref = parseRef('Record a/x');
      const old = world.cluster.objects().find((one) => formatRef(one.ref) === 'Record a/x');
      const store = () =>
        what === 'delete' ? world.cluster.remove(ref) : world.cluster.put(ref, a('x.e.', { rdata: '192.0.2.9' }));
      let stored = false;
      const slow: Cluster = {
        ...world.cluster.port,
        get: async (asked, file) => {
          const seen = await world.cluster.port.get(asked, file);
          if (formatRef(asked) === 'Record a/x' && !stored) store();
          stored = true;
          return seen;
        },
      };
      const generation = what === 'delete' ? null : (old?.generation ?? 0) + 1;
      const awaited = what === 'create' ? {} : { awaited: { uid: old?.uid ?? '', generation } };
      const hint = { ...hintFor(ref), oldVersion: old?.version ?? '', ...awaited };
      await reconcile(through(world, { cluster: slow }).context, [hint]);
      expect(world.queued.hints).toEqual([{ ...hint, attempt: 1 }]);
      await deliverHints(world);
      await deliverAll(world);
      const standing = world.route53.recordSets('Z1').filter(({ name }) => name === 'x.e.');
      expect(standing.map(({ content }) => content)).toEqual(
        what === 'delete' ? [] : [expect.objectContaining({ values: ['192.0.2.9'] })],
      );
    },
  );

  test('withdraws a Record of the parent that a new cut occludes, and publishes it again', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/deep': a('x.s', below('z')) });
    await apply(world, {
      'Zone a/s': zone('s', below('z')),
      'Record a/ns': { ...below('s'), domainName: '@', type: 'NS', rdata: 'ns.other.' },
    });
    await expectRight(world);
    expect((await desiredInLedger(world)).some((line) => line.includes('x.s.e.'))).toBe(false);
    await apply(world, { 'Zone a/s': undefined });
    await expectRight(world);
    expect((await desiredInLedger(world)).some((line) => line.includes('x.s.e.'))).toBe(true);
  });

  test('says of everything in a deleted hosted zone that it is not published, and publishes it into the next one', async () => {
    const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/x': a('x.e.'), 'Record a/y': a('y.e.') });
    world.route53.removeHostedZone('Z1');
    await apply(world, { 'Record a/x': a('x.e.', { rdata: '192.0.2.2' }) });
    await deliverAll(world);
    await deliverHints(world);
    await deliverAll(world);
    for (const id of ['Zone a/z', 'Record a/x', 'Record a/y'])
      expect([id, reasonOf(world, id, 'Programmed')]).toEqual([id, 'HostedZoneNotFound']);
    const created = await world.route53.port.create('e.', 'by hand');
    await sweepAndPublish(world);
    expect(publishedNames(world, created.id)).toEqual(['x.e. A', 'y.e. A']);
    expect(reasonOf(world, 'Record a/y', 'Programmed')).toBe('Published');
  });

  test('takes another uid for another object, whatever its version is', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    const [restored] = world.cluster.objects().filter(({ ref }) => ref.kind === 'Record') as [ClusterObject];
    const object = { ...restored, uid: 'restored', version: '1', spec: a('restored.e.') };
    const cluster: Cluster = { ...world.cluster.port, get: async () => ({ kind: 'present', object }) };
    await reconcile(through(world, { cluster }).context, [hintFor(restored.ref)]);
    expect((await desiredInLedger(world)).map((line) => line.split(' ')[1])).toEqual(['e.', 'restored.e.']);
  });

  test('ignores an older state of the same object', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    const [known] = world.cluster.objects().filter(({ ref }) => ref.kind === 'Record') as [ClusterObject];
    const object = { ...known, version: '1', spec: a('older.e.') };
    const cluster: Cluster = { ...world.cluster.port, get: async () => ({ kind: 'present', object }) };
    await reconcile(through(world, { cluster }).context, [hintFor(known.ref)]);
    await expectRight(world);
  });

  test('keeps an object in force whose file does not parse, and says so until it parses again', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    const ref = parseRef('Record a/www');
    const unknown: Observation = { kind: 'unknown', message: 'www.yaml:3: not YAML' };
    const cluster: Cluster = { ...world.cluster.port, get: async () => unknown };
    for (let time = 0; time < 2; time += 1) {
      await reconcile(through(world, { cluster }).context, [hintFor(ref)]);
      await deliverReports(world);
      const condition = world.cluster.statuses.get('Record a/www')?.conditions[0];
      expect(condition).toMatchObject({ reason: 'InvalidSpec' });
      expect(condition?.message).toContain('www.yaml:3: not YAML');
      expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
    }
    await reconcile(world.context, [hintFor(ref)]);
    await expectRight(world);
  });
});
