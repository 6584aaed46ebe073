// What a view that extends another one inherits, in a plan: from the other view as it is after what is planned there.
import {
  extendedOf,
  type InheritingZone,
  namesToInherit,
  usableHostedZones,
  usersOf,
  zoneTtl,
} from '../directory/inherited-names.ts';
import { type LiveAt, readResponsibleZone, responsibleZoneOf } from '../directory/responsible-zone.ts';
import { isAtOrBelow } from '../dns/names/name.ts';
import { inViewOf, realName, viewOf } from '../dns/names/view.ts';
import { recordSetId } from '../dns/record-set.ts';
import type { Context } from '../ports/context.ts';
import { once } from '../ports/once.ts';
import type { HostedZonePlan } from '../publish/plan/plan-hosted-zone.ts';
import type { ItemsOfRun } from '../publish/run/run.ts';
import { type Settled, settleNames, settleNothing } from '../publish/run/settle-inherited.ts';
import { fellowsOf } from '../record-sets/fellows.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, storedContent } from '../record-sets/record-set-item.ts';
import { nameReader } from '../record-sets/store.ts';

type Planned = {
  readonly hostedZone: HostedZoneItem;
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly plan: HostedZonePlan;
};

/** All hosted zones of a plan, and those that were planned so far. */
export type SoFar = {
  readonly owned: readonly HostedZoneItem[];
  readonly planned: readonly Planned[];
  readonly liveAt: LiveAt;
  /** The TTL of the live Zone of a name, in seconds. */
  readonly ttlAt: (fqdn: string) => number;
};

/** Settles a hosted zone of a plan; null: nothing is inherited there. */
export async function settlePlanned(
  { ledger, log, config }: Context,
  run: ItemsOfRun,
  { owned, planned, liveAt, ttlAt }: SoFar,
): Promise<Settled | null> {
  const { hostedZone } = run;
  const extended = await extendedOf(ledger, hostedZone, config.extendedViews);
  if (extended === null) return settleNothing(run);
  const known = new Map(planned.map((one) => [one.hostedZone.id, once(() => itemsAfter(one))]));
  const stored = nameReader(ledger, Number.POSITIVE_INFINITY);
  const others = (await usableHostedZones(ledger, log)).filter(({ id }) => !owned.some((one) => one.id === id));
  const hostedZones = [...others, ...owned.filter(({ gone }) => !gone)];
  const usedBy = usersOf(hostedZones, async (one) =>
    owned.includes(one)
      ? responsibleZoneOf(one, liveAt)?.isOwn === true
      : (await readResponsibleZone(ledger, one))?.isOwn === true,
  );
  const zone: InheritingZone = {
    ...{ hostedZone, extended, hostedZones },
    fellows: await fellowsOf(ledger, hostedZone),
    ttlSeconds: async () => {
      const user = (await usedBy(hostedZone)) ?? hostedZone;
      return owned.includes(user) ? ttlAt(user.name) : zoneTtl(ledger, user);
    },
    itemsAt: async (id, name) => {
      const after = known.get(id)?.();
      return after === undefined ? stored(id, name) : (after.get(name) ?? []);
    },
    isUsed: async (one) => (await usedBy(one)) !== null,
  };
  const names = await namesToInherit(ledger, zone);
  for (const one of planned) {
    if (viewOf(one.hostedZone.name) !== extended) continue;
    for (const { name } of one.items.values()) names.add(inViewOf(hostedZone.name, realName(name)));
  }
  for (const { item } of run.items.values()) names.add(item.name);
  const below = [...names].filter((name) => isAtOrBelow(name, hostedZone.name));
  return settleNames(run, new Set(below), zone, !(await zone.isUsed(hostedZone)));
}

/** The items of a planned hosted zone by name, published as after the plan. */
function itemsAfter({ items, plan }: Planned): ReadonlyMap<string, readonly RecordSetItem[]> {
  const adopted = plan.changes.filter(({ action }) => action === 'adopt' || action === 'forget');
  const after = new Map([...plan.go, ...adopted].map((change) => [recordSetId(change), change]));
  const made = [...items.values()].map((item) => {
    const change = after.get(recordSetId(item));
    if (change === undefined) return item;
    return { ...item, published: change.action === 'forget' ? null : storedContent(change.after) };
  });
  return Map.groupBy(made, ({ name }) => name);
}
