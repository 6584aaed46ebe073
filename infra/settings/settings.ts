// Reads the whole `zone53.yaml` for a deployment. All problems are reported at once, each with the line and the path of
// its key and what to write.
import type { BudgetProps, GuardProps } from '../../functions/runtime/environment.ts';
import { type AlarmSettings, topicProblems } from '../../lib/adapters/config/alarms-schema.ts';
import { type AwsSettings, awsProblems, awsSchema } from '../../lib/adapters/config/aws-schema.ts';
import { ConfigError, parseConfigText } from '../../lib/adapters/config/config-file.ts';
import { shortForm } from '../../lib/adapters/config/config-schema.ts';
import { type DeployedCluster, parseDeployed } from '../../lib/adapters/config/deployed-config.ts';
import { urlProblems } from '../lambda/function-urls.ts';

/** An external-dns, by the flags with which it writes its TXT records. */
export interface ExternalDnsProps {
  /** Its `--txt-owner-id`. */
  readonly ownerId: string;
  /** @default '' */
  readonly txtPrefix?: string;
  /** @default '' */
  readonly txtSuffix?: string;
  /** @default '' */
  readonly wildcardReplacement?: string;
  /**
   * ARN or name of the secret with its `--txt-encrypt-aes-key`; the publisher may read it.
   *
   * @default - it does not encrypt
   */
  readonly aesKeySecret?: string;
  /**
   * Only `zone53 apply` uses it; a deployment does not.
   *
   * @default false
   */
  readonly deleteUnwanted?: boolean;
}

/** An account of `accounts`, as the props of the construct have it. */
type OtherAccountProps = { readonly role: string; readonly externalId?: string; readonly intents?: boolean };

/** The keys of `zone53.yaml` that are also props of the construct. */
type PipelineSettings = {
  readonly clusterId?: string;
  readonly region?: string;
  readonly sources?: Readonly<Record<string, unknown>>;
  readonly roots: readonly { readonly zone: string; readonly namespaces?: readonly string[] }[];
  readonly hostedZones: readonly {
    readonly zone: string;
    readonly id: string;
    readonly visibility?: 'public' | 'private';
    readonly account?: string;
    readonly view?: string;
  }[];
  readonly soa?: 'created' | 'always' | 'never';
  readonly guard?: GuardProps;
  readonly budget?: BudgetProps;
  readonly takeover?: {
    readonly namespaces?: readonly string[];
    readonly equal?: boolean;
    readonly externalDns?: readonly ExternalDnsProps[];
  };
  readonly intents?: { readonly cluster?: string };
  readonly accounts?: Readonly<Record<string, OtherAccountProps>>;
  readonly views?: Readonly<Record<string, { readonly loadBalancerScheme?: 'internal'; readonly extends?: string }>>;
};

/** A `zone53.yaml` that is missing or invalid. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** A cluster of `clusters`. */
type ClusterOfFile = Pick<DeployedCluster, 'access' | 'events'> & {
  readonly id: string;
  readonly keys: Pick<PipelineSettings, 'roots' | 'sources' | 'takeover'> & {
    readonly standby?: boolean;
    readonly region?: string;
  };
};

/** `clusters`: all of them, if there are several; then `access` and `events` are those of the first one. */
export type Deployment = Pick<DeployedCluster, 'access' | 'events'> & {
  readonly pipeline: PipelineSettings;
  readonly clusters: readonly ClusterOfFile[] | null;
  readonly alarms: AlarmSettings;
  readonly observability: 'full' | 'lean';
  readonly aws: AwsSettings;
};

/** Parses a whole `zone53.yaml`. Throws a ConfigurationError that lists every problem with its line and its key. */
export function parseDeployment(source: string, file: string): Deployment {
  try {
    const { value, errorOf } = parseConfigText(source, file);
    const short = shortForm(value);
    const { aws: written, access: _, events: __, alarms: told, observability, clusters: many, ...pipeline } = short;
    const aws = withoutNulls(written, 1);
    const deployed = parseDeployed(value);
    const problems = [...(deployed.ok ? [] : deployed.problems), ...awsProblems(aws)];
    if (!deployed.ok || problems.length > 0) throw errorOf(problems);
    const [{ access, events }] = deployed.clusters;
    const settings = awsSchema.parse(aws);
    const alarms = (withoutNulls(told, 1) ?? {}) as AlarmSettings;
    const unfit = [
      ...topicProblems(alarms, settings.region).map(({ key, message }) => ({ path: ['alarms', key], message })),
      ...deployed.clusters.flatMap(({ config, events, at }) =>
        urlProblems(settings.region, { ...events, intents: config.intents !== null }).map((one) => ({
          ...one,
          path: one.path[0] === 'events' ? [...at, ...one.path] : one.path,
        })),
      ),
    ];
    if (unfit.length > 0) throw errorOf(unfit.map((one) => ({ ...one, unknownKey: false })));
    return {
      ...{ pipeline: withoutNulls(pipeline, 0) as PipelineSettings, access, events, alarms, aws: settings },
      clusters: many === undefined ? null : deployed.clusters.map((one) => clusterOf(one, many as Clusters)),
      observability: observability === 'lean' ? 'lean' : 'full',
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigurationError(`Cannot deploy ${file}:\n${error.message.replaceAll(/^/gm, '  ')}`);
  }
}

/** The clusters of a valid file. */
type Clusters = Readonly<Record<string, ClusterOfFile['keys']>>;
/** What is given in another form. */
type Mapped = { readonly access?: unknown; readonly events?: unknown };

function clusterOf({ config, access, events }: DeployedCluster, clusters: Clusters): ClusterOfFile {
  const id = config.clusterId;
  const { access: _, events: __, ...keys } = withoutNulls(clusters[id], 0) as ClusterOfFile['keys'] & Mapped;
  return { id, access, events, keys };
}

/** `key:` without a value means the same as no key, also in mappings to this depth. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, of]) => of !== null);
  return Object.fromEntries(kept.map(([key, of]) => [key, depth > 0 ? withoutNulls(of, depth - 1) : of]));
}
