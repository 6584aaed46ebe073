// A cluster that also has the DNSEndpoints of intents of provider aws, which are stored in the ledger. The source
// `dnsEndpoints` never reads a DNSEndpoint with the label of a record, and need not be switched on.
import { compareText } from '../../dns/names/compare-text.ts';
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { Kind } from '../../objects/kind.ts';
import { keyOf, type ObjectRef } from '../../objects/object-ref.ts';
import type { Cluster, ClusterObject, Listing } from '../../ports/cluster.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { type IntentKeys, intentKeys, type Served, servedCodec } from '../state/items.ts';
import { generationOf, versionOf } from './served-version.ts';

/** Where the intents of a cluster are stored. */
type Kept = { readonly ledger: Ledger; readonly keys: IntentKeys };

/** The cluster with the DNSEndpoints of intents. `reads`: the kinds that it reads anyway. */
export function intentCluster(cluster: Cluster, ledger: Ledger, reads: readonly Kind[]): Cluster {
  const kept = { ledger, keys: intentKeys(cluster.clusterId) };
  const isRead = reads.some(({ kind }) => kind === DNS_ENDPOINT.kind);
  return {
    ...cluster,
    list: async () => {
      const listing = await cluster.list();
      const own = await servedObjects(kept, null);
      return { ...listing, objects: [...listing.objects.filter(isPlain), ...own] } satisfies Listing;
    },
    listPage: async (kind, namespace, cursor, ...rest) => {
      if (kind !== DNS_ENDPOINT.kind) return cluster.listPage(kind, namespace, cursor, ...rest);
      const from = readCursor(cursor);
      const page = isRead ? await cluster.listPage(kind, namespace, from.inner, ...rest) : NO_PAGE;
      return page === null ? null : together(page, await servedObjects(kept, namespace), from.after);
    },
    get: async (ref, lastSeenIn, known) => {
      if (ref.kind !== DNS_ENDPOINT.kind) return cluster.get(ref, lastSeenIn, known);
      const stored = await ledger.get(kept.keys.served(ref.namespace, ref.name));
      const served = stored === null ? null : servedCodec.read(stored);
      if (served instanceof UnreadableItemError) return { kind: 'unknown', message: served.message };
      if (served !== null && served.sets.length > 0) return { kind: 'present', object: objectOf(ref, served) };
      if (!isRead) return { kind: 'absent' };
      const seen = await cluster.get(ref, lastSeenIn);
      return seen.kind === 'present' && !isPlain(seen.object) ? { kind: 'absent' } : seen;
    },
    crd: async (kind) =>
      (kind === DNS_ENDPOINT.kind && !isRead ? undefined : await cluster.crd?.(kind)) ?? { kind: 'none' },
    report: async (ref, status, ...rest) => {
      // The status of our objects in the cluster belongs to the external-dns of their record; the intent API reports on
      // ours.
      const isOwn =
        ref.kind === DNS_ENDPOINT.kind && (await ledger.get(kept.keys.served(ref.namespace, ref.name))) !== null;
      if (!isOwn && (ref.kind !== DNS_ENDPOINT.kind || isRead)) await cluster.report(ref, status, ...rest);
    },
  };
}

type Page = NonNullable<Awaited<ReturnType<Cluster['listPage']>>>;
const NO_PAGE: Page = { objects: [], next: null, unreadable: new Set() };

/** Where a page begins: the cursor of the cluster, and the last object of the page before. */
type From = { readonly inner: string | null; readonly after: string | null };

function readCursor(cursor: string | null): From {
  if (cursor === null) return { inner: null, after: null };
  const [inner, after] = JSON.parse(cursor) as [string, string];
  return { inner, after };
}

/** A page of the cluster with our objects that sort into it; the last page has all our remaining objects. */
function together(page: Page, own: readonly ClusterObject[], after: string | null): Page {
  const lastOf = page.objects.at(-1);
  const last = page.next === null || lastOf === undefined ? null : keyOf(lastOf.ref);
  const isHere = (one: ClusterObject) =>
    (after === null || keyOf(one.ref) > after) && (last === null || keyOf(one.ref) <= last);
  const objects = [...page.objects.filter(isPlain), ...own.filter(isHere)].toSorted((a, b) =>
    compareText(keyOf(a.ref), keyOf(b.ref)),
  );
  return { ...page, objects, next: page.next === null ? null : JSON.stringify([page.next, last ?? after]) };
}

/** True for an object that belongs to no record. */
function isPlain({ ref, labels }: ClusterObject): boolean {
  return ref.kind !== DNS_ENDPOINT.kind || labels[RECORD_LABEL] === undefined;
}

async function servedObjects({ ledger, keys }: Kept, namespace: string | null): Promise<ClusterObject[]> {
  const found: ClusterObject[] = [];
  for await (const stored of eachItem(ledger, keys.partitions.served, namespace === null ? '' : `${namespace}/`)) {
    const [project = '', name = ''] = stored.sort.split('/');
    const served = servedCodec.read(stored);
    // One that cannot be read is missing here. A read by its name says that it is not gone.
    if (served instanceof UnreadableItemError) continue;
    if (served.sets.length > 0) found.push(objectOf({ kind: DNS_ENDPOINT.kind, namespace: project, name }, served));
  }
  return found;
}

function objectOf(ref: ObjectRef, { record, sets }: Served): ClusterObject {
  return {
    ref,
    uid: null,
    creationTimestamp: null,
    order: keyOf(ref),
    version: versionOf(sets),
    generation: generationOf(sets),
    annotations: {},
    labels: { [RECORD_LABEL]: record },
    spec: { endpoints: sets },
    origin: null,
  };
}
