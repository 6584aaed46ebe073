// What moves between clusters when one of them becomes standby, or active again. The claims at its names are judged as
// they will be; what the clusters give each other then, and what an earlier run has not finished, is planned for those
// that get it.
import { hash } from 'node:crypto';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import type { Context } from '../ports/context.ts';
import { oncePerKey } from '../ports/once.ts';
import { type Given, settleClaims, type Taken } from '../publish/run/settle-claims.ts';
import { CLUSTERS_PARTITION, withStandby } from '../record-sets/cluster-item.ts';
import { type HostedZoneItem, hostedZoneIdOf, isOfDnsRecords } from '../record-sets/hosted-zone-item.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { needsPublishing } from '../record-sets/state.ts';
import type { PublishedPlan } from './apply-hosted-zone.ts';
import { planOfGiven, rehearsedGiving } from './plan-given.ts';
import { rehearsedRun } from './rehearsed-run.ts';

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
      const ofOne = await givenBy(decided, from, items);
      if (ofOne.length > 0) giving.set(from.id, [...new Set(ofOne.map(({ item }) => item.name))]);
      given.push(...ofOne.map((one) => ({ ...one, from: from.cluster })));
    }
    for (const taker of takers) {
      const ofOne = given.filter(({ to }) => to.id === taker.id);
      const part = await partOf(decided, taker, await itemsOf(taker), ofOne);
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

/** What a cluster gives of these record sets. */
async function givenBy(
  context: Context,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
): Promise<readonly Given[]> {
  const given: Given[] = [];
  await settleClaims(rehearsedRun(context, hostedZone, items), rehearsedGiving(given));
  return given;
}

/** The part of the plan for a cluster that gets something, or has got it and not published its own yet. */
async function partOf(
  context: Context,
  hostedZone: HostedZoneItem,
  all: readonly RecordSetItem[],
  given: readonly (Given & { readonly from: string })[],
): Promise<PlannedStandby['parts'][number] | null> {
  const begun = all.filter((item) => item.takenFrom !== undefined && needsPublishing(item));
  const names = new Set([...given.map(({ item }) => item), ...begun].map(({ name }) => name));
  if (names.size === 0) return null;
  const items = all.filter(({ name }) => names.has(name));
  const { plan, kept } = await planOfGiven(context, hostedZone, items, given);
  const moved = [...given, ...begun.map((item) => ({ item, from: item.takenFrom?.cluster ?? '' }))];
  const taken = moved.map(({ item, from }): Taken => ({ item, from: { cluster: from, id: '' } }));
  const nothing = { pending: false, drifts: [], differences: [], read: null };
  return { hostedZone, plan, kept, taken, names: [...names], ...nothing };
}
