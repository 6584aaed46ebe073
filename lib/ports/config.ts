// The operator's configuration, as the use cases see it: the shape of `zone53.yaml`, of the CDK construct's props and
// of the functions' environment, with every default filled in and every name canonical.
import { TAKEOVER_ANNOTATION } from '../objects/annotations.ts';
import type { RootRule } from '../objects/root-rule.ts';
import { DEFAULT_SETTINGS, type SourceKey, type SourceSettings } from '../objects/source-settings.ts';
import { type GuardLimits, guardSettings } from './guard-limits.ts';

export type Config = {
  readonly clusterId: string;
  /** null: no `roots` key at all, every Zone with a fully qualified name that no live Zone adopts is a root. */
  readonly roots: readonly RootRule[] | null;
  /** Route 53 is asked for the visibility where there is none. */
  readonly hostedZones: readonly {
    readonly zone: string;
    readonly id: string;
    readonly visibility?: 'public' | 'private';
  }[];
  readonly createHostedZones: 'never' | 'all';
  /** The hosted zones whose SOA gets the Zone's timers: those that zone53 made, all, or none. */
  readonly soa: 'created' | 'always' | 'never';
  readonly guard: GuardLimits;
  /** Null: no intent API is deployed. */
  readonly intents: { readonly assumeRoles: readonly string[] } | null;
  readonly budget: { readonly callsPerSecond: number; readonly reservedForOthers: number };
  /** The kinds that are read beside Zone and Record, by their key. */
  readonly sources: Readonly<Partial<Record<SourceKey, SourceSettings>>>;
  /** What holds for a kind that says nothing else. */
  readonly sourceDefaults: SourceSettings;
  /** DNSRecords of a Gardener seed; null: they are not served. */
  readonly dnsRecords: DnsRecordSettings | null;
  readonly takeover: {
    /** The namespaces whose Zones may take over what is not ours, by their annotation; null: every one. */
    readonly namespaces: readonly string[] | null;
    readonly externalDns: readonly ExternalDnsTakeover[];
  };
};

/** How the DNSRecords of a Gardener seed are served. */
export type DnsRecordSettings = {
  readonly classes: readonly string[];
  /** What stands at a name is overwritten and deleted, whoever wrote it. */
  readonly takeover: boolean;
  /** Where Secrets may be read; null: anywhere. */
  readonly secretNamespaces: readonly string[] | null;
  /** Of STS, where neither DNSRecord nor Secret names one. */
  readonly defaultRegion: string;
  /** Every new generation is reconciled, annotated or not. */
  readonly ignoreOperationAnnotation: boolean;
  /** Calls of Route 53 a second, for each account. */
  readonly requestsPerSecond: number;
};

export const DEFAULT_DNS_RECORDS: DnsRecordSettings = {
  classes: ['shoot'],
  takeover: false,
  secretNamespaces: null,
  defaultRegion: 'us-west-2',
  ignoreOperationAnnotation: false,
  requestsPerSecond: 1,
};

/** An external-dns that may be taken over from: its `--txt-owner-id`, and how it writes its TXT records. */
export type ExternalDnsTakeover = {
  readonly ownerId: string;
  readonly txtPrefix: string;
  readonly txtSuffix: string;
  readonly wildcardReplacement: string;
  /** ARN or name of a secret with `--txt-encrypt-aes-key`, or `env:NAME`; null: it does not encrypt. */
  readonly aesKeySecret: string | null;
  /** What it owns and nothing wants any more is deleted by `apply`. */
  readonly deleteUnwanted: boolean;
};

/** What holds where the operator says nothing. */
export const DEFAULT_CONFIG: Config = {
  clusterId: 'default',
  roots: null,
  hostedZones: [],
  createHostedZones: 'never',
  soa: 'created',
  guard: guardSettings({}),
  intents: null,
  budget: { callsPerSecond: 5, reservedForOthers: 1 },
  takeover: { namespaces: null, externalDns: [] },
  sources: {},
  sourceDefaults: DEFAULT_SETTINGS,
  dnsRecords: null,
};

/** The DNS of the cluster, where it is published; null where it is not. */
export function clusterDnsOf({
  sources,
}: Pick<Config, 'sources'>): { readonly zone: string; readonly ttlSeconds: number } | null {
  return sources.serviceDiscovery?.discovery ?? null;
}

/** What the guard lets through. */
export function guardLimitsOf({ guard, sources }: Pick<Config, 'guard' | 'sources'>): GuardLimits {
  const discovery = sources.serviceDiscovery?.discovery ?? null;
  if (discovery === null) return guard;
  const { servicesShareMax, windowSeconds } = discovery.guard;
  return { ...guard, services: { zone: discovery.zone, shareMax: servicesShareMax, windowMs: windowSeconds * 1_000 } };
}

/**
 * Whether a Zone may take over record sets that are not ours: its annotation asks for it, and the operator allows its
 * namespace. (RBAC cannot: who may edit a Zone may edit its annotations.)
 */
export function mayTakeOver(
  { takeover: { namespaces } }: { readonly takeover: Pick<Config['takeover'], 'namespaces'> },
  zone: { readonly ref: { readonly namespace: string }; readonly takeover: boolean },
): boolean {
  return zone.takeover && (namespaces === null || namespaces.includes(zone.ref.namespace));
}

/** The note on a Zone that asks for takeover by annotation without the operator's leave; null for any other. */
export function refusedTakeover(config: Parameters<typeof mayTakeOver>[0], zone: Parameters<typeof mayTakeOver>[1]) {
  if (!zone.takeover || mayTakeOver(config, zone)) return null;
  return `its annotation ${TAKEOVER_ANNOTATION} has no effect: takeover.namespaces of the configuration does not list namespace ${zone.ref.namespace}`;
}
