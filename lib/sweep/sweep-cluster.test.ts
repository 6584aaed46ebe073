// The sweep: what it finds.
import { describe, expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  hintFor,
  standingInRoute53,
  sweepAll,
  through,
} from '../../test/fakes/reconcile-world.ts';
import {
  a,
  disturbedWorld,
  expectRight,
  Killed,
  OBJECTS,
  settledWorld,
  sweepAndDeliver,
  unsettled,
  write,
} from '../../test/fakes/sweep-world.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import { objectKey } from '../observe/object-item.ts';
import { statusKey } from '../observe/status-item.ts';
import type { Cluster, ClusterPage } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import type { Queues } from '../ports/queues.ts';
import { hostedZoneCodec, hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { readSweepNotes } from './last-swept.ts';
import { sweepPiece } from './sweep-cluster.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

describe('sweepPiece()', () => {
  test('finds what no hint reported: new, changed and deleted objects', async () => {
    const world = await disturbedWorld();
    await sweepAndDeliver(world);
    await expectRight(world);
    expect(standingInRoute53(world)).toHaveLength(7);
  });

  test('sends nothing, and writes only its progress, when nothing is wrong', async () => {
    const world = await settledWorld();
    const written: string[] = [];
    const ledger = {
      ...world.ledger,
      put: (...[key, body, expected]: Parameters<Ledger['put']>) => {
        written.push(key.partition);
        return world.ledger.put(key, body, expected);
      },
    };
    await sweepPiece(through(world, { ledger }).context, Number.POSITIVE_INFINITY);
    expect(world.queued.hints).toEqual([]);
    expect([...world.queued.publish]).toEqual([]);
    expect(new Set(written)).toEqual(new Set(['sweep#default', 'sweeps#default']));
    await deliverAll(world);
    expect(world.cluster.calls.list).toBe(0);
  });

  test('reconciles new Zones itself, ahead of the Records; one that fails waits in the queue', async () => {
    const world = await settledWorld({});
    write(world, OBJECTS);
    await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    expect(new Set(world.queued.hints.map(({ kind }) => kind))).toEqual(new Set(['Record']));
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
    const sick = await settledWorld();
    write(sick, { 'Zone b/f': { ...OBJECTS['Zone b/f'], ttl: 60 } });
    const { cluster } = sick.context;
    const get: Cluster['get'] = async (ref, file) => {
      if (ref.name === 'f') throw new Error('no answer');
      return cluster.get(ref, file);
    };
    await sweepPiece(through(sick, { cluster: { ...cluster, get } }).context, Number.POSITIVE_INFINITY);
    expect(sick.queued.hints.filter(({ kind }) => kind === 'Zone').length).toBeGreaterThan(0);
    await deliverHints(sick);
    await deliverAll(sick);
    await expectRight(sick);
  });

  test('finishes an object whose run died before its consequences were written', async () => {
    const world = await settledWorld();
    write(world, { 'Record a/new': a('new.e.') });
    const ref = parseRef('Record a/new');
    const broken: Ledger = {
      ...world.ledger,
      put: async (key, body, expected) => {
        if (key.partition.startsWith('recordsets#')) throw new Killed();
        return world.ledger.put(key, body, expected);
      },
    };
    await expect(reconcile(through(world, { ledger: broken }).context, [hintFor(ref)])).rejects.toThrow(Killed);
    expect(await unsettled(world)).toEqual(['a/new']);
    await sweepAndDeliver(world);
    await expectRight(world);
  });

  test('concludes nothing from a page that fails, and reads the same page again', async () => {
    const world = await disturbedWorld();
    const { cluster } = world.context;
    let pages = 0;
    const failing: Cluster = {
      ...cluster,
      listPage: async (...args) => {
        pages += 1;
        if (pages === 3) throw new Error('socket hang up');
        return cluster.listPage(...args);
      },
    };
    const sick = through(world, { cluster: failing });
    await expect(sweepPiece(sick.context, Number.POSITIVE_INFINITY)).rejects.toThrow('socket hang up');
    const { whole, carriedOn } = await sweepPiece(sick.context, Number.POSITIVE_INFINITY);
    expect([whole, carriedOn]).toEqual([true, true]);
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
  });

  test('starts the objects over when the cursor has expired', async () => {
    const world = await disturbedWorld();
    const { cluster } = world.context;
    let expired = 0;
    const forgetful: Cluster = {
      ...cluster,
      listPage: async (kind, namespace, cursor) => {
        if (kind !== 'Record' || cursor === null || expired > 0) return cluster.listPage(kind, namespace, cursor);
        expired += 1;
        return null;
      },
    };
    await sweepAll(through(world, { cluster: forgetful }));
    await deliverAll(world);
    expect(expired).toBe(1);
    await expectRight(world);
  });

  test.each<[string, (page: ClusterPage) => ClusterPage]>([
    ['short', (page) => ({ ...page, objects: page.objects.slice(1) })],
    ['empty, and the last', (page) => ({ ...page, objects: [], next: null })],
    ['empty, and not the last', (page) => ({ ...page, objects: [] })],
    ['out of order', (page) => ({ ...page, objects: page.objects.toReversed() })],
  ])('deletes nothing for pages that are %s; they cost reads', async (_what, bend) => {
    const world = await settledWorld();
    const { cluster } = world.context;
    const odd: Cluster = {
      ...cluster,
      listPage: async (...args) => {
        const page = await cluster.listPage(...args);
        return page === null ? null : bend(page);
      },
    };
    await sweepAll(through(world, { cluster: odd }));
    await deliverAll(world);
    await expectRight(world);
  });

  test('does not look for missing objects while a file cannot be read in full', async () => {
    const world = await settledWorld();
    const { cluster } = world.context;
    write(world, { 'Record a/gone': undefined, 'Record a/changed': a('changed.e.', '192.0.2.9') });
    const broken: Cluster = {
      ...cluster,
      listPage: async (...args) => {
        const page = await cluster.listPage(...args);
        return page && { ...page, unreadable: new Set(['broken.yaml']) };
      },
    };
    await sweepAll(through(world, { cluster: broken }));
    await deliverAll(world);
    // The object may be in the part that cannot be read, whatever its place was before (ADR 4). Everything else
    // continues.
    expect(standingInRoute53(world).filter((line) => / (gone|changed)\.e\. /.test(line))).toHaveLength(2);
    expect(standingInRoute53(world).join()).toContain('192.0.2.9');
    await sweepAndDeliver(world);
    await expectRight(world);
  });

  test('works off a deleted namespace in steps of limited size', async () => {
    const world = await settledWorld();
    const stored = (await world.ledger.get(objectKey('default', parseRef('Record a/www')))) as LedgerItem;
    for (let index = 0; index < 2_203; index += 1) {
      const ref = parseRef(`Record many/r${index}`);
      await world.ledger.put(objectKey('default', ref), { ...stored.body, ref }, null);
    }
    const sizes: number[] = [];
    const hint: Queues['hint'] = async (hints) => void sizes.push(hints.length);
    const context = { ...world.context, queues: { ...world.context.queues, hint } };
    // Until it has gone through all objects.
    for (let sum = 0; sum < 2_203; sum = sizes.reduce((all, size) => all + size, 0)) await sweepPiece(context, 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(sizes.reduce((all, size) => all + size, 0)).toBe(2_203);
  });

  test('reports a status again that was lost or wrong', async () => {
    const world = await settledWorld();
    const key = statusKey('default', parseRef('Record a/www'));
    const stored = (await world.ledger.get(key)) as LedgerItem;
    await world.ledger.put(key, { ...stored.body, fqdn: 'other.e.' }, stored.revision);
    const lost = statusKey('default', parseRef('Record a-b/x'));
    await world.ledger.remove(lost, ((await world.ledger.get(lost)) as LedgerItem).revision);
    await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    const asked = [...world.queued.reports.values()].map(formatRef);
    expect(asked).toEqual(expect.arrayContaining(['Record a/www', 'Record a-b/x']));
    expect(asked).not.toContain('Record a/changed');
    await deliverAll(world);
    expect((await world.ledger.get(key))?.body.fqdn).toBe('www.e.');
  });

  test('loses only the object of an item that another version of the code wrote', async () => {
    const world = await disturbedWorld();
    const key = objectKey('default', parseRef('Record a/www'));
    const stored = (await world.ledger.get(key)) as LedgerItem;
    await world.ledger.put(key, { ...stored.body, v: 99 }, stored.revision);
    const { whole } = await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    expect(whole).toBe(true);
    expect(world.queued.hints.map(({ name }) => name).toSorted()).toEqual(['changed', 'gone', 'last', 'new']);
  });

  test('continues with all other hosted zones when one cannot be read', async () => {
    const world = await disturbedWorld();
    world.route53.edit('Z2', { name: 'y.f.', type: 'A', setIdentifier: null }, null);
    const { hostedZones } = world.context.account;
    const sick: Context = {
      ...world.context,
      account: {
        hostedZones: {
          ...hostedZones,
          readPage: async (id, from) => {
            if (id === 'Z1') throw new Error('AccessDenied');
            return hostedZones.readPage(id, from);
          },
        },
      },
    };
    const found: unknown[] = [];
    const sweep = () =>
      sweepPiece(sick, Number.POSITIVE_INFINITY, { onHostedZone: (id, { lost }) => found.push([id, lost]) });
    await expect(sweep()).rejects.toThrow('AccessDenied');
    expect(found).toEqual([]);
    await expect(sweep()).rejects.toThrow('AccessDenied');
    expect(found).toEqual([['Z2', 1]]);
    const notes = await readSweepNotes(world.ledger, 'default');
    expect(notes).toMatchObject([{ hostedZoneId: 'Z2', wholeMs: world.clock.ms }]);
  });

  test('notes that a hosted zone is gone, and the next sweep continues without it', async () => {
    const world = await settledWorld();
    world.route53.removeHostedZone('Z2');
    const found: unknown[] = [];
    const onHostedZone = (id: string, { gone }: { gone: boolean }) => found.push([id, gone]);
    await sweepPiece(world.context, Number.POSITIVE_INFINITY, { onHostedZone });
    await sweepPiece(world.context, Number.POSITIVE_INFINITY, { onHostedZone });
    expect(found).toEqual([
      ['Z1', false],
      ['Z2', true],
      ['Z1', false],
    ]);
    const stored = await world.ledger.get(hostedZoneItemKey('Z2'));
    expect(stored === null || hostedZoneCodec.decode(stored).gone).toBe(true);
  });

  test('notes that a hosted zone is gone also when its item is written in the meantime', async () => {
    const world = await settledWorld();
    world.route53.removeHostedZone('Z2');
    const { ledger } = world;
    let raced = false;
    const raceOnce: typeof ledger.put = async (key, body, expected) => {
      if (key.partition === 'hostedzones' && key.sort === 'Z2' && body.gone === true && !raced) {
        raced = true;
        const now = await ledger.get(key);
        if (now !== null) await ledger.put(key, { ...now.body, takeover: true }, now.revision);
      }
      return ledger.put(key, body, expected);
    };
    await sweepHostedZone({ ...world.context, ledger: { ...ledger, put: raceOnce } }, 'Z2');
    expect((await ledger.get(hostedZoneItemKey('Z2')))?.body).toMatchObject({ gone: true, takeover: true });
  });

  test('begins again when it cannot read its stored state', async () => {
    const world = await disturbedWorld();
    await world.ledger.put({ partition: 'sweep#default', sort: 'state' }, { v: 99, at: 'somewhere' }, null);
    expect(await sweepPiece(world.context, Number.POSITIVE_INFINITY)).toMatchObject({ whole: true, carriedOn: false });
  });
});
