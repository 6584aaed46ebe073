// The names of a cluster's own DNS, event by event: whatever comes first, it ends as from scratch.
import { expect, test } from 'vitest';
import { hinted } from '../../test/fakes/reconcile-steps.ts';
import {
  desiredFromScratch,
  desiredInLedger,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { parseConfig } from '../adapters/config/config-file.ts';
import { parseRef } from '../objects/object-ref.ts';
import { sourcesOn } from '../sources/source.ts';

const CLUSTER = { domainName: 'k.', delegations: [] };
const REVERSE = { domainName: '10.in-addr.arpa.', delegations: [{ records: [{ pattern: '*' }] }] };

function discoveryWorld(sources: string): ReconcileWorld {
  const config = parseConfig(`sources: ${sources}`, 'zone53.yaml');
  return reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'k.' },
      { id: 'Z2', name: '10.in-addr.arpa.' },
      { id: 'Z3', name: 'e.' },
    ],
    config: { sources: config.sources },
    sources: sourcesOn(config.sources),
  });
}

type Parts = { readonly labels?: Record<string, string>; readonly status?: unknown; readonly note?: string };

async function put(world: ReconcileWorld, id: string, spec: unknown, { labels, status, note }: Parts = {}) {
  const annotations = note === undefined ? {} : { 'external-dns.kubernetes.io/target': note };
  world.cluster.put(parseRef(id), spec, annotations, 0, labels ?? {}, status);
  await hinted(world, id);
}

/** "name TYPE values" of all record sets. */
function standing(world: ReconcileWorld): readonly string[] {
  return standingInRoute53(world)
    .filter((line) => !/ (SOA|NS) /.test(line))
    .map((line) => {
      const [, name, type] = line.split(' ');
      return `${name} ${type} ${JSON.parse(line.slice(line.indexOf('{'))).values.join(',')}`;
    })
    .toSorted();
}

const WEB = ['1.0.0.10.in-addr.arpa. PTR web.shop.svc.k.', 'dns-version.k. TXT "1.1.0"', 'web.shop.svc.k. A 10.0.0.1'];

test.each([
  ['the Zones first', ['Zone p/k', 'Zone p/r', 'Service shop/web']],
  ['the Zone of the cluster last', ['Zone p/r', 'Service shop/web', 'Zone p/k']],
  ['the reverse Zone last', ['Zone p/k', 'Service shop/web', 'Zone p/r']],
  ['the Service first', ['Service shop/web', 'Zone p/k', 'Zone p/r']],
])('a Service and its PTR are published in any order of creation: %s', async (_, order) => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  const specs = { 'Zone p/k': CLUSTER, 'Zone p/r': REVERSE, 'Service shop/web': { clusterIP: '10.0.0.1' } };
  for (const id of order) await put(world, id, specs[id as keyof typeof specs]);
  expect(standing(world)).toEqual(WEB);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  const conditions = world.cluster.statuses.get('Service shop/web')?.conditions ?? [];
  expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'Accepted Adopted',
    'Programmed Published',
    'Propagated Resolved',
  ]);
  world.cluster.remove(parseRef('Zone p/k'));
  await hinted(world, 'Zone p/k');
  expect(standing(world)).toEqual([]);
});

test.each([
  ['an ExternalName that is an address', { type: 'ExternalName', externalName: '192.0.2.1' }, /^spec.externalName: /],
  ['an ExternalName without a name', { type: 'ExternalName' }, /^spec.externalName: /],
  ['an invalid cluster IP', { clusterIP: '10.0.0.256' }, /^spec.clusterIP: /],
])('a Service that becomes %s keeps all of its names until it is valid again or deleted', async (_, spec, message) => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  await put(world, 'Zone p/k', CLUSTER);
  await put(world, 'Zone p/r', REVERSE);
  await put(world, 'Service shop/web', { clusterIP: '10.0.0.1', ports: [{ name: 'http', port: 80 }] });
  const all = standing(world);
  expect(all.map((line) => line.split(' ')[1])).toEqual(['PTR', 'SRV', 'TXT', 'A']);
  await put(world, 'Service shop/web', spec);
  expect(standing(world)).toEqual(all);
  expect(world.cluster.statuses.get('Service shop/web')?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Accepted',
      status: 'False',
      reason: 'InvalidSpec',
      message: expect.stringMatching(message),
    }),
  );
  await put(world, 'Service shop/web', { type: 'ExternalName', externalName: 'www.example.com' });
  expect(standing(world)).toEqual(['dns-version.k. TXT "1.1.0"', 'web.shop.svc.k. CNAME www.example.com.']);
});

