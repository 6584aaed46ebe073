// Who has a name: the namespace that has asked for it for longest, as the ledger saw it, whichever object it was.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  deliverAll,
  deliverReports,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  saveAll,
  sweepAll,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { agesKey, agesPartition } from '../directory/name-ages-item.ts';
import { allItems } from '../ledger/pages.ts';
import { parseRef } from '../objects/object-ref.ts';

const MINUTE_MS = 60_000;
const a = (domainName: string, rdata: string) => ({ domainName, type: 'A', rdata });
const cname = (domainName: string, rdata: string) => ({ domainName, type: 'CNAME', rdata });

type Way = (world: ReconcileWorld, ids: readonly string[]) => Promise<void>;

/** How a change comes to the ledger: by events, or by a whole comparison as in `apply`. */
const byEvents: Way = async ({ context }, ids) =>
  reconcile(
    context,
    ids.map((id) => hintFor(parseRef(id))),
  );
const byApply: Way = async (world) => saveAll(world);
const WAYS: readonly (readonly [string, Way])[] = [
  ['by events', byEvents],
  ['by apply', byApply],
];

async function worldOf(way: Way): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  await way(world, ['Zone p/e']);
  return world;
}

/** Edits objects, `seconds` old when they are new; null: deletes them. */
async function edit(world: ReconcileWorld, way: Way, specs: Record<string, object | null>, ageMs = 0): Promise<void> {
  for (const [id, spec] of Object.entries(specs)) {
    if (spec === null) world.cluster.remove(parseRef(id));
    else world.cluster.put(parseRef(id), spec, {}, world.clock.ms - ageMs);
  }
  await way(world, Object.keys(specs));
}

/** What is desired at w.e.; it must be what follows from scratch. */
async function wanted(world: ReconcileWorld): Promise<string[]> {
  const lines = await desiredInLedger(world);
  expect(lines).toEqual(await desiredFromScratch(world));
  return lines.flatMap((line) => /"values":\[(.*?)\]/.exec(line.includes(' w.e. ') ? line : '')?.[1] ?? []);
}

async function acceptedOf(world: ReconcileWorld, id: string): Promise<string | undefined> {
  await world.context.queues.report([parseRef(id)]);
  await deliverReports(world);
  const found = world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Accepted');
  return `${found?.reason}: ${found?.message}`;
}

const YEAR_MS = 365 * 86_400_000;

