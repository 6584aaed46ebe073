// Retires a cluster: withdraws all that it asks for, publishes what that changes, and then forgets the cluster. The
// ledger has each step before the next: a run that dies is continued by the same command. The cluster is on standby
// from the beginning, so that its names move in any case, and it is known until its last item is gone.
import { directoryPartition } from '../directory/directory-item.ts';
import { markInherited, usableHostedZones } from '../directory/inherited-names.ts';
import { forgetRetired } from '../hosting/forget-left.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems, eachItem } from '../ledger/pages.ts';
import { itemsOfCluster } from '../observe/items-of-cluster.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { clusterKey, setStandby } from '../record-sets/cluster-item.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { isOfDnsRecords } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { recentLate } from '../record-sets/retention.ts';
import { changeRecordSetItem } from '../record-sets/store.ts';
import { type AppliedHostedZone, type ApplyOptions, applyHostedZone, newPatience } from './apply-hosted-zone.ts';
import { type AskedRetirement, type PlannedRetirement, withdrawn, withdrawnFrom } from './plan-retirement.ts';
import { publishInheriting, wakingDeps } from './publish-woken.ts';

/** How many ledger writes are made at once: four requests of DynamoDB, one transaction of SQLite. */
const AT_ONCE = 100;

/** `left`: why the cluster is not forgotten yet, a sentence for each hosted zone. */
export type Retired = { readonly applied: readonly AppliedHostedZone[]; readonly left: readonly string[] };

/** Carries out a plan. `releases`: somebody has agreed to the deletes that the guard holds. */
export async function applyRetirement(
  context: Context,
  deps: PublishDeps,
  asked: AskedRetirement,
  { own, others }: PlannedRetirement,
  { releases, ...options }: ApplyOptions & { readonly releases: boolean },
): Promise<Retired> {
  const { ledger, clock } = context;
  await setStandby(ledger, asked.cluster, true, clock.nowMs());
  for (const { hostedZone } of own) await withdraw(context, hostedZone.id, asked.retain);
  // Without a Zone, the guard judges in the same way as in the plan, and nothing is inherited any more.
  await removeAll(context, await allItems(ledger, directoryPartition(asked.cluster)));
  const patience = newPatience(context, options);
  const woken = new Set<string>();
  const waking = wakingDeps(deps, woken);
  // The views of the other clusters inherit in their own shares of the hosted zones from then on.
  const withdrawing = { ...waking, config: { ...deps.config, extendedViews: {} } };
  const applied: AppliedHostedZone[] = [];
  for (const { names, ...part } of [...own, ...others]) {
    if (names.length === 0) continue;
    const { guard } = part.plan;
    const releasedBy = releases && guard.digest !== null ? [guard.digest] : [];
    const planned = { ...part, plan: { ...part.plan, guard: { ...guard, releasedBy } } };
    const publishing = { names: { names, retryNames: new Set<string>() } };
    const by = part.hostedZone.cluster === asked.cluster ? withdrawing : waking;
    applied.push(await applyHostedZone(context, by, planned, { ...options, publishing }, patience));
  }
  const left = await forgetCluster(context, deps, asked.cluster);
  const queues = { ...context.queues, publish: waking.queues.publish };
  for (const hostedZone of await usableHostedZones(ledger, context.log))
    if (left.length === 0) await markInherited({ ...context, queues }, hostedZone);
  await publishInheriting(waking, woken, (cluster) => cluster !== asked.cluster, options);
  return { applied, left };
}

/** Notes that nothing is asked for in a hosted zone any more. */
async function withdraw({ ledger, clock }: Context, id: string, retain: boolean): Promise<void> {
  if (retain)
    await changeHostedZone(ledger, id, (item) =>
      item === null || item.retains === true ? null : { ...item, retains: true },
    );
  const stored = await allItems(ledger, recordSetsPartition(id));
  const items = stored.flatMap((one) => {
    const item = recordSetCodec.read(one);
    return item instanceof UnreadableItemError ? [] : [{ item, revision: one.revision }];
  });
  await inParallel(items, AT_ONCE, (one) => changeRecordSetItem(ledger, id, one.item, one, withdrawn));
  // A run that dies leaves write intents, and only dirty names are read back.
  const names = new Set(items.map(({ item }) => item.name));
  await inParallel(names, AT_ONCE, (name) => markDirty(ledger, id, name, clock.nowMs(), { retry: false }));
}

/** Removes all that the ledger has of the cluster, unless something of it is published yet. Returns what is left. */
async function forgetCluster(context: Context, deps: PublishDeps, cluster: string): Promise<readonly string[]> {
  const { ledger, log } = context;
  const left: string[] = [];
  for (const { id, name } of await withdrawnFrom(context, cluster)) {
    const count = await countLeft(context, id);
    if (count > 0) left.push(`${counted(count)} of ${name} (hosted zone ${id}) ${count === 1 ? 'is' : 'are'} left`);
  }
  if (left.length > 0) return left;
  const items: LedgerItem[] = [];
  for await (const item of itemsOfCluster(ledger, cluster)) items.push(item);
  const byPartition = Map.groupBy(items, ({ partition }) => partition);
  for (const some of [...byPartition.values()].toReversed()) await removeAll(context, some);
  const all = await readableHostedZones(ledger, log);
  for (const one of all.filter((item) => item.cluster === cluster && !item.retired && !isOfDnsRecords(item.id)))
    if (!(await forgetRetired(context, one, deps.newHolder())))
      left.push(`${one.name} (hosted zone ${one.id}) is being published`);
  if (left.length === 0)
    await removeAll(
      context,
      [await ledger.get(clusterKey(cluster))].filter((one) => one !== null),
    );
  return left;
}

function counted(count: number): string {
  return count === 1 ? '1 record set' : `${count} record sets`;
}

/** How many record sets are published, or may be, or cannot be read. A delete that may still land counts as done. */
async function countLeft({ ledger, clock }: Context, id: string): Promise<number> {
  let count = 0;
  for await (const stored of eachItem(ledger, recordSetsPartition(id))) {
    const item = recordSetCodec.read(stored);
    const isLeft =
      item instanceof UnreadableItemError ||
      (item.type !== 'SOA' &&
        (item.published !== null ||
          item.intent !== null ||
          recentLate(item, clock.nowMs()).some(({ content }) => content !== null)));
    count += Number(isLeft);
  }
  return count;
}

async function removeAll({ ledger }: Context, items: readonly LedgerItem[]): Promise<void> {
  await inParallel(items, AT_ONCE, (one) => ledger.remove(one, one.revision));
}
