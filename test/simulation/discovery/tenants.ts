// What tenants write into a cluster whose own DNS is published: Services of every kind, EndpointSlices with any
// address, Pods, Records at names that belong to the cluster, and the two Zones.
import { formatRef, type ObjectRef } from '../../../lib/objects/object-ref.ts';
import type { ClusterObject } from '../../../lib/ports/cluster.ts';
import type { Random } from '../random.ts';
import { relatedKind } from '../related-objects.ts';
import { sawThat, tell, type World } from '../world.ts';
import { CLUSTER_ZONE, type Discovery, REVERSE_ZONE } from './world.ts';

/** The Service that is always wanted, its cluster IP, and the Zones without which it has no names. */
export const KEPT_SERVICE = `kept.a.svc.${CLUSTER_ZONE}`;
export const KEPT_PTR = `9.0.0.${REVERSE_ZONE}`;
const KEPT_ADDRESS = '10.0.0.9';
const CLUSTER: ObjectRef = { kind: 'Zone', namespace: 'a', name: 'cluster' };
const REVERSE: ObjectRef = { kind: 'Zone', namespace: 'a', name: 'reverse' };
export const DISCOVERY_ZONES: readonly ObjectRef[] = [CLUSTER, REVERSE];
/** The address that Records ask for at names of the cluster. */
export const THIEF = '10.9.9.9';
const LABEL = 'kubernetes.io/service-name';
const CLUSTER_IPS = ['10.0.0.1', '10.0.0.2'];
const POD_IPS = ['10.0.1.1', '10.0.1.2', '10.0.1.3'];
const CROWD_BASE = 10;

type Written = Partial<Pick<ClusterObject, 'spec' | 'labels' | 'status'>>;
type Writer = (random: Random, ref: ObjectRef, discovery: Discovery) => Written;
type Row = readonly [ObjectRef, Writer];

const ports = (random: Random) =>
  random.pick<readonly object[]>([
    [{ name: 'h', port: 80 }],
    [{ name: 'h', port: 80 }, { port: 81 }],
    [{ name: 'h', port: 80, protocol: 'UDP' }],
    [],
  ]);

const service: Writer = (random) => ({
  spec: random.pick<object>([
    { clusterIP: random.pick(CLUSTER_IPS), ports: ports(random) },
    { clusterIPs: [random.pick(CLUSTER_IPS), 'fd00::1'], ports: ports(random) },
    { clusterIP: 'None', publishNotReadyAddresses: random.chance(0.2) },
    { clusterIP: 'None' },
    { type: 'ExternalName', externalName: random.pick(['c.a.', 'c.b', '10.0.0.1']) },
    { clusterIP: '' },
  ]),
});

/** Of anybody's address, also of one that is a cluster IP. */
const slice: Writer = (random) => ({
  labels: random.chance(0.9) ? { [LABEL]: random.pick(['web', 'db']) } : {},
  spec: {
    addressType: random.pick(['IPv4', 'IPv4', 'IPv4', 'FQDN']),
    ports: ports(random),
    endpoints: [...POD_IPS, random.pick([KEPT_ADDRESS, `10.0.0.${CROWD_BASE}`, CLUSTER_IPS[0], 'x'])]
      .filter(() => random.chance(0.6))
      .map((address) => ({
        addresses: [address],
        conditions: random.chance(0.9) ? { ready: random.chance(0.8) } : {},
        ...(random.chance(0.3) ? { hostname: random.pick(['p', 'q', 'a.b']) } : {}),
      })),
  },
});

const pod: Writer = (random) => ({
  spec: random.chance(0.1) ? { hostNetwork: true } : {},
  status: {
    phase: random.pick(['Running', 'Running', 'Running', 'Succeeded', 'Pending']),
    podIPs: random.chance(0.9) ? [{ ip: random.pick(POD_IPS) }] : [],
  },
});

/** Names of the cluster's, a PTR of a cluster IP, a delegation by CNAME (RFC 2317), and a name that is anybody's. */
const record: Writer = (random) => ({
  spec: random.pick<object>([
    { domainName: `web.a.svc.${CLUSTER_ZONE}`, type: 'A', rdata: THIEF },
    { domainName: `dns-version.${CLUSTER_ZONE}`, type: 'TXT', rdata: '"0"' },
    { domainName: `*.${CLUSTER_ZONE}`, type: 'A', rdata: THIEF },
    { domainName: KEPT_PTR, type: 'PTR', rdata: 'thief.example.' },
    { domainName: `1.0.0.${REVERSE_ZONE}`, type: 'PTR', rdata: 'thief.example.' },
    { domainName: `1.0.0.${REVERSE_ZONE}`, type: 'CNAME', rdata: 'part.example.' },
    { domainName: `own.${CLUSTER_ZONE}`, type: 'A', rdata: THIEF },
  ]),
});

const cluster: Writer = (random) => ({
  spec: {
    domainName: random.chance(0.9) ? CLUSTER_ZONE : `other.${CLUSTER_ZONE}`,
    delegations: random.pick<object[]>([[], [{ zones: ['*'], records: [{ pattern: '*' }] }]]),
  },
});

const reverse: Writer = (random, _, { denyB }) => {
  const all = [{ zones: [], records: [{ pattern: '*', types: ['PTR', 'CNAME'] }] }];
  const rules = random.pick<object[]>([all, all, [{ ...all[0], namespaces: ['b'] }], []]);
  return {
    spec: {
      domainName: REVERSE_ZONE,
      delegations: denyB ? rules.map((rule) => ({ ...rule, namespaces: ['a'] })) : rules,
    },
  };
};

