// What moves between clusters when one of them becomes standby, or active again. The claims at its names are judged as
// they will be; what the clusters give each other then, and what an earlier run has not finished, is planned for those
// that get it.
import { hash } from 'node:crypto';
import { recordSetId } from '../dns/record-set.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import { oncePerKey } from '../ports/once.ts';
import { type Given, settleClaims, type Taken } from '../publish/run/settle-claims.ts';
import { CLUSTERS_PARTITION, withStandby } from '../record-sets/cluster-item.ts';
import { type HostedZoneItem, hostedZoneIdOf, isOfDnsRecords } from '../record-sets/hosted-zone-item.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import {
  isWithdrawn,
  type RecordSetItem,
  recordSetCodec,
  recordSetsPartition,
} from '../record-sets/record-set-item.ts';
import { needsPublishing } from '../record-sets/state.ts';
import type { PublishedPlan } from './apply-hosted-zone.ts';
import { planOfGiven, rehearsedGiving } from './plan-given.ts';
import { itemsIn, rehearsedRun } from './rehearsed-run.ts';

/** A cluster, and whether it is to be on standby. */
export type AskedStandby = { readonly cluster: string; readonly standby: boolean };

/** `giving`: the names that each hosted zone, or share of one, gives. `parts`: what is published then. */
export type PlannedStandby = {
  readonly giving: ReadonlyMap<string, readonly string[]>;
  readonly parts: readonly (PublishedPlan & { readonly names: readonly string[] })[];
};

/** Plans it, and writes nothing. */
export async function planStandby(context: Context, asked: AskedStandby): Promise<PlannedStandby> {
  const decided = { ...context, ledger: decidedLedger(context, asked) };
  const all = await readableHostedZones(context.ledger, context.log);
  const usable = all.filter(({ id, gone, retired }) => !gone && !retired && !isOfDnsRecords(id));
  const giving = new Map<string, readonly string[]>();
  const parts: PlannedStandby['parts'][number][] = [];
  const itemsOf = oncePerKey(
    ({ id }: Pick<HostedZoneItem, 'id'>) => id,
    (one) => readItems(context, one),
  );
  for (const own of usable.filter(({ cluster }) => cluster === asked.cluster)) {
    const others = usable.filter((one) => one !== own && hostedZoneIdOf(one.id) === hostedZoneIdOf(own.id));
    if (others.length === 0) continue;
    const [givers, takers] = asked.standby ? [[own], others] : [others, [own]];
    const names = new Set((await itemsOf(own)).map(({ name }) => name));
    const given: (Given & { readonly from: string })[] = [];
    for (const from of givers) {
      const items = (await itemsOf(from)).filter(({ name }) => names.has(name));
      const { given: ofOne, withdrawn } = await givenBy(decided, from, items);
      if (withdrawn.length > 0) parts.push(await partOfWithdrawn(decided, from, withdrawn));
      if (ofOne.length > 0) giving.set(from.id, [...new Set(ofOne.map(({ item }) => item.name))]);
      given.push(...ofOne.map((one) => ({ ...one, from: from.cluster })));
    }
    const shared = asked.standby ? new Set<string>() : await sharedBy(decided, own, await itemsOf(own));
    for (const taker of takers) {
      const ofOne = given.filter(({ to }) => to.id === taker.id);
      const part = await partOf(decided, taker, await itemsOf(taker), ofOne, shared);
      if (part !== null) parts.push(part);
    }
  }
  return { giving, parts };
}

/** One digest for all that a plan changes. */
export function digestOf({ parts }: Pick<PlannedStandby, 'parts'>): string {
  return hash('sha256', JSON.stringify(parts.map(({ hostedZone, plan }) => [hostedZone.id, plan.digest])), 'hex');
}

