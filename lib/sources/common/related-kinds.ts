// The kinds of related objects, and which of their fields count. The heartbeats of a Node and the status of a Pod do
// not count, so they cause no work.
import { editDistance, lettersOf } from '../../dns/names/edit-distance.ts';
import { at, listAt, mapping, textMap } from '../../objects/plain.ts';
import type { RelatedKind } from '../../objects/related.ts';
import { SERVICE_LABEL } from './record-queries.ts';

type Served = Pick<RelatedKind, 'kind' | 'group' | 'version' | 'resource' | 'readsStatus' | 'isLocal' | 'mayBeAbsent'>;

function relatedKind(
  served: Served,
  scope: 'namespaced' | 'cluster',
  selectedBy: readonly string[],
  factsOf: RelatedKind['factsOf'],
): RelatedKind {
  return { ...served, status: 'none', scope, selectedBy, factsOf };
}

/** Those of the named fields that a mapping has. */
function pick(value: unknown, fields: readonly string[]): Readonly<Record<string, unknown>> {
  const all = mapping(value);
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(all, field) && all[field] !== undefined).map((field) => [field, all[field]]),
  );
}

function pickEach(values: readonly unknown[], fields: readonly string[]): readonly unknown[] {
  return values.map((value) => pick(value, fields));
}

/** The annotations `target`, with any prefix, and those that are probably meant as one. Of any type: see a manifest. */
function targetAnnotations(object: unknown): Readonly<Record<string, unknown>> {
  const all = Object.entries(mapping(at(object, 'metadata', 'annotations')));
  return Object.fromEntries(
    all.filter(([key]) => editDistance(lettersOf(key.slice(key.indexOf('/') + 1)), 'target') <= 2),
  );
}

const LISTENER_FIELDS = ['name', 'hostname', 'port', 'protocol', 'allowedRoutes'];
const GATEWAY = { group: 'gateway.networking.k8s.io', version: 'v1' };

export const ENDPOINT_SLICE: RelatedKind = relatedKind(
  {
    ...{ kind: 'EndpointSlice', group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
    ...{ readsStatus: false, isLocal: true },
  },
  'namespaced',
  [SERVICE_LABEL],
  (object) => ({
    addressType: at(object, 'addressType') ?? null,
    endpoints: listAt(object, 'endpoints').map((endpoint) => ({
      ...pick(endpoint, ['addresses', 'hostname', 'nodeName']),
      conditions: pick(at(endpoint, 'conditions'), ['ready', 'serving', 'terminating']),
      targetRef: pick(at(endpoint, 'targetRef'), ['kind', 'namespace', 'name']),
    })),
    ports: pickEach(listAt(object, 'ports'), ['name', 'port', 'protocol']),
  }),
);

export const NODE: RelatedKind = relatedKind(
  { kind: 'Node', group: '', version: 'v1', resource: 'nodes' },
  'cluster',
  [],
  (object) => ({
    metadata: pick(at(object, 'metadata'), ['deletionTimestamp']),
    spec: pick(at(object, 'spec'), ['unschedulable']),
    status: { addresses: pickEach(listAt(object, 'status', 'addresses'), ['type', 'address']) },
  }),
);

export const POD: RelatedKind = relatedKind(
  { kind: 'Pod', group: '', version: 'v1', resource: 'pods', readsStatus: false, isLocal: true },
  'namespaced',
  [],
  (object) => ({ metadata: { annotations: targetAnnotations(object) } }),
);

export const GATEWAY_OBJECT: RelatedKind = relatedKind(
  { kind: 'Gateway', ...GATEWAY, resource: 'gateways' },
  'namespaced',
  [],
  (object) => ({
    metadata: { annotations: targetAnnotations(object) },
    spec: {
      ...pick(at(object, 'spec'), ['allowedListeners']),
      listeners: pickEach(listAt(object, 'spec', 'listeners'), LISTENER_FIELDS),
    },
    status: { addresses: pickEach(listAt(object, 'status', 'addresses'), ['type', 'value']) },
  }),
);

export const LISTENER_SET: RelatedKind = relatedKind(
  { kind: 'ListenerSet', ...GATEWAY, resource: 'listenersets', readsStatus: false },
  'namespaced',
  [],
  (object) => ({
    metadata: { annotations: targetAnnotations(object) },
    spec: {
      parentRef: at(object, 'spec', 'parentRef') ?? null,
      listeners: pickEach(listAt(object, 'spec', 'listeners'), LISTENER_FIELDS),
    },
  }),
);

/** The ListenerSet of the experimental channel of the Gateway API, before 1.5: GEP-1713. */
export const X_LISTENER_SET: RelatedKind = relatedKind(
  {
    ...{ kind: 'XListenerSet', group: 'gateway.networking.x-k8s.io', version: 'v1alpha1', resource: 'xlistenersets' },
    ...{ readsStatus: false, mayBeAbsent: true },
  },
  'namespaced',
  [],
  LISTENER_SET.factsOf,
);

export const NAMESPACE: RelatedKind = relatedKind(
  { kind: 'Namespace', group: '', version: 'v1', resource: 'namespaces', readsStatus: false },
  'cluster',
  [],
  (object) => ({ metadata: { labels: textMap(at(object, 'metadata', 'labels')) } }),
);
