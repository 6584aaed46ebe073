// The configuration of a deployment: as `zone53.yaml`, but it must say who may have a root, which hosted zones there
// are, and where the API server is. The functions and the constructs judge by it.
import { type Config, DEFAULT_CONFIG } from '../../ports/config.ts';
import type { ClusterAccess } from './access-schema.ts';
import {
  type ConfigPath,
  type ConfigProblem,
  type DeploymentSettings,
  formatConfigPath,
  parseEachCluster,
} from './config-schema.ts';

/** `at`: the path of the keys of the cluster. */
export type DeployedCluster = {
  readonly config: Config;
  readonly access: ClusterAccess;
  readonly events: DeploymentSettings['events'];
  readonly at: ConfigPath;
};

/** Every cluster that is served. */
export type DeployedConfig = { readonly clusters: readonly [DeployedCluster, ...DeployedCluster[]] };

export type DeployedResult =
  | ({ readonly ok: true } & DeployedConfig)
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Parses the configuration of a deployment. Returns all problems at once. */
export function parseDeployed(value: unknown): DeployedResult {
  const parsed = parseEachCluster(value);
  if (!parsed.ok) return parsed;
  const problems: ConfigProblem[] = [];
  const clusters: DeployedCluster[] = [];
  for (const { config, deployment } of parsed.clusters) {
    const { access, events, at } = deployment;
    problems.push(...rootProblems(config, at), ...keyProblems(config, at));
    if (access !== null) clusters.push({ config, access, events, at });
    else problems.push(problem([...at, 'access'], MISSING_ACCESS));
  }
  problems.push(...zoneProblems(parsed.clusters.map(({ config }) => config)), ...endpointProblems(clusters));
  const [first, ...others] = clusters;
  return first === undefined || problems.length > 0
    ? { ok: false, problems }
    : { ok: true, clusters: [first, ...others] };
}

const MISSING_ACCESS =
  'missing: write where the API server is, such as { eks: prod, endpoint: https://…, certificateAuthority: LS0t… }';

function problem(path: ConfigPath, message: string): ConfigProblem {
  return { path, message, unknownKey: false };
}

/** The clusters of a deployment have one endpoint. The audit log of an EKS cluster is known by its name. */
function endpointProblems(clusters: readonly DeployedCluster[]): readonly ConfigProblem[] {
  const [first] = clusters.filter(({ events }) => events.webhook !== null);
  const audited = new Set<string>();
  return clusters.flatMap(({ access, events: { webhook, auditLog }, at }) => {
    const problems: ConfigProblem[] = [];
    const { front, auth } = first?.events.webhook ?? {};
    if (webhook !== null && (webhook.front !== front || webhook.auth !== auth)) {
      const message = `the clusters of a deployment have one endpoint, and it is { front: ${front}, auth: ${auth} } for ${first?.config.clusterId}: write the same`;
      problems.push(problem([...at, 'events', 'webhook'], message));
    }
    if (auditLog && access.kind === 'eks') {
      if (audited.has(access.clusterName)) {
        const message = `another cluster reads the audit log of EKS cluster ${access.clusterName} already: remove it`;
        problems.push(problem([...at, 'events', 'auditLog'], message));
      }
      audited.add(access.clusterName);
    }
    return problems;
  });
}

function rootProblems({ roots }: Config, at: ConfigPath): readonly ConfigProblem[] {
  if (roots !== null) return [];
  const message =
    'missing, and without it anybody who may create a Zone could publish any name: write a list such as [{ zone: example.org., namespaces: [platform] }]';
  return [problem([...at, 'roots'], message)];
}

function zoneProblems(clusters: readonly Config[]): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const { hostedZones, createHostedZones } = clusters[0] ?? DEFAULT_CONFIG;
  const hasSeed = clusters.some(({ dnsRecords }) => dnsRecords !== null);
  // A DNSRecord brings the account and the hosted zone, so a seed without Zones needs none here.
  if (hostedZones.length === 0 && !hasSeed) {
    const message =
      'missing, and the publisher may change only those that are listed: write a list such as [{ zone: example.org., id: Z0123456789ABCDEFGHIJ }]';
    problems.push(problem(['hostedZones'], message));
  }
  for (const [index, { id, zone }] of hostedZones.entries()) {
    const first = hostedZones.findIndex((other) => other.id === id);
    if (first === index) continue;
    const message = `${id} is the hosted zone of ${hostedZones[first]?.zone} already, in hostedZones[${first}]: write that of ${zone}`;
    problems.push(problem(['hostedZones', index, 'id'], message));
  }
  if (createHostedZones === 'all') {
    const message =
      'all needs rights over hosted zones that no policy can name beforehand: write never, create the hosted zone, and list it under hostedZones';
    problems.push(problem(['createHostedZones'], message));
  }
  return problems;
}

/** A key of external-dns in a variable of the environment is for commands: the functions have no such variable. */
function keyProblems({ takeover }: Config, at: ConfigPath): readonly ConfigProblem[] {
  return takeover.externalDns.flatMap(({ aesKeySecret }, index) => {
    if (aesKeySecret?.startsWith('env:') !== true) return [];
    const message = `the functions have no variable ${aesKeySecret.slice('env:'.length)}: write the ARN or name of a secret`;
    return [problem([...at, 'takeover', 'externalDns', index, 'aesKeySecret'], message)];
  });
}

/** A problem in one line, where no file has it. */
export function formatConfigProblem({ path, message, other }: ConfigProblem): string {
  const at = formatConfigPath(path);
  const beside = other === undefined ? '' : ` (${formatConfigPath(other)})`;
  return `${at === '' ? message : `${at}: ${message}`}${beside}`;
}