/** The ledger as it is when the cluster is as asked. */
function decidedLedger({ ledger, clock }: Context, { cluster, standby }: AskedStandby): Context['ledger'] {
  return {
    ...ledger,
    get: async (key) => {
      const stored = await ledger.get(key);
      if (key.partition !== CLUSTERS_PARTITION || key.sort !== cluster) return stored;
      return withStandby(stored, key, standby, clock.nowMs());
    },
    query: (partition, options) => ledger.query(partition, options),
    put: (...args) => ledger.put(...args),
    remove: (...args) => ledger.remove(...args),
  };
}

async function readItems({ ledger }: Context, { id }: Pick<HostedZoneItem, 'id'>): Promise<readonly RecordSetItem[]> {
  const items: RecordSetItem[] = [];
  for await (const stored of eachItem(ledger, recordSetsPartition(id))) {
    const item = recordSetCodec.read(stored);
    if (!(item instanceof UnreadableItemError)) items.push(item);
  }
  return items;
}

/** What a cluster gives of these record sets, and what it only withdraws. */
async function givenBy(
  context: Context,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
): Promise<{ readonly given: readonly Given[]; readonly withdrawn: readonly RecordSetItem[] }> {
  const given: Given[] = [];
  const run = rehearsedRun(context, hostedZone, items);
  await settleClaims(run, rehearsedGiving(given));
  return { given, withdrawn: itemsIn(run).filter(isWithdrawn) };
}

/** The record sets, by id, that a cluster may have now beside those of others, and that nobody gives it. */
async function sharedBy(
  context: Context,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
): Promise<ReadonlySet<string>> {
  const isRefused = ({ refusal }: RecordSetItem) => refusal?.reason === 'OwnedByAnotherCluster';
  const waiting = new Set(items.filter((item) => isRefused(item) && item.published === null).map(recordSetId));
  const names = new Set(items.flatMap((item) => (waiting.has(recordSetId(item)) ? item.name : [])));
  const run = rehearsedRun(context, hostedZone, names.size === 0 ? [] : items.filter(({ name }) => names.has(name)));
  await settleClaims(run, rehearsedGiving([]));
  const open = itemsIn(run).filter((item) => waiting.has(recordSetId(item)) && !isRefused(item));
  return new Set(open.filter(needsPublishing).map(recordSetId));
}

/** The part of the plan for a cluster whose record sets cannot stay beside those of others. */
async function partOfWithdrawn(
  context: Context,
  hostedZone: HostedZoneItem,
  withdrawn: readonly RecordSetItem[],
): Promise<PlannedStandby['parts'][number]> {
  const { plan, kept } = await planOfGiven(context, hostedZone, withdrawn, []);
  const names = [...new Set(withdrawn.map(({ name }) => name))];
  return { hostedZone, plan, kept, names, ...NOTHING_READ };
}

const NOTHING_READ = { pending: false, drifts: [], differences: [], read: null };

/** The part of the plan for a cluster that gets something, or has got it and not published its own yet. */
async function partOf(
  context: Context,
  hostedZone: HostedZoneItem,
  all: readonly RecordSetItem[],
  given: readonly (Given & { readonly from: string })[],
  shared: ReadonlySet<string>,
): Promise<PlannedStandby['parts'][number] | null> {
  const begun = all.filter((item) => item.takenFrom !== undefined && needsPublishing(item));
  const moving = new Set([...given.map(({ item }) => item), ...begun].map(({ name }) => name));
  const items = all.filter((item) => moving.has(item.name) || shared.has(recordSetId(item)));
  const names = new Set([...moving, ...items.map(({ name }) => name)]);
  if (names.size === 0) return null;
  const { plan, kept } = await planOfGiven(context, hostedZone, items, given);
  const moved = [...given, ...begun.map((item) => ({ item, from: item.takenFrom?.cluster ?? '' }))];
  const taken = moved.map(({ item, from }): Taken => ({ item, from: { cluster: from, id: '' } }));
  return { hostedZone, plan, kept, taken, names: [...names], ...NOTHING_READ };
}
