// A Kubernetes API server as the `Cluster` of the use cases. It never guesses: an object is absent only if the server
// says that there is none of that name, and a list is complete or an error. If the server does not know Zones or
// Records, that is an error too; of any other kind that it does not know, no object counts as absent. A report writes
// nothing that is there already, so that reports never cause reports.
import type { Kind } from '../../objects/kind.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import {
  type Cluster,
  type ClusterObject,
  type Observation,
  type ReadRemark,
  ReportRefusedError,
} from '../../ports/cluster.ts';
import { isNoSuchType, notServed, type ServedKinds, servedKinds } from './discover-kinds.ts';
import { isRefused, KubernetesError } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { listAll, listPage } from './list-objects.ts';
import { rememberReports } from './own-writes.ts';
import { crdReader } from './read-crd.ts';
import { kindNamed, readObject } from './read-object.ts';
import { readUid } from './read-uid.ts';
import { getObject, type Reporter, report } from './report-to-object.ts';
import { changesSince } from './watch-objects.ts';

export type KubernetesClusterOptions = Omit<Reporter, 'served' | 'reports'> & {
  /** Shared with a watch: what the watch finds is found here, too. Default: its own. */
  readonly served?: ServedKinds;
};

/** A cluster over an API server. Throws `KubernetesError`. */
export function kubernetesCluster(options: KubernetesClusterOptions): Cluster {
  const { clusterId, kinds, transport, served = servedKinds(transport, options.clock) } = options;
  const writing = new Map<string, Promise<unknown>>();
  const readCrd = crdReader(transport);
  const reporter: Reporter = { ...options, served, reports: rememberReports() };
  return {
    clusterId,
    uid: () => readUid(transport),
    list: async () => {
      const objects: ClusterObject[] = [];
      const remarks: ReadRemark[] = [];
      for (const kind of kinds.filter(({ factsOf }) => factsOf === undefined)) {
        const found = await asServed(served, kind, async (as) => (await listAll(transport, as)).objects);
        if (found === null && served.mayLack(kind)) continue;
        if (found === null) remarks.push({ level: 'warning', file: kind.kind, line: 0, message: notServed(kind) });
        else objects.push(...found);
      }
      return { objects, problems: [], remarks, unreadable: new Set() };
    },
    listPage: async (name, namespace, cursor, label = null) => {
      const kind = kindNamed(kinds, name);
      const read = await asServed(served, kind, async (as) => ({
        page: await listPage(transport, as, namespace, cursor, label),
      }));
      // The kind cannot be read, so nothing follows about its objects.
      return read === null ? { objects: [], next: null, unreadable: new Set([kind.kind]) } : read.page;
    },
    get: async (ref, _, known) => {
      const kind = kindNamed(kinds, ref.kind);
      const shown = known === undefined ? null : (options.watched?.take(ref, known) ?? null);
      if (shown !== null) return { kind: 'present', object: readObject(kind, shown) };
      const seen = await asServed(served, kind, (as) => observe(transport, as, ref));
      return seen ?? { kind: 'unknown', message: notServed(kind) };
    },
    // Objects of a kind that is no longer read do not say what became of their CRD.
    crd: async (name) => {
      const kind = kinds.find((one) => one.kind === name);
      if (kind === undefined) return { kind: 'none' };
      const state = await readCrd(kind);
      if (state.kind !== 'missing' || kind.apiKind === undefined) return state;
      // A kind of the configuration may be one of an aggregated API server, which is served without a CRD.
      served.forget(kind);
      return (await served.find(kind)) === null ? state : { kind: 'none' };
    },
    changes: async (name, since) => {
      const kind = kindNamed(kinds, name);
      const read = await asServed(served, kind, async (as) => ({ changes: await changesSince(transport, as, since) }));
      if (read !== null) return read.changes;
      if (served.mayLack(kind)) return { version: '', objects: [], deleted: [] };
      throw new KubernetesError(notServed(kind), { status: null });
    },
    report: (ref, status, before, listed) =>
      inTurn(writing, formatRef(ref), (waited) =>
        waited ? report(reporter, ref, status, null) : report(reporter, ref, status, before, listed),
      ).catch(reportError),
  };
}

/** A refusal says something about one object only, unless it is about who asks. */
function reportError(error: unknown): never {
  throw isRefused(error) && error.status !== 401 ? new ReportRefusedError(error.message, error) : error;
}

/**
 * Runs the reports of one object one after the other. If two overlapped, both would see the transition and record it
 * twice. A report that waited reads the object again.
 */
async function inTurn(
  writing: Map<string, Promise<unknown>>,
  id: string,
  work: (waited: boolean) => Promise<void>,
): Promise<void> {
  const earlier = writing.get(id);
  const turn =
    earlier === undefined
      ? work(false)
      : earlier.then(
          () => work(true),
          () => work(false),
        );
  writing.set(id, turn);
  try {
    await turn;
  } finally {
    if (writing.get(id) === turn) writing.delete(id);
  }
}

async function observe(transport: KubernetesTransport, kind: Kind, ref: ObjectRef): Promise<Observation> {
  const answer = await getObject(transport, kind, ref);
  return answer === null ? { kind: 'absent' } : { kind: 'present', object: readObject(kind, answer) };
}

/**
 * Calls `work` with the kind as it is served; null if it is not served. If the kind has gone or changed its version, it
 * is looked up once more.
 */
async function asServed<T>(served: ServedKinds, kind: Kind, work: (as: Kind) => Promise<T>): Promise<T | null> {
  for (let attempt = 0; ; attempt += 1) {
    const as = await served.find(kind);
    if (as === null) return null;
    try {
      return await work(as);
    } catch (error) {
      // For our own kinds this is an error, which says what to install.
      if (attempt > 0 || kind.status === 'subresource' || !isNoSuchType(error)) throw error;
      served.forget(kind);
    }
  }
}
