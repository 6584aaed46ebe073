// Two readers of related objects. `freshRelated` is for the hot path: it never answers with a reading that began before
// the question, so a run that notes a dependent and then reads misses no change. `bulkRelated` is for comparing many
// objects at once: it reads each thing once.

import { compareText } from '../../dns/names/compare-text.ts';
import { keyOf } from '../../objects/object-ref.ts';
import type { RelatedKind, RelatedLabel, RelatedObject } from '../../objects/related.ts';
import { relatedKindsOf } from '../../objects/source.ts';
import type { Cluster, ClusterObject } from '../../ports/cluster.ts';
import type { Context } from '../../ports/context.ts';
import { oncePerKey, sharedNext } from '../../ports/once.ts';

/** The file of an object whose file is not known: while any file cannot be read, its dependents stay unchanged. */
export const ANY_FILE = '';

/** What was read. `isWhole` false: there may be more in a file that cannot be read now. */
type Answer<T> = { readonly found: T; readonly isWhole: boolean };

/** Reads related objects. */
export type RelatedReader = {
  get(kind: string, namespace: string, name: string): Promise<Answer<RelatedObject | null>>;
  list(kind: string, namespace: string | null, label: RelatedLabel | null): Promise<Answer<readonly RelatedObject[]>>;
};

type Reading = Pick<Context, 'cluster' | 'sources'>;

function relatedObject(sources: Context['sources'], object: ClusterObject): RelatedObject {
  return { ref: object.ref, facts: factsOf(sources, object) };
}

/** The facts of a related object that count. If a source reads its kind, too, the whole object was read. */
export function factsOf(
  sources: Context['sources'],
  { ref, annotations, labels, spec, status }: ClusterObject,
): unknown {
  if (!sources.some(({ kind }) => kind === ref.kind)) return spec;
  return relatedKindNamed(sources, ref.kind)?.factsOf({ metadata: { annotations, labels }, spec, status }) ?? null;
}

/** The related kind of this name; null if no source that is switched on asks for it. */
function relatedKindNamed(sources: Context['sources'], kind: string): RelatedKind | null {
  return relatedKindsOf(sources).find((one) => one.kind === kind) ?? null;
}

/** Every reading begins after the question. All questions that come while one reading runs share the next one. */
export function freshRelated({ cluster, sources }: Reading): RelatedReader {
  const getter = oncePerKey(getText, (kind, namespace, name) =>
    sharedNext(() => getOne({ cluster, sources }, kind, namespace, name)),
  );
  const lister = oncePerKey(listText, (kind, namespace, label) =>
    sharedNext(async () => withLabel(sources, label, await listAll({ cluster, sources }, { kind, namespace, label }))),
  );
  return {
    get: (kind, namespace, name) => getter(kind, namespace, name)(),
    list: (kind, namespace, label) => lister(kind, namespace, label)(),
  };
}

/** Reads each thing once, and a namespace as a whole. To be used for one listing only. */
export function bulkRelated({ cluster, sources }: Reading): RelatedReader {
  const whole = oncePerKey(
    (kind: string, namespace: string | null) => `${kind} ${namespace ?? '*'}`,
    (kind, namespace) => listAll({ cluster, sources }, { kind, namespace, label: null }),
  );
  return {
    get: oncePerKey(getText, (kind, namespace, name) => getOne({ cluster, sources }, kind, namespace, name)),
    list: oncePerKey(listText, async (kind, namespace, label) =>
      withLabel(sources, label, await whole(kind, namespace)),
    ),
  };
}

function getText(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

function listText(kind: string, namespace: string | null, label: RelatedLabel | null): string {
  return `list ${kind} ${namespace ?? '*'} ${label?.key ?? ''}=${label?.value ?? ''}`;
}

/** Those of the listed objects that have the label, as related objects. */
function withLabel(
  sources: Context['sources'],
  label: RelatedLabel | null,
  { found, isWhole }: Answer<readonly ClusterObject[]>,
): Answer<readonly RelatedObject[]> {
  const some = found.filter((object) => hasLabel(object, label));
  return { found: some.map((object) => relatedObject(sources, object)), isWhole };
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

type ListQuery = { readonly kind: string; readonly namespace: string | null; readonly label: RelatedLabel | null };

/** How often a list may be started. It starts again if it expires while it is read. */
const STARTS_MAX = 5;

async function listAll({ cluster, sources }: Reading, query: ListQuery): Promise<Answer<readonly ClusterObject[]>> {
  const { kind } = query;
  if (relatedKindNamed(sources, kind) === null) throw notDeclared(kind);
  for (let start = 0; start < STARTS_MAX; start += 1) {
    const read = await readPages(cluster, query);
    if (read !== null) return read;
  }
  throw new Error(`Cannot list ${kind}: the list expired ${STARTS_MAX} times`);
}

async function readPages(
  cluster: Cluster,
  { kind, namespace, label }: ListQuery,
): Promise<Answer<readonly ClusterObject[]> | null> {
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
  return { found: objects.toSorted((a, b) => compareText(keyOf(a.ref), keyOf(b.ref))), isWhole };
}

function notDeclared(kind: string): Error {
  return new Error(`Cannot read a related ${kind}: its source asked for it and does not declare the kind`);
}
