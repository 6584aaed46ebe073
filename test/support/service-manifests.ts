// Services, EndpointSlices, Pods and Nodes as manifests have them, for the tests of the source.
/** No endpoints, and nothing invalid, no problems, no waits. */
export const NOTHING = { endpoints: [], invalid: [], problems: [], waits: [] };

/** A Service web with annotations under the new prefix. */
export function service(
  spec: unknown,
  annotations: Readonly<Record<string, string>> = { hostname: 'web.example.org' },
  status: unknown = {},
) {
  const keys = Object.entries(annotations).map(([key, value]) => [`external-dns.kubernetes.io/${key}`, value]);
  return { metadata: { name: 'web', namespace: 'shop', annotations: Object.fromEntries(keys) }, spec, status };
}

/** An EndpointSlice of the Service web. */
export function slice(name: string, endpoints: readonly unknown[], addressType = 'IPv4', namespace = 'shop') {
  return {
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType,
    endpoints,
  };
}

/** An endpoint of a slice with a Pod behind it. */
export function pod(name: string, ip: string, more: object = {}) {
  return { addresses: [ip], targetRef: { kind: 'Pod', namespace: 'shop', name }, ...more };
}

/** A Node with addresses by their types. */
export function node(name: string, addresses: Readonly<Record<string, readonly string[]>>, more: object = {}) {
  const all = Object.entries(addresses).flatMap(([type, list]) => list.map((address) => ({ type, address })));
  return { kind: 'Node', metadata: { name }, status: { addresses: all }, ...more };
}
