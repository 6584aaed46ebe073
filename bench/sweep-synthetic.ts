// A settled cluster of very many Records that is not held in memory: pages of the API server, items of the ledger and
// record sets of Route 53 are made from their number when they are read, so that the memory measured is that of the
// sweep. What exists only once (the Zone, its hosted zone) was made by the real code, over one Record.

import { reversedKey } from '../lib/dns/names/name.ts';
import type { RecordSet } from '../lib/dns/record-set.ts';
import { allItems } from '../lib/ledger/pages.ts';
import { NOTHING_GATHERED } from '../lib/observe/in-force/last-valid-spec.ts';
import type { NamedItem } from '../lib/observe/name-index.ts';
import { namedCodec, namedItem, namesPartition, placeOf } from '../lib/observe/name-index.ts';
import { type ObjectItem, objectCodec, objectKey, objectsPartition } from '../lib/observe/object-item.ts';
import { itemAsObserved } from '../lib/observe/read-cluster.ts';
import { statusesPartition, statusKey } from '../lib/observe/status-item.ts';
import type { Cluster, ClusterObject } from '../lib/ports/cluster.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import type { JsonObject, Ledger, LedgerItem, LedgerKey } from '../lib/ports/ledger.ts';
import { changeHostedZone } from '../lib/record-sets/lease.ts';
import { recordSetCodec, recordSetsPartition } from '../lib/record-sets/record-set-item.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { SOURCES } from '../lib/sources/source.ts';
import { deliverAll, hintFor, type ReconcileWorld, reconcileWorld } from '../test/fakes/reconcile-world.ts';

const ZONE = { kind: 'Zone', namespace: 'team', name: 'zone' } as const;
const PAGE_OBJECTS = 500;
const PAGE_ITEMS = 1_000;
const PAGE_RECORD_SETS = 300;

export type SyntheticWorld = Pick<ReconcileWorld, 'context' | 'queued'>;

/** A world of `records` Records in one hosted zone, all published and reported. */
export async function syntheticWorld(records: number): Promise<SyntheticWorld> {
  const world = await worldOfOne();
  const made = await templates(world);
  await changeHostedZone(world.ledger, 'Z1', (item) => {
    return item && { ...item, publishedCount: item.publishedCount + records - 1 };
  });
  const ledger = syntheticLedger(world.ledger, records, made);
  const cluster = syntheticCluster(world.context.cluster, records);
  const hostedZones = syntheticHostedZones(world.context.account.hostedZones, records, made.recordSet);
  return { queued: world.queued, context: { ...world.context, ledger, cluster, account: { hostedZones } } };
}

async function worldOfOne(): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(objectOf(0).ref, objectOf(0).spec);
  await reconcile(world.context, [hintFor(ZONE), hintFor(objectOf(0).ref)]);
  await deliverAll(world);
  return world;
}

function nameOf(index: number): string {
  return `r${String(index).padStart(7, '0')}`;
}

