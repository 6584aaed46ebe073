// Manifests as a cluster: objects are read from files, and statuses are written nowhere. An object is absent only if
// the file where it was last seen can be read. If it cannot, the answer is `unknown`, and what was published stays.
import { compareText } from '../../dns/names/compare-text.ts';
import { formatRef, keyOf, type ObjectRef } from '../../objects/object-ref.ts';
import { type Cluster, FILE_UNREAD, type Listing, type Observation } from '../../ports/cluster.ts';
import { isUnder, type ManifestReading, objectsByRef } from './build-listing.ts';
import { formatProblem } from './format-problem.ts';
import type { ManifestReader } from './manifest-reader.ts';

export type ManifestClusterOptions = {
  readonly clusterId: string;
  readonly reader: ManifestReader;
  /** The kinds that are read only as related objects; a list of all objects leaves them out. */
  readonly relatedKinds?: ReadonlySet<string>;
  /** The greatest age of a reading for `get`, in milliseconds; default 0. Safe if a watch reports later edits. */
  readonly staleMsMax?: number;
};

/** A cluster whose objects are in the files that `reader` reads. */
export function manifestCluster(options: ManifestClusterOptions): Cluster {
  const staleMsMax = options.staleMsMax ?? 0;
  let last: { readonly reading: ManifestReading; readonly atMs: number } | null = null;
  const read = async (): Promise<ManifestReading> => {
    const atMs = performance.now();
    const reading = await options.reader.read();
    last = { reading, atMs };
    return reading;
  };
  const recent = async (): Promise<ManifestReading> =>
    last !== null && performance.now() - last.atMs <= staleMsMax ? last.reading : read();
  return {
    clusterId: options.clusterId,
    list: async () => {
      const { listing } = await read();
      const { relatedKinds = new Set<string>() } = options;
      return { ...listing, objects: listing.objects.filter(({ ref }) => !relatedKinds.has(ref.kind)) };
    },
    // All objects on one page, because they are in memory anyway.
    listPage: async (kind, namespace, _cursor, label = null) => {
      const { objects, unreadable } = (await (label === null ? read() : recent())).listing;
      const asked = objects.filter(
        ({ ref, labels }) =>
          ref.kind === kind &&
          (namespace === null || ref.namespace === namespace) &&
          (label === null || labels[label.key] === label.value),
      );
      return { objects: asked.toSorted((a, b) => compareText(keyOf(a.ref), keyOf(b.ref))), next: null, unreadable };
    },
    get: async (ref, lastSeenIn) => observe(await recent(), ref, lastSeenIn),
    report: async () => {},
  };
}

function observe(reading: ManifestReading, ref: ObjectRef, lastSeenIn: string | null): Observation {
  const object = objectsByRef(reading).get(formatRef(ref));
  if (object !== undefined) return { kind: 'present', object };
  const obstacle = lastSeenIn === null ? null : obstacleTo(reading.listing, lastSeenIn);
  if (obstacle === null) return { kind: 'absent' };
  return { kind: 'unknown', message: `${FILE_UNREAD}: ${obstacle}` };
}

/** Why a file (`''`: any) cannot be read in full: a problem of it or of a folder above; null if it can or is gone. */
function obstacleTo(listing: Listing, file: string): string | null {
  if (listing.unreadable.size === 0) return null;
  const anyFile = file === '';
  const remarks = (listing.remarks ?? []).filter((remark) => listing.unreadable.has(remark.file));
  const problem = [...listing.problems, ...remarks].find((one) => anyFile || isUnder([one.file], file));
  return problem === undefined ? null : formatProblem(problem);
}