test("an EndpointSlice never takes a cluster IP's name, whichever comes first", async () => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  await put(world, 'Zone p/k', CLUSTER);
  const delegations = [{ namespace: 'evil', records: [{ pattern: '*' }] }];
  await put(world, 'Zone p/r', { domainName: '10.in-addr.arpa.', delegations });
  const slice = { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], hostname: 'x' }] };
  await put(world, 'EndpointSlice evil/x', slice, { labels: { 'kubernetes.io/service-name': 'web' } });
  await put(world, 'Service evil/web', { clusterIP: 'None' });
  const own = ['dns-version.k. TXT "1.1.0"', 'web.evil.svc.k. A 10.0.0.1', 'x.web.evil.svc.k. A 10.0.0.1'];
  const taken = ['1.0.0.10.in-addr.arpa. PTR x.web.evil.svc.k.', ...own];
  expect(standing(world)).toEqual(taken);
  await put(world, 'Service shop/web', { clusterIP: '10.0.0.1' });
  expect(standing(world)).toEqual([...own.slice(0, 2), 'web.shop.svc.k. A 10.0.0.1', ...own.slice(2)]);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  world.cluster.remove(parseRef('Service shop/web'));
  await hinted(world, 'Service shop/web');
  expect(standing(world)).toEqual(taken);
});

test('a Pod has its own name, and is the target of a Service, in one run', async () => {
  const world = discoveryWorld('{ services: {}, serviceDiscovery: { zone: k, pods: verified } }');
  await put(world, 'Zone p/k', CLUSTER);
  await put(world, 'Zone p/e', { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const status = { phase: 'Running', podIPs: [{ ip: '10.0.0.7' }] };
  await put(world, 'Pod shop/web-0', {}, { status, note: '192.0.2.7' });
  const slice = {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.7'], targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-0' } }],
  };
  await put(world, 'EndpointSlice shop/web-x', slice, { labels: { 'kubernetes.io/service-name': 'web' } });
  world.cluster.put(
    parseRef('Service shop/web'),
    { clusterIP: 'None' },
    {
      'external-dns.kubernetes.io/hostname': 'www.e',
    },
  );
  await hinted(world, 'Service shop/web');
  const all = [
    '10-0-0-7.shop.pod.k. A 10.0.0.7',
    '10-0-0-7.web.shop.svc.k. A 10.0.0.7',
    'dns-version.k. TXT "1.1.0"',
    'web.shop.svc.k. A 10.0.0.7',
    'www.e. A 192.0.2.7',
  ];
  expect(standing(world)).toEqual(all);
  await put(world, 'Pod shop/web-0', {}, { status, note: '192.0.2.8' });
  expect(standing(world)).toEqual(all.with(4, 'www.e. A 192.0.2.8'));
  await put(world, 'Pod shop/web-0', {}, { status: { ...status, phase: 'Succeeded' }, note: '192.0.2.8' });
  expect(standing(world)).toEqual(all.slice(1).with(3, 'www.e. A 192.0.2.8'));
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
});

const SLICE_OF = (service: string): Parts => ({ labels: { 'kubernetes.io/service-name': service } });
const sliceOf = (...endpoints: readonly (readonly [string, string])[]) => ({
  addressType: 'IPv4',
  endpoints: endpoints.map(([address, hostname]) => ({ addresses: [address], hostname })),
});
const HEADLESS = { clusterIP: 'None' };
const VERSION = 'dns-version.k. TXT "1.1.0"';

