// The operator's configuration: the shape of `zone53.yaml`, of the CDK construct's props and of the Lambda
// functions' environment, with all defaults filled in and all names canonical.
import { inView, PUBLIC } from '../dns/names/view.ts';
import { TAKEOVER_ANNOTATION } from '../objects/annotations.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import type { SourcesOn } from '../objects/source.ts';
import { DEFAULT_SETTINGS, type SourceSettings } from '../objects/source-settings.ts';
import { type BudgetLimits, DEFAULT_BUDGET } from './budget-limits.ts';
import { type GuardLimits, guardSettings } from './guard-limits.ts';

export type Config = {
  readonly clusterId: string;
  /** The clusters of the configuration that are on standby, this one among them or not. */
  readonly standby: readonly string[];
  /** The AWS region of the cluster; null: it has none. */
  readonly region: string | null;
  /** null: `roots` is not set. Then every Zone with a fully qualified name that no live Zone adopts is a root. */
  readonly roots: readonly RootRule[] | null;
  /** Without `visibility`, Route 53 is asked whether the hosted zone is public or private. */
  readonly hostedZones: readonly {
    readonly zone: string;
    readonly id: string;
    readonly visibility?: 'public' | 'private';
    /** The account, of `accounts`, that has it. Absent: the stack's own. */
    readonly account?: string;
    /** Absent: the public one. */
    readonly view?: string;
    /** The cluster whose Zone its SOA follows. Absent: the one that used it first. */
    readonly lead?: string;
  }[];
  /** Which view extends which other one. */
  readonly extendedViews: Readonly<Record<string, string>>;
  /** Other AWS accounts that have hosted zones, by name. */
  readonly accounts: Readonly<Record<string, AccountSettings>>;
  readonly createHostedZones: 'never' | 'all';
  /** Which hosted zones get the Zone's timers in their SOA: those that zone53 created, all, or none. */
  readonly soa: 'created' | 'always' | 'never';
  readonly guard: GuardLimits;
  /** null: no intent API is deployed. */
  readonly intents: Readonly<Record<never, never>> | null;
  readonly budget: BudgetLimits;
  /** The kinds that are read besides Zone and Record, by their key. */
  readonly sources: SourcesOn;
  /** The settings of a kind that sets none of its own. */
  readonly sourceDefaults: SourceSettings;
  /** The settings for the DNSRecords of a Gardener seed; null: they are not served. */
  readonly dnsRecords: DnsRecordSettings | null;
  readonly history: HistoryConfig;
  /** Whether objects show the condition Propagated. */
  readonly propagation: boolean;
  readonly healthChecks: HealthCheckQuota;
  readonly takeover: {
    /** The namespaces whose Zones may take over foreign record sets by annotation; null: all namespaces. */
    readonly namespaces: readonly string[] | null;
    /** Whether objects of these namespaces take over, without an annotation, what already has the content they want. */
    readonly equal: boolean;
    readonly externalDns: readonly ExternalDnsTakeover[];
  };
};

/** How many health checks zone53 makes for each namespace. `namespaces`: those that may have some; null: all. */
export type HealthCheckQuota = { readonly max: number; readonly namespaces: readonly string[] | null };

/** How zone53 works in another AWS account. `intents`: a DNS Update Record may name the role. */
export type AccountSettings = {
  readonly role: string;
  readonly externalId: string | null;
  readonly intents: boolean;
};

/** The roles that a DNS Update Record may name. */
export function intentRoles({ accounts }: Pick<Config, 'accounts'>): readonly string[] {
  return Object.values(accounts).flatMap(({ role, intents }) => (intents ? [role] : []));
}

/** How the DNSRecords of a Gardener seed are served. */
export type DnsRecordSettings = {
  readonly classes: readonly string[];
  /** Whether record sets at a DNSRecord's name are overwritten and deleted even when zone53 did not write them. */
  readonly takeover: boolean;
  /** The namespaces whose Secrets may be read; null: all. */
  readonly secretNamespaces: readonly string[] | null;
  /** The AWS region of STS when neither the DNSRecord nor its Secret names one. */
  readonly defaultRegion: string;
  /** Whether every new generation is reconciled, also without the operation annotation. */
  readonly ignoreOperationAnnotation: boolean;
  /** Calls to Route 53 per second, for each account. */
  readonly requestsPerSecond: number;
};

/** How long the history is kept; 0: not at all. `users`: it names who asked for a change, as the API server says. */
export type HistoryConfig = { readonly days: number; readonly users: boolean };

