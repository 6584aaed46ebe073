// A view that extends the public one: what each hosted zone has after any history is what it has from scratch.
import { expect, test } from 'vitest';
import { countingLedger } from '../../test/fakes/counting-ledger.ts';
import {
  deliverAll,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  standingInRoute53,
  sweepAll,
  through,
  wantedInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { realName } from '../dns/names/view.ts';
import { findEntries } from '../history/find-entries.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import type { Ledger } from '../ports/ledger.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { applyCluster } from './apply-cluster.ts';
import { planReading } from './plan-cluster.ts';

const EVERYTHING = [{ records: [{ pattern: '*' }, { pattern: '@' }], zones: ['*'] }];
const HOSTED_ZONES = [
  { id: 'ZP', name: 'e.' },
  { id: 'ZI', name: 'e.', isPrivate: true, view: 'internal' },
  { id: 'ZD', name: 'deep.e.', isPrivate: true, view: 'internal' },
];

type Spec = Readonly<Record<string, unknown>>;
const ZONES: Readonly<Record<string, Spec>> = {
  'Zone p/outside': { domainName: 'e.', delegations: EVERYTHING },
  'Zone p/inside': { domainName: 'e.', view: 'internal', delegations: EVERYTHING },
};
const DEEP = { domainName: 'deep.e.', view: 'internal', delegations: EVERYTHING };
const record = (domainName: string, type: string, rdata: string, views = ['public']): Spec => ({
  domainName,
  type,
  rdata,
  views,
});
const INSIDE = ['internal'];

function emptyWorld(): ReconcileWorld {
  return reconcileWorld({ hostedZones: HOSTED_ZONES, config: { soa: 'never', extendedViews: { internal: 'public' } } });
}

/** Changes objects one after the other; null removes one. */
async function changeByHints(world: ReconcileWorld, changes: Readonly<Record<string, Spec | null>>): Promise<void> {
  for (const [id, spec] of Object.entries(changes)) {
    if (spec === null) world.cluster.remove(parseRef(id));
    else world.cluster.put(parseRef(id), spec);
    await reconcile(world.context, [hintFor(parseRef(id))]);
  }
  await deliverAll(world);
}

/** The same by `apply`. Whatever the plan says is done, and nothing else is left to do. */
async function changeByApply(world: ReconcileWorld, changes: Readonly<Record<string, Spec | null>>): Promise<void> {
  for (const [id, spec] of Object.entries(changes)) {
    if (spec === null) world.cluster.remove(parseRef(id));
    else world.cluster.put(parseRef(id), spec);
  }
  let acknowledged: readonly string[] = [];
  const plan = async () => planReading(world.context, await readCluster(world.context), { reads: true, acknowledged });
  const held = async () => (await plan()).hostedZones.flatMap(({ plan: { guard } }) => guard.digest ?? []);
  for (let digests = await held(); digests.length > 0; digests = await held())
    acknowledged = [...acknowledged, ...digests];
  const before = world.route53.calls.length;
  const applied = await applyCluster(world.context, world.deps, await plan(), { ...APPLY, reads: true, acknowledged });
  const { hostedZones } = applied;
  const outcomes = hostedZones.flatMap((one) => one.outcomes.map(({ outcome }) => outcome));
  expect(new Set(outcomes).difference(new Set(['published']))).toEqual(new Set());
  const batches = world.route53.calls.slice(before).filter(({ method }) => method === 'change');
  expect(batches.length > 0).toBe(outcomes.length > 0);
  expect(await planned(world)).toEqual([]);
}

async function worldOf(records: Readonly<Record<string, Spec>>): Promise<ReconcileWorld> {
  const world = emptyWorld();
  await changeByHints(world, { ...ZONES, ...records });
  return world;
}

function shown(lines: readonly string[]) {
  return lines.map((line) => {
    const [id = '', name = '', type = '', ...content] = line.split(' ');
    const { values, alias, ttlSeconds } = JSON.parse(content.join(' '));
    const to = alias === undefined ? `${ttlSeconds} ${values.join(',')}` : `${alias.hostedZoneId} ${alias.dnsName}`;
    return { id, name: realName(name).slice(0, -1), type, to };
  });
}

/** What the hosted zones of the view internal have. */
function inside(world: ReconcileWorld): readonly string[] {
  const all = shown(standingInRoute53(world)).filter(({ id }) => id !== 'ZP');
  return all.map(({ id, name, type, to }) => `${id} ${name} ${type} ${to}`).toSorted();
}

const APPLY = { acknowledged: [], only: () => true, progress: () => {} };

/** The changes of a plan, as "action name type". */
async function planned(world: ReconcileWorld): Promise<readonly string[]> {
  const { hostedZones } = await planReading(world.context, await readCluster(world.context), { reads: true });
  return hostedZones.flatMap(({ plan }) => plan.changes.map(({ action, name, type }) => `${action} ${name} ${type}`));
}

const GROUP = ['A', 'AAAA', 'CNAME'];

/** What the view must have: what its own Zones ask for, and what the public one has that cannot meet that. */
async function expectedInside(world: ReconcileWorld): Promise<readonly string[]> {
  const own = shown(await wantedInRoute53(world)).filter(({ id }) => id !== 'ZP');
  const live = (id: string) => world.cluster.objects().some(({ ref }) => formatRef(ref) === id);
  const hostedZoneOf = (name: string) => {
    if (`.${name}`.endsWith('.deep.e') && live('Zone p/deep')) return 'ZD';
    return live('Zone p/inside') ? 'ZI' : null;
  };
  const inherited = shown(standingInRoute53(world)).flatMap(({ id, name, type, to }) => {
    const hostedZone = hostedZoneOf(name);
    const meets = own.some((one) => {
      if (one.name !== name) return false;
      const both = [one.type, type];
      return one.type === type || both.includes('CNAME') || both.every((each) => GROUP.includes(each));
    });
    const isCnameAtApex = type === 'CNAME' && name === (hostedZone === 'ZD' ? 'deep.e' : 'e');
    return id !== 'ZP' || hostedZone === null || meets || isCnameAtApex ? [] : [{ id: hostedZone, name, type, to }];
  });
  return [...own, ...inherited].map(({ id, name, type, to }) => `${id} ${name} ${type} ${to}`).toSorted();
}

test('a view has what the one that it extends publishes and it has not itself', async () => {
  const world = await worldOf({
    'Record p/www': record('www.e.', 'A', '192.0.2.1'),
    'Record p/own': record('own.e.', 'A', '192.0.2.2'),
    'Record p/own-inside': record('own.e.', 'A', '10.0.0.2', INSIDE),
    'Record p/text': record('own.e.', 'TXT', '"outside"'),
    'Record p/apex': record('e.', 'MX', '10 mx.e.'),
  });
  expect(inside(world)).toEqual([
    'ZI e MX 360 10 mx.e.',
    'ZI own.e A 360 10.0.0.2',
    'ZI own.e TXT 360 "outside"',
    'ZI www.e A 360 192.0.2.1',
  ]);
  expect(await planned(world)).toEqual([]);
  expect(inside(world)).toEqual(await expectedInside(world));
  expect(await planned(world)).toEqual([]);
});

test('what is inherited changes, goes and comes with the other view, by one call in each hosted zone', async () => {
  const world = await worldOf({ 'Record p/www': record('www.e.', 'A', '192.0.2.1') });
  world.route53.calls.splice(0);
  await changeByHints(world, { 'Record p/www': record('www.e.', 'A', '192.0.2.9') });
  expect(inside(world)).toEqual(['ZI www.e A 360 192.0.2.9']);
  expect(world.route53.calls.filter(({ method }) => method === 'change')).toHaveLength(2);
  await changeByHints(world, { 'Record p/www': null });
  expect(inside(world)).toEqual([]);
});

test('one change costs the same, however many names are inherited', async () => {
  const costOf = async (names: number) => {
    const records = Object.fromEntries(
      Array.from({ length: names }, (_, n) => [`Record p/n${n}`, record(`n${n}.e.`, 'A', '192.0.2.1')]),
    );
    const world = await worldOf(records);
    const counting = countingLedger(world.ledger);
    world.route53.calls.splice(0);
    world.cluster.put(parseRef('Record p/n0'), record('n0.e.', 'A', '192.0.2.9'));
    await reconcile(world.context, [hintFor(parseRef('Record p/n0'))]);
    const { deps } = through(world, { ledger: counting.port });
    for (const id of ['ZP', 'ZI']) await publish(deps, id);
    expect(inside(world)).toContain('ZI n0.e A 360 192.0.2.9');
    return { ...counting.take(), calls: world.route53.calls.filter(({ method }) => method === 'change').length };
  };
  const few = await costOf(3);
  expect(few.calls).toBe(2);
  expect(await costOf(120)).toEqual(few);
});

test('an own record set replaces an inherited one in one batch, and gives it back', async () => {
  const world = await worldOf({ 'Record p/www': record('www.e.', 'A', '192.0.2.1') });
  const batches = () => world.route53.calls.filter(({ method }) => method === 'change').length;
  const before = batches();
  await changeByHints(world, { 'Record p/in': record('www.e.', 'CNAME', 'lb.e.', INSIDE) });
  expect(inside(world)).toEqual(['ZI www.e CNAME 360 lb.e.']);
  expect(batches()).toBe(before + 1);
  await changeByHints(world, { 'Record p/in': null });
  expect(inside(world)).toEqual(['ZI www.e A 360 192.0.2.1']);
  expect(batches()).toBe(before + 2);
});

test('an inherited alias follows what its target is in the view, in the same batch', async () => {
  const alias = { domainName: 'www.e.', type: 'A', alias: { target: 'web.e.' } };
  const world = await worldOf({ 'Record p/web': record('web.e.', 'A', '192.0.2.1'), 'Record p/www': alias });
  const asAlias = ['ZI web.e A 360 192.0.2.1', 'ZI www.e A ZI web.e.'];
  expect(inside(world)).toEqual(asAlias);
  for (const change of [changeByHints, changeByApply]) {
    const before = world.route53.calls.filter(({ method }) => method === 'change').length;
    await change(world, { 'Record p/own': record('web.e.', 'CNAME', 'lb.e.', INSIDE) });
    expect(inside(world)).toEqual(['ZI web.e CNAME 360 lb.e.', 'ZI www.e CNAME 360 web.e.']);
    expect(world.route53.calls.filter(({ method }) => method === 'change')).toHaveLength(before + 1);
    await change(world, { 'Record p/own': null });
    expect(inside(world)).toEqual(asAlias);
  }
});

test('an alias of the view may name the hosted zone of its target, as an import writes it', async () => {
  const alias = (domainName: string) => ({
    ...{ domainName, type: 'A', views: INSIDE },
    alias: { target: 'www.e.', hostedZoneId: 'ZI', evaluateTargetHealth: false },
  });
  const records = { 'Record p/www': record('www.e.', 'A', '10.0.0.1', INSIDE), 'Record p/to': alias('to.e.') };
  const world = await worldOf({ ...records, 'Record p/self': alias('www.e.') });
  const expected = ['ZI to.e A ZI www.e.', 'ZI www.e A 360 10.0.0.1'];
  expect(inside(world)).toEqual(expected);
  expect(await planned(world)).toEqual([]);
  const lost = emptyWorld();
  await changeByApply(lost, { ...ZONES, ...records });
  expect(inside(lost)).toEqual(expected);
});

test('a CNAME in place of an alias has the TTL of the Zone, also as it is first planned', async () => {
  const world = emptyWorld();
  const alias = { domainName: 'cdn.e.', type: 'A', alias: { target: 'd1.cloudfront.net.' } };
  for (const [id, spec] of Object.entries({ ...ZONES, 'Record p/cdn': alias })) world.cluster.put(parseRef(id), spec);
  const { hostedZones } = await planReading(world.context, await readCluster(world.context), {});
  const changes = hostedZones.flatMap(({ plan }) => plan.changes);
  expect(changes.find(({ type }) => type === 'CNAME')?.after).toMatchObject({ ttlSeconds: 360 });
  await changeByApply(world, {});
  expect(inside(world)).toEqual(['ZI cdn.e CNAME 360 d1.cloudfront.net.']);
  await changeByHints(world, { 'Zone p/inside': { ...ZONES['Zone p/inside'], ttl: 90 } });
  expect(inside(world)).toEqual(['ZI cdn.e CNAME 90 d1.cloudfront.net.']);
  expect(await planned(world)).toEqual([]);
});

test('what Route 53 or somebody else refuses in the other view is not inherited', async () => {
  const world = emptyWorld();
  world.route53.edit(
    'ZP',
    { name: 'www.e.', type: 'A', setIdentifier: null },
    { kind: 'values', ttlSeconds: 60, values: ['203.0.113.1'] },
  );
  await changeByHints(world, { ...ZONES, 'Record p/www': record('www.e.', 'A', '192.0.2.1') });
  expect(inside(world)).toEqual([]);
  // The plan shows what is refused, in the public view alone.
  expect(await planned(world)).toEqual(['create www.e. A']);
});

test('what somebody else has in the view stays', async () => {
  const world = emptyWorld();
  world.route53.edit(
    'ZI',
    { name: 'www.e.', type: 'A', setIdentifier: null },
    { kind: 'values', ttlSeconds: 60, values: ['10.9.9.9'] },
  );
  await changeByHints(world, { ...ZONES, 'Record p/www': record('www.e.', 'A', '192.0.2.1') });
  expect(inside(world)).toEqual(['ZI www.e A 60 10.9.9.9']);
});

test('what a view inherits and already has becomes ours under a takeover, and the history says so', async () => {
  const world = emptyWorld();
  const www = { name: 'www.e.', type: 'A', setIdentifier: null };
  world.route53.edit('ZI', www, { kind: 'values', ttlSeconds: 360, values: ['192.0.2.1'] });
  const annotations = { 'zone53.dev/takeover': 'true' };
  for (const [id, spec] of Object.entries({ ...ZONES, 'Record p/www': record('www.e.', 'A', '192.0.2.1') }))
    world.cluster.put(parseRef(id), spec, id === 'Zone p/inside' ? annotations : {});
  await changeByApply(world, {});
  expect(inside(world)).toEqual(['ZI www.e A 360 192.0.2.1']);
  const hostedZones = [{ id: 'ZI', name: 'e.@internal.' }];
  const { entries } = await findEntries(world.ledger, { hostedZones, sinceMs: 0, untilMs: 9e12, limit: 9 });
  expect(entries.map(({ action, name }) => `${action} ${name}`)).toEqual(['adopt www.e.@internal.']);
});

test('names go to the deepest hosted zone of the view, as its Zones come and go', async () => {
  const world = await worldOf({
    'Record p/www': record('www.e.', 'A', '192.0.2.1'),
    'Record p/x': record('x.deep.e.', 'A', '192.0.2.2'),
  });
  expect(inside(world)).toEqual(['ZI www.e A 360 192.0.2.1', 'ZI x.deep.e A 360 192.0.2.2']);
  await changeByHints(world, { 'Zone p/deep': DEEP });
  expect(inside(world)).toEqual(['ZD x.deep.e A 360 192.0.2.2', 'ZI www.e A 360 192.0.2.1']);
  await changeByHints(world, { 'Zone p/deep': null });
  expect(inside(world)).toEqual(['ZI www.e A 360 192.0.2.1', 'ZI x.deep.e A 360 192.0.2.2']);
});

test('a Zone that comes later inherits what stands, and nothing is left when it goes', async () => {
  const world = await worldOf({
    'Record p/www': record('www.e.', 'A', '192.0.2.1'),
    'Zone p/inside': { domainName: 'other.' },
  });
  expect(inside(world)).toEqual([]);
  await changeByHints(world, { 'Zone p/inside': ZONES['Zone p/inside'] ?? null });
  expect(inside(world)).toEqual(['ZI www.e A 360 192.0.2.1']);
  await changeByHints(world, { 'Zone p/inside': null });
  expect(inside(world)).toEqual([]);
});

/** The same world with a configuration in which no view extends another one. */
function withoutExtends(world: ReconcileWorld): ReconcileWorld {
  const extendedViews = {};
  const context = { ...world.context, config: { ...world.context.config, extendedViews } };
  return { ...world, context, deps: { ...world.deps, config: { ...world.deps.config, extendedViews } } };
}

async function sweepThrough(world: ReconcileWorld): Promise<void> {
  await sweepAll(world);
  await deliverAll(world);
}

const WHOLE: readonly (readonly [string, (world: ReconcileWorld) => Promise<void>])[] = [
  ['apply', (world) => changeByApply(world, {})],
  ['the sweep', sweepThrough],
];

test.each(WHOLE)('%s finds that a view extends another one from now on, or no longer', async (_, compare) => {
  const world = emptyWorld();
  const own = { 'Record p/own': record('own.e.', 'A', '10.0.0.2', INSIDE) };
  await changeByHints(withoutExtends(world), { ...ZONES, 'Record p/www': record('www.e.', 'A', '192.0.2.1'), ...own });
  const alone = ['ZI own.e A 360 10.0.0.2'];
  expect(inside(world)).toEqual(alone);
  expect(await planned(world)).toEqual(['create www.e.@internal. A']);
  await compare(world);
  expect(inside(world)).toEqual([...alone, 'ZI www.e A 360 192.0.2.1']);
  expect(await planned(withoutExtends(world))).toEqual(['delete www.e.@internal. A']);
  await compare(withoutExtends(world));
  expect(inside(world)).toEqual(alone);
  expect(await planned(withoutExtends(world))).toEqual([]);
});

test('while the guard holds what the Zone of a view had, what it inherits stays, too', async () => {
  const own = Object.fromEntries(
    [1, 2, 3].map((n) => [`Record p/own-${n}`, record(`own-${n}.e.`, 'A', `10.0.0.${n}`, INSIDE)]),
  );
  const world = await worldOf({ 'Record p/www': record('www.e.', 'A', '192.0.2.1'), ...own });
  const guard = { ...world.deps.config.guard, deletesMax: 0, deletesShareMax: 0 };
  const held = { ...world, deps: { ...world.deps, config: { ...world.deps.config, guard } } };
  world.cluster.remove(parseRef('Zone p/inside'));
  await reconcile(world.context, [hintFor(parseRef('Zone p/inside'))]);
  await publish(held.deps, 'ZI');
  expect(inside(world)).toContain('ZI www.e A 360 192.0.2.1');
  await deliverAll(world);
  expect(inside(world)).toEqual([]);
});

/** The world whose ledger answers so many operations, and no more. */
function dyingAfter(world: ReconcileWorld, operations: number): ReconcileWorld {
  let left = operations;
  const ledger: Ledger = new Proxy(world.ledger, {
    get: (of, method: keyof Ledger) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return of[method].bind(of);
    },
  });
  return through(world, { ledger });
}

