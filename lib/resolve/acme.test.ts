// The delegations of ACME challenges, event by event. That every path gives what `render` gives is a law
// (incremental.test.ts); here is when a name has a delegation, and what the publisher makes of it.
import { describe, expect, test } from 'vitest';
import { apply } from '../../test/fakes/reconcile-steps.ts';
import { deliverAll, reconcile, reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';
import { hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';

const RULES = [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }];
const ZONE = { domainName: 'e.', delegations: RULES, acme: { delegateTo: 'acme.net.' } };
const WWW = { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' };
const TXT = { domainName: '_acme-challenge.www.e.', type: 'TXT', rdata: '"own"' };

type Objects = Readonly<Record<string, unknown>>;

/** The record sets of challenges in Route 53, after the objects were written one step after the other. */
async function challengesAfter(...steps: readonly Objects[]) {
  const hostedZones = [{ id: 'Z1', name: 'e.' }];
  const world = reconcileWorld({ hostedZones });
  for (const step of steps) {
    await apply(world, step);
    await deliverAll(world);
  }
  const status = world.cluster.statuses.get('Zone a/e')?.zone?.entries ?? [];
  const inRoute53 = JSON.stringify(standingInRoute53(world));
  const entries = status.flatMap((entry) =>
    entry.fqdn.startsWith('_acme-challenge.')
      ? [`${entry.fqdn} ${entry.type} ${'rdata' in entry ? entry.rdata : ''}`]
      : [],
  );
  for (const entry of entries) expect(inRoute53).toContain(entry.split(' ').slice(0, 2).join(' '));
  if (entries.length === 0) expect(inRoute53).not.toContain('_acme-challenge');
  return entries;
}

const START: Objects = { 'Zone a/e': ZONE };
const DELEGATED = ['_acme-challenge.www.e. CNAME www.e.acme.net.'];

describe('a Zone with acme delegates the challenge of a host', () => {
  test('when it gets an address, and no longer when that is gone', async () => {
    expect(await challengesAfter(START, { 'Record a/www': WWW })).toEqual(DELEGATED);
    expect(await challengesAfter(START, { 'Record a/www': WWW }, { 'Record a/www': undefined })).toEqual([]);
  });

  test('for a wildcard at the name below which it stands', async () => {
    const wildcard = { ...WWW, domainName: '*.www.e.' };
    expect(await challengesAfter(START, { 'Record a/any': wildcard })).toEqual(DELEGATED);
    const both = { 'Record a/any': wildcard, 'Record a/www': WWW };
    expect(await challengesAfter(START, both, { 'Record a/any': undefined })).toEqual(DELEGATED);
  });

  test('for addresses only', async () => {
    expect(await challengesAfter(START, { 'Record a/www': { ...WWW, type: 'TXT', rdata: '"x"' } })).toEqual([]);
    expect(await challengesAfter(START, { 'Record a/www': { ...WWW, type: 'CNAME', rdata: 'x.e.' } })).toEqual([]);
  });

  test('not where a TXT is wanted, whichever comes first', async () => {
    const own = ['_acme-challenge.www.e. TXT "own"'];
    expect(await challengesAfter(START, { 'Record a/txt': TXT }, { 'Record a/www': WWW })).toEqual(own);
    expect(await challengesAfter(START, { 'Record a/www': WWW }, { 'Record a/txt': TXT })).toEqual(own);
    const gone = { 'Record a/txt': undefined };
    expect(await challengesAfter(START, { 'Record a/www': WWW }, { 'Record a/txt': TXT }, gone)).toEqual(DELEGATED);
  });

  test('when the Zone begins to say so, and no longer when it ceases', async () => {
    const { acme: _, ...plain } = ZONE;
    const www = { 'Record a/www': WWW };
    expect(await challengesAfter({ 'Zone a/e': plain }, www)).toEqual([]);
    expect(await challengesAfter({ 'Zone a/e': plain }, www, START)).toEqual(DELEGATED);
    expect(await challengesAfter(START, www, { 'Zone a/e': plain })).toEqual([]);
    const other = { 'Zone a/e': { ...ZONE, acme: { delegateTo: 'other.net.' } } };
    expect(await challengesAfter(START, www, other)).toEqual(['_acme-challenge.www.e. CNAME www.e.other.net.']);
  });

  test('not for names in the hosted zone of the challenges', async () => {
    const inside = { 'Zone a/e': { ...ZONE, acme: { delegateTo: 'www.e.' } } };
    expect(await challengesAfter(inside, { 'Record a/www': WWW })).toEqual([]);
  });
});

test('somebody else’s TXT stays, also with takeover, and the Zone is no worse for it', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const content = { kind: 'values', ttlSeconds: 60, values: ['"token"'] } as const;
  const foreign = { name: '_acme-challenge.www.e.', type: 'TXT', setIdentifier: null };
  world.route53.edit('Z1', foreign, content);
  world.cluster.put({ kind: 'Zone', namespace: 'a', name: 'e' }, ZONE, { 'zone53.dev/takeover': 'true' });
  await reconcile(world.context, [{ kind: 'Zone', namespace: 'a', name: 'e' }]);
  await apply(world, { 'Record a/www': WWW });
  await deliverAll(world);
  const sets = world.route53.recordSets('Z1').filter(({ name }) => name === foreign.name);
  expect(sets).toMatchObject([{ type: 'TXT', content: { values: ['"token"'] } }]);
  const conditions = world.cluster.statuses.get('Zone a/e')?.conditions ?? [];
  expect(conditions.find(({ type }) => type === 'Programmed')).toMatchObject({ status: 'True' });
});

test('the guard neither counts nor holds delegations', async () => {
  const hostedZones = [{ id: 'Z1', name: 'e.' }];
  const world = reconcileWorld({ hostedZones, config: { guard: { deletesMax: 1, deletesShareMax: 0.3 } } });
  const hosts = ['a', 'b', 'c'].map((host) => [`Record a/${host}`, { ...WWW, domainName: `${host}.e.` }] as const);
  const { acme: _, ...plain } = ZONE;
  for (const step of [START, Object.fromEntries(hosts), { 'Zone a/e': plain }]) {
    await apply(world, step);
    await deliverAll(world);
    const item = await world.ledger.get(hostedZoneItemKey('Z1'));
    const addresses = standingInRoute53(world).filter((line) => line.includes(' A '));
    expect(item?.body.publishedCount ?? 0).toBe(addresses.length);
  }
  expect(standingInRoute53(world)).toHaveLength(3);
});
