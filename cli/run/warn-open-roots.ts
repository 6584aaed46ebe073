// A warning for a cluster whose Zones belong to several namespaces while the configuration names no roots: then anyone who may create a Zone
// may publish every name that no older Zone covers.
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Source } from './requests.ts';

/** Warns once. Reads Zones until it has seen two namespaces; what cannot be read is said by whoever needs it. */
export async function warnOfOpenRoots(
  cluster: Pick<Cluster, 'listPage'>,
  source: Source,
  config: Pick<Config, 'roots'>,
  log: Log,
): Promise<void> {
  if (source.kind !== 'context' || config.roots !== null) return;
  const namespaces = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Cluster['listPage']>> = await cluster.listPage('Zone', null, cursor);
    for (const { ref } of page?.objects ?? []) namespaces.add(ref.namespace);
    cursor = page?.next ?? null;
  } while (cursor !== null && namespaces.size < 2);
  if (namespaces.size < 2) return;
  const [one, two] = [...namespaces].sort();
  log(
    'warn',
    `Namespaces ${one}, ${two} and maybe others have Zones, and no roots are configured: whoever may create a Zone may publish any name that no older Zone covers. Say in zone53.yaml who may have which, such as roots: [{ zone: example.org., namespaces: [NAMESPACE] }]`,
  );
}
