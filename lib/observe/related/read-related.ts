// Reads what sources ask for. Two ways, to the same effect: `freshRelated` for the hot path, where a reading that began
// before somebody asked is never given to him, so that who notes first and reads then misses nothing; `bulkRelated` for
// who looks at many objects at once and concludes nothing by itself, where each thing is read once.
import { compareText, keyOf } from '../../objects/object-ref.ts';
import type { RelatedKind, RelatedLabel, RelatedObject } from '../../objects/related.ts';
import { relatedKindsOf } from '../../objects/source.ts';
import type { Cluster, ClusterObject } from '../../ports/cluster.ts';
import type { Context } from '../../ports/context.ts';

/** Of a file that does not read now an object may have come; whoever depends on it is then kept as he is. */
export const ANY_FILE = '';

/** What was read; `isWhole` false: more may stand where nobody can read now. */
type Answer<T> = { readonly found: T; readonly isWhole: boolean };

/** Reads related objects. */
export type RelatedReader = {
  get(kind: string, namespace: string, name: string): Promise<Answer<RelatedObject | null>>;
  list(kind: string, namespace: string | null, label: RelatedLabel | null): Promise<Answer<readonly RelatedObject[]>>;
};

type Reading = Pick<Context, 'cluster' | 'sources'>;

/** A related object out of a cluster's. */
function relatedObject(sources: Context['sources'], object: ClusterObject): RelatedObject {
  return { ref: object.ref, facts: factsOf(sources, object) };
}

/** What counts of a related object: it was read as that, or whole where a source has its kind as its own. */
export function factsOf(
  sources: Context['sources'],
  { ref, annotations, labels, spec, status }: ClusterObject,
): unknown {
  if (!sources.some(({ kind }) => kind === ref.kind)) return spec;
  return relatedKindNamed(sources, ref.kind)?.factsOf({ metadata: { annotations, labels }, spec, status }) ?? null;
}

/** The kind, where a source that is on asks for it. */
function relatedKindNamed(sources: Context['sources'], kind: string): RelatedKind | null {
  return relatedKindsOf(sources).find((one) => one.kind === kind) ?? null;
}

/** Every reading begins after it was asked for; those who ask while one runs share the next. */
export function freshRelated({ cluster, sources }: Reading): RelatedReader {
  const share = sharedNext();
  return {
    get: (kind, namespace, name) =>
      share(`get ${kind} ${namespace}/${name}`, () => getOne({ cluster, sources }, kind, namespace, name)),
    list: (kind, namespace, label) =>
      share(`list ${kind} ${namespace ?? '*'} ${label?.key ?? ''}=${label?.value ?? ''}`, () =>
        listAll({ cluster, sources }, kind, namespace, label),
      ),
  };
}

/** Every thing is read once, and of a namespace all at once. For as long as one listing takes. */
export function bulkRelated({ cluster, sources }: Reading): RelatedReader {
  const known = new Map<string, Promise<Answer<unknown>>>();
  const once = <T>(key: string, read: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    const found = known.get(key) as Promise<Answer<T>> | undefined;
    const reading = found ?? read();
    known.set(key, reading);
    return reading;
  };
  const byLabel = (kind: string, namespace: string | null) =>
    once(`all ${kind} ${namespace ?? '*'}`, async () => {
      const { objects, isWhole } = await pages({ cluster, sources }, kind, namespace, null);
      return { found: objects, isWhole };
    });
  return {
    get: (kind, namespace, name) =>
      once(`get ${kind} ${namespace}/${name}`, () => getOne({ cluster, sources }, kind, namespace, name)),
    list: (kind, namespace, label) =>
      once(`list ${kind} ${namespace ?? '*'} ${label?.key ?? ''}=${label?.value ?? ''}`, async () => {
        const { found, isWhole } = await byLabel(kind, namespace);
        return {
          found: found.filter((object) => hasLabel(object, label)).map((object) => relatedObject(sources, object)),
          isWhole,
        };
      }),
  };
}

function hasLabel({ labels }: ClusterObject, label: RelatedLabel | null): boolean {
  return label === null || (Object.hasOwn(labels, label.key) && labels[label.key] === label.value);
}

async function getOne(
  { cluster, sources }: Reading,
  kind: string,
  namespace: string,
  name: string,
): Promise<Answer<RelatedObject | null>> {
  if (relatedKindNamed(sources, kind) === null) throw notDeclared(kind);
  const observation = await cluster.get({ kind, namespace, name }, ANY_FILE);
  if (observation.kind === 'present') return { found: relatedObject(sources, observation.object), isWhole: true };
  return { found: null, isWhole: observation.kind === 'absent' };
}

async function listAll(
  reading: Reading,
  kind: string,
  namespace: string | null,
  label: RelatedLabel | null,
): Promise<Answer<readonly RelatedObject[]>> {
  const { objects, isWhole } = await pages(reading, kind, namespace, label);
  const found = objects.filter((object) => hasLabel(object, label));
  return { found: found.map((object) => relatedObject(reading.sources, object)), isWhole };
}

/** How often a list may begin anew because it expired under us. */
const STARTS_MAX = 5;

async function pages(
  { cluster, sources }: Reading,
  kind: string,
  namespace: string | null,
  label: RelatedLabel | null,
): Promise<{ readonly objects: readonly ClusterObject[]; readonly isWhole: boolean }> {
  if (relatedKindNamed(sources, kind) === null) throw notDeclared(kind);
  for (let start = 0; start < STARTS_MAX; start += 1) {
    const read = await readPages(cluster, kind, namespace, label);
    if (read !== null) return read;
  }
  throw new Error(`Cannot list ${kind}: the list expired ${STARTS_MAX} times`);
}

async function readPages(
  cluster: Cluster,
  kind: string,
  namespace: string | null,
  label: RelatedLabel | null,
): Promise<{ readonly objects: readonly ClusterObject[]; readonly isWhole: boolean } | null> {
  const objects: ClusterObject[] = [];
  let cursor: string | null = null;
  let isWhole = true;
  do {
    const page = await cluster.listPage(kind, namespace, cursor, label);
    if (page === null) return null;
    objects.push(...page.objects);
    isWhole &&= page.unreadable.size === 0;
    cursor = page.next;
  } while (cursor !== null);
  return { objects: objects.toSorted((a, b) => compareText(keyOf(a.ref), keyOf(b.ref))), isWhole };
}

function notDeclared(kind: string): Error {
  return new Error(`Cannot read a related ${kind}: its source asked for it and does not declare the kind`);
}

/** Runs of one key one after the other; who comes while one runs is given the next, which begins after he came. */
function sharedNext(): <T>(key: string, read: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<unknown>>();
  const begin = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const reading = read().finally(() => {
      if (running.get(key) === reading) running.delete(key);
    });
    running.set(key, reading);
    return reading;
  };
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const current = running.get(key);
    if (current === undefined) return begin(key, read);
    const next = waiting.get(key) as Promise<T> | undefined;
    if (next !== undefined) return next;
    const after = current
      .catch(() => null)
      .then(() => {
        waiting.delete(key);
        return begin(key, read);
      });
    waiting.set(key, after);
    return after;
  };
}