test.each(['ZP', 'ZI'])('a run for %s that dies anywhere loses nothing that is inherited', async (dies) => {
  for (let operations = 0; ; operations += 1) {
    const world = await worldOf({ 'Record p/www': record('www.e.', 'A', '192.0.2.1') });
    world.cluster.put(parseRef('Record p/www'), record('www.e.', 'A', '192.0.2.9'));
    await reconcile(world.context, [hintFor(parseRef('Record p/www'))]);
    if (dies === 'ZI') await publish(world.deps, 'ZP');
    const died = await publish(dyingAfter(world, operations).deps, dies).then(
      () => false,
      () => true,
    );
    // The message comes again.
    world.queued.publish.add(dies);
    await deliverAll(world);
    expect(inside(world), `${operations} operations`).toEqual(['ZI www.e A 360 192.0.2.9']);
    if (!died) return expect(operations).toBeGreaterThan(10);
  }
});

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

const NAMES = ['e.', 'www.e.', 'a.e.', 'b.a.e.', 'x.deep.e.', 'deep.e.'];

test.each(Array.from({ length: 24 }, (_, seed) => seed))('any history ends as from scratch: %i', async (seed) => {
  const below = random(seed + 1);
  const of = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const world = await worldOf({});
  const byApply = seed % 2 === 1;
  const change = byApply ? changeByApply : changeByHints;
  for (let step = 0; step < 25; step += 1) {
    const roll = below(12);
    if (roll === 0) await change(world, { 'Zone p/deep': below(2) === 0 ? DEEP : null });
    else if (roll === 1)
      await change(world, { 'Zone p/inside': below(3) === 0 ? null : (ZONES['Zone p/inside'] ?? null) });
    else if (roll === 2)
      await change(world, { 'Zone p/outside': below(3) === 0 ? null : (ZONES['Zone p/outside'] ?? null) });
    else {
      const id = `Record p/r${below(8)}`;
      const type = of(['A', 'A', 'AAAA', 'TXT', 'CNAME']);
      const rdata =
        { A: `192.0.2.${below(3)}`, AAAA: '2001:db8::1', TXT: `"${below(2)}"`, CNAME: of(NAMES) }[type] ?? '';
      const views = of([['public'], ['public'], ['internal'], ['public', 'internal']]);
      await change(world, { [id]: below(4) === 0 ? null : record(of(NAMES), type, rdata, views) });
    }
  }
  expect(inside(world)).toEqual(await expectedInside(world));
  expect(await planned(world)).toEqual([]);
});

