// Runs that died, were overtaken or ran beside one another: what they left is finished by the next.
import { describe, expect, test } from 'vitest';
import { a, apply, below, expectRight, pausing, write, zone } from '../../test/fakes/reconcile-steps.ts';
import { hintFor, reconcileWorld, through } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { observe } from '../observe/observe-object.ts';
import type { Ledger } from '../ports/ledger.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { reconcile } from './reconcile-hints.ts';

const HOSTED = [{ id: 'Z1', name: 'e.' }];

describe('reconcile() after another run', () => {
  test('withdraws a deleted Record from a Zone that moved before the run was repeated', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, {
      'Zone a/z': zone('e.'),
      'Zone a/s': zone('s', below('z')),
      'Record a/www': a('www', below('s')),
    });
    write(world, { 'Record a/www': undefined });
    // The run that sees the deletion dies right after it noted that.
    await observe(world.context, parseRef('Record a/www'));
    await apply(world, { 'Zone a/s': zone('t', below('z')) });
    await reconcile(world.context, [hintFor(parseRef('Record a/www'))]);
    await expectRight(world);
  });

  test('keeps the task of another run whose part of the directory is not written yet', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
    write(world, { 'Zone a/z': zone('e.', { ttl: 60 }), 'Zone b/other': zone('other.') });
    const other = () => reconcile(world.context, [hintFor(parseRef('Zone b/other'))]);
    const ledger = pausing(world.ledger, 'put', 'directory#', other);
    await reconcile(through(world, { ledger }).context, [hintFor(parseRef('Zone a/z'))]);
    await expectRight(world);
  });

  test('finds the task of a run that died after a name server had moved the directory', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Zone a/s': zone('s', below('z')), 'Record a/x': a('x.s.e.') });
    const refs = write(world, { 'Record a/ns': { domainName: 's.e.', type: 'NS', rdata: 'ns.other.' } });
    const ledger = pausing(world.ledger, 'remove', 'subtrees#', async () => {
      throw new Error('died');
    });
    await expect(reconcile(through(world, { ledger }).context, refs.map(hintFor))).rejects.toThrow('died');
    await reconcile(world.context, refs.map(hintFor));
    expect((await world.ledger.query('subtrees#default')).items).toEqual([]);
    await expectRight(world);
  });

  test('does not keep an object whose deletion was handled between its read and its note', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.') });
    const ref = parseRef('Record a/www');
    write(world, { 'Record a/www': a('www.e.') });
    const ledger = pausing(world.ledger, 'put', 'objects#', async () => {
      world.cluster.remove(ref);
      await reconcile(world.context, [hintFor(ref)]);
    });
    await reconcile(through(world, { ledger }).context, [hintFor(ref)]);
    await expectRight(world);
    const { items } = await world.ledger.query('objects#default#Record');
    expect(items.map(({ body }) => [body.deleted, body.unsettled])).toEqual([[true, false]]);
  });

  test('removes a Record of an overtaken run that the faster one had removed', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.') });
    const ref = parseRef('Record a/www');
    write(world, { 'Record a/www': a('www.e.') });
    const ledger = pausing(world.ledger, 'put', 'names#', async () => {
      world.cluster.remove(ref);
      await reconcile(world.context, [hintFor(ref)]);
    });
    await reconcile(through(world, { ledger }).context, [hintFor(ref)]);
    expect((await world.ledger.query('names#default')).items).toEqual([]);
    await expectRight(world);
  });

  test('corrects with a repeated hint what a run wrote that died after a faster one', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.', { ttl: 60 }) });
    const ref = parseRef('Record a/www');
    write(world, { 'Record a/www': a('www.e.', { ttl: 120 }) });
    let dead = false;
    const faster = pausing(world.ledger, 'query', 'recordsets#', async () => {
      write(world, { 'Record a/www': a('www.e.', { ttl: 60 }) });
      await reconcile(world.context, [hintFor(ref)]);
    });
    const dying: Ledger = {
      ...faster,
      get: (key) => faster.get(key),
      query: (...args) => (dead ? Promise.reject(new Error('died')) : faster.query(...args)),
      remove: (...args) => faster.remove(...args),
      put: async (key, ...args) => {
        const revision = await faster.put(key, ...args);
        if (key.partition.startsWith('dirty#')) dead = true;
        return revision;
      },
    };
    await expect(reconcile(through(world, { ledger: dying }).context, [hintFor(ref)])).rejects.toThrow('died');
    await reconcile(world.context, [hintFor(ref)]);
    await expectRight(world);
  });

  test("asks for the publish that a dead run's dirty mark needs, though all is published (simulation, seed 9459)", async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/root': zone('e.'), 'Record a/r': a('w.e.') });
    await publish(world.deps, 'Z1');
    world.queued.publish.clear();
    await apply(world, { 'Record a/r': a('w.e.', { rdata: '192.0.2.2' }) });
    const standing = (await world.context.ledger.query('dirty#Z1')).items;
    await publish(world.deps, 'Z1');
    for (const { partition, sort, body } of standing) await world.context.ledger.put({ partition, sort }, body, null);
    world.queued.publish.clear();
    await reconcile(world.context, [hintFor(parseRef('Record a/r'))]);
    expect([...world.queued.publish]).toEqual(['Z1']);
    await publish(world.deps, 'Z1');
    expect((await world.context.ledger.query('dirty#Z1')).items).toEqual([]);
    world.queued.publish.clear();
    await reconcile(world.context, [hintFor(parseRef('Record a/r'))]);
    expect([...world.queued.publish]).toEqual([]);
  });

  // Afterwards nobody can tell what that run read: the API server has only the ring, and the ledger never had anything
  // else.
  test.each([
    ['before it is noted: it was never in force', 'put', null],
    ['once it is noted: it stays in force', 'query', 'f.'],
  ] as const)(
    'where zoneRefs form a ring, and the run that read the last valid spec died %s',
    async (_, method, fqdn) => {
      const world = reconcileWorld({ hostedZones: HOSTED });
      const ref = parseRef('Zone a/z');
      write(world, { 'Zone a/z': zone('f.') });
      const at = method === 'put' ? 'objects#' : 'subtrees#';
      const ledger = pausing(world.ledger, method, at, async () => {
        throw new Error('died');
      });
      await expect(reconcile(through(world, { ledger }).context, [hintFor(ref)])).rejects.toThrow('died');
      await apply(world, { 'Zone a/z': zone('s', below('z')) });
      await reconcile(world.context, [hintFor(ref)]);
      await expectRight(world);
      expect(world.cluster.statuses.get('Zone a/z')?.fqdn).toBe(fqdn);
    },
  );

  test('takes for the Zone that closed a ring the one that a run saw last, however late the other was noted', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Zone a/s': zone('f.') });
    world.clock.ms += 1_000;
    write(world, { 'Zone a/z': zone('z', below('s')) });
    const ledger = pausing(world.ledger, 'get', 'objects#', async () => {
      world.clock.ms += 1_000;
      write(world, { 'Zone a/s': zone('s', below('z')) });
    });
    await reconcile(through(world, { ledger }).context, [hintFor(parseRef('Zone a/z'))]);
    await reconcile(world.context, [hintFor(parseRef('Zone a/s'))]);
    await expectRight(world);
    const { statuses } = world.cluster;
    expect([statuses.get('Zone a/s')?.fqdn, statuses.get('Zone a/z')?.fqdn]).toEqual(['f.', 'z.f.']);
  });
});
