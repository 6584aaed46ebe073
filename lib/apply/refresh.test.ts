// `--refresh`: a change by hand in Route 53 is planned from what Route 53 has, shown with what it will lead to, and
// corrected.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { applyCluster } from './apply-cluster.ts';
import { describePlanned } from './describe-applied.ts';
import type { ClusterPlan } from './plan-cluster.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const NAMES = ['a', 'b', 'c', 'd'];
const keyOf = (name: string) => ({ name: `${name}.e.`, type: 'A', setIdentifier: null });
const address = (value: string) => ({ kind: 'values', ttlSeconds: 360, values: [value] }) as const;

async function publishedWorld(annotations: Readonly<Record<string, string>> = {}): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), ZONE, annotations);
  for (const name of NAMES) put(world, name, '192.0.2.1');
  await apply(world, false);
  return world;
}

function put({ cluster }: ReconcileWorld, name: string, rdata: string | null): void {
  const ref = parseRef(`Record p/${name}`);
  if (rdata === null) cluster.remove(ref);
  else cluster.put(ref, { domainName: `${name}.e.`, type: 'A', rdata });
}

function planOf(world: ReconcileWorld, pages: string[] = []) {
  return planCluster(world.context, { refresh: (page) => void pages.push(page) });
}

async function apply(world: ReconcileWorld, isRefreshing = true): Promise<readonly string[]> {
  const how = isRefreshing ? { refresh: () => {} } : {};
  const options = { acknowledged: [], only: () => true, progress: () => {}, ...how };
  const { hostedZones } = await applyCluster(world.context, world.deps, await planCluster(world.context, how), options);
  return hostedZones.flatMap(({ outcomes }) =>
    outcomes.map(({ change, outcome }) => `${change.action} ${change.name} ${outcome}`),
  );
}

async function changesOf(world: ReconcileWorld): Promise<{ changes: string[]; drifts: readonly string[] }> {
  const [hostedZone] = (await planOf(world)).hostedZones;
  return {
    changes: hostedZone?.plan.changes.map(({ action, name, type }) => `${action} ${name} ${type}`) ?? [],
    drifts: hostedZone?.drifts ?? [],
  };
}

function stands({ route53 }: ReconcileWorld, name: string): string | null {
  const content = route53.recordSets('Z1').find((set) => set.name === `${name}.e.`)?.content;
  return content?.kind === 'values' ? (content.values[0] ?? null) : null;
}

function reasonOf({ cluster }: ReconcileWorld, name: string): string | undefined {
  return cluster.statuses.get(`Record p/${name}`)?.conditions.find(({ type }) => type === 'Programmed')?.reason;
}

test('without a change by hand, --refresh prints nothing, writes nothing and reads one page', async () => {
  const world = await publishedWorld();
  const pages: string[] = [];
  expect((await planOf(world, pages)).hostedZones[0]).toMatchObject({ drifts: [], plan: { changes: [] } });
  expect(pages).toEqual(['comparing e. with Route 53: 0 record sets read']);
});

test('a record set that was deleted by hand is created again', async () => {
  const world = await publishedWorld();
  world.route53.edit('Z1', keyOf('a'), null);
  expect((await planCluster(world.context)).hostedZones[0]?.plan.changes).toEqual([]);
  expect(await changesOf(world)).toEqual({
    changes: ['create a.e. A'],
    drifts: ['a.e. A was deleted by hand: it will be created again.'],
  });
  expect(await apply(world, false)).toEqual([]);
  expect(stands(world, 'a')).toBe(null);
  expect(await apply(world)).toEqual(['create a.e. published']);
  expect(stands(world, 'a')).toBe('192.0.2.1');
  expect(await changesOf(world)).toEqual({ changes: [], drifts: [] });
});

