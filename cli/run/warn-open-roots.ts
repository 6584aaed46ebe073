// Warns when Zones of several namespaces exist and the configuration has no roots. Then anybody who may create a Zone
// may publish every name that no Zone of another namespace covers.
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import type { Source } from './requests.ts';

export type OpenRootsWatcher = {
  /** Reads Zones until two namespaces are seen. Throws when they cannot be read. */
  look(): Promise<void>;
  /** Reads again if a hint names a Zone of another namespace. */
  follow(hints: readonly Hint[]): Promise<void>;
};

/** Makes a watcher that warns once. */
export function openRootsWatcher(
  cluster: Pick<Cluster, 'listPage'>,
  source: Source,
  config: Pick<Config, 'roots'>,
  log: Log,
): OpenRootsWatcher {
  let isDone = source.kind !== 'context' || config.roots !== null;
  let seen: ReadonlySet<string> = new Set();
  const look = async () => {
    if (isDone) return;
    seen = await namespacesWithZones(cluster);
    const [one, two] = [...seen].sort();
    if (isDone || two === undefined) return;
    isDone = true;
    log(
      'warn',
      `Namespaces ${one}, ${two} and maybe others have Zones, and no roots are configured: whoever may create a Zone may publish any name that no Zone of another namespace covers. Declare in zone53.yaml which namespaces may have which names, such as roots: [{ zone: example.org., namespaces: [NAMESPACE] }]`,
    );
  };
  return {
    look,
    follow: async (hints) => {
      const isNew = ({ kind, namespace }: Hint) => kind === 'Zone' && namespace !== null && !seen.has(namespace);
      // An error is ignored: the next hint about such a Zone reads again.
      if (hints.some(isNew)) await look().catch(() => {});
    },
  };
}

/** The namespaces that have Zones; it stops reading at two. */
async function namespacesWithZones(cluster: Pick<Cluster, 'listPage'>): Promise<ReadonlySet<string>> {
  const namespaces = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Cluster['listPage']>> = await cluster.listPage('Zone', null, cursor);
    for (const { ref } of page?.objects ?? []) namespaces.add(ref.namespace);
    cursor = page?.next ?? null;
  } while (cursor !== null && namespaces.size < 2);
  return namespaces;
}
