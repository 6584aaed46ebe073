// Health checks that zone53 makes. Within the engine a record set names one by its key, which has the namespace and the
// whole configuration, in the place where Route 53 has an id. Equal ones of a namespace have equal keys, so they are
// one health check. lib/health-checks is the only place between key and id.

export const HEALTH_CHECK_PROTOCOLS = ['HTTP', 'HTTPS', 'TCP'] as const;

/** The regions of Route 53's checkers (HealthCheckConfig, Regions). Last verified 2026-11-30. */
export const CHECKER_REGIONS = [
  ...['us-east-1', 'us-west-1', 'us-west-2', 'eu-west-1'],
  ...['ap-southeast-1', 'ap-southeast-2', 'ap-northeast-1', 'sa-east-1'],
] as const;

/** What a health check does. Absent: Route 53's default. */
export type HealthCheck = {
  readonly protocol: (typeof HEALTH_CHECK_PROTOCOLS)[number];
  /** A name without its last dot, or an address. */
  readonly host: string;
  readonly port: number;
  readonly path?: string;
  readonly searchString?: string;
  /** Seconds: 10. */
  readonly interval?: number;
  /** How many checks in a row decide; default 3. */
  readonly threshold?: number;
  readonly inverted?: true;
  /** Sorted. */
  readonly regions?: readonly string[];
  readonly measureLatency?: true;
};

const KEY = /^([a-z0-9-]+)\/(\{.*\})$/s;

/** A health check as one text: equal ones give equal text. */
export function healthCheckText(check: HealthCheck): string {
  const { protocol, host, port, path, searchString, interval, threshold, inverted, regions, measureLatency } = check;
  return JSON.stringify({
    ...{ protocol, host, port, path, searchString, interval, threshold, inverted, regions, measureLatency },
  });
}

/** True if Route 53 can change the one into the other: not its type, its interval, nor whether it measures latency. */
export function canBecome(before: HealthCheck, after: HealthCheck): boolean {
  const fixed = ({ protocol, host, searchString, interval, measureLatency }: HealthCheck) =>
    JSON.stringify([protocol, isHostAddress(host), searchString !== undefined, interval, measureLatency]);
  return fixed(before) === fixed(after);
}

/** True for a host that is an address. No name ends in a number (RFC 1123 §2.1). */
export function isHostAddress(host: string): boolean {
  return host.includes(':') || /\.[0-9]+$/.test(host);
}

/** The id of a health check as a record set of the namespace has it: the key of one that zone53 makes, or the id. */
export function inNamespace(id: string | null, namespace: string): string | null {
  return id?.startsWith('{') === true ? `${namespace}/${id}` : id;
}

/** What a key says; null for the id of a health check that exists. */
export function parseHealthCheckKey(
  key: string | null | undefined,
): { readonly namespace: string; readonly check: HealthCheck } | null {
  const [, namespace, text] = KEY.exec(key ?? '') ?? [];
  return namespace === undefined || text === undefined ? null : { namespace, check: JSON.parse(text) as HealthCheck };
}
