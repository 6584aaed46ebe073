// Refuses to read another cluster than the one that the ledger knows by this id: the objects of the one would count as
// gone, and their names would be deleted. A cluster is known by the uid of its namespace `kube-system`, which nobody
// can choose. The ledger has the uid of the first reading, until `zone53 clusters rebuilt`.
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import type { Seed } from '../ports/seed/seed.ts';
import { knownUid } from '../record-sets/cluster-item.ts';

/** For so long a cluster that was found to be the known one is not asked again. */
const ASKED_AGAIN_MS = 60_000;

/** Nothing was read, and nothing changes. */
class OtherClusterError extends Error {
  constructor(cluster: string, uid: string, known: string) {
    super(
      `cluster "${cluster}" is another one than before, so nothing is read of it and nothing changes: its namespace kube-system has the uid ${uid}, and the ledger knows ${known}. If it was built anew, run "zone53 clusters rebuilt ${cluster}" over the same ledger (--state or --table). If these are two clusters, give each an id of its own`,
    );
    this.name = 'OtherClusterError';
  }
}

/** Resolves if the cluster is the one that the ledger knows. @throws OtherClusterError */
export type ClusterCheck = () => Promise<void>;

type Knowing = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a first reading is noted. */
  readonly isNoted: boolean;
};

/** Makes the check, which asks the cluster once a minute at most. Null: its objects are files, which have no uid. */
export function clusterCheck(
  { clusterId, uid: readUid }: Pick<Cluster, 'clusterId' | 'uid'>,
  { ledger, clock, log, isNoted }: Knowing,
): ClusterCheck | null {
  if (readUid === undefined) return null;
  let asked: { readonly atMs: number; readonly answer: Promise<void> } | null = null;
  let isSaid = false;
  const judge = async (): Promise<void> => {
    const uid = await readUid();
    if (uid === null) {
      if (!isSaid)
        log('info', 'it is not known whether this is the same cluster: its namespace kube-system is not read');
      isSaid = true;
      return;
    }
    const known = await knownUid(ledger, clusterId, uid, isNoted);
    if (known !== uid) throw new OtherClusterError(clusterId, uid, known);
  };
  return () => {
    const nowMs = clock.nowMs();
    if (asked !== null && Math.abs(nowMs - asked.atMs) < ASKED_AGAIN_MS) return asked.answer;
    const answer = judge().catch((error: unknown) => {
      asked = null;
      throw error;
    });
    asked = { atMs: nowMs, answer };
    return answer;
  };
}

/** The methods that write. */
const WRITES = new Set<string | symbol>(['report', 'patchMetadata', 'patchStatus', 'recordEvent']);

/**
 * The port of a cluster, of which nothing is read or written unless the check resolves. It is made together with a
 * reading, and before a write. All methods of the port are asynchronous.
 */
export function checked<Port extends Cluster | Seed>(port: Port, check: ClusterCheck | null): Port {
  if (check === null) return port;
  const get = (of: Port, key: string | symbol): unknown => {
    const method: unknown = Reflect.get(of, key);
    if (typeof method !== 'function') return method;
    return async (...asked: readonly unknown[]): Promise<unknown> => {
      if (WRITES.has(key)) await check();
      const [known, answer] = await Promise.allSettled([check(), Reflect.apply(method, of, asked)]);
      const isOther = known.status === 'rejected' && known.reason instanceof OtherClusterError;
      // If neither can be read, who asked wants to know of the own reading.
      if (answer.status === 'rejected' && !isOther) throw answer.reason;
      if (known.status === 'rejected') throw known.reason;
      return answer.status === 'fulfilled' ? answer.value : undefined;
    };
  };
  return new Proxy(port, { get });
}
