// Lists all objects of a kind in pages of one snapshot, or page by page without one. A page that is missing, cut or of
// another kind is an error: a short list that counted as complete would delete DNS. When the snapshot is gone (410),
// the list starts over.

import { apiKindOf, type Kind } from '../../objects/kind.ts';
import { mapping } from '../../objects/plain.ts';
import type { RelatedLabel } from '../../objects/related.ts';
import type { ClusterObject, ClusterPage } from '../../ports/cluster.ts';
import { ANSWER_TOO_LARGE, hasStatus, KubernetesError } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { listPath, readObject } from './read-object.ts';

/** A complete list, with its resourceVersion. */
export type KubernetesList = { readonly objects: readonly ClusterObject[]; readonly resourceVersion: string };

/** The most times that a list starts. */
const STARTS_MAX = 5;
/** How many objects a page has, if their kind does not say. */
const PAGE_OBJECTS = 500;
/** If a page is too large, one with this fraction of its objects is requested. */
const FEWER = 8;

/** Lists all objects of a kind. Throws `KubernetesError` if the list is not complete. */
export async function listAll(transport: KubernetesTransport, kind: Kind): Promise<KubernetesList> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await listOnce(transport, kind);
    } catch (error) {
      if (!hasStatus(error, 410) || starts >= STARTS_MAX) throw error;
    }
  }
}

/**
 * One page, for callers that need no snapshot. If the snapshot of `cursor` is gone, the list continues at the same key
 * with the objects of now; null if the API server cannot do that: start over.
 */
export async function listPage(
  transport: KubernetesTransport,
  kind: Kind,
  namespace: string | null,
  cursor: string | null,
  label: RelatedLabel | null = null,
): Promise<ClusterPage | null> {
  let from = cursor;
  for (let tries = 1; ; tries += 1) {
    try {
      const { items, next } = await readPage(transport, { kind, namespace, label }, from);
      return { objects: items.map((item) => readObject(kind, item)), next, unreadable: new Set() };
    } catch (error) {
      if (!hasStatus(error, 410) || from === null) throw error;
      if (error.continueToken === null || tries >= STARTS_MAX) return null;
      from = error.continueToken;
    }
  }
}

/** The current resourceVersion, without objects. */
export async function currentVersion(transport: KubernetesTransport, kind: Kind): Promise<string> {
  return (await readPage(transport, { kind, namespace: null }, null, 1)).resourceVersion;
}

async function listOnce(transport: KubernetesTransport, kind: Kind): Promise<KubernetesList> {
  const objects: ClusterObject[] = [];
  let resourceVersion = '';
  for await (const page of pagesOf(transport, { kind, namespace: null })) {
    for (const item of page.items) objects.push(readObject(kind, item));
    resourceVersion = page.resourceVersion;
  }
  return { objects, resourceVersion };
}

type Page = { readonly items: readonly unknown[]; readonly next: string | null; readonly resourceVersion: string };

type Listed = { readonly kind: Kind; readonly namespace: string | null; readonly label?: RelatedLabel | null };

/** The pages of a list, untrusted. Throws `KubernetesError`. */
export async function* pagesOf(transport: KubernetesTransport, listed: Listed): AsyncGenerator<Page> {
  let next: string | null = null;
  do {
    const page: Page = await readPage(transport, listed, next);
    yield page;
    next = page.next;
  } while (next !== null);
}

/** One page of a list, untrusted; fewer than `limit` objects if they are large. Throws `KubernetesError`. */
async function readPage(
  transport: KubernetesTransport,
  listed: Listed,
  next: string | null,
  limit = listed.kind.pageSize ?? PAGE_OBJECTS,
): Promise<Page> {
  try {
    return await askPage(transport, listed, limit, next);
  } catch (error) {
    const isTooLarge = error instanceof KubernetesError && error.reason === ANSWER_TOO_LARGE;
    if (!isTooLarge || limit === 1) throw error;
    return readPage(transport, listed, next, Math.ceil(limit / FEWER));
  }
}

async function askPage(
  transport: KubernetesTransport,
  { kind, namespace, label = null }: Listed,
  limit: number,
  next: string | null,
): Promise<Page> {
  const { resource, group } = kind;
  const answer = mapping(
    await transport.send({
      action: `list ${resource}`,
      method: 'GET',
      path: listPath(kind, namespace),
      query: {
        limit: String(limit),
        ...(next === null ? {} : { continue: next }),
        ...(label === null ? {} : { labelSelector: `${label.key}=${label.value}` }),
      },
      rule: { group, resource, verb: 'list' },
    }),
  );
  const metadata = mapping(answer.metadata);
  const { resourceVersion } = metadata;
  const expected = `${apiKindOf(kind)}List`;
  if (answer.kind !== expected || !Array.isArray(answer.items) || typeof resourceVersion !== 'string') {
    throw new KubernetesError(`Cannot list ${resource}: the answer is not a ${expected}`, { status: null });
  }
  const token = metadata.continue;
  return { items: answer.items, next: typeof token === 'string' && token !== '' ? token : null, resourceVersion };
}
