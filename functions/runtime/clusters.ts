// The clusters that a deployment serves. Each has its own configuration, API server, queues and log lines. With one
// cluster nothing says which one: its messages and log lines are as if there could be no other.
import { clusterSecret } from '../../lib/adapters/aws/cluster-secret.ts';
import type { DeployedCluster } from '../../lib/adapters/config/deployed-config.ts';
import { type Config, DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Configuration } from './configuration.ts';
import { tag as tagAll, log as toAll } from './wire.ts';

/** Adds fields to log lines from now on. */
type Tag = (fields: Readonly<Record<string, unknown>>) => void;

export type ServedCluster = DeployedCluster & {
  /** The mark of its messages; null where there is no other cluster. */
  readonly mark: string | null;
  readonly log: Log;
  readonly tag: Tag;
};

/** What `make` makes for each cluster, by its id. */
export async function eachCluster<Made>(
  { clusters }: Pick<Configuration, 'clusters'>,
  make: (cluster: ServedCluster) => Promise<Made> | Made,
): Promise<ReadonlyMap<string, Made>> {
  const made = new Map<string, Made>();
  for (const one of clusters) {
    const { clusterId } = one.config;
    const told = clusters.length === 1 ? { mark: null, log: toAll, tag: tagAll } : marked(clusterId, toAll);
    made.set(clusterId, await make({ ...one, ...told }));
  }
  return made;
}

/** Clusters are served at the same time, so each has its own tags. */
function marked(cluster: string, log: Log): Pick<ServedCluster, 'mark' | 'log' | 'tag'> {
  let tags: Readonly<Record<string, unknown>> = {};
  return {
    mark: cluster,
    tag: (fields) => {
      tags = { ...tags, ...fields };
    },
    log: (level, message, fields) => log(level, message, { cluster, ...tags, ...fields }),
  };
}

/**
 * The configuration for what a cluster published that the configuration does not have any more: nobody reads it, but
 * what others wait for moves to them.
 */
export function withoutCluster(config: Config, clusterId: string): Config {
  const { sources, takeover, intents, dnsRecords } = DEFAULT_CONFIG;
  return { ...config, clusterId, sources, takeover, intents, dnsRecords };
}

/**
 * Reads the secrets that senders show: those of the stack where the path names no cluster, else those that are made of
 * them for the cluster.
 */
export function senderSecrets(ofStack: () => Promise<readonly string[]>) {
  return async (cluster: string | null): Promise<readonly string[]> => {
    const secrets = await ofStack();
    return cluster === null ? secrets : secrets.map((secret) => clusterSecret(secret, cluster));
  };
}
