// Services and routes in some of the seeds that have Ingresses, and their related objects: EndpointSlices, Nodes,
// Gateways, Namespaces. Related objects are in a cluster of their own, because nothing is reported to them. They are
// read without faults: only the sweep protects against a wrong answer about them.
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import {
  NOTHING_RELATED,
  type RelatedKind,
  type RelatedObject,
  type RelatedObjects,
} from '../../lib/objects/related.ts';
import { relatedKindsOf, type Source } from '../../lib/objects/source.ts';
import { DEFAULT_SETTINGS } from '../../lib/objects/source-settings.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';
import { ROUTES } from '../../lib/sources/external-dns/gateway-route.ts';
import { INGRESS } from '../../lib/sources/external-dns/ingress.ts';
import { SERVICE } from '../../lib/sources/external-dns/service.ts';
import { RECORD } from '../../lib/sources/kubizone/parse-record.ts';
import { withDiscovery } from './discovery/world.ts';
import { APEX, FORBIDDEN, SUB_ZONE, VALUES_OF_A, VALUES_OF_B } from './names.ts';
import type { Random } from './random.ts';
import { sawThat, tell, type World } from './world.ts';

const ALONE: readonly Source[] = [RECORD, INGRESS];
const LEANING: readonly Source[] = [
  { ...SERVICE, settings: { ...DEFAULT_SETTINGS, types: ['ClusterIP'] } },
  ...ROUTES.filter(({ kind }) => kind === 'HTTPRoute'),
];
const WITH_LEANING: readonly Source[] = [...ALONE, ...LEANING];
const ALONE_WITH_DISCOVERY = withDiscovery(ALONE);
const LEANING_WITH_DISCOVERY = withDiscovery(WITH_LEANING);
const RELATED = relatedKindsOf(LEANING);

/** What the functions of a simulated world read. */
export function sourcesIn({ otherKinds, discovery }: Pick<World, 'otherKinds' | 'discovery'>): readonly Source[] {
  if (discovery === null) return otherKinds?.leans === true ? WITH_LEANING : ALONE;
  return otherKinds?.leans === true ? LEANING_WITH_DISCOVERY : ALONE_WITH_DISCOVERY;
}

/** True for a kind whose endpoints also depend on related objects. */
export function leans({ kind }: { readonly kind: string }): boolean {
  return LEANING.some((source) => source.kind === kind);
}

/** Pods have names of their own in a cluster whose DNS is published. */
export function relatedKind({ discovery }: Pick<World, 'discovery'>, kind: string): RelatedKind | null {
  if (discovery !== null && kind === 'Pod') return null;
  return RELATED.find((one) => one.kind === kind) ?? null;
}

/** What stands, asked directly. */
export function relatedIn({
  around,
  otherKinds,
  discovery,
}: Pick<World, 'around' | 'otherKinds' | 'discovery'>): RelatedObjects {
  if (otherKinds?.leans !== true && discovery === null) return NOTHING_RELATED;
  const asRelated = ({ ref, spec }: ClusterObject): RelatedObject => ({ ref, facts: spec });
  return {
    ...NOTHING_RELATED,
    get: (kind, namespace, name) => {
      const found = around.find({ kind, namespace, name });
      return found === null ? null : asRelated(found);
    },
    list: (kind, namespace, label) =>
      around
        .objects()
        .filter(
          ({ ref, labels }) =>
            ref.kind === kind &&
            (namespace === null || ref.namespace === namespace) &&
            (label === null || labels[label.key] === label.value),
        )
        .toSorted((a, b) => (formatRef(a.ref) < formatRef(b.ref) ? -1 : 1))
        .map(asRelated),
  };
}

type Written = Partial<Pick<ClusterObject, 'spec' | 'labels' | 'annotations' | 'status'>>;
type Writer = (random: Random, ref: ObjectRef) => Written;

const HOSTS = [`u.${APEX}`, `u.${APEX}`, `w.${APEX}`, `w.${SUB_ZONE}`, `v.${APEX}`, `w.${FORBIDDEN}`];
const PREFIX = 'external-dns.kubernetes.io/';
const LABEL = 'kubernetes.io/service-name';
/** Nobody's: what Nodes have. */
const NODE_ADDRESS = '192.0.2.8';

const valuesOf = ({ namespace }: ObjectRef) => (namespace === 'a' ? VALUES_OF_A : VALUES_OF_B);

const service: Writer = (random) => ({
  spec: { type: 'ClusterIP', clusterIP: 'None', publishNotReadyAddresses: random.chance(0.2) },
  annotations: {
    [`${PREFIX}hostname`]: random.pick(HOSTS),
    ...(random.chance(0.3) ? { [`${PREFIX}endpoints-type`]: random.pick(['HostIP', 'HostIP', 'x']) } : {}),
  },
});