test('a plan without --refresh shows a change by hand that a run has noted, if the Zone may take it over now', async () => {
  const world = await publishedWorld();
  world.route53.edit('Z1', keyOf('a'), address('203.0.113.7'));
  await apply(world);
  world.cluster.put(parseRef('Zone p/e'), ZONE, { 'zone53.dev/takeover': 'true' });
  const plan = await planCluster(world.context, { reads: true });
  expect(plan.hostedZones[0]?.plan.changes).toMatchObject([
    { action: 'update', ...keyOf('a'), before: address('203.0.113.7'), after: address('192.0.2.1') },
  ]);
  expect([...(plan.hostedZones[0]?.read?.existingById.values() ?? [])]).toEqual([
    {
      standing: 'foreign',
      message:
        'Route 53 already has A a.e. 203.0.113.7 (TTL 360), which is not what zone53 published. By zone53.dev/takeover it is replaced.',
    },
  ]);
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(world.context, world.deps, plan, options);
  expect(hostedZones[0]?.outcomes.map(({ change, outcome }) => [change.name, outcome])).toEqual([
    ['a.e.', 'published'],
  ]);
  expect([stands(world, 'a'), reasonOf(world, 'a')]).toEqual(['192.0.2.1', 'Published']);
});

test('a plan that says nothing about reading reads this name alone, and one that is not to read reads nothing', async () => {
  const world = await publishedWorld();
  world.route53.edit('Z1', keyOf('a'), address('203.0.113.7'));
  await apply(world);
  world.cluster.put(parseRef('Zone p/e'), ZONE, { 'zone53.dev/takeover': 'true' });
  world.route53.calls.length = 0;
  const [planned] = (await planCluster(world.context)).hostedZones;
  expect(planned?.plan.changes).toMatchObject([{ action: 'update', ...keyOf('a'), before: address('203.0.113.7') }]);
  expect(world.route53.calls.map(({ method }) => method)).toEqual(['readName']);
  world.route53.calls.length = 0;
  await planCluster(world.context, { reads: false });
  expect(world.route53.calls).toEqual([]);
});

test('planCluster() that is not to read makes no call before the first publish either', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  world.cluster.put(parseRef('Record p/a'), { domainName: 'a.e.', type: 'A', rdata: '192.0.2.1' });
  const [planned] = (await planCluster(world.context, { reads: false })).hostedZones;
  expect(planned?.plan.changes.length).toBeGreaterThan(0);
  expect(planned?.read).toBeNull();
  expect(world.route53.calls.filter(({ method }) => method !== 'list' && method !== 'get')).toEqual([]);
});

test('a record set that was changed by hand stays, and its object says Drifted, until it is restored', async () => {
  const world = await publishedWorld();
  world.route53.edit('Z1', keyOf('a'), address('203.0.113.7'));
  const drift =
    'a.e. A was changed by hand to 203.0.113.7 (TTL 360): it stays unchanged (Drifted) until it is restored or deleted, or its Zone is annotated zone53.dev/takeover: "true".';
  expect(await changesOf(world)).toEqual({ changes: [], drifts: [drift] });
  expect(await apply(world)).toEqual([]);
  expect([stands(world, 'a'), reasonOf(world, 'a'), reasonOf(world, 'b')]).toEqual([
    '203.0.113.7',
    'Drifted',
    'Published',
  ]);
  // The ledger knows of the change now, and the result is the same. With and without --refresh, the object has it.
  expect(await changesOf(world)).toEqual({ changes: [], drifts: [drift] });
  const saidBy = (plan: ClusterPlan) => describePlanned(plan).records.map(({ conditions }) => conditions[1]?.reason);
  expect(saidBy(await planCluster(world.context))).toEqual(['Drifted', undefined, undefined, undefined]);
  expect(saidBy(await planOf(world))).toEqual(['Drifted', undefined, undefined, undefined]);
  world.route53.edit('Z1', keyOf('a'), address('192.0.2.1'));
  expect((await changesOf(world)).drifts).toEqual([
    'a.e. A already has the desired content: it will be taken as published.',
  ]);
  await apply(world);
  expect(reasonOf(world, 'a')).toBe('Published');
  expect(await changesOf(world)).toEqual({ changes: [], drifts: [] });
});

