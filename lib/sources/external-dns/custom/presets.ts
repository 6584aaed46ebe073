// Rows of `sources.custom` for kinds that many clusters have. The configuration names one with `preset`, and may
// replace each of its fields. Names and targets are those that external-dns gives for the same object.
import type { CustomRow } from './custom-source.ts';

/** The addresses of a Service: `externalIPs`, or those of its load balancer. */
const ADDRESSES_OF_SERVICE =
  'size(related.spec.?externalIPs.orValue([])) > 0 ? related.spec.externalIPs ' +
  ': related.status.?loadBalancer.?ingress.orValue([]).map(i, [i.?ip, i.?hostname])';

/** The Service of Istio's default installation. */
const ISTIO_SERVICE = {
  ...{ group: '', version: 'v1', resource: 'services', kind: 'Service' },
  namespace: "'istio-system'",
  name: "'istio-ingressgateway'",
};

export const PRESETS = {
  'istio-gateway': {
    ...{ group: 'networking.istio.io', version: 'v1', resource: 'gateways', kind: 'Gateway' },
    key: 'istioGateways',
    // A host may have the form namespace/host.
    names:
      'object.spec.?servers.orValue([]).map(s, s.?hosts.orValue([]).map(h, h.split("/")).map(p, p[p.size() - 1]))' +
      '.map(l, l.filter(h, h != "*"))',
    targets: ADDRESSES_OF_SERVICE,
    related: ISTIO_SERVICE,
  },
  'istio-virtualservice': {
    ...{ group: 'networking.istio.io', version: 'v1', resource: 'virtualservices', kind: 'VirtualService' },
    key: 'istioVirtualServices',
    // Without a gateway, or with the gateway mesh alone, it is for the traffic within the mesh.
    names:
      'object.spec.?gateways.orValue([]).exists(g, g != "mesh") ? object.spec.?hosts.orValue([]).filter(h, h != "*") : []',
    targets: ADDRESSES_OF_SERVICE,
    related: ISTIO_SERVICE,
  },
  'traefik-ingressroute': {
    ...{ group: 'traefik.io', version: 'v1alpha1', resource: 'ingressroutes', kind: 'IngressRoute' },
    key: 'traefikIngressRoutes',
    // The hosts in Host(`a.example.org`, `b.example.org`) of the rules, in HostHeader(…), and in HostSNI(…) of an
    // IngressRouteTCP, in backticks or double quotes. An IngressRouteUDP has no rules.
    names:
      'object.spec.?routes.orValue([]).map(r, r.?match.orValue("")).join(" ").split("\\"").join("`").split("Host")' +
      '.filter(p, p.split("`")[0].trim() in ["(", "Header(", "SNI("])' +
      '.map(p, p.split(")")[0].split("`").filter(h, h.contains(".")))',
    // The object has no address: those of the annotation target, or defaultTargets.
    targets: '[]',
  },
  'contour-httpproxy': {
    ...{ group: 'projectcontour.io', version: 'v1', resource: 'httpproxies', kind: 'HTTPProxy' },
    key: 'contourHTTPProxies',
    names: 'object.spec.?virtualhost.?fqdn',
    targets: 'object.status.?loadBalancer.?ingress.orValue([]).map(i, [i.?ip, i.?hostname])',
    ready: 'object.status.?currentStatus.orValue("") == "valid"',
  },
  'openshift-route': {
    ...{ group: 'route.openshift.io', version: 'v1', resource: 'routes', kind: 'Route' },
    key: 'openshiftRoutes',
    names: 'object.spec.?host',
    targets:
      'object.status.?ingress.orValue([])' +
      '.filter(i, i.?conditions.orValue([]).exists(c, c.type == "Admitted" && c.status == "True"))' +
      '.map(i, i.?routerCanonicalHostname)',
  },
} as const satisfies Readonly<Record<string, CustomRow>>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[] as readonly [PresetName, ...PresetName[]];
