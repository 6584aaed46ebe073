// The cluster of a simulated world: a few objects with uids, generations and growing resourceVersions, every version
// that each object ever had (a stale read returns an older one), and the statuses that were reported to them. A 404 is
// never invented: a stale read shows an object as absent only if it was deleted at some time.
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { ClusterObject, ObjectStatus } from '../../lib/ports/cluster.ts';
import type { Random } from './random.ts';

/** Says `<name>.<namespace>` of the parent. */
export const PARENT_LABEL = 'kubi.zone/parent-zone';

type ObjectVersion = { readonly atMs: number; readonly object: ClusterObject | null };

export type SimulatedCluster = {
  /** Every version of every object that ever was, by `formatRef`, the latest last. */
  readonly history: ReadonlyMap<string, readonly ObjectVersion[]>;
  readonly statuses: Map<string, ObjectStatus>;
  objects(): readonly ClusterObject[];
  find(ref: ObjectRef): ClusterObject | null;
  /** An older version of the object, or the present one. */
  findStale(ref: ObjectRef, random: Random): ClusterObject | null;
  /** The cluster as it stood once. */
  objectsStale(random: Random): readonly ClusterObject[];
  put(
    ref: ObjectRef,
    change: Partial<Pick<ClusterObject, 'spec' | 'annotations' | 'labels' | 'status'>>,
  ): ClusterObject;
  remove(ref: ObjectRef): void;
  /** A status write: a new version, the same generation. Nothing when the object is gone. */
  report(ref: ObjectRef, status: ObjectStatus): boolean;
};

/** An empty cluster. `nowMs` is real time, for creation timestamps and stale reads. */
export function simulatedCluster(nowMs: () => number): SimulatedCluster {
  const history = new Map<string, ObjectVersion[]>();
  const statuses = new Map<string, ObjectStatus>();
  let version = 100;
  let uids = 0;
  const latest = (id: string) => history.get(id)?.at(-1)?.object ?? null;
  const note = (id: string, object: ClusterObject | null) => {
    const versions = history.get(id);
    if (versions === undefined) history.set(id, [{ atMs: nowMs(), object }]);
    else versions.push({ atMs: nowMs(), object });
  };
  const objects = () => [...history.keys()].flatMap((id) => latest(id) ?? []);

  return {
    history,
    statuses,
    objects,
    find: (ref) => latest(formatRef(ref)),
    findStale: (ref, random) => {
      const versions = history.get(formatRef(ref));
      return versions === undefined ? null : random.pick(versions).object;
    },
    objectsStale: (random) => {
      const times = [...history.values()].flatMap((versions) => versions.map(({ atMs }) => atMs));
      if (times.length === 0) return [];
      const then = random.pick(times);
      return [...history.values()].flatMap((versions) => {
        const first = versions[0]?.object ?? null;
        const found = versions.findLast(({ atMs }) => atMs <= then);
        return (found === undefined ? first : found.object) ?? [];
      });
    },
    put: (ref, change) => {
      const id = formatRef(ref);
      const before = latest(id);
      version += 1;
      if (before === null) uids += 1;
      const moved =
        before === null || ('spec' in change && JSON.stringify(change.spec) !== JSON.stringify(before.spec));
      const object: ClusterObject = {
        ref,
        uid: before?.uid ?? `uid-${uids}`,
        creationTimestamp: before?.creationTimestamp ?? new Date(nowMs() - (nowMs() % 1000)).toISOString(),
        order: '',
        version: String(version),
        generation: (before?.generation ?? 0) + (moved ? 1 : 0),
        annotations: change.annotations ?? before?.annotations ?? {},
        labels: change.labels ?? before?.labels ?? {},
        spec: 'spec' in change ? change.spec : before?.spec,
        status: 'status' in change ? change.status : (before?.status ?? null),
        origin: null,
        // The status of another kind is its controller's.
        ...(ref.kind === 'Zone' || ref.kind === 'Record' ? {} : { statusForm: 'events' as const }),
      };
      note(id, object);
      if (before === null) statuses.delete(id);
      return object;
    },
    remove: (ref) => {
      if (latest(formatRef(ref)) === null) return;
      note(formatRef(ref), null);
      statuses.delete(formatRef(ref));
    },
    report: (ref, status) => {
      const before = latest(formatRef(ref));
      if (before === null) return false;
      version += 1;
      // An Event is all that tells of it.
      if (before.statusForm !== undefined) {
        statuses.set(formatRef(ref), status);
        return true;
      }
      const { zone, parent, ...shown } = status;
      const { [PARENT_LABEL]: _, ...others } = before.labels;
      const labels = parent === null ? others : { ...others, [PARENT_LABEL]: parent.split('/').reverse().join('.') };
      note(formatRef(ref), { ...before, version: String(version), labels, status: { ...shown, ...zone } });
      statuses.set(formatRef(ref), status);
      return true;
    },
  };
}
