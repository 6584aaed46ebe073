// The configuration of a deployment: as `zone53.yaml`, but it must say who may have a root, which hosted zones there
// are, and where the API server is. The functions and the constructs judge by it.
import { type Config, DEFAULT_CONFIG } from '../../ports/config.ts';
import type { ClusterAccess } from './access-schema.ts';
import {
  type ConfigPath,
  type ConfigProblem,
  type DeploymentSettings,
  formatConfigPath,
  parseConfigValue,
} from './config-schema.ts';

export type DeployedConfig = {
  readonly config: Config;
  readonly access: ClusterAccess;
  readonly events: DeploymentSettings['events'];
};

/** `at`: the path of the keys of the cluster. */
export type DeployedResult =
  | ({ readonly ok: true; readonly at: ConfigPath } & DeployedConfig)
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Parses the configuration of a deployment. Returns all problems at once. */
export function parseDeployed(value: unknown): DeployedResult {
  const parsed = parseConfigValue(value, DEFAULT_CONFIG, 'first');
  if (!parsed.ok) return parsed;
  const { config, deployment, clusterIds } = parsed;
  const { access, events, at } = deployment;
  const problems = [
    ...clusterProblems(clusterIds),
    ...rootProblems(config, at),
    ...zoneProblems(config),
    ...keyProblems(config, at),
  ];
  if (access !== null && problems.length === 0) return { ok: true, config, access, events, at };
  const missing =
    'missing: write where the API server is, such as { eks: prod, endpoint: https://…, certificateAuthority: LS0t… }';
  return { ok: false, problems: access === null ? [...problems, problem([...at, 'access'], missing)] : problems };
}

function problem(path: ConfigPath, message: string): ConfigProblem {
  return { path, message, unknownKey: false };
}

/** The functions and the construct serve one cluster; only the commands serve several. */
function clusterProblems([first, ...others]: readonly string[]): readonly ConfigProblem[] {
  return others.map((id) => ({
    path: ['clusters', id],
    message: `a deployment serves one cluster, and ${first} is there: write a file for each deployment. Several clusters with one ledger are for plan and apply with --cluster`,
    unknownKey: true,
  }));
}

function rootProblems({ roots }: Config, at: ConfigPath): readonly ConfigProblem[] {
  if (roots !== null) return [];
  const message =
    'missing, and without it anybody who may create a Zone could publish any name: write a list such as [{ zone: example.org., namespaces: [platform] }]';
  return [problem([...at, 'roots'], message)];
}

function zoneProblems({ hostedZones, createHostedZones, dnsRecords }: Config): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  // A DNSRecord brings the account and the hosted zone, so a seed without Zones needs none here.
  if (hostedZones.length === 0 && dnsRecords === null) {
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