test.each(Array.from({ length: 16 }, (_, seed) => seed))(
  'no inherited alias ever lacks its target: %i',
  async (seed) => {
    const below = random(seed + 1);
    const of = <T>(all: readonly T[]): T => all[below(all.length)] as T;
    const change = seed % 2 === 1 ? changeByApply : changeByHints;
    const names = ['a.e.', 'b.e.', 'c.e.'];
    // Outside, each name is always an address, so that its aliases stand.
    const addresses = names.map((name, n) => [`Record p/t${n}`, record(name, 'A', '192.0.2.1')] as const);
    const aliases = names.map((target, n) => {
      return [`Record p/l${n}`, { domainName: `l${n}.e.`, type: 'A', alias: { target } }] as const;
    });
    const world = await worldOf(Object.fromEntries([...addresses, ...aliases]));
    for (let step = 0; step < 15; step += 1) {
      const n = below(names.length);
      const own = record(of([...names, 'l0.e.', 'l1.e.']), 'CNAME', 'lb.e.', INSIDE);
      if (below(4) > 0) await change(world, { [`Record p/o${n}`]: below(3) === 0 ? null : own });
      else await change(world, { [`Record p/t${n}`]: record(names[n] ?? '', 'A', `192.0.2.${below(9)}`) });
      const all = standingInRoute53(world).filter((line) => line.startsWith('ZI '));
      const there = new Set(all.map((line) => line.split(' ', 3).slice(1).join(' ')));
      for (const line of all) {
        const { alias } = JSON.parse(line.split(' ').slice(3).join(' '));
        if (alias !== undefined) expect(there).toContain(`${alias.dnsName.replace(/@internal\.$/, '')}@internal. A`);
      }
      for (const at of ['l0', 'l1', 'l2'])
        expect([...there].some((one) => one.startsWith(`${at}.e.@internal. `))).toBe(true);
    }
    expect(await planned(world)).toEqual([]);
  },
);
