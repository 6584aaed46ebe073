// Builds one listing from parsed files. The first object of a kind, namespace and name counts; a later one is a problem
// that names the place of the first. An object keeps its version while its content stays the same, so that reading it
// again is no change.
import { isDeepStrictEqual } from 'node:util';
import { compareText } from '../../dns/names/compare-text.ts';
import { formatRef } from '../../objects/object-ref.ts';
import type { ClusterObject, Listing, ReadProblem } from '../../ports/cluster.ts';
import type { Hint } from '../../ports/queues.ts';
import { fieldLine } from './field-line.ts';
import type { ManifestFolder } from './find-manifests.ts';
import { findRemarks, type GivenPath } from './find-remarks.ts';
import type { ParsedManifest } from './parse-manifest.ts';
import type { ManifestObject } from './read-object.ts';

/** A file with its content. An object that is listed is replaced by the listed one, so that each is in memory once. */
export type ParsedFile = {
  readonly name: string;
  readonly order: string;
  readonly given: number;
  readonly parsed: ParsedManifest;
  /** It is just gone and still counts. What is declared elsewhere too was probably moved there. */
  readonly lingers: boolean;
};

/** One reading of all files. `hasLingering`: a file is just gone and still counts, so read again soon. */
export type ManifestReading = {
  readonly listing: Listing;
  readonly folders: readonly ManifestFolder[];
  readonly hasLingering: boolean;
  /** The version of the objects that changed in this reading. */
  readonly version: string;
};

type Tree = {
  readonly files: readonly ParsedFile[];
  readonly folders: readonly ManifestFolder[];
  readonly problems: readonly ReadProblem[];
  readonly given: readonly GivenPath[];
  readonly hasLingering: boolean;
};

/** Builds the listing after `previous`. Versions are microseconds since the epoch, and never fall. */
export function buildReading(tree: Tree, previous: ManifestReading | null, nowMs: number): ManifestReading {
  const byRef = new Map<string, ClusterObject>();
  const problems: ReadProblem[] = [...tree.problems];
  const version = nextVersion(previous, nowMs);
  const before = previous === null ? null : objectsByRef(previous);
  const lingering = new Set(tree.files.filter(({ lingers }) => lingers).map(({ name }) => name));
  const files = tree.files.toSorted((a, b) => compareText(a.order, b.order));
  for (const file of files) {
    problems.push(...file.parsed.problems);
    const { objects } = file.parsed;
    for (const [index, object] of objects.entries()) {
      const key = formatRef(object.ref);
      const first = byRef.get(key)?.origin;
      if (first) {
        if (lingering.has(first.file) || file.lingers) continue;
        const message = `${key} is ignored: already declared at ${first.file}:${first.line}`;
        problems.push({ file: file.name, line: object.origin.line, message });
        continue;
      }
      const listed = listedAs(object, [file.order, String(index).padStart(8, '0')].join(''), version, before?.get(key));
      objects[index] = listed;
      byRef.set(key, listed);
    }
  }
  const nearMisses = files.flatMap(({ parsed }) => parsed.nearMisses);
  const listing: Listing = {
    objects: [...byRef.values()],
    problems,
    remarks: findRemarks(tree.given, files),
    fieldLine,
    unreadable: new Set([...problems, ...nearMisses].map(({ file }) => file)),
  };
  // While nothing changes, all readings have one listing, because a large one takes much memory.
  const same = previous !== null && isSameListing(listing, previous.listing);
  return {
    listing: same ? previous.listing : listing,
    folders: tree.folders,
    hasLingering: tree.hasLingering,
    version,
  };
}

function isSameListing({ objects, ...rest }: Listing, { objects: before, ...restBefore }: Listing): boolean {
  return (
    objects.length === before.length &&
    objects.every((object, index) => object === before[index]) &&
    isDeepStrictEqual(rest, restBefore)
  );
}

/** By listing, made when somebody asks: a command that reads once asks for nothing of the kind. */
const BY_REF = new WeakMap<Listing, ReadonlyMap<string, ClusterObject>>();

/** The objects of a reading by `Kind namespace/name`. */
export function objectsByRef({ listing }: ManifestReading): ReadonlyMap<string, ClusterObject> {
  const known = BY_REF.get(listing);
  if (known !== undefined) return known;
  const byRef = new Map(listing.objects.map((object) => [formatRef(object.ref), object]));
  BY_REF.set(listing, byRef);
  return byRef;
}

/** Hints for the objects that came, went or changed between two readings. */
export function changedObjects(before: ManifestReading, after: ManifestReading, atMs: number): readonly Hint[] {
  const hints: Hint[] = [];
  const [were, are] = [objectsByRef(before), objectsByRef(after)];
  for (const [key, object] of are) {
    if (were.get(key)?.version !== object.version) hints.push({ ...object.ref, atMs });
  }
  for (const [key, object] of were) {
    if (!are.has(key)) hints.push({ ...object.ref, atMs });
  }
  return hints;
}

/** Whether a file, or a folder above it, is among `paths`. */
export function isUnder(paths: Iterable<string>, file: string): boolean {
  for (const one of paths) if (file === one || file.startsWith(one.endsWith('/') ? one : `${one}/`)) return true;
  return false;
}

/** The listed object: the former one if the content is the same. */
function listedAs(
  object: ManifestObject,
  order: string,
  version: string,
  before: ClusterObject | undefined,
): ManifestObject {
  if (object === before && object.order === order) return object;
  const now = { ...object, order, version };
  return before !== undefined && readsTheSame(now, before) ? { ...now, version: before.version } : now;
}

function readsTheSame(a: ClusterObject, b: ClusterObject): boolean {
  const { version: _a, origin: _b, ...left } = a;
  const { version: _c, origin: _d, ...right } = b;
  return a.origin?.file === b.origin?.file && isDeepStrictEqual(left, right);
}

/** Grows with every reading, even if the clock is set back. */
function nextVersion(previous: ManifestReading | null, nowMs: number): string {
  const now = BigInt(Math.trunc(nowMs)) * 1000n;
  const least = previous === null ? 0n : BigInt(previous.version) + 1n;
  return (now > least ? now : least).toString().padStart(16, '0');
}