test('a record set that was restored by hand is changed or deleted as its object asks by now', async () => {
  const world = await publishedWorld();
  for (const name of ['a', 'b']) world.route53.edit('Z1', keyOf(name), address('203.0.113.7'));
  put(world, 'a', '192.0.2.2');
  put(world, 'b', null);
  expect(await apply(world)).toEqual(['update a.e. drifted', 'delete b.e. drifted']);
  for (const name of ['a', 'b']) world.route53.edit('Z1', keyOf(name), address('192.0.2.1'));
  expect(await changesOf(world)).toEqual({
    changes: ['update a.e. A', 'delete b.e. A'],
    drifts: ['a.e. A was restored by hand: it will be changed.', 'b.e. A was restored by hand: it will be deleted.'],
  });
  expect(await apply(world)).toEqual(['update a.e. published', 'delete b.e. published']);
});

test('with takeover, a changed record set is replaced, or deleted when it is no longer wanted', async () => {
  const world = await publishedWorld({ 'zone53.dev/takeover': 'true' });
  world.route53.edit('Z1', keyOf('a'), address('203.0.113.7'));
  world.route53.edit('Z1', keyOf('b'), address('203.0.113.8'));
  put(world, 'b', null);
  const [hostedZone] = (await planOf(world)).hostedZones;
  expect(hostedZone?.plan.changes).toMatchObject([
    { action: 'update', name: 'a.e.', before: address('203.0.113.7') },
    { action: 'delete', name: 'b.e.', before: address('203.0.113.8') },
  ]);
  expect(hostedZone?.drifts).toEqual([
    'a.e. A was changed by hand to 203.0.113.7 (TTL 360): it will be replaced, by zone53.dev/takeover.',
    'b.e. A was changed by hand to 203.0.113.8 (TTL 360): it will be deleted, by zone53.dev/takeover.',
  ]);
  expect(await apply(world)).toEqual(['update a.e. published', 'delete b.e. published']);
  expect([stands(world, 'a'), stands(world, 'b')]).toEqual(['192.0.2.1', null]);
});

test('a record set that is no longer wanted and was deleted by hand is not deleted again', async () => {
  const world = await publishedWorld();
  put(world, 'a', null);
  world.route53.edit('Z1', keyOf('a'), null);
  expect(await changesOf(world)).toEqual({
    changes: [],
    drifts: ['a.e. A was deleted by hand: nothing is left to delete.'],
  });
  expect(await apply(world)).toEqual([]);
  expect(await changesOf(world)).toEqual({ changes: [], drifts: [] });
});

test('a record set is created when the foreign one at its name is gone', async () => {
  const world = await publishedWorld();
  world.route53.edit('Z1', keyOf('new'), address('203.0.113.7'));
  put(world, 'new', '192.0.2.1');
  expect(await apply(world)).toEqual(['create new.e. foreign']);
  world.route53.edit('Z1', keyOf('new'), null);
  expect(await changesOf(world)).toEqual({
    changes: ['create new.e. A'],
    drifts: ['new.e. A is free again: it will be created.'],
  });
  expect(await apply(world)).toEqual(['create new.e. published']);
});

test('an SOA of ours with changed timers is set again', async () => {
  const world = await publishedWorld();
  const soa = { name: 'e.', type: 'SOA', setIdentifier: null };
  const values = ['ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 1 1 1 1 1'];
  world.route53.edit('Z1', soa, { kind: 'values', ttlSeconds: 9, values });
  expect(await changesOf(world)).toMatchObject({
    changes: ['update e. SOA'],
    drifts: [expect.stringMatching(/^e\. SOA was changed by hand to .*: it will be set again\.$/)],
  });
  expect(await apply(world)).toEqual(['update e. published']);
  expect(await changesOf(world)).toEqual({ changes: [], drifts: [] });
});