const ref = (kind: string, namespace: string, name: string): ObjectRef => ({ kind, namespace, name });
const WRITERS: readonly Row[] = [
  [ref('Service', 'a', 'web'), service],
  [ref('Service', 'a', 'db'), service],
  [ref('Service', 'b', 'web'), service],
  [ref('EndpointSlice', 'a', 'd1'), slice],
  [ref('EndpointSlice', 'a', 'd2'), slice],
  [ref('EndpointSlice', 'b', 'd3'), slice],
  [ref('Pod', 'a', 'p1'), pod],
  [ref('Pod', 'b', 'p2'), pod],
  [ref('Record', 'a', 'thief'), record],
  [ref('Record', 'b', 'thief'), record],
];
const ZONE_WRITERS: readonly Row[] = [
  [CLUSTER, cluster],
  [REVERSE, reverse],
];

const crowdRef = (index: number) => ref('Service', 'a', `c${index}`);
const crowdSpec = (index: number) => ({ clusterIP: `10.0.0.${CROWD_BASE + index}` });

/** True for a Service of the crowd, by its name in DNS: it has that name alone, and loses all with it. */
export function isOfCrowd(name: string): boolean {
  return /^c\d+\.a\.svc\./.test(name);
}

/** What is there at the beginning. */
export function populateDiscovery(world: World): void {
  const { discovery, cluster: objects } = world;
  if (discovery === null) return;
  const { random, denyB, crowd } = discovery;
  const send = (hint: ObjectRef) => world.queues.send({ kind: 'hint', hint }, world.time.ms, null);
  const rule = { zones: [], records: [{ pattern: '*' }], ...(denyB ? { namespaces: ['a'] } : {}) };
  objects.put(CLUSTER, { spec: { domainName: CLUSTER_ZONE, delegations: [] } });
  objects.put(REVERSE, { spec: { domainName: REVERSE_ZONE, delegations: [rule] } });
  const kept = ref('Service', 'a', 'kept');
  objects.put(kept, { spec: { clusterIP: KEPT_ADDRESS, ports: [{ name: 'h', port: 80 }] } });
  for (const one of [CLUSTER, REVERSE, kept]) send(one);
  for (let index = 0; index < crowd; index += 1) {
    objects.put(crowdRef(index), { spec: crowdSpec(index) });
    send(crowdRef(index));
  }
  for (const [one, writer] of WRITERS) {
    if (!random.chance(0.7)) continue;
    put(world, discovery, one, writer);
    send(one);
  }
}

function put(world: World, discovery: Discovery, one: ObjectRef, writer: Writer): void {
  const content = writer(discovery.random, one, discovery);
  const kind = relatedKind(world, one.kind);
  if (kind === null) {
    world.cluster.put(one, content);
    return;
  }
  const { labels = {}, spec, status } = content;
  const facts = kind.factsOf({ ...(spec as object), metadata: { labels }, spec, status });
  world.around.put(one, { labels, spec: facts });
}

type HintAbout = (world: World, ref: ObjectRef, before: ClusterObject | null) => void;

/** A tenant acts. False in a seed that has no such cluster, or where it is not their turn. */
export function writesDiscovery(world: World, hintAbout: HintAbout): boolean {
  const { discovery } = world;
  if (discovery === null || !discovery.random.chance(0.6)) return false;
  const { random, crowd, zonesMove } = discovery;
  if (crowd > 0 && random.chance(0.35)) return crowdActs(world, discovery, hintAbout);
  const [one, writer] = random.pick(zonesMove && random.chance(0.15) ? ZONE_WRITERS : WRITERS);
  const objects = relatedKind(world, one.kind) === null ? world.cluster : world.around;
  const before = objects.find(one);
  const deletes = before !== null && random.chance(0.2);
  if (deletes) objects.remove(one);
  else put(world, discovery, one, writer);
  const what = one.kind === 'Zone' ? 'the Zone of Services' : `a ${one.kind} of discovery`;
  sawThat(world, `a tenant: ${deletes ? 'deleted' : 'wrote'} ${what}`);
  tell(world, () => `tenant: ${formatRef(one)}: ${JSON.stringify(objects.find(one))}`);
  hintAbout(world, one, before);
  return true;
}

/** Some of the crowd go at once, or one after the other; or all that are gone come back. */
function crowdActs(world: World, { random, crowd }: Discovery, hintAbout: HintAbout): boolean {
  const all = Array.from({ length: crowd }, (_, index) => index);
  const gone = all.filter((index) => world.cluster.find(crowdRef(index)) === null);
  const comes = gone.length > 0 && random.chance(0.4);
  const there = all.filter((index) => !gone.includes(index));
  const moved = comes ? gone : there.slice(0, random.pick([1, 3, 6, 7, crowd]));
  for (const index of moved) {
    const one = crowdRef(index);
    const before = world.cluster.find(one);
    if (comes) world.cluster.put(one, { spec: crowdSpec(index) });
    else world.cluster.remove(one);
    hintAbout(world, one, before);
  }
  sawThat(world, `a tenant: ${comes ? 'created Services of the crowd' : 'deleted Services of the crowd'}`);
  tell(world, () => `tenant: ${moved.length} Services of the crowd ${comes ? 'come' : 'go'}`);
  return true;
}