function objectOf(index: number): ClusterObject {
  const name = nameOf(index);
  return {
    ref: { kind: 'Record', namespace: 'team', name },
    uid: `uid-${name}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    order: '',
    version: '7',
    generation: 1,
    annotations: {},
    labels: {},
    spec: { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.1' },
    origin: null,
  };
}

function nameKey(index: number): LedgerKey {
  return placeOf('default', objectOf(index).ref, {
    domainName: { kind: 'full', fqdn: `${nameOf(index)}.e.` },
    zoneRef: null,
  });
}

function namedOf(index: number): NamedItem {
  return namedItem('default', observedOf(index), nameKey(index)) as NamedItem;
}

function observedOf(index: number): ObjectItem {
  return itemAsObserved('default', SOURCES, objectOf(index), { gathered: NOTHING_GATHERED }, null);
}

/** What was stored for Record 0. In the texts its name is replaced to get the item of another Record. */
type Templates = Readonly<Record<'status' | 'item', string>> & { readonly recordSet: RecordSet };

async function templates({ ledger }: ReconcileWorld): Promise<Templates> {
  const only = async (partition: string, prefix = '') => {
    const [item] = await allItems(ledger, partition, prefix);
    return JSON.stringify((item as LedgerItem).body).replaceAll(/"uid":"uid-\d+"/g, `"uid":"uid-${nameOf(0)}"`);
  };
  const prefix = reversedKey(`${nameOf(0)}.e.`);
  const item = await only(recordSetsPartition('Z1'), prefix);
  const [stored] = await allItems(ledger, recordSetsPartition('Z1'), prefix);
  const { name, type, setIdentifier, published } = recordSetCodec.decode(stored as LedgerItem);
  if (published === null) throw new Error('the template was not published');
  return {
    status: await only(statusesPartition('default', 'Record')),
    item,
    recordSet: { name, type, setIdentifier, content: published },
  };
}

type Made = { readonly sortOf: (index: number) => string; readonly bodyOf: (index: number) => JsonObject };

function syntheticLedger(inner: Ledger, records: number, { status, item }: Templates): Ledger {
  const from = (template: string) => (index: number) =>
    JSON.parse(template.replaceAll(nameOf(0), nameOf(index))) as JsonObject;
  const made: Readonly<Record<string, Made>> = {
    [objectsPartition('default', 'Record')]: {
      sortOf: (index) => objectKey('default', objectOf(index).ref).sort,
      bodyOf: (index) => objectCodec.encode({ ...observedOf(index), unsettled: false }),
    },
    [statusesPartition('default', 'Record')]: {
      sortOf: (index) => statusKey('default', objectOf(index).ref).sort,
      bodyOf: from(status),
    },
    [namesPartition('default')]: {
      sortOf: (index) => nameKey(index).sort,
      bodyOf: (index) => namedCodec.encode(namedOf(index)),
    },
    [recordSetsPartition('Z1')]: {
      sortOf: (index) => `${reversedKey(`${nameOf(index)}.e.`)}A `,
      bodyOf: from(item),
    },
  };
  const itemAt = (partition: string, { sortOf, bodyOf }: Made, index: number): LedgerItem => {
    return { partition, sort: sortOf(index), revision: 'made', body: bodyOf(index) };
  };
  return {
    get: async (key) => {
      const of = made[key.partition];
      const index = Number(/r(\d{7})/.exec(key.sort)?.[1] ?? Number.NaN);
      if (of === undefined || Number.isNaN(index)) return inner.get(key);
      return index < records && of.sortOf(index) === key.sort ? itemAt(key.partition, of, index) : null;
    },
    query: async (partition, options = {}) => {
      const of = made[partition];
      if (of === undefined) return inner.query(partition, options);
      const { prefix = '', after = '', limit = PAGE_ITEMS } = options;
      const items: LedgerItem[] = [];
      const soa = partition === recordSetsPartition('Z1') ? await inner.get({ partition, sort: 'e SOA ' }) : null;
      if (soa?.sort.startsWith(prefix) && soa.sort > after) items.push(soa);
      for (let index = firstAt(of, records, prefix, after); index < records && items.length < limit; index += 1) {
        if (!of.sortOf(index).startsWith(prefix)) break;
        items.push(itemAt(partition, of, index));
      }
      return { items, next: items.length < limit ? null : (items.at(-1)?.sort ?? null) };
    },
    put: inner.put,
    remove: inner.remove,
  };
}

/** The first number whose sort key is not before the prefix and is greater than `after`. */
function firstAt({ sortOf }: Made, records: number, prefix: string, after: string): number {
  let [low, high] = [0, records];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const sort = sortOf(middle);
    if (sort < prefix || sort <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

function syntheticCluster(inner: Cluster, records: number): Cluster {
  return {
    ...inner,
    listPage: async (kind, namespace, cursor) => {
      if (kind !== 'Record') return inner.listPage(kind, namespace, cursor);
      const begin = Number(cursor ?? 0);
      const end = Math.min(records, begin + PAGE_OBJECTS);
      const objects = Array.from({ length: end - begin }, (_, at) => objectOf(begin + at));
      return { objects, next: end < records ? String(end) : null, unreadable: new Set() };
    },
  };
}

function syntheticHostedZones(inner: HostedZones, records: number, template: RecordSet): HostedZones {
  return {
    ...inner,
    readPage: async (id, from) => {
      const index = Number(/^r(\d{7})/.exec(from?.name ?? '')?.[1] ?? 0);
      const end = Math.min(records, index + PAGE_RECORD_SETS);
      const own = Array.from({ length: end - index }, (_, at) => ({ ...template, name: `${nameOf(index + at)}.e.` }));
      const apex = from === null ? ((await inner.readName(id, 'e.')) ?? []) : [];
      const next = end < records ? { name: `${nameOf(end)}.e.`, type: 'A', setIdentifier: null } : null;
      return { recordSets: [...apex, ...own], next };
    },
  };
}
