// What other clusters publish because the planned one gives it to them: a part of the plan for each share of a hosted
// zone. `apply` publishes it after the part of the cluster that gives.
import { recordSetId } from '../dns/record-set.ts';
import type { UnreadableItemError } from '../ledger/item-codec.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZonePlan } from '../publish/plan/plan-hosted-zone.ts';
import { countPublished } from '../publish/run/charge-deletes.ts';
import { planNames, readNamespacesOf } from '../publish/run/prepare.ts';
import type { Given, Giving, Taken } from '../publish/run/settle-claims.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { readName } from '../record-sets/store.ts';
import { withGiven } from '../record-sets/transitions.ts';
import { itemsIn, rehearsedRun } from './rehearsed-run.ts';

/** A part of the plan for another cluster. `from`: the cluster that gives. */
type GivenPart = {
  readonly hostedZone: HostedZoneItem;
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly plan: HostedZonePlan;
  readonly kept: ReadonlyMap<string, UnreadableItemError>;
  readonly from: string;
};

/** Notes what a plan gives away, and what it takes; writes nothing. `taken` absent: it takes nothing. */
export function rehearsedGiving(given: Given[], taken?: Taken[]): Giving {
  return {
    ...(taken !== undefined && { take: (one) => void taken.push(one) }),
    give: async (one) => {
      given.push(one);
      return true;
    },
    wake: async () => {},
    finish: async () => {},
  };
}

/** The parts of the plan for the clusters that are given something. */
export async function planGiven(
  context: Context,
  planned: readonly { readonly given: readonly Given[]; readonly hostedZone: HostedZoneItem }[],
): Promise<readonly GivenPart[]> {
  const parts: GivenPart[] = [];
  for (const { given, hostedZone } of planned)
    for (const [id, ofOne] of Map.groupBy(given, ({ to }) => to.id)) {
      const part = await planOfOne(context, id, ofOne, hostedZone.cluster);
      if (part !== null) parts.push(part);
    }
  return parts;
}

async function planOfOne(
  context: Context,
  id: string,
  given: readonly Given[],
  from: string,
): Promise<GivenPart | null> {
  const stored = await readHostedZone(context.ledger, id);
  if (stored === null) return null;
  const names = [...new Set(given.map(({ item }) => item.name))];
  const items = await Promise.all(names.map((name) => readName(context.ledger, id, name)));
  const all = given.map((one) => ({ ...one, from }));
  const part = await planOfGiven(
    context,
    stored.item,
    items.flat().map(({ item }) => item),
    all,
  );
  return { hostedZone: stored.item, ...part, from };
}

/** The plan of a hosted zone for the names of these items, once it was given what it is given. */
export async function planOfGiven(
  context: Context,
  hostedZone: HostedZoneItem,
  before: readonly RecordSetItem[],
  given: readonly (Given & { readonly from: string })[],
): Promise<Pick<GivenPart, 'items' | 'plan' | 'kept'>> {
  const items = new Map(before.map((item) => [recordSetId(item), item]));
  for (const { item, content, from } of given) {
    const now = items.get(recordSetId(item)) ?? { ...item, desired: null, objects: [], isAsked: false };
    if (now.published !== null && items.has(recordSetId(item))) continue;
    items.set(recordSetId(item), withGiven(now, content, { cluster: from, atMs: context.clock.nowMs() }));
  }
  for (const [key, item] of items) items.set(key, { ...item, refusal: null });
  const run = await countPublished(rehearsedRun(context, hostedZone, items.values()));
  const kept = new Map<string, UnreadableItemError>();
  const namespaces = await readNamespacesOf(run, (at, error) => kept.set(at, error));
  const names = { items: itemsIn(run), heldMarks: [], retryNames: new Set<string>() };
  const guard = { services: null, namespaces, acknowledged: [], isLeft: false };
  const plan = planNames(run, { names, existingSoa: null, ...guard });
  return { items, plan, kept };
}
