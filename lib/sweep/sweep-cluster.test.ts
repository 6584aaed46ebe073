// The sweep: what it finds, how it is cut into pieces, and that being killed anywhere changes nothing of what it leads to.
import { describe, expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
  statusesFromScratch,
  statusesReported,
  sweepAll,
  through,
  wantedInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { allItems } from '../ledger/pages.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import { namesPartition } from '../observe/name-index.ts';
import { objectKey, objectsPartition } from '../observe/object-item.ts';
import { statusKey } from '../observe/status-item.ts';
import type { Cluster, ClusterPage } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import type { Queues } from '../ports/queues.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { hostedZoneCodec, hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { readSweepNotes } from './last-swept.ts';
import { sweepPiece } from './sweep-cluster.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

const EVERYTHING = [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }];

function zone(domainName: string, more: object = {}) {
  return { domainName, delegations: EVERYTHING, ...more };
}

function a(domainName: string, rdata = '192.0.2.1') {
  return { domainName, type: 'A', rdata };
}

function write({ cluster }: ReconcileWorld, objects: Readonly<Record<string, unknown>>): void {
  for (const [id, spec] of Object.entries(objects)) {
    if (spec === undefined) cluster.remove(parseRef(id));
    else cluster.put(parseRef(id), spec);
  }
}

/** A world in which everything is published and reported. */
async function settledWorld(objects: Readonly<Record<string, unknown>> = OBJECTS): Promise<ReconcileWorld> {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: 'f.' },
  ];
  const world = reconcileWorld({ hostedZones });
  write(world, objects);
  await reconcile(world.context, Object.keys(objects).map(parseRef).map(hintFor));
  await deliverAll(world);
  return world;
}

const OBJECTS = {
  'Zone a/e': zone('e.'),
  'Zone b/f': zone('f.'),
  'Zone a/sub': zone('sub', { zoneRef: { name: 'e' } }),
  'Record a/www': a('www.e.'),
  'Record a/changed': a('changed.e.'),
  'Record a/gone': a('gone.e.'),
  'Record a-b/x': a('x.e.'),
  'Record a-b/y': a('y.f.'),
  'Record c/member': { domainName: 'm', type: 'A', rdata: '192.0.2.1', zoneRef: { namespace: 'a', name: 'sub' } },
};

async function sweepAndDeliver(world: ReconcileWorld): Promise<void> {
  await sweepAll(world);
  await deliverAll(world);
}

async function expectRight(world: ReconcileWorld): Promise<void> {
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  expect(standingInRoute53(world)).toEqual(await wantedInRoute53(world));
  expect(statusesReported(world)).toEqual(await statusesFromScratch(world));
  expect(await unsettled(world)).toEqual([]);
}

async function unsettled({ ledger }: ReconcileWorld): Promise<string[]> {
  const items = await Promise.all(
    (['Zone', 'Record'] as const).map((kind) => allItems(ledger, objectsPartition('default', kind))),
  );
  return items.flat().flatMap(({ sort, body }) => (body.unsettled === true ? [sort] : []));
}

class Killed extends Error {}

type Ports = { ledger: Ledger; cluster: Cluster; hostedZones: HostedZones; queues: Queues };

/** The context of a function that dies at the `at`-th call of any port, before or after its effect; what it calls later fails. */
function dying(context: Context, at: number, when: 'before' | 'after'): { context: Context; calls: () => number } {
  let calls = 0;
  const wrap = <P extends Ports[keyof Ports]>(port: P): P =>
    new Proxy(port, {
      get: (of, method) => {
        const member = Reflect.get(of, method) as unknown;
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls > at || (calls === at && when === 'before')) throw new Killed();
          const answer: unknown = await member.apply(of, args);
          if (calls >= at) throw new Killed();
          return answer;
        };
      },
    });
  const { ledger, cluster, hostedZones, queues } = context;
  const ports = {
    ledger: wrap(ledger),
    cluster: wrap(cluster),
    hostedZones: wrap(hostedZones),
    queues: wrap(queues),
  };
  return { context: { ...context, ...ports }, calls: () => calls };
}

const FEW = Object.fromEntries(
  Object.entries(OBJECTS).filter(([id]) =>
    ['Zone a/e', 'Record a/www', 'Record a/changed', 'Record a/gone'].includes(id),
  ),
);

/** Everything that a sweep is there to find, at once. */
async function disturbedWorld(objects: Readonly<Record<string, unknown>> = OBJECTS): Promise<ReconcileWorld> {
  const world = await settledWorld(objects);
  write(world, {
    'Record a/changed': a('changed.e.', '192.0.2.9'),
    'Record a/gone': undefined,
    'Record a/new': a('new.e.'),
  });
  if (objects === OBJECTS) write(world, { 'Record z/last': a('last.f.') });
  world.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, null);
  await leftover(world);
  return world;
}

/** A RecordItem without its object, and a name that is dirty without a message. */
async function leftover({ ledger, clock }: ReconcileWorld): Promise<void> {
  const [entry] = await allItems(ledger, namesPartition('default'));
  const { partition, sort, body } = entry as LedgerItem;
  await ledger.put(
    { partition, sort: sort.replace('!', '!zz') },
    { ...body, ref: { kind: 'Record', namespace: 'zz', name: 'x' } },
    null,
  );
  await markDirty(ledger, 'Z1', 'x.e.', clock.ms);
}

