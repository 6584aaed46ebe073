// explain of a cluster's own names: those that no object asks for, PTRs that are left out, and what is held when the
// Zone is gone.
import { expect, test } from 'vitest';
import { deliverAll, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import { readCluster } from '../observe/read-cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { sourcesOn } from '../sources/source.ts';
import { explainName } from './explain-name.ts';

const HOSTED_ZONES = [
  { id: 'Z1', name: 'k.' },
  { id: 'Z2', name: '10.in-addr.arpa.' },
];

async function worldOf(
  zones: Readonly<Record<string, object>>,
  hostedZones: typeof HOSTED_ZONES = HOSTED_ZONES,
): Promise<ReconcileWorld> {
  const { sources } = parseConfig('sources: { serviceDiscovery: { zone: k, pods: verified } }', 'zone53.yaml');
  const config = { sources, guard: { deletesMax: 100, deletesShareMax: 0.3 } };
  const world = reconcileWorld({ hostedZones, config, sources: sourcesOn(sources) });
  for (const [id, spec] of Object.entries(zones)) world.cluster.put(parseRef(id), spec);
  world.cluster.put(parseRef('Service shop/web'), { clusterIP: '10.0.0.1', ports: [{ name: 'http', port: 80 }] });
  await publishAll(world, [...Object.keys(zones), 'Service shop/web']);
  return world;
}

async function publishAll(world: ReconcileWorld, ids: readonly string[]): Promise<void> {
  await reconcile(world.context, ids.map(parseRef));
  await deliverAll(world);
}

const explain = async ({ context }: ReconcileWorld, name: string, type: string | null = null) =>
  explainName(context, await readCluster(context), name, type);

const NAMES = { 'Zone p/k': { domainName: 'k.', delegations: [] } };
const reverse = (namespace: string) => ({
  'Zone p/r': { domainName: '10.in-addr.arpa.', delegations: [{ namespace, records: [{ pattern: '*' }] }] },
});

/** The Service web with all kinds of objects of its names. */
async function fullWorld(): Promise<ReconcileWorld> {
  const world = await worldOf({ ...NAMES, ...reverse('shop') });
  const slice = {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.7'], hostname: 'db-0' }, { addresses: ['10.0.0.8'] }],
    ports: [{ name: 'pg', port: 5432 }],
  };
  world.cluster.put(parseRef('EndpointSlice shop/db-1'), slice, {}, 0, { 'kubernetes.io/service-name': 'db' });
  world.cluster.put(parseRef('Service shop/db'), { clusterIP: 'None' });
  world.cluster.put(parseRef('Service shop/six'), { clusterIPs: ['fd00::1'] });
  world.cluster.put(parseRef('Service shop/ext'), { type: 'ExternalName', externalName: 'www.example.com' });
  const status = { phase: 'Running', podIPs: [{ ip: '10.0.0.7' }] };
  world.cluster.put(parseRef('Pod shop/db-0'), {}, {}, 0, {}, status);
  await publishAll(world, ['Service shop/db', 'Service shop/six', 'Service shop/ext', 'Pod shop/db-0']);
  return world;
}

test.each([
  ['web.shop.svc.k.', 'A', 'Service shop/web'],
  ['_http._tcp.web.shop.svc.k.', 'SRV', 'Service shop/web'],
  ['1.0.0.10.in-addr.arpa.', 'PTR', 'Service shop/web'],
  ['six.shop.svc.k.', 'AAAA', 'Service shop/six'],
  ['db.shop.svc.k.', 'A', 'Service shop/db'],
  ['db-0.db.shop.svc.k.', 'A', 'Service shop/db'],
  ['10-0-0-8.db.shop.svc.k.', 'A', 'Service shop/db'],
  ['_pg._tcp.db.shop.svc.k.', 'SRV', 'Service shop/db'],
  ['7.0.0.10.in-addr.arpa.', 'PTR', 'Service shop/db'],
  ['ext.shop.svc.k.', 'CNAME', 'Service shop/ext'],
  ['10-0-0-7.shop.pod.k.', 'A', 'Pod shop/db-0'],
])('explainName() says of %s %s which object asks for it, and that Route 53 has it', async (name, type, object) => {
  const said = await explain(await fullWorld(), name, type);
  expect(said.objects).toMatchObject([{ object, programmed: { reason: 'Published' } }]);
  expect(said.route53).toMatchObject([{ type, owner: 'zone53' }]);
  expect(said.advice).toBe('Nothing to do: Route 53 has what is desired.');
});

test('explainName() says that a Record cannot have a name of the cluster that no Service has', async () => {
  const world = await worldOf(NAMES);
  expect((await explain(world, 'dns-version.k.')).advice).toBe(
    'Nothing to do: the source serviceDiscovery publishes it with its Zone.',
  );
  for (const name of ['db.shop.svc.k.', '10-0-0-1.shop.pod.k.']) {
    expect((await explain(world, name)).advice).toBe(
      `${name} belongs to the DNS of the cluster, which the source serviceDiscovery publishes, and no Service or Pod that it reads has this name now.`,
    );
  }
  expect((await explain(await worldOf({}), 'db.shop.svc.k.')).advice).toContain(
    'there is no live Zone with exactly the name k.',
  );
  // All other names of the Zone follow its delegations.
  expect((await explain(world, 'www.k.')).advice).toContain('create a Record');
});

test('explainName() names the Zone of dns-version when that has no hosted zone', async () => {
  const said = await explain(await worldOf(NAMES, []), 'dns-version.k.');
  expect(said.objects).toEqual([]);
  expect(said.advice).toBe(
    'The source serviceDiscovery publishes the TXT of dns-version.k. with Zone p/k: see whether that Zone is published.',
  );
});

test.each<[string, Readonly<Record<string, object>>, string, string]>([
  ['no Zone covers it', {}, 'ParentNotFound', 'no live Zone covers 1.0.0.10.in-addr.arpa.'],
  [
    "its Zone delegates it to others than the Service's namespace",
    reverse('lab'),
    'DelegationDenied',
    'namespace shop',
  ],
])('explainName() shows the object without its PTR when %s', async (_, zones, reason, words) => {
  const world = await worldOf({ ...NAMES, ...zones });
  const said = await explain(world, '1.0.0.10.in-addr.arpa.');
  expect(said.objects).toMatchObject([{ object: 'Service shop/web', accepted: { reason }, programmed: null }]);
  expect(said.objects[0]?.accepted.message).toContain(words);
  expect(said.advice).toContain(`Service shop/web is not accepted (${reason})`);
  expect((await explain(world, '1.0.0.10.in-addr.arpa.', 'A')).objects).toEqual([]);
});

test("explainName() shows that an endpoint's PTR is left out where a cluster IP has the address", async () => {
  const world = await worldOf({ ...NAMES, ...reverse('shop') });
  const slice = { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], hostname: 'x' }] };
  const label = { 'kubernetes.io/service-name': 'thief' };
  world.cluster.put(parseRef('EndpointSlice shop/thief-1'), slice, {}, 0, label);
  world.cluster.put(parseRef('Service shop/thief'), { clusterIP: 'None' });
  const said = await explain(world, '1.0.0.10.in-addr.arpa.');
  expect(said.objects.map(({ object, accepted }) => `${object} ${accepted.reason}`)).toEqual([
    'Service shop/thief Conflict',
    'Service shop/web Adopted',
  ]);
  expect(said.objects[0]?.accepted.message).toContain('x.thief.shop.svc.k. is left out');
});

test('explainName() shows what Route 53 has and what is held when the Zone is gone', async () => {
  const world = await worldOf(NAMES);
  world.cluster.remove(parseRef('Zone p/k'));
  const said = await explain(world, 'web.shop.svc.k.', 'A');
  expect(said).toMatchObject({
    zone: null,
    hostedZone: { id: 'Z1', name: 'k.' },
    objects: [{ object: 'Service shop/web', accepted: { reason: 'ParentNotFound' } }],
    route53: [{ type: 'A', owner: 'zone53' }],
    published: [{ content: { values: ['10.0.0.1'] } }],
    held: [{ action: 'delete', type: 'A' }],
  });
  expect(said.advice).toContain('Service shop/web is not accepted (ParentNotFound)');
  expect(said.advice).toContain('The guard holds its delete. ');
});
