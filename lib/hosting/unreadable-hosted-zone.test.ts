// A hosted zone that zone53 may not read affects its own Zone and no other.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Config } from '../ports/config.ts';
import { HostedZonesDeniedError } from '../ports/hosted-zones.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const EVERYTHING = [{ records: [{ pattern: '*' }], zones: ['*'] }];
const DENIED = 'AccessDenied: not authorized to perform: route53:GetHostedZone';
const OBJECTS = {
  'Zone p/e': { domainName: 'e.', delegations: EVERYTHING },
  'Zone p/sub': { domainName: 'sub.e.', delegations: EVERYTHING },
  'Zone p/f': { domainName: 'f.', delegations: EVERYTHING },
  'Record p/www': { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' },
  'Record p/inner': { domainName: 'www.sub.e.', type: 'A', rdata: '192.0.2.1' },
  'Record p/other': { domainName: 'www.f.', type: 'A', rdata: '192.0.2.1' },
};

/** The hosted zones of e., sub.e. and f. `denied` are those that may not be read. */
function worldOf(denied: Set<string>, configured: Config['hostedZones'] = CONFIGURED): ReconcileWorld {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: 'sub.e.' },
    { id: 'Z3', name: 'f.' },
  ];
  const world = reconcileWorld({ hostedZones, config: { hostedZones: configured, soa: 'never' } });
  for (const [id, spec] of Object.entries(OBJECTS)) world.cluster.put(parseRef(id), spec);
  const { port } = world.route53;
  const get: typeof port.get = async (id) => (denied.has(id) ? { unreadable: DENIED } : port.get(id));
  return { ...world, context: { ...world.context, account: { hostedZones: { ...port, get } } } };
}

const CONFIGURED = [
  { zone: 'e.', id: 'Z1' },
  { zone: 'sub.e.', id: 'Z2' },
  { zone: 'f.', id: 'Z3' },
];

async function settle(world: ReconcileWorld, objects = Object.keys(OBJECTS)): Promise<void> {
  await reconcile(world.context, objects.map(parseRef).map(hintFor));
  await deliverAll(world);
}

function published({ route53 }: ReconcileWorld, id: string): readonly string[] {
  return route53.recordSets(id).flatMap(({ name, type }) => (['NS', 'SOA'].includes(type) ? [] : [`${name} ${type}`]));
}

function programmed({ cluster }: ReconcileWorld, id: string): string {
  const said = cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
  return `${said?.status} ${said?.reason}: ${said?.message}`;
}

describe.each([
  ['that is configured', CONFIGURED],
  ['that was found by its name', []],
] as const)('a hosted zone %s and may not be read', (_, configured) => {
  test("of a root: the root's objects say so, and everything else is published", async () => {
    const world = worldOf(new Set(['Z3']), configured);
    await settle(world);
    expect(published(world, 'Z1')).toEqual(['www.e. A']);
    expect(published(world, 'Z2')).toEqual(['www.sub.e. A']);
    expect(published(world, 'Z3')).toEqual([]);
    for (const id of ['Zone p/f', 'Record p/other'])
      expect(programmed(world, id)).toMatch(
        /^False HostedZoneNotFound: the hosted zone Z3 of f\. cannot be read.*GetHos/,
      );
    const { hostedZones } = await planCluster(world.context);
    expect(hostedZones.map(({ hostedZone }) => hostedZone.id).toSorted()).toEqual(['Z1', 'Z2']);
  });

  test('of a new sub-zone: nothing of the sub-zone is published in the hosted zone of its parent', async () => {
    const denied = new Set(['Z2']);
    const world = worldOf(denied, configured);
    await settle(world);
    expect(published(world, 'Z1')).toEqual(['www.e. A']);
    expect(programmed(world, 'Record p/inner')).toMatch(/^False HostedZoneNotFound: the hosted zone Z2 of sub\.e\./);
    denied.clear();
    await settle(world, ['Zone p/sub']);
    expect(published(world, 'Z2')).toEqual(['www.sub.e. A']);
    expect(programmed(world, 'Record p/inner')).toMatch(/^True Published/);
  });
});

