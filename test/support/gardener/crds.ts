// The types of Gardener that a seed serves, field for field, without descriptions: DNSRecord, and Cluster as far as a
// DNSRecord's controller reads it. Written from the field table of extensions.gardener.cloud/v1alpha1.

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const LONG: Schema = { type: 'integer', format: 'int64' };
const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function object(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  more: Schema = {},
): Schema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...more };
}

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

const ATOMIC: Schema = { 'x-kubernetes-map-type': 'atomic' };
const CLASS: Schema = {
  ...TEXT,
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'Value is immutable' }],
};

const DNS_RECORD_SPEC = object(
  {
    type: TEXT,
    class: CLASS,
    providerConfig: ANYTHING,
    secretRef: object({ name: TEXT, namespace: TEXT }, [], ATOMIC),
    region: TEXT,
    zone: TEXT,
    name: TEXT,
    recordType: TEXT,
    values: listOf(TEXT),
    ttl: LONG,
  },
  ['name', 'recordType', 'secretRef', 'type', 'values'],
);

const CONDITION = object(
  {
    type: TEXT,
    status: TEXT,
    lastTransitionTime: TIME,
    lastUpdateTime: TIME,
    reason: TEXT,
    message: TEXT,
    codes: listOf(TEXT),
  },
  ['lastTransitionTime', 'lastUpdateTime', 'message', 'reason', 'status', 'type'],
);

const DNS_RECORD_STATUS = object({
  providerStatus: ANYTHING,
  conditions: listOf(CONDITION),
  lastError: object({ description: TEXT, taskID: TEXT, codes: listOf(TEXT), lastUpdateTime: TIME }, ['description']),
  lastOperation: object(
    {
      description: TEXT,
      lastUpdateTime: TIME,
      progress: { type: 'integer', format: 'int32' },
      state: TEXT,
      type: TEXT,
    },
    ['description', 'lastUpdateTime', 'progress', 'state', 'type'],
  ),
  observedGeneration: LONG,
  state: ANYTHING,
  resources: listOf(
    object(
      { name: TEXT, resourceRef: object({ apiVersion: TEXT, kind: TEXT, name: TEXT }, ['kind', 'name'], ATOMIC) },
      ['name', 'resourceRef'],
    ),
  ),
  zone: TEXT,
});

const COLUMNS = [
  { name: 'Type', type: 'string', jsonPath: '.spec.type' },
  { name: 'Domain Name', type: 'string', jsonPath: '.spec.name' },
  { name: 'Record Type', type: 'string', jsonPath: '.spec.recordType' },
  { name: 'Status', type: 'string', jsonPath: '.status.lastOperation.state' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

function crd(
  kind: string,
  scope: 'Namespaced' | 'Cluster',
  fields: Readonly<Record<string, Schema>>,
  version: Schema,
  names: Schema = {},
): Schema {
  const singular = kind.toLowerCase();
  const schema = object({ apiVersion: TEXT, kind: TEXT, metadata: { type: 'object' }, ...fields }, ['spec']);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.extensions.gardener.cloud` },
    spec: {
      group: 'extensions.gardener.cloud',
      scope,
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular, ...names },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    },
  };
}

/** Both types, as one List for kubectl. */
export const GARDENER_CRDS: Schema = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    crd(
      'DNSRecord',
      'Namespaced',
      { spec: DNS_RECORD_SPEC, status: DNS_RECORD_STATUS },
      { subresources: { status: {} }, additionalPrinterColumns: COLUMNS },
      { shortNames: ['dns'] },
    ),
    crd(
      'Cluster',
      'Cluster',
      {
        spec: object({ cloudProfile: ANYTHING, seed: ANYTHING, shoot: ANYTHING }, ['cloudProfile', 'seed', 'shoot']),
      },
      { additionalPrinterColumns: COLUMNS.slice(-1) },
    ),
  ],
};