describe('sweepPiece()', () => {
  test('finds what no hint told of: what is new, has changed, and is gone', async () => {
    const world = await disturbedWorld();
    await sweepAndDeliver(world);
    await expectRight(world);
    expect(standingInRoute53(world)).toHaveLength(7);
  });

  test('sends nothing and writes nothing but how far it came when all is well', async () => {
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

  test.each(['before', 'after'] as const)(
    'killed %s any call of any port and carried on, it ends where an uninterrupted one does',
    async (when) => {
      const whole = dying((await disturbedWorld(FEW)).context, Number.POSITIVE_INFINITY, when);
      await sweepPiece(whole.context, Number.POSITIVE_INFINITY);
      expect(whole.calls()).toBeGreaterThan(80);
      for (let at = 1; at <= whole.calls(); at += 1) {
        const world = await disturbedWorld(FEW);
        await expect(sweepPiece(dying(world.context, at, when).context, Number.POSITIVE_INFINITY)).rejects.toThrow(
          Killed,
        );
        await sweepAndDeliver(world);
        await expectRight(world);
      }
    },
    60_000,
  );

  test('goes on piece by piece, each with a time of its own, and begins anew when it was whole', async () => {
    const world = await disturbedWorld();
    const beganMs = world.clock.ms;
    for (let pieces = 1; ; pieces += 1) {
      const { whole, carriedOn, beganMs: of } = await sweepPiece(world.context, 0);
      expect([carriedOn, of]).toEqual([pieces > 1, beganMs]);
      world.clock.ms += 60_000;
      if (!whole) continue;
      expect(pieces).toBeGreaterThan(8);
      break;
    }
    expect(await readSweepNotes(world.ledger, 'default')).toMatchObject([{ wholeMs: beganMs }, { wholeMs: beganMs }]);
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
    expect(await sweepPiece(world.context, 0)).toMatchObject({ whole: false, carriedOn: false });
  });

  test('of two that run at once one stops, and all is found once', async () => {
    const world = await disturbedWorld();
    const runs = [1, 2].map(() => sweepPiece(world.context, Number.POSITIVE_INFINITY));
    expect((await Promise.all(runs)).map(({ whole }) => whole).toSorted()).toEqual([false, true]);
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
  });

  test('reconciles new Zones itself, ahead of the Records; one that fails waits in the queue', async () => {
    const world = await settledWorld({});
    write(world, OBJECTS);
    await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    expect(new Set(world.queued.hints.map(({ kind }) => kind))).toEqual(new Set(['Record']));
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
    const sick = await settledWorld({});
    write(sick, OBJECTS);
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

  test('finishes an object whose run died over its consequences', async () => {
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

  test('a page that fails concludes nothing, and the same page is read again', async () => {
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
  ])('pages that are %s cost reads and delete nothing', async (_what, bend) => {
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

  test('while a file does not read in full, what is missing from the listing is not looked for', async () => {
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
    // It may stand in the part that does not read, wherever it stood before (ADR 4); the rest goes on.
    expect(standingInRoute53(world).filter((line) => / (gone|changed)\.e\. /.test(line))).toHaveLength(2);
    expect(standingInRoute53(world).join()).toContain('192.0.2.9');
    await sweepAndDeliver(world);
    await expectRight(world);
  });

  test('works off a namespace that is gone in steps of a bounded size', async () => {
    const world = await settledWorld();
    const stored = (await world.ledger.get(objectKey('default', parseRef('Record a/www')))) as LedgerItem;
    for (let index = 0; index < 2_203; index += 1) {
      const ref = parseRef(`Record many/r${index}`);
      await world.ledger.put(objectKey('default', ref), { ...stored.body, ref }, null);
    }
    const sizes: number[] = [];
    const hint: Queues['hint'] = async (hints) => void sizes.push(hints.length);
    const context = { ...world.context, queues: { ...world.context.queues, hint } };
    // As long as it goes through the objects.
    for (let sum = 0; sum < 2_203; sum = sizes.reduce((all, size) => all + size, 0)) await sweepPiece(context, 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(sizes.reduce((all, size) => all + size, 0)).toBe(2_203);
  });

  test('a status that was lost, or reported wrongly, is reported again', async () => {
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

  test('an item of another version of the code costs only itself', async () => {
    const world = await disturbedWorld();
    const key = objectKey('default', parseRef('Record a/www'));
    const stored = (await world.ledger.get(key)) as LedgerItem;
    await world.ledger.put(key, { ...stored.body, v: 99 }, stored.revision);
    const { whole } = await sweepPiece(world.context, Number.POSITIVE_INFINITY);
    expect(whole).toBe(true);
    expect(world.queued.hints.map(({ name }) => name).toSorted()).toEqual(['changed', 'gone', 'last', 'new']);
  });

  test('a hosted zone that cannot be read holds up no other', async () => {
    const world = await disturbedWorld();
    world.route53.edit('Z2', { name: 'y.f.', type: 'A', setIdentifier: null }, null);
    const { hostedZones } = world.context;
    const sick: Context = {
      ...world.context,
      hostedZones: {
        ...hostedZones,
        readPage: async (id, from) => {
          if (id === 'Z1') throw new Error('AccessDenied');
          return hostedZones.readPage(id, from);
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

  test('a hosted zone that is gone is noted, and the next sweep goes on without it', async () => {
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

  test('that a hosted zone is gone is noted also when somebody writes its item meanwhile', async () => {
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

  test('a state that this code cannot read begins anew', async () => {
    const world = await disturbedWorld();
    await world.ledger.put({ partition: 'sweep#default', sort: 'state' }, { v: 99, at: 'somewhere' }, null);
    expect(await sweepPiece(world.context, Number.POSITIVE_INFINITY)).toMatchObject({ whole: true, carriedOn: false });
  });
});
