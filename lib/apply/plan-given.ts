// What a plan gives to other clusters, and what a cluster publishes that is given something.
import { recordSetId } from '../dns/record-set.ts';
import type { UnreadableItemError } from '../ledger/item-codec.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZonePlan } from '../publish/plan/plan-hosted-zone.ts';
import { countPublished } from '../publish/run/charge-deletes.ts';
import { planNames, readNamespacesOf } from '../publish/run/prepare.ts';
import type { Given, Giving, Taken } from '../publish/run/settle-claims.ts';
import type { Fellow } from '../record-sets/fellows.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { withGiven } from '../record-sets/transitions.ts';
import { itemsIn, rehearsedRun } from './rehearsed-run.ts';

/** A name that another cluster is to judge again. */
export type Woken = { readonly fellow: Fellow; readonly name: string };

type GivenPart = {
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly plan: HostedZonePlan;
  readonly kept: ReadonlyMap<string, UnreadableItemError>;
};

/** Notes what a plan gives away, takes and wakes; writes nothing. `taken` absent: it takes nothing. */
export function rehearsedGiving(given: Given[], taken?: Taken[], woken: Woken[] = []): Giving {
  return {
    ...(taken !== undefined && { take: (one) => void taken.push(one) }),
    give: async (one) => {
      given.push(one);
      return true;
    },
    wake: async (fellow, name) => void woken.push({ fellow, name }),
    finish: async () => {},
  };
}

/** The plan of a hosted zone for the names of these items, once it was given what it is given. */
export async function planOfGiven(
  context: Context,
  hostedZone: HostedZoneItem,
  before: readonly RecordSetItem[],
  given: readonly (Given & { readonly from: string })[],
): Promise<GivenPart> {
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