test('a hosted zone of many pages is read in full, and one that is gone is reported', async () => {
  const world = await publishedWorld();
  for (let index = 0; index < 400; index += 1) world.route53.edit('Z1', keyOf(`z${index}`), address('203.0.113.1'));
  const pages: string[] = [];
  await planOf(world, pages);
  expect(pages).toEqual([
    'comparing e. with Route 53: 0 record sets read',
    'comparing e. with Route 53: 300 record sets read',
  ]);
  world.route53.removeHostedZone('Z1');
  expect((await changesOf(world)).drifts).toEqual(['Hosted zone Z1 (e.) does not exist in this account any more.']);
  await apply(world);
  expect(NAMES.map((name) => reasonOf(world, name))).toEqual(NAMES.map(() => 'HostedZoneNotFound'));
});

test('a hosted zone that cannot be compared is published as the ledger says, and the others are compared', async () => {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 'f.' },
    ],
  });
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  world.cluster.put(parseRef('Zone p/f'), { ...ZONE, domainName: 'f.' });
  put(world, 'a', '192.0.2.1');
  await apply(world, false);
  world.route53.edit('Z1', keyOf('a'), null);
  world.cluster.put(parseRef('Record p/other'), { domainName: 'a.f.', type: 'A', rdata: '192.0.2.1' });
  const { hostedZones } = world.context.account;
  const readPage: typeof hostedZones.readPage = async (id, from) => {
    if (id === 'Z2') throw new Error('Cannot read record sets of hosted zone "Z2": AccessDenied: no');
    return hostedZones.readPage(id, from);
  };
  const account = { ...world.context.account, hostedZones: { ...hostedZones, readPage } };
  const denied = { ...world, context: { ...world.context, account } };
  const [first, second] = (await planOf(denied)).hostedZones;
  expect(first?.drifts).toHaveLength(1);
  expect(second?.read).toMatchObject({ unread: expect.stringContaining('AccessDenied'), isUncompared: true });
  expect(await apply(denied)).toEqual(['create a.e. published', 'create a.f. published']);
});

test('a hosted zone that is gone is noticed although nothing is published in it, and its delegation is deleted', async () => {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 's.e.' },
    ],
    config: { soa: 'never' },
  });
  world.cluster.put(parseRef('Zone p/e'), { ...ZONE, delegations: [{ zones: ['*'], records: [{ pattern: '*' }] }] });
  world.cluster.put(parseRef('Zone p/s'), { ...ZONE, domainName: 's.e.' });
  await apply(world, false);
  const delegations = () => world.route53.recordSets('Z1').filter((set) => set.type === 'NS' && set.name === 's.e.');
  expect(delegations()).toHaveLength(1);
  world.route53.removeHostedZone('Z2');
  await apply(world);
  await apply(world);
  expect(delegations()).toEqual([]);
});

test('a record set that was deleted by hand is not published while its name cannot be read', async () => {
  const world = await publishedWorld();
  world.route53.edit('Z1', keyOf('a'), null);
  const { readName } = world.deps.hostedZones;
  const broken = async (): Promise<never> => Promise.reject(new Error('no answer'));
  Object.assign(world.deps.hostedZones, { readName: broken });
  expect(await apply(world)).toEqual(['create a.e. failed']);
  expect(stands(world, 'a')).toBeNull();
  Object.assign(world.deps.hostedZones, { readName });
  expect(await apply(world)).toEqual(['create a.e. published']);
  expect(stands(world, 'a')).toBe('192.0.2.1');
});

// docs/state-folder.md and docs/runbook.md say this of a ledger that was restored from an older copy.
test('an older ledger deletes a record set of exactly the content that it remembers, and no other', async () => {
  const world = await publishedWorld();
  // Since the copy was made, the objects went, and somebody else has created both record sets.
  put(world, 'a', null);
  put(world, 'b', null);
  world.route53.edit('Z1', keyOf('b'), { kind: 'values', ttlSeconds: 361, values: ['192.0.2.1'] });
  const { changes, drifts } = await changesOf(world);
  expect(changes).toEqual(['delete a.e. A', 'delete b.e. A']);
  expect(drifts).toEqual([expect.stringMatching(/^b\.e\. A was changed by hand to 192\.0\.2\.1 \(TTL 361\)/)]);
  await apply(world);
  expect([stands(world, 'a'), stands(world, 'b')]).toEqual([null, '192.0.2.1']);
});