describe.each(WAYS)('the age of a name, %s', (_, way) => {
  test('an old Record that is edited to a name of another namespace does not take it', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record b/old': a('x.e.', '192.0.2.2') }, YEAR_MS);
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Record b/old': a('w.e.', '192.0.2.2') }, YEAR_MS);
    expect(await wanted(world)).toEqual(['"192.0.2.1"']);
    expect(await acceptedOf(world, 'Record b/old')).toContain(
      'Conflict: Record a/own has w.e. A 192.0.2.1 already and has asked for longer',
    );
    expect((await planCluster(world.context)).resolved.recordSets.filter(({ type }) => type === 'A')).toMatchObject([
      { objects: ['Record a/own'] },
    ]);
  });

  test('nor by another type that goes together with it, nor by a CNAME beside a TXT', async () => {
    const world = await worldOf(way);
    await edit(
      world,
      way,
      { 'Record b/old': a('x.e.', '192.0.2.2'), 'Record b/older': a('y.e.', '192.0.2.2') },
      YEAR_MS,
    );
    await edit(world, way, { 'Record a/own': { domainName: 'w.e.', type: 'TXT', values: ['a'] } });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Record b/old': cname('w.e.', 'b.') }, YEAR_MS);
    expect(await wanted(world)).toEqual(['"\\"a\\""']);
    await edit(world, way, { 'Record a/ip': a('w.e.', '192.0.2.1') });
    // The CNAME is refused and asks all the same: within the group it came before the A of a.
    expect(await acceptedOf(world, 'Record a/ip')).toContain('Adopted');
  });

  test('a gap of less than ten minutes does not count, whichever object comes back', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') });
    await edit(world, way, { 'Record a/own': null });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Record b/new': a('w.e.', '192.0.2.2') });
    expect(await wanted(world)).toEqual(['"192.0.2.2"']);
    world.clock.ms += 9 * MINUTE_MS - 1;
    await edit(world, way, { 'Record a/other': a('w.e.', '192.0.2.3') });
    expect(await wanted(world)).toEqual(['"192.0.2.3"']);
    expect(await acceptedOf(world, 'Record b/new')).toMatch(/^Conflict/);
  });

  test('after ten minutes, the name belongs to who has asked since', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') });
    await edit(world, way, { 'Record a/own': a('x.e.', '192.0.2.1') });
    await edit(world, way, { 'Record b/new': a('w.e.', '192.0.2.2') });
    world.clock.ms += 10 * MINUTE_MS;
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') }, YEAR_MS);
    expect(await wanted(world)).toEqual(['"192.0.2.2"']);
  });

  test('it is the age of the namespace: its first object may go', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record a/first': a('w.e.', '192.0.2.1') });
    await edit(world, way, { 'Record b/new': a('w.e.', '192.0.2.2') }, YEAR_MS);
    await edit(world, way, { 'Record a/second': a('w.e.', '192.0.2.3') });
    world.clock.ms += 60 * MINUTE_MS;
    await edit(world, way, { 'Record a/first': null });
    expect(await wanted(world)).toEqual(['"192.0.2.3"']);
  });

  test('an object that no Zone adopts asks all the same', async () => {
    const world = await worldOf(way);
    const only = (...namespaces: string[]) => ({
      domainName: 'e.',
      delegations: [{ namespaces, records: [{ pattern: '*' }] }],
    });
    await edit(world, way, { 'Zone p/e': only('b') });
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') });
    world.clock.ms += MINUTE_MS;
    await edit(world, way, { 'Record b/new': a('w.e.', '192.0.2.2') });
    await edit(world, way, { 'Zone p/e': only('a', 'b') });
    expect(await wanted(world)).toEqual(['"192.0.2.1"']);
  });

  test('of two that were first seen together, the order in which they were judged stays', async () => {
    const world = await worldOf(way);
    world.cluster.put(parseRef('Record b/old'), a('w.e.', '192.0.2.2'), {}, world.clock.ms - YEAR_MS);
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1'), 'Record b/old': a('w.e.', '192.0.2.2') }, 1_000);
    const [first] = await wanted(world);
    const [winner, loser] = first === '"192.0.2.1"' ? ['a/own', 'b/old'] : ['b/old', 'a/own'];
    await edit(world, way, { [`Record ${winner}`]: null });
    await edit(world, way, { [`Record ${winner}`]: a('w.e.', '192.0.2.9') });
    expect(await wanted(world)).toEqual(['"192.0.2.9"']);
    expect(await acceptedOf(world, `Record ${loser}`)).toMatch(/^Conflict/);
  });

  test('within a namespace, the object whose content stands is older than one created before it', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record a/old': a('x.e.', '192.0.2.2') }, YEAR_MS);
    await edit(world, way, { 'Record a/own': cname('w.e.', 'own.') });
    await edit(world, way, { 'Record a/old': cname('w.e.', 'old.') }, YEAR_MS);
    expect(await wanted(world)).toEqual(['"own."']);
    expect(await acceptedOf(world, 'Record a/old')).toMatch(/^Conflict/);
    await edit(world, way, { 'Record a/own': null });
    expect(await wanted(world)).toEqual(['"old."']);
  });

  test('a ledger that knows no ages begins with those whose content stands', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') });
    for (const item of await allItems(world.ledger, agesPartition('default')))
      await world.ledger.remove(item, item.revision);
    await edit(world, way, { 'Record b/old': a('w.e.', '192.0.2.2') }, YEAR_MS);
    expect(await wanted(world)).toEqual(['"192.0.2.1"']);
  });

  test('nothing is left of it ten minutes after nobody asks any more', async () => {
    const world = await worldOf(way);
    await edit(world, way, { 'Record a/own': a('w.e.', '192.0.2.1') });
    await edit(world, way, { 'Record a/own': null });
    world.clock.ms += 10 * MINUTE_MS - 1;
    await (way === byApply ? saveAll(world) : sweepAll(world));
    expect(await allItems(world.ledger, agesPartition('default'))).toHaveLength(1);
    world.clock.ms += 1;
    await (way === byApply ? saveAll(world) : sweepAll(world));
    expect(await allItems(world.ledger, agesPartition('default'))).toEqual([]);
  });
});

