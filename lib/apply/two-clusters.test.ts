// Two clusters in one account, each with a hosted zone for the names of its own DNS, and one hosted zone for the
// addresses of both, with a ledger each or with one: neither changes the record sets of the other.
import { expect, test } from 'vitest';
import {
  deliverAll,
  type ReconcileWorld,
  reconcileWorld,
  saveAll,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { hostedZonesByAccount } from '../adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../objects/object-ref.ts';
import { shareIdOf } from '../objects/share-id.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { sourcesOn } from '../sources/source.ts';

const HOSTED_ZONES = [
  { id: 'ZEU', name: 'cluster.prod-eu.internal.' },
  { id: 'ZUS', name: 'cluster.prod-us.internal.' },
  { id: 'ZR', name: '10.in-addr.arpa.' },
];

/** A cluster with its Zones. `beside` is a cluster in the same account; with `sharesLedger` they have one ledger. */
function clusterOf(
  clusterId: string,
  beside?: ReconcileWorld,
  { sharesLedger = false, zone = `cluster.${clusterId}.internal.` } = {},
): ReconcileWorld {
  const { sources } = parseConfig(`sources: { serviceDiscovery: { zone: ${zone} } }`, 'zone53.yaml');
  const own = reconcileWorld({
    hostedZones: HOSTED_ZONES,
    config: { clusterId, sources },
    sources: sourcesOn(sources),
  });
  own.cluster.put(parseRef('Zone p/k'), { domainName: zone, delegations: [] });
  const delegations = [{ records: [{ pattern: '*' }] }];
  own.cluster.put(parseRef('Zone p/r'), { domainName: '10.in-addr.arpa.', delegations });
  if (beside === undefined) return own;
  const ledger = sharesLedger ? beside.ledger : own.ledger;
  const { port } = beside.route53;
  const hostedZones = hostedZonesByAccount(port, new Map(), { config: own.context.config });
  const ports = { ledger, hostedZones };
  return {
    ...own,
    ledger,
    route53: beside.route53,
    context: { ...own.context, ledger, account: { hostedZones } },
    deps: { ...own.deps, ...ports },
  };
}

async function settle(world: ReconcileWorld): Promise<void> {
  await saveAll(world);
  const { clusterId } = world.context.config;
  const ids = clusterId === 'prod-eu' ? ['ZEU', 'ZR'] : ['ZUS', 'ZR', shareIdOf('ZR', clusterId)];
  for (const id of ids) await publish(world.deps, id);
}

function put({ cluster }: ReconcileWorld, name: string, clusterIP: string): void {
  cluster.put(parseRef(`Service shop/${name}`), { clusterIP });
}

/** "name TYPE values" of the Services' record sets. */
function standing(world: ReconcileWorld): readonly string[] {
  return standingInRoute53(world)
    .filter((line) => / (A|PTR) /.test(line))
    .map((line) => {
      const [, name, type] = line.split(' ');
      return `${name} ${type} ${JSON.parse(line.slice(line.indexOf('{'))).values.join(',')}`;
    })
    .toSorted();
}

test('two deployments share a hosted zone of addresses, and each writes and deletes its own', async () => {
  const eu = clusterOf('prod-eu');
  const us = clusterOf('prod-us', eu);
  put(eu, 'web', '10.1.0.1');
  put(us, 'web', '10.2.0.1');
  // Both clusters have this address: the first one that publishes it has the name.
  put(eu, 'same', '10.9.0.9');
  put(us, 'same', '10.9.0.9');
  for (const world of [eu, us]) await settle(world);
  const euNames = [
    'same.shop.svc.cluster.prod-eu.internal. A 10.9.0.9',
    'web.shop.svc.cluster.prod-eu.internal. A 10.1.0.1',
  ];
  const usNames = [
    'same.shop.svc.cluster.prod-us.internal. A 10.9.0.9',
    'web.shop.svc.cluster.prod-us.internal. A 10.2.0.1',
  ];
  const euReverse = [
    '1.0.1.10.in-addr.arpa. PTR web.shop.svc.cluster.prod-eu.internal.',
    '9.0.9.10.in-addr.arpa. PTR same.shop.svc.cluster.prod-eu.internal.',
  ];
  const usReverse = ['1.0.2.10.in-addr.arpa. PTR web.shop.svc.cluster.prod-us.internal.'];
  expect(standing(eu)).toEqual([...euNames, ...usNames, ...euReverse, ...usReverse].toSorted());
  us.cluster.remove(parseRef('Service shop/web'));
  us.cluster.remove(parseRef('Service shop/same'));
  await settle(us);
  expect(standing(eu)).toEqual([...euNames, ...euReverse].toSorted());
});

test('two clusters of one ledger share a hosted zone of addresses', async () => {
  const eu = clusterOf('prod-eu');
  const us = clusterOf('prod-us', eu, { sharesLedger: true });
  put(eu, 'web', '10.1.0.1');
  put(us, 'web', '10.2.0.1');
  for (const world of [eu, us, eu]) await settle(world);
  expect(standing(eu)).toEqual([
    '1.0.1.10.in-addr.arpa. PTR web.shop.svc.cluster.prod-eu.internal.',
    '1.0.2.10.in-addr.arpa. PTR web.shop.svc.cluster.prod-us.internal.',
    'web.shop.svc.cluster.prod-eu.internal. A 10.1.0.1',
    'web.shop.svc.cluster.prod-us.internal. A 10.2.0.1',
  ]);
  const said = us.cluster.statuses.get('Zone p/r')?.conditions.find(({ type }) => type === 'Programmed');
  expect(said?.message).toBe('publishes into hosted zone ZR of Zone p/r');
});

test('a cluster with the clusterId of an earlier one takes its place, also after that one has lost its Zone', async () => {
  const old = clusterOf('prod-eu');
  put(old, 'web', '10.1.0.1');
  put(old, 'gone', '10.1.0.2');
  await settle(old);
  old.cluster.remove(parseRef('Zone p/r'));
  await settle(old);
  const other = clusterOf('prod-us', old, { sharesLedger: true });
  await settle(other);
  const programmed = ({ cluster }: ReconcileWorld) =>
    cluster.statuses.get('Zone p/r')?.conditions.find(({ type }) => type === 'Programmed')?.reason;
  expect(programmed(other)).toBe('Published');
  const next = clusterOf('prod-eu', old, { sharesLedger: true });
  put(next, 'web', '10.1.0.1');
  put(next, 'new', '10.1.0.3');
  await settle(next);
  expect(standing(next)).toEqual([
    '1.0.1.10.in-addr.arpa. PTR web.shop.svc.cluster.prod-eu.internal.',
    '3.0.1.10.in-addr.arpa. PTR new.shop.svc.cluster.prod-eu.internal.',
    'new.shop.svc.cluster.prod-eu.internal. A 10.1.0.3',
    'web.shop.svc.cluster.prod-eu.internal. A 10.1.0.1',
  ]);
  await deliverAll(next);
  expect(programmed(next)).toBe('Published');
});

test('two deployments with one name for their DNS: the first one has the name, and the other says what is in its way', async () => {
  const first = clusterOf('prod-eu');
  const second = clusterOf('prod-us', first, { zone: 'cluster.prod-eu.internal.' });
  put(first, 'web', '10.1.0.1');
  put(second, 'web', '10.2.0.1');
  put(second, 'own', '10.2.0.2');
  for (const world of [first, second]) {
    await saveAll(world);
    await publish(world.deps, 'ZEU');
  }
  const names = () => standing(first).filter((line) => line.includes(' A '));
  expect(names()).toEqual([
    'own.shop.svc.cluster.prod-eu.internal. A 10.2.0.2',
    'web.shop.svc.cluster.prod-eu.internal. A 10.1.0.1',
  ]);
  await deliverAll(second);
  const said = second.cluster.statuses.get('Service shop/web')?.conditions.find(({ type }) => type === 'Programmed');
  expect(said).toMatchObject({ status: 'False', reason: 'ForeignRecord' });
  second.cluster.remove(parseRef('Service shop/web'));
  second.cluster.remove(parseRef('Service shop/own'));
  await saveAll(second);
  await publish(second.deps, 'ZEU');
  expect(names()).toEqual(['web.shop.svc.cluster.prod-eu.internal. A 10.1.0.1']);
});
