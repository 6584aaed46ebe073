// A central cluster in memory: its objects, by kind and name, and the number of calls.
import type { CentralCluster, ExistingObject, ManifestRef } from '../../lib/ports/central-cluster.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';

export type MemoryCentralCluster = {
  readonly port: CentralCluster;
  /** Every object as it was applied, by `Kind namespace/name`, in order. */
  objects(): ReadonlyMap<string, JsonObject>;
  /** Somebody else's object. */
  put(ref: ManifestRef, object: JsonObject): void;
  /** From now on nothing can be created, for this reason; null: everything can. */
  stop(obstacle: string | null): void;
  /** Calls since the last `take`. */
  take(): number;
};

export function memoryCentralCluster(): MemoryCentralCluster {
  const existing = new Map<string, ExistingObject>();
  let [calls, versions] = [0, 0];
  let obstacle: string | null = null;
  const key = ({ kind, namespace, name }: ManifestRef) => `${kind} ${namespace}/${name}`;
  const save = (ref: ManifestRef, object: JsonObject, uid: string) => {
    versions += 1;
    const { labels = {}, ...metadata } = object.metadata as { readonly labels?: Record<string, string> };
    const own = { ...metadata, labels, uid, resourceVersion: String(versions) };
    existing.set(key(ref), { ...ref, uid, labels, object: { ...object, metadata: own } });
  };
  return {
    port: {
      look: async (ref) => {
        calls += 1;
        const found = existing.get(key(ref));
        return found === undefined ? { kind: 'absent', obstacle } : { kind: 'present', existing: found };
      },
      list: async ({ kind, namespace }, labels) => {
        calls += 1;
        return [...existing.values()].filter(
          (one) =>
            one.kind === kind &&
            one.namespace === namespace &&
            Object.entries(labels).every(([label, value]) =>
              value === '' ? one.labels[label] !== undefined : one.labels[label] === value,
            ),
        );
      },
      apply: async (ref, manifest, uid) => {
        calls += 1;
        const found = existing.get(key(ref));
        const { resourceVersion } = manifest.metadata as { readonly resourceVersion?: string };
        const current = (found?.object.metadata as { readonly resourceVersion?: string } | undefined)?.resourceVersion;
        if (found?.uid !== (uid ?? undefined)) return 'taken';
        if (resourceVersion !== undefined && resourceVersion !== current) return 'taken';
        save(ref, manifest, uid ?? `uid-${versions}`);
        return 'applied';
      },
      remove: async (ref, uid) => {
        calls += 1;
        if (existing.get(key(ref))?.uid === uid) existing.delete(key(ref));
      },
    },
    objects: () =>
      new Map(
        [...existing.values()]
          .map((one): [string, JsonObject] => {
            const { uid: _, resourceVersion: __, ...metadata } = one.object.metadata as JsonObject;
            return [key(one), { ...one.object, metadata }];
          })
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    put: (ref, object) => save(ref, object, `uid-of-others-${versions}`),
    stop: (why) => {
      obstacle = why;
    },
    take: () => {
      const taken = calls;
      calls = 0;
      return taken;
    },
  };
}
