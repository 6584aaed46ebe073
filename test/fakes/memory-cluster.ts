// A Kubernetes API server in memory, at the level of the `Cluster` port: objects with uids and growing
// resourceVersions, edited by the test, and the statuses that were reported to them. It also knows the last valid spec
// of each object that a run read and noted in the ledger. An edit or deletion changes what is in force only when it is
// noted: not if nobody observed it, nor if the run that read it died or was overtaken before. The ledger says which
// reading was noted and when; what was in force by that reading is computed here.

import { compareText } from '../../lib/dns/names/compare-text.ts';
import { UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import { type Declared, formatRef, isZone, keyOf, type ObjectRef } from '../../lib/objects/object-ref.ts';
import { relatedKindsOf, type Source } from '../../lib/objects/source.ts';
import { type InForce, inForce, NOTHING_GATHERED, sourceOf } from '../../lib/observe/in-force/last-valid-spec.ts';
import { declaredObject, declaredZone, type ObjectItem, objectCodec } from '../../lib/observe/object-item.ts';
import { specsInForce, zonesInForce } from '../../lib/observe/zone-objects.ts';
import type { Cluster, ClusterObject, ClusterPage, CrdState, ObjectStatus } from '../../lib/ports/cluster.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { SOURCES } from '../../lib/sources/source.ts';
import type { DeclaredObject } from '../../lib/zones/adopt-endpoint.ts';
import type { ZoneSpec } from '../../lib/zones/parse-zone.ts';
import { gatherIn } from './gather-in.ts';

export type MemoryCluster = {
  readonly port: Cluster;
  /** Calls of each method so far. */
  readonly calls: Record<'list' | 'listPage' | 'get' | 'crd' | 'report', number>;
  /** The status of each object by `formatRef`, as last reported. */
  readonly statuses: ReadonlyMap<string, ObjectStatus>;
  objects(): readonly ClusterObject[];
  /**
   * Creates or changes an object. For a related object, `spec` is the part of it that is used. `ageMs` is used for a
   * creation only; `status` is written by another controller.
   */
  put(
    ref: ObjectRef,
    spec: unknown,
    annotations?: Readonly<Record<string, string>>,
    ageMs?: number,
    labels?: Readonly<Record<string, string>>,
    status?: unknown,
  ): void;
  remove(ref: ObjectRef): void;
  /** Says what the CRD of a kind is from now on; before that, the CRD is older than every object. */
  setCrd(kind: string, state: CrdState): void;
  /** The same ledger, wrapped: the readings that are noted in it are those that `inForce` uses. */
  noting(ledger: Ledger): Ledger;
  /** What is in force, by the last valid specs that were read and noted. */
  inForce(): { readonly zones: Declared<ZoneSpec>[]; readonly objects: DeclaredObject[] };
};

/** Objects of a page: so few that even a handful of objects takes several pages. */
const PAGE_OBJECTS = 3;

/** An empty cluster. */
export function memoryCluster(
  clusterId = 'default',
  pageObjects = PAGE_OBJECTS,
  sources: readonly Source[] = SOURCES,
  nowMs: () => number = () => 0,
): MemoryCluster {
  const objects = new Map<string, ClusterObject>();
  const lastValid = new Map<string, InForce>();
  /** The Zones that are noted, whether or not they are still there: until its deletion is noted, a Zone counts. */
  const notedZones = new Map<string, Pick<ObjectItem, 'ref' | 'uid'>>();
  /** By uid and version: what is in force of an object once that reading of it is noted. */
  const readings = new Map<string, InForce>();
  const statuses = new Map<string, ObjectStatus>();
  const crds = new Map<string, CrdState>();
  const calls = { list: 0, listPage: 0, get: 0, crd: 0, report: 0 };
  let version = 0;
  let edits = { beforeMs: nowMs(), lastMs: nowMs() };

  const own = new Set(sources.map(({ kind }) => kind));
  const relatedKinds = relatedKindsOf(sources).filter(({ kind }) => !own.has(kind));
  const isRelated = ({ ref }: ClusterObject) => relatedKinds.some(({ kind }) => kind === ref.kind);
  // Only for objects that have related ones: going through all objects for each would make a large list quadratic.
  const leaning = (object: ClusterObject) =>
    sourceOf(sources, object.ref)?.relatedOf === undefined
      ? NOTHING_GATHERED
      : gatherIn(sources, [...objects.values()])(object);
  const current = () => {
    const zones = [...notedZones.values()].flatMap(({ ref, uid }) => {
      const noted = lastValid.get(uid ?? '');
      return noted === undefined ? [] : { ref, ...noted };
    });
    return specsInForce(zones);
  };
  const declare = (object: ClusterObject) => {
    const memory = {
      nowMs: nowMs(),
      inForce: isZone(object.ref) ? (current().get(keyOf(object.ref)) ?? null) : null,
    };
    return inForce(sources, object, leaning(object), lastValid.get(object.uid ?? ''), memory);
  };
  const read = (object: ClusterObject): ClusterObject => {
    if (isRelated(object)) return object;
    readings.set(`${object.uid} ${object.version}`, declare(object));
    return object;
  };
  // A reading that is settled later stays the same reading.
  const note = ({ ref, uid, version, unsettled, deleted, sinceMs }: ObjectItem) => {
    if (isZone(ref) && deleted) notedZones.delete(keyOf(ref));
    else if (isZone(ref)) notedZones.set(keyOf(ref), { ref, uid });
    const reading = readings.get(`${uid} ${version}`);
    if (!unsettled || deleted || reading === undefined) return;
    if (reading.spec === null && reading.endpoints === null) return;
    const { sinceMs: readMs } = reading;
    if (readMs === undefined || readMs === lastValid.get(uid ?? '')?.sinceMs) {
      lastValid.set(uid ?? '', reading);
      return;
    }
    // A run reads what was there when it began, and no run that still works began before the edit before the last.
    if (sinceMs === undefined || sinceMs > readMs || sinceMs < edits.beforeMs)
      throw new Error(`${formatRef(ref)} was read at ${readMs}, and noted as seen at ${sinceMs}`);
    lastValid.set(uid ?? '', { ...reading, sinceMs });
  };
  const edited = () => {
    if (nowMs() !== edits.lastMs) edits = { beforeMs: edits.lastMs, lastMs: nowMs() };
  };

  const port: Cluster = {
    clusterId,
    list: async () => {
      calls.list += 1;
      const listed = [...objects.values()].filter((object) => !isRelated(object));
      return { objects: listed.map(read), problems: [], unreadable: new Set() };
    },
    listPage: async (kind, namespace, cursor, label = null) => {
      calls.listPage += 1;
      const asked = [...objects.values()].filter(
        ({ ref, labels }) =>
          ref.kind === kind &&
          (namespace === null || ref.namespace === namespace) &&
          (label === null || labels[label.key] === label.value),
      );
      return pageOf(asked, cursor, pageObjects, read);
    },
    get: async (ref) => {
      calls.get += 1;
      const object = objects.get(formatRef(ref));
      return object === undefined ? { kind: 'absent' } : { kind: 'present', object: read(object) };
    },
    crd: async (kind) => {
      calls.crd += 1;
      return crds.get(kind) ?? { kind: 'since', createdAt: new Date(0).toISOString() };
    },
    report: async (ref, status) => {
      calls.report += 1;
      if (objects.has(formatRef(ref))) statuses.set(formatRef(ref), status);
    },
  };

  return {
    port,
    calls,
    statuses,
    objects: () => [...objects.values()],
    put: (ref, spec, annotations, ageMs = 0, labels, status) => {
      version += 1;
      edited();
      const id = formatRef(ref);
      const before = objects.get(id);
      objects.set(id, {
        ref,
        uid: before?.uid ?? `uid-${version}`,
        creationTimestamp: before?.creationTimestamp ?? new Date(ageMs).toISOString(),
        order: '',
        version: String(version),
        generation: (before?.generation ?? 0) + 1,
        annotations: annotations ?? before?.annotations ?? {},
        labels: labels ?? before?.labels ?? {},
        spec,
        origin: null,
        ...(status === undefined ? {} : { status, statusForm: 'events' as const }),
      });
    },
    remove: (ref) => {
      edited();
      objects.delete(formatRef(ref));
      statuses.delete(formatRef(ref));
    },
    setCrd: (kind, state) => {
      crds.set(kind, state);
    },
    noting: (ledger) => ({
      ...ledger,
      put: async (key, body, expected, options) => {
        const revision = await ledger.put(key, body, expected, options);
        if (revision === null || !key.partition.startsWith(`objects#${clusterId}#`)) return revision;
        const item = objectCodec.read({ ...key, body, revision });
        // An item that a test wrote with another version is no reading.
        if (!(item instanceof UnreadableItemError)) note(item);
        return revision;
      },
    }),
    inForce: () => {
      const declared = [...objects.values()].flatMap((object) => {
        if (isRelated(object)) return [];
        const { ref, uid, creationTimestamp, order } = object;
        return { ref, age: { uid, creationTimestamp, order }, ...declare(object) };
      });
      return {
        zones: zonesInForce(declared.filter(({ ref }) => isZone(ref))).map(declaredZone),
        objects: declared.filter(({ ref }) => !isZone(ref)).map(declaredObject),
      };
    },
  };
}

/** A page of these objects in order of `namespace/name`; the cursor is the last key of the page before. */
export function pageOf(
  objects: readonly ClusterObject[],
  cursor: string | null,
  max: number,
  read: (object: ClusterObject) => ClusterObject = (object) => object,
): ClusterPage {
  const left = objects
    .filter(({ ref }) => cursor === null || keyOf(ref) > cursor)
    .toSorted((a, b) => compareText(keyOf(a.ref), keyOf(b.ref)));
  const page = left.slice(0, max);
  const last = page.at(-1);
  const next = left.length > page.length && last !== undefined ? keyOf(last.ref) : null;
  return { objects: page.map(read), next, unreadable: new Set() };
}