export const DEFAULT_HISTORY: HistoryConfig = { days: 90, users: false };

const DAY_MS = 86_400_000;

/** Until when an entry of this moment is shown. */
export function historyEndMs({ days }: Pick<HistoryConfig, 'days'>, atMs: number): number {
  return atMs + days * DAY_MS;
}

export const DEFAULT_DNS_RECORDS: DnsRecordSettings = {
  classes: ['shoot'],
  takeover: false,
  secretNamespaces: null,
  defaultRegion: 'us-west-2',
  ignoreOperationAnnotation: false,
  requestsPerSecond: 1,
};

/** An external-dns whose record sets may be taken over: its `--txt-owner-id`, and how it writes its TXT records. */
export type ExternalDnsTakeover = {
  readonly ownerId: string;
  readonly txtPrefix: string;
  readonly txtSuffix: string;
  readonly wildcardReplacement: string;
  /** The `--txt-encrypt-aes-key`: ARN or name of a secret, or `env:NAME`. null: external-dns does not encrypt. */
  readonly aesKeySecret: string | null;
  /** Whether `apply` deletes the record sets that this external-dns owns and that no object wants any more. */
  readonly deleteUnwanted: boolean;
};

/** The name of a configured hosted zone, in its view. */
export function hostedZoneName({ zone, view = PUBLIC }: Config['hostedZones'][number]): string {
  return inView(zone, view);
}

/** The views of the configuration, the public one first. */
export function viewsOf({ hostedZones }: Pick<Config, 'hostedZones'>): readonly string[] {
  return [...new Set([PUBLIC, ...hostedZones.map(({ view = PUBLIC }) => view)])];
}

/** The configuration of an operator who sets nothing. */
export const DEFAULT_CONFIG: Config = {
  clusterId: 'default',
  standby: [],
  region: null,
  roots: null,
  hostedZones: [],
  extendedViews: {},
  accounts: {},
  createHostedZones: 'never',
  soa: 'created',
  guard: guardSettings({}),
  intents: null,
  budget: DEFAULT_BUDGET,
  takeover: { namespaces: null, equal: false, externalDns: [] },
  sources: {},
  sourceDefaults: DEFAULT_SETTINGS,
  dnsRecords: null,
  history: DEFAULT_HISTORY,
  propagation: true,
  healthChecks: { max: 0, namespaces: null },
};

/** Zone and TTL of the cluster's own DNS (service discovery); null when it is not published. */
export function clusterDnsOf({
  sources,
}: Pick<Config, 'sources'>): { readonly zone: string; readonly ttlSeconds: number } | null {
  return sources.serviceDiscovery?.discovery ?? null;
}

/** The limits of the guard, with those of service discovery when that is published. */
export function guardLimitsOf({ guard, sources }: Pick<Config, 'guard' | 'sources'>): GuardLimits {
  const discovery = sources.serviceDiscovery?.discovery ?? null;
  if (discovery === null) return guard;
  const { servicesShareMax, windowSeconds } = discovery.guard;
  return { ...guard, services: { zone: discovery.zone, shareMax: servicesShareMax, windowMs: windowSeconds * 1_000 } };
}

/**
 * True when a Zone may take over foreign record sets: its annotation asks for it, and the operator allows its
 * namespace. RBAC cannot decide this, because whoever may edit a Zone may edit its annotations.
 */
export function mayTakeOver(
  { takeover: { namespaces } }: { readonly takeover: Pick<Config['takeover'], 'namespaces'> },
  zone: { readonly ref: { readonly namespace: string }; readonly takeover: boolean },
): boolean {
  return zone.takeover && (namespaces === null || namespaces.includes(zone.ref.namespace));
}

/** True if these objects, as "Record ns/name", may take over a record set that already is as they want it. */
export function mayTakeEqual(
  { takeover: { equal, namespaces } }: { readonly takeover: Pick<Config['takeover'], 'equal' | 'namespaces'> },
  objects: readonly string[],
): boolean {
  if (!equal || namespaces === null) return equal;
  return objects.every((object) => namespaces.includes(parseRef(object).namespace));
}

/** The note on a Zone whose annotation asks for takeover although the operator does not allow it; null for others. */
export function refusedTakeover(config: Parameters<typeof mayTakeOver>[0], zone: Parameters<typeof mayTakeOver>[1]) {
  if (!zone.takeover || mayTakeOver(config, zone)) return null;
  return `its annotation ${TAKEOVER_ANNOTATION} has no effect: takeover.namespaces of the configuration does not list namespace ${zone.ref.namespace}`;
}
