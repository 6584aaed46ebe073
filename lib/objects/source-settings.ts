// The settings of a source: the block of its kind below `sources`, completed from `sources.defaults` and the
// defaults here. All kinds share one type, and each reads the fields that concern it.
import type { Network } from '../dns/rdata/network.ts';
import type { Selector } from './selector.ts';

/** The keys below `sources`, and which kind each enables. The schema and docs/reference.md are made from them. */
export const ENABLED_KINDS = {
  dnsEndpoints: 'DNSEndpoint of externaldns.k8s.io.',
  services: 'Services.',
  ingresses: 'Ingresses of networking.k8s.io.',
  gatewayRoutes: 'Routes of the Gateway API.',
  serviceDiscovery: 'The names of the Kubernetes DNS specification, for machines outside the cluster.',
} as const;
export type SourceKey = keyof typeof ENABLED_KINDS;
export const SOURCE_KEYS = Object.keys(ENABLED_KINDS) as readonly SourceKey[];
/** The keys that can be enabled without any setting. */
export const NAMED_SOURCE_KEYS = SOURCE_KEYS.filter((key) => key !== 'serviceDiscovery');
export type NamedSourceKey = (typeof NAMED_SOURCE_KEYS)[number];

export const SERVICE_TYPES = ['LoadBalancer', 'NodePort', 'ExternalName', 'ClusterIP'] as const;
export const HOSTNAMES_FROM = ['rules', 'tls', 'annotation'] as const;
export const ROUTE_KINDS = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'] as const;

/** The settings of the cluster's own DNS (service discovery). */
export type DiscoverySettings = {
  /** The Zone of the cluster's own DNS, a canonical name. */
  readonly zone: string;
  readonly ttlSeconds: number;
  /** Whether addresses get PTR records. */
  readonly reverse: boolean;
  /** `verified`: running Pods get their deprecated names by IP address. */
  readonly pods: 'none' | 'verified';
  /** Only Services with these labels get names; null: all. */
  readonly serviceSelector: Selector | null;
  /** Minimum time between two updates of a Service whose related objects change. */
  readonly settleSeconds: number;
  /** The guard holds the deletions when a larger share of the Services loses all endpoints within this time. */
  readonly guard: { readonly servicesShareMax: number; readonly windowSeconds: number };
};

export type SourceSettings = {
  /** The namespaces whose objects are read; null: all. */
  readonly namespaces: readonly string[] | null;
  /** null: objects with any labels. */
  readonly labelSelector: Selector | null;
  readonly annotationSelector: Selector | null;
  /** Each ends in `/`. When several prefixes have an annotation, the first in this list counts. */
  readonly annotationPrefixes: readonly string[];
  readonly preferCname: boolean;
  /** The targets of objects without targets of their own. */
  readonly defaultTargets: readonly string[];
  /** The addresses that may be targets: those in a network of `only`, if there is one, and in none of `not`. */
  readonly targets: { readonly only: readonly Network[]; readonly not: readonly Network[] };
  /** The host name of objects that name none. `{name}` and `{namespace}` are replaced. */
  readonly hostnameTemplate: string | null;

  /** For Services: the next four. */
  readonly publishInternal: boolean;
  readonly publishHostIp: boolean;
  readonly excludeUnschedulable: boolean;
  readonly types: readonly (typeof SERVICE_TYPES)[number][];

  /** For Ingresses: the next two. null: Ingresses of all classes. */
  readonly classNames: readonly string[] | null;
  readonly hostnamesFrom: readonly (typeof HOSTNAMES_FROM)[number][];

  /** For Gateway routes: the next three. `gatewayNamespaces` null: Gateways of all namespaces. */
  readonly kinds: readonly (typeof ROUTE_KINDS)[number][];
  readonly gatewayNamespaces: readonly string[] | null;
  /** True: annotations of a Gateway or ListenerSet count for its routes that do not have them. */
  readonly inherit: boolean;

  /** For service discovery; null for all other kinds. */
  readonly discovery: DiscoverySettings | null;
};

/** The settings when the operator sets nothing. */
export const DEFAULT_SETTINGS: SourceSettings = {
  namespaces: null,
  labelSelector: null,
  annotationSelector: null,
  annotationPrefixes: ['external-dns.kubernetes.io/', 'external-dns.alpha.kubernetes.io/'],
  preferCname: false,
  defaultTargets: [],
  targets: { only: [], not: [] },
  hostnameTemplate: null,
  publishInternal: false,
  publishHostIp: false,
  excludeUnschedulable: true,
  types: SERVICE_TYPES,
  classNames: null,
  hostnamesFrom: HOSTNAMES_FROM,
  kinds: ROUTE_KINDS,
  gatewayNamespaces: null,
  inherit: false,
  discovery: null,
};

/** Which objects a webhook tells zone53 of. */
export type WebhookScope = {
  /** `few`: no kinds that a cluster writes all day. Polling finds their changes, and the audit log if it is on. */
  readonly kinds: 'few' | 'all';
  /** null: those of all namespaces but `kube-system`. */
  readonly namespaces: readonly string[] | null;
};

/** What a webhook covers when nothing is configured. */
export const FEW: WebhookScope = { kinds: 'few', namespaces: null };
