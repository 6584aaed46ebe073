// The settings of a source: its kind's block of `sources` over `sources.defaults`, every default filled in. One shape
// for all kinds: a kind reads its own.
import type { Selector } from './selector.ts';

/** The keys of `sources` under which kinds are read. */
export const SOURCE_KEYS = ['dnsEndpoints', 'services', 'ingresses', 'gatewayRoutes', 'serviceDiscovery'] as const;
export type SourceKey = (typeof SOURCE_KEYS)[number];
/** Those that need nothing but their name. */
export const NAMED_SOURCE_KEYS = SOURCE_KEYS.filter((key) => key !== 'serviceDiscovery');

export const SERVICE_TYPES = ['LoadBalancer', 'NodePort', 'ExternalName', 'ClusterIP'] as const;
export const HOSTNAMES_FROM = ['rules', 'tls', 'annotation'] as const;
export const ROUTE_KINDS = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'] as const;

/** How a cluster's own names are published. */
export type DiscoverySettings = {
  /** The Zone of the names, canonical. */
  readonly zone: string;
  readonly ttlSeconds: number;
  /** Whether addresses have PTR records. */
  readonly reverse: boolean;
  /** `verified`: the deprecated names of running Pods. */
  readonly pods: 'none' | 'verified';
  /** Only Services with these labels; null: whatever their labels. */
  readonly serviceSelector: Selector | null;
  /** Changes of one Service are gathered for so long. */
  readonly settleSeconds: number;
  /** The guard holds deletes where a larger share of the Services loses all endpoints within so many seconds. */
  readonly guard: { readonly servicesShareMax: number; readonly windowSeconds: number };
};

export type SourceSettings = {
  /** Null: objects of every namespace. */
  readonly namespaces: readonly string[] | null;
  /** Null: whatever their labels. */
  readonly labelSelector: Selector | null;
  readonly annotationSelector: Selector | null;
  /** Each with its last character, `/`; the first that has a key counts. */
  readonly annotationPrefixes: readonly string[];
  readonly preferCname: boolean;
  /** For objects that have none of their own. */
  readonly defaultTargets: readonly string[];
  /** For objects that name no host; with `{name}` and `{namespace}`. */
  readonly hostnameTemplate: string | null;

  /** Services. */
  readonly publishInternal: boolean;
  readonly publishHostIp: boolean;
  readonly excludeUnschedulable: boolean;
  readonly types: readonly (typeof SERVICE_TYPES)[number][];

  /** Ingresses. Null: of every class. */
  readonly classNames: readonly string[] | null;
  readonly hostnamesFrom: readonly (typeof HOSTNAMES_FROM)[number][];

  /** Gateway routes. Null: Gateways of every namespace. */
  readonly kinds: readonly (typeof ROUTE_KINDS)[number][];
  readonly gatewayNamespaces: readonly string[] | null;

  /** Service discovery; null for every other key. */
  readonly discovery: DiscoverySettings | null;
};

/** What holds where the operator says nothing. */
export const DEFAULT_SETTINGS: SourceSettings = {
  namespaces: null,
  labelSelector: null,
  annotationSelector: null,
  annotationPrefixes: ['external-dns.kubernetes.io/', 'external-dns.alpha.kubernetes.io/'],
  preferCname: false,
  defaultTargets: [],
  hostnameTemplate: null,
  publishInternal: false,
  publishHostIp: false,
  excludeUnschedulable: true,
  types: SERVICE_TYPES,
  classNames: null,
  hostnamesFrom: HOSTNAMES_FROM,
  kinds: ROUTE_KINDS,
  gatewayNamespaces: null,
  discovery: null,
};