const slice: Writer = (random, ref) => ({
  labels: random.chance(0.9) ? { [LABEL]: random.pick(['h1', 'h2']) } : {},
  spec: {
    addressType: 'IPv4',
    endpoints: valuesOf(ref)
      .filter(() => random.chance(0.7))
      .map((address) => ({
        addresses: [address],
        nodeName: 'n1',
        conditions: { ready: random.chance(0.8) },
        ...(random.chance(0.2) ? { hostname: 'p' } : {}),
      })),
  },
});

const node: Writer = (random) => ({
  status: { addresses: random.chance(0.7) ? [{ type: 'InternalIP', address: NODE_ADDRESS }] : [] },
});

const gateway: Writer = (random, ref) => ({
  spec: {
    listeners: [
      {
        name: 'http',
        port: 80,
        protocol: 'HTTP',
        ...(random.chance(0.5) ? { hostname: random.pick([`*.${APEX}`, `u.${APEX}`, `*.${SUB_ZONE}`]) } : {}),
        allowedRoutes: {
          namespaces: random.pick<object>([
            { from: 'All' },
            { from: 'Same' },
            { from: 'Selector', selector: { matchLabels: { team: 'yes' } } },
          ]),
        },
      },
    ],
  },
  status: { addresses: random.chance(0.8) ? [{ value: random.pick(valuesOf(ref)) }] : [] },
});

const namespace: Writer = (random) => ({ labels: random.chance(0.5) ? { team: 'yes' } : {} });

const route: Writer = (random, ref) => {
  // A value is of the tenant who asks for the name: only b may lean on both.
  const parentRef = { namespace: ref.namespace === 'a' ? 'a' : random.pick(['a', 'b']), name: 'gw' };
  const accepted = [{ type: 'Accepted', status: random.chance(0.9) ? 'True' : 'False' }];
  const controllerName = random.pick(['example.com/gw', 'zone53.dev/dns']);
  return {
    spec: { hostnames: random.chance(0.8) ? [random.pick(HOSTS)] : [], parentRefs: [parentRef] },
    status: { parents: random.chance(0.9) ? [{ parentRef, controllerName, conditions: accepted }] : [] },
  };
};

const ref = (kind: string, namespaceOf: string, name: string): ObjectRef => ({ kind, namespace: namespaceOf, name });
const WRITERS: readonly (readonly [ObjectRef, Writer])[] = [
  [ref('Service', 'a', 'h1'), service],
  [ref('Service', 'b', 'h2'), service],
  [ref('HTTPRoute', 'a', 'r1'), route],
  [ref('HTTPRoute', 'b', 'r2'), route],
  [ref('EndpointSlice', 'a', 'e1'), slice],
  [ref('EndpointSlice', 'a', 'e2'), slice],
  [ref('EndpointSlice', 'b', 'e3'), slice],
  [ref('Node', '', 'n1'), node],
  [ref('Gateway', 'a', 'gw'), gateway],
  [ref('Gateway', 'b', 'gw'), gateway],
  [ref('Namespace', '', 'b'), namespace],
];

/** Most of them, as they are at the beginning. */
export function populateAround(world: World): void {
  const { otherKinds } = world;
  if (otherKinds?.leans !== true) return;
  for (const [written, writer] of WRITERS) {
    if (!otherKinds.random.chance(0.8)) continue;
    put(world, otherKinds.random, written, writer);
    world.queues.send({ kind: 'hint', hint: written }, world.time.ms, null);
  }
}

/** Writes an object. Of a related object, only the part that is used is kept. */
function put(world: World, random: Random, written: ObjectRef, writer: Writer): void {
  const kind = relatedKind(world, written.kind);
  const content = writer(random, written);
  if (kind === null) {
    world.cluster.put(written, content);
    return;
  }
  const { labels = {}, annotations = {}, spec, status } = content;
  const facts = kind.factsOf({ ...(spec as object), metadata: { labels, annotations }, spec, status });
  world.around.put(written, { labels, annotations, spec: facts });
}

/** Writes or deletes one of them. False in a seed that has none, or where it is not their turn. */
export function writesAround(
  world: World,
  hintAbout: (world: World, ref: ObjectRef, before: ClusterObject | null) => void,
): boolean {
  const { otherKinds } = world;
  if (otherKinds?.leans !== true || !otherKinds.random.chance(0.5)) return false;
  const { random } = otherKinds;
  const [written, writer] = random.pick(WRITERS);
  const kind = relatedKind(world, written.kind);
  const cluster = kind === null ? world.cluster : world.around;
  const before = cluster.find(written);
  const deletes = before !== null && random.chance(0.2);
  if (deletes) cluster.remove(written);
  else put(world, random, written, writer);
  sawThat(
    world,
    `a tenant: ${deletes ? 'deleted' : 'wrote'} ${kind === null ? 'an object that has related objects' : 'a related object'}`,
  );
  tell(world, () => `tenant: ${formatRef(written)}: ${JSON.stringify(cluster.find(written))}`);
  hintAbout(world, written, before);
  return true;
}