test('if the hosted zones may not be listed, only Zones that have none yet publish nothing', async () => {
  const world = worldOf(new Set(), [{ zone: 'e.', id: 'Z1' }]);
  const { account } = world.context;
  const list = async () => {
    throw new HostedZonesDeniedError('Cannot list hosted zones: AccessDenied: no');
  };
  const denied = {
    ...world,
    context: { ...world.context, account: { hostedZones: { ...account.hostedZones, list } } },
  };
  world.cluster.remove(parseRef('Zone p/sub'));
  await settle(denied);
  expect(published(world, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
  expect(published(world, 'Z3')).toEqual([]);
  expect(programmed(world, 'Zone p/f')).toMatch(/^False HostedZoneNotFound: .*AccessDenied: no.*ListHostedZones/);
  // A new sub-zone stays where its names are.
  world.cluster.put(parseRef('Zone p/sub'), OBJECTS['Zone p/sub']);
  await settle(denied, ['Zone p/sub']);
  expect(published(world, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
  await settle(world);
  expect(published(world, 'Z2')).toEqual(['www.sub.e. A']);
  expect(published(world, 'Z3')).toEqual(['www.f. A']);
});

test('the names of a new sub-zone stay in the hosted zone of its parent if they are published there', async () => {
  const denied = new Set(['Z2']);
  const world = worldOf(denied);
  world.cluster.remove(parseRef('Zone p/sub'));
  await settle(world);
  expect(published(world, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
  world.cluster.put(parseRef('Zone p/sub'), OBJECTS['Zone p/sub']);
  await settle(world, ['Zone p/sub']);
  expect(published(world, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
  expect(programmed(world, 'Record p/inner')).toMatch(/^True Published/);
  const { hostedZones } = await planCluster(world.context);
  expect(hostedZones.flatMap(({ plan }) => plan.changes)).toEqual([]);
  denied.clear();
  await settle(world);
  expect(published(world, 'Z2')).toEqual(['www.sub.e. A']);
});

test('published record sets stay when another hosted zone is configured that may not be read', async () => {
  const inParent = worldOf(new Set(['Z2']), [{ zone: 'e.', id: 'Z1' }]);
  const { list } = inParent.context.account.hostedZones;
  const hidden = {
    ...inParent.context.account.hostedZones,
    list: async () => (await list()).filter(({ id }) => id !== 'Z2'),
  };
  const before = { ...inParent, context: { ...inParent.context, account: { hostedZones: hidden } } };
  await settle(before);
  expect(published(before, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
  const config = { ...before.context.config, hostedZones: CONFIGURED };
  const after = { ...before, context: { ...before.context, config } };
  await settle(after);
  expect(published(after, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
  const other = { ...config, hostedZones: [{ zone: 'e.', id: 'Z2' }] };
  await settle({ ...after, context: { ...after.context, config: other } });
  expect(published(after, 'Z1')).toEqual(['www.e. A', 'www.sub.e. A']);
});

test('an item of a hosted zone that this version cannot read affects no other Zone, and its own stays as it was', async () => {
  const world = worldOf(new Set());
  await settle(world);
  const damaged = (await world.ledger.get(hostedZoneItemKey('Z3'))) as LedgerItem;
  await world.ledger.put(damaged, { ...damaged.body, v: 2 }, damaged.revision);
  world.cluster.put(parseRef('Zone p/new'), { domainName: 'new.e.', delegations: EVERYTHING });
  world.cluster.put(parseRef('Record p/new'), { domainName: 'www.new.e.', type: 'A', rdata: '192.0.2.1' });
  await settle(world, ['Zone p/new', 'Record p/new']);
  expect(published(world, 'Z1')).toEqual(['www.e. A', 'www.new.e. A']);
  expect(published(world, 'Z3')).toEqual(['www.f. A']);
  const now = (await world.ledger.get(damaged)) as LedgerItem;
  await world.ledger.put(now, damaged.body, now.revision);
  await settle(world);
  expect(published(world, 'Z3')).toEqual(['www.f. A']);
});