async function expectAsFromScratch(world: ReconcileWorld, lines: readonly string[]): Promise<void> {
  expect(standing(world)).toEqual([...lines].toSorted());
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
}

test('an EndpointSlice that comes before its Service is found when the Service comes', async () => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  await put(world, 'Zone p/k', CLUSTER);
  await put(world, 'EndpointSlice shop/web-1', sliceOf(['10.0.0.7', 'a']), SLICE_OF('web'));
  await expectAsFromScratch(world, [VERSION]);
  await put(world, 'Service shop/web', HEADLESS);
  await expectAsFromScratch(world, [VERSION, 'a.web.shop.svc.k. A 10.0.0.7', 'web.shop.svc.k. A 10.0.0.7']);
});

test('a Service that was deleted and created again between two reads is published as the new one', async () => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  await put(world, 'Zone p/k', CLUSTER);
  await put(world, 'EndpointSlice shop/web-1', sliceOf(['10.0.0.7', 'a']), SLICE_OF('web'));
  await put(world, 'Service shop/web', HEADLESS);
  world.cluster.remove(parseRef('Service shop/web'));
  await put(world, 'Service shop/web', { clusterIP: '10.0.0.1', ports: [{ name: 'http', port: 80 }] });
  await expectAsFromScratch(world, [
    VERSION,
    '_http._tcp.web.shop.svc.k. SRV 0 100 80 web.shop.svc.k.',
    'web.shop.svc.k. A 10.0.0.1',
  ]);
  const said = world.cluster.statuses.get('Service shop/web')?.conditions ?? [];
  expect(said.map(({ reason }) => reason)).toEqual(['Adopted', 'Published', 'Resolved']);
  // Without headless, its slices do not count; when it is headless again, they do.
  await put(world, 'EndpointSlice shop/web-1', sliceOf(['10.0.0.8', 'b']), SLICE_OF('web'));
  expect(standing(world)).toHaveLength(3);
  await put(world, 'Service shop/web', HEADLESS);
  await expectAsFromScratch(world, [VERSION, 'b.web.shop.svc.k. A 10.0.0.8', 'web.shop.svc.k. A 10.0.0.8']);
});

test('a Service under a new name keeps its addresses, with their PTRs', async () => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  for (const [id, spec] of Object.entries({ 'Zone p/k': CLUSTER, 'Zone p/r': REVERSE })) await put(world, id, spec);
  await put(world, 'Service shop/web', { clusterIP: '10.0.0.1' });
  world.cluster.remove(parseRef('Service shop/web'));
  world.cluster.put(parseRef('Service shop/api'), { clusterIP: '10.0.0.1' });
  await hinted(world, 'Service shop/api');
  await hinted(world, 'Service shop/web');
  await expectAsFromScratch(world, [
    '1.0.0.10.in-addr.arpa. PTR api.shop.svc.k.',
    'api.shop.svc.k. A 10.0.0.1',
    VERSION,
  ]);
});

test('an EndpointSlice that is given to another Service moves its endpoints there', async () => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k } }');
  for (const [id, spec] of Object.entries({ 'Zone p/k': CLUSTER, 'Zone p/r': REVERSE })) await put(world, id, spec);
  await put(world, 'Service shop/web', HEADLESS);
  await put(world, 'Service shop/api', HEADLESS);
  await put(world, 'EndpointSlice shop/x', sliceOf(['10.0.0.7', 'a']), SLICE_OF('web'));
  const at = (service: string) => [
    VERSION,
    `7.0.0.10.in-addr.arpa. PTR a.${service}.shop.svc.k.`,
    `a.${service}.shop.svc.k. A 10.0.0.7`,
    `${service}.shop.svc.k. A 10.0.0.7`,
  ];
  await expectAsFromScratch(world, at('web'));
  await put(world, 'EndpointSlice shop/x', sliceOf(['10.0.0.7', 'a']), SLICE_OF('api'));
  await expectAsFromScratch(world, at('api'));
});

