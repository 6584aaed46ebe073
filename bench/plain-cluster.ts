// An API server in memory for very many objects. Its pages are as long as the real one's; it counts every call and
// validates nothing.
import { compareText } from '../lib/dns/names/compare-text.ts';
import { formatRef, keyOf, type ObjectRef } from '../lib/objects/object-ref.ts';
import type { Cluster, ClusterObject } from '../lib/ports/cluster.ts';

const PAGE_OBJECTS = 500;

type Written = Partial<Pick<ClusterObject, 'spec' | 'status' | 'labels' | 'annotations'>>;

export type PlainCluster = {
  readonly port: Cluster;
  /** Requests since the last `take`. Each page of a list is one request. */
  take(): { gets: number; lists: number; reports: number };
  put(ref: ObjectRef, written: Written): void;
};

/** `list` returns the objects of `ownKinds`. Objects of other kinds are returned by `get` and `listPage` alone. */
export function plainCluster(clusterId: string, ownKinds: readonly string[]): PlainCluster {
  const objects = new Map<string, ClusterObject>();
  const sorted = new Map<string, readonly ClusterObject[]>();
  let calls = { gets: 0, lists: 0, reports: 0 };
  let version = 0;
  const ofKind = (kind: string): readonly ClusterObject[] => {
    const found =
      sorted.get(kind) ??
      [...objects.values()]
        .filter(({ ref }) => ref.kind === kind)
        .toSorted((a, b) => compareText(keyOf(a.ref), keyOf(b.ref)));
    sorted.set(kind, found);
    return found;
  };
  const port: Cluster = {
    clusterId,
    list: async () => {
      calls.lists += 1;
      return { objects: ownKinds.flatMap(ofKind), problems: [], unreadable: new Set() };
    },
    listPage: async (kind, namespace, cursor, label = null) => {
      calls.lists += 1;
      const found = ofKind(kind).filter(
        ({ ref, labels }) =>
          (namespace === null || ref.namespace === namespace) && (label === null || labels[label.key] === label.value),
      );
      const from = cursor === null ? 0 : found.findIndex(({ ref }) => keyOf(ref) > cursor);
      const page = from < 0 ? [] : found.slice(from, from + PAGE_OBJECTS);
      const last = page.at(-1);
      const isEnd = from < 0 || from + PAGE_OBJECTS >= found.length || last === undefined;
      return { objects: page, next: isEnd ? null : keyOf(last.ref), unreadable: new Set() };
    },
    get: async (ref) => {
      calls.gets += 1;
      const object = objects.get(formatRef(ref));
      return object === undefined ? { kind: 'absent' } : { kind: 'present', object };
    },
    report: async () => {
      calls.reports += 1;
    },
  };
  return {
    port,
    take: () => {
      const taken = calls;
      calls = { gets: 0, lists: 0, reports: 0 };
      return taken;
    },
    put: (ref, written) => {
      version += 1;
      const before = objects.get(formatRef(ref));
      sorted.delete(ref.kind);
      objects.set(formatRef(ref), {
        ref,
        uid: before?.uid ?? `uid-${version}`,
        creationTimestamp: before?.creationTimestamp ?? '2026-01-01T00:00:00Z',
        order: '',
        version: String(version),
        generation: (before?.generation ?? 0) + 1,
        annotations: written.annotations ?? before?.annotations ?? {},
        labels: written.labels ?? before?.labels ?? {},
        spec: written.spec ?? before?.spec,
        origin: null,
        ...(written.status === undefined ? {} : { status: written.status, statusForm: 'events' as const }),
      });
    },
  };
}
