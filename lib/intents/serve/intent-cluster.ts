// A cluster that has the DNSEndpoints of intents beside its own objects: those of provider aws, under the parameters of their
// records, as they are noted in the ledger. The plain source of DNSEndpoints never sees one that is labelled with a record, and
// need not be on.
import { digestOf } from '../../ledger/canonical-json.ts';
import { readItem } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { Kind } from '../../objects/kind.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import type { Cluster, ClusterObject, Listing } from '../../ports/cluster.ts';
import type { JsonValue, Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { type IntentKeys, intentKeys, type Served, servedCodec } from '../state/items.ts';

/** What the intents of a cluster are kept in. */
type Kept = { readonly ledger: Ledger; readonly keys: IntentKeys };

/** The cluster with its intents. `reads`: the kinds that it reads without them. */
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
      const page = isRead ? await cluster.listPage(kind, namespace, cursor, ...rest) : NO_PAGE;
      if (page === null) return null;
      const own = await servedObjects(kept, namespace);
      return { ...page, objects: stretchOf(page, own, cursor).toSorted(inOrder) };
    },
    get: async (ref, lastSeenIn) => {
      if (ref.kind !== DNS_ENDPOINT.kind) return cluster.get(ref, lastSeenIn);
      const stored = await readItem(ledger, kept.keys.served(ref.namespace, ref.name), servedCodec);
      if (stored !== null) return { kind: 'present', object: objectOf(ref, stored.item) };
      if (!isRead) return { kind: 'absent' };
      const seen = await cluster.get(ref, lastSeenIn);
      return seen.kind === 'present' && !isPlain(seen.object) ? { kind: 'absent' } : seen;
    },
    report: async (ref, status, before) => {
      // What stands in the cluster of ours is for the record's own program to note; the API says how publishing goes.
      const isOwn =
        ref.kind === DNS_ENDPOINT.kind && (await ledger.get(kept.keys.served(ref.namespace, ref.name))) !== null;
      if (!isOwn && (ref.kind !== DNS_ENDPOINT.kind || isRead)) await cluster.report(ref, status, before);
    },
  };
}

type Page = NonNullable<Awaited<ReturnType<Cluster['listPage']>>>;
const NO_PAGE: Page = { objects: [], next: null, unreadable: new Set() };

/** Ours that fall between what this page begins after and what it ends with. Those of before its first object come with the first page. */
function stretchOf(page: Page, own: readonly ClusterObject[], cursor: string | null): ClusterObject[] {
  const plain = page.objects.filter(isPlain);
  const last = page.next === null ? null : (page.objects.at(-1) ?? null);
  const first = cursor === null ? null : (page.objects[0] ?? null);
  const within = own.filter(
    (one) => (first === null || inOrder(one, first) >= 0) && (last === null || inOrder(one, last) <= 0),
  );
  return [...plain, ...within];
}

function inOrder(a: ClusterObject, b: ClusterObject): number {
  const [one, other] = [a, b].map(({ ref }) => Buffer.from(`${ref.namespace}/${ref.name}`)) as [Buffer, Buffer];
  return Buffer.compare(one, other);
}

/** One that is for no record. */
function isPlain({ ref, labels }: ClusterObject): boolean {
  return ref.kind !== DNS_ENDPOINT.kind || labels[RECORD_LABEL] === undefined;
}

async function servedObjects({ ledger, keys }: Kept, namespace: string | null): Promise<ClusterObject[]> {
  const found: ClusterObject[] = [];
  for await (const stored of eachItem(ledger, keys.partitions.served, namespace === null ? '' : `${namespace}/`)) {
    const [project = '', name = ''] = stored.sort.split('/');
    found.push(objectOf({ kind: DNS_ENDPOINT.kind, namespace: project, name }, servedCodec.decode(stored)));
  }
  return found;
}

function objectOf(ref: ObjectRef, { record, sets }: Served): ClusterObject {
  return {
    ref,
    uid: null,
    creationTimestamp: null,
    order: `${ref.namespace}/${ref.name}`,
    version: `intent-${digestOf(sets as unknown as JsonValue).slice(0, 16)}`,
    generation: null,
    annotations: {},
    labels: { [RECORD_LABEL]: record },
    spec: { endpoints: sets },
    origin: null,
  };
}