test('the address of a Pod may move, to another name of the same Pod and to another Pod while the first still exists', async () => {
  const world = discoveryWorld('{ serviceDiscovery: { zone: k, pods: verified } }');
  await put(world, 'Zone p/k', CLUSTER);
  const has = (...ips: readonly string[]): Parts => ({
    status: { phase: 'Running', podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) },
  });
  const line = (last: number) => `10-0-0-${last}.shop.pod.k. A 10.0.0.${last}`;
  await put(world, 'Pod shop/a', {}, has('10.0.0.7'));
  await expectAsFromScratch(world, [line(7), VERSION]);
  await put(world, 'Pod shop/a', {}, has('10.0.0.8', 'fd00::8'));
  await expectAsFromScratch(world, [line(8), VERSION, 'fd00--8.shop.pod.k. AAAA fd00::8']);
  await put(world, 'Pod shop/b', {}, has('10.0.0.8'));
  world.cluster.remove(parseRef('Pod shop/a'));
  await hinted(world, 'Pod shop/a');
  await expectAsFromScratch(world, [line(8), VERSION]);
  world.cluster.remove(parseRef('Pod shop/b'));
  await hinted(world, 'Pod shop/b');
  await expectAsFromScratch(world, [VERSION]);
});

test('a wrong annotation keeps its own names, and not those of Pods that are gone', async () => {
  const world = discoveryWorld('{ services: {}, serviceDiscovery: { zone: k } }');
  for (const [id, spec] of Object.entries({ 'Zone p/k': CLUSTER, 'Zone p/r': REVERSE })) await put(world, id, spec);
  await put(world, 'Zone p/e', { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const service = async (annotations: Readonly<Record<string, string>>) => {
    const all = Object.entries(annotations).map(([key, value]) => [`external-dns.kubernetes.io/${key}`, value]);
    world.cluster.put(parseRef('Service shop/web'), HEADLESS, Object.fromEntries(all));
    await hinted(world, 'Service shop/web');
  };
  const at = (hostname: string, last: number) =>
    [
      VERSION,
      'www.e. A 10.0.0.7',
      `${last}.0.0.10.in-addr.arpa. PTR ${hostname}.web.shop.svc.k.`,
      `${hostname}.web.shop.svc.k. A 10.0.0.${last}`,
      `web.shop.svc.k. A 10.0.0.${last}`,
    ].toSorted();
  await put(world, 'EndpointSlice shop/x', sliceOf(['10.0.0.7', 'a']), SLICE_OF('web'));
  await service({ hostname: 'www.e', target: '10.0.0.7' });
  expect(standing(world)).toEqual(at('a', 7));
  await service({ hostname: 'www.e', target: '10.0.0.7', 'aws-weight': 'x' });
  await put(world, 'EndpointSlice shop/x', sliceOf(['10.0.0.8', 'b']), SLICE_OF('web'));
  expect(standing(world)).toEqual(at('b', 8));
});

test("a Service that also asks for its PTR's name by an annotation is reported", async () => {
  const world = discoveryWorld('{ services: {}, serviceDiscovery: { zone: k } }');
  await put(world, 'Zone p/k', CLUSTER);
  const annotations = { 'external-dns.kubernetes.io/internal-hostname': '1.0.0.10.in-addr.arpa' };
  world.cluster.put(parseRef('Service shop/web'), { clusterIP: '10.0.0.1' }, annotations);
  await hinted(world, 'Service shop/web');
  const [accepted] = world.cluster.statuses.get('Service shop/web')?.conditions ?? [];
  expect(accepted).toMatchObject({ reason: 'ParentNotFound', message: expect.stringContaining('1.0.0.10.in-addr') });
});