test('two runs that save the ages of a name at once keep both', async () => {
  const world = await worldOf(byEvents);
  const specs = { 'Record a/own': a('w.e.', '192.0.2.1'), 'Record b/new': a('w.e.', '192.0.2.2') };
  for (const [id, spec] of Object.entries(specs)) world.cluster.put(parseRef(id), spec, {}, world.clock.ms);
  let isFirst = true;
  const interrupted = through(world, {
    ledger: {
      ...world.ledger,
      put: async (key, body, expected) => {
        if (key.partition === agesPartition('default') && isFirst) {
          isFirst = false;
          await byEvents(world, ['Record b/new']);
        }
        return world.ledger.put(key, body, expected);
      },
    },
  });
  await byEvents(interrupted, ['Record a/own']);
  expect((await world.ledger.get(agesKey('default', 'w.e.')))?.body.ages).toMatchObject([
    { group: 'A', namespace: expect.any(String) },
    { group: 'A', namespace: expect.any(String) },
  ]);
  await deliverAll(world);
  expect(await wanted(world)).toHaveLength(1);
});

test('without a ledger, plan reads who has the name in Route 53, and only where two compete', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(parseRef('Record a/old'), a('w.e.', '192.0.2.1'), {}, world.clock.ms - YEAR_MS);
  world.cluster.put(parseRef('Record b/own'), a('w.e.', '192.0.2.2'), {}, world.clock.ms);
  world.cluster.put(parseRef('Record b/x'), a('x.e.', '192.0.2.2'), {}, world.clock.ms);
  const recordSet = {
    name: 'w.e.',
    type: 'A',
    setIdentifier: null,
    content: { kind: 'values', ttlSeconds: 60, values: ['192.0.2.2'] },
  } as const;
  await world.route53.port.change('Z1', [{ action: 'CREATE', recordSet }], 'by hand');
  const ownerOf = async (options: Parameters<typeof planCluster>[1]) => {
    const { resolved } = await planCluster(world.context, options);
    return resolved.recordSets.find(({ name }) => name === 'w.e.')?.objects;
  };
  expect(await ownerOf({ reads: true })).toEqual(['Record b/own']);
  expect(await ownerOf({})).toEqual(['Record a/old']);
});

test('of two that come at once to a name that the ledger does not know, who has it in Route 53 keeps it', async () => {
  const world = await worldOf(byEvents);
  const recordSet = {
    name: 'w.e.',
    type: 'A',
    setIdentifier: null,
    content: { kind: 'values', ttlSeconds: 60, values: ['192.0.2.2'] },
  } as const;
  await world.route53.port.change('Z1', [{ action: 'CREATE', recordSet }], 'by hand');
  const reads = () => world.route53.calls.filter(({ method }) => method === 'readName').length;
  const before = reads();
  // Two Records with values of one type are merged: where nobody excludes the other, nothing is read.
  await edit(world, byEvents, { 'Record a/old': a('w.e.', '192.0.2.1'), 'Record a/own': a('w.e.', '192.0.2.2') });
  expect(reads() - before).toBe(0);
  // In one message, as the sweep and a burst have them: one object after the other is saved, then the name is resolved.
  const both = { 'Record a/first': cname('v.e.', 'first.'), 'Record a/second': cname('v.e.', 'second.') };
  const v = {
    ...recordSet,
    name: 'v.e.',
    type: 'CNAME',
    content: { ...recordSet.content, values: ['second.'] },
  } as const;
  await world.route53.port.change('Z1', [{ action: 'CREATE', recordSet: v }], 'by hand');
  world.cluster.put(parseRef('Record a/first'), both['Record a/first'], {}, world.clock.ms - YEAR_MS);
  world.cluster.put(parseRef('Record a/second'), both['Record a/second'], {}, world.clock.ms);
  await byEvents(world, Object.keys(both));
  expect(reads() - before).toBe(1);
  const lines = await desiredInLedger(world);
  expect(lines.find((line) => line.includes(' v.e. '))).toContain('second.');
  // What the ledger has decides from then on.
  await byEvents(world, Object.keys(both));
  expect(reads() - before).toBe(1);
});
