// Updates a whole subtree after the Zone at its top moved. The task is an item of the ledger. It is written before the
// directory, and removed when every name was updated, so that no crash loses it. It is done in steps, with a cursor in
// the item: the next run continues where one stopped. A task that is noted again starts over.

import type { DirectoryItem } from '../directory/directory-item.ts';
import { markInheritedBelow } from '../directory/inherited-names.ts';
import { type SubtreeTask, subtreeCodec, tasksPartition } from '../directory/subtree-task-item.ts';
import { isAtOrBelow, reversedKey } from '../dns/names/name.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { type WalkCursor, walkOn } from '../ledger/scan.ts';
import { readable, whereReadable } from '../ledger/skip-unreadable.ts';
import { formatRef, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { namesAt } from '../observe/save-object.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import type { Cause } from '../ports/queues.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { isOnSameBranch, tellOtherClusters, wakeHostedZones } from '../record-sets/wake-hosted-zones.ts';
import { dnsVersionName } from '../zones/cluster-names.ts';
import { subtreeBegin, subtreeStops } from './subtree-ranges.ts';
import { updateName } from './update-name.ts';

/** How many names are updated at once, and how many items are read between two writes of the cursor. */
const NAMES_AT_ONCE = 8;
const ITEMS_A_STEP = 100;

/** How much one run may do. */
export type TaskBudget = {
  isSpent(nowMs: number): boolean;
  /** Counts so many names as used. */
  spend(names: number): void;
};

/** A budget of so many names. It is spent at `untilMs`, too. */
export function taskBudget(untilMs: number, names: number): TaskBudget {
  let left = names;
  return {
    isSpent: (nowMs) => left <= 0 || nowMs >= untilMs,
    spend: (count) => {
      left -= count;
    },
  };
}

export type TaskOptions = { readonly budget: TaskBudget; readonly cause: Cause };

export type TasksRun = {
  /** Zones whose apex name servers changed: the directory is updated before the same step runs again. */
  readonly apexMoved: ReadonlySet<ZoneKey>;
  /** A Zone of a task that is not done: a hint for it continues. Null: all tasks are done. */
  readonly left: ObjectRef | null;
  /** True if any cursor moved. */
  readonly moved: boolean;
};

/** Notes that everything at or below a Zone's name must be updated, also in the hosted zone it published to before. */
export async function noteSubtreeTask(
  context: Context,
  before: DirectoryItem | null,
  after: DirectoryItem | null,
): Promise<void> {
  const zones = [before, after].filter((zone) => zone !== null);
  const fqdn = zones[0]?.fqdn;
  if (fqdn === undefined) return;
  const targets = zones.flatMap(({ target }) =>
    target.kind === 'hosted' ? [{ id: target.hostedZoneId, apex: target.fqdn }] : [],
  );
  const members = zones.map((zone) => zone.key);
  await noteTask(context, reversedKey(fqdn), { fqdn, members, alsoIn: targets, cursor: null });
}

/** Notes the same at each cut of another cluster that came, went or changed below this Zone. */
export async function noteCutTasks(context: Context, before: DirectoryItem, after: DirectoryItem): Promise<void> {
  const [former, now] = [before, after].map(({ cuts = [] }) => new Map(cuts.map((cut) => [cut.fqdn, cut])));
  for (const fqdn of new Set([...(former?.keys() ?? []), ...(now?.keys() ?? [])])) {
    if (sameJson(former?.get(fqdn), now?.get(fqdn))) continue;
    const news = { fqdn, members: [after.key], ofCut: true as const, alsoIn: [], cursor: null };
    await noteTask(context, reversedKey(fqdn), news);
  }
}

/** Notes that every object that names this Zone must be reported. */
export async function noteMembersTask(context: Context, zone: ZoneKey): Promise<void> {
  // No reversed name begins with this.
  await noteTask(context, `!${zone}`, { fqdn: null, members: [zone], alsoIn: [], cursor: null });
}

async function noteTask({ ledger, config }: Context, sort: string, news: SubtreeTask): Promise<void> {
  const key = { partition: tasksPartition(config.clusterId), sort };
  await swap(ledger, key, subtreeCodec, (task) => {
    const noted = task ?? news;
    const members = [...new Set([...noted.members, ...news.members])];
    const alsoIn = [...new Map([...noted.alsoIn, ...news.alsoIn].map((one) => [one.id, one])).values()];
    const { ofCut: _, ...rest } = news;
    return { ...rest, members, alsoIn, ...(noted.ofCut && news.ofCut && { ofCut: news.ofCut }) };
  });
}

/**
 * Runs these tasks. They must have been read before the directory was last found up to date: otherwise a task could be
 * done before the change of the directory that it belongs to. Reports are sent before a cursor moves.
 */
export async function runSubtreeTasks(
  context: Context,
  tasks: readonly LedgerItem[],
  options: TaskOptions,
): Promise<TasksRun> {
  let left: ObjectRef | null = null;
  let moved = false;
  for (const stored of tasks) {
    const task = readable(context, subtreeCodec, stored);
    // Noted by another version: the next apply, or a whole sweep, updates its names.
    if (task === null) continue;
    const run = await runTask(context, stored, task, options);
    moved ||= run.moved;
    if (run.apexMoved.size > 0) return { ...run, moved, left };
    left ??= run.left;
  }
  return { apexMoved: new Set(), left, moved };
}

async function runTask(
  context: Context,
  stored: LedgerItem,
  begun: SubtreeTask,
  options: TaskOptions,
): Promise<TasksRun> {
  const { ledger, clock } = context;
  let revision = stored.revision;
  let task = begun;
  let moved = false;
  let walk: Awaited<ReturnType<typeof subtreeStops>> | null = null;
  const ended = (left: boolean, apexMoved: ReadonlySet<ZoneKey> = new Set()): TasksRun => {
    return { apexMoved, left: left ? zoneOfKey(task.members[0] ?? '') : null, moved };
  };
  for (;;) {
    if (options.budget.isSpent(clock.nowMs())) return ended(true);
    // Read once in a run: a Zone that appears meanwhile notes a task of its own.
    walk ??= await subtreeStops(context, task);
    const { apexMoved, next } = await runStep(context, task, walk, options);
    if (apexMoved.size > 0) return ended(true, apexMoved);
    moved = true;
    if (next === null) {
      await inheritAnew(context, task);
      // A task that was noted again meanwhile, or that another run works on, stays for the next run.
      const gone = await ledger.remove(stored, revision);
      if (gone) await wakeForSubtree(context, task);
      return ended(!gone && (await ledger.get(stored)) !== null);
    }
    task = { ...task, cursor: next };
    const written = await ledger.put(stored, subtreeCodec.encode(task), revision);
    if (written === null) return ended((await ledger.get(stored)) !== null);
    revision = written;
  }
}

/** Marks what a view inherits below, now that a Zone with a hosted zone of its own came, went or moved. */
async function inheritAnew(context: Context, { fqdn, alsoIn }: SubtreeTask): Promise<void> {
  if (fqdn !== null && alsoIn.some(({ apex }) => apex === fqdn))
    await whereReadable(context, () => markInheritedBelow(context, fqdn));
}

/** Wakes hosted zones above and below: names there may have waited for this (lib/publish/order/cross-zone-order.ts). */
async function wakeForSubtree(context: Context, { fqdn }: SubtreeTask): Promise<void> {
  if (fqdn === null) return;
  const all = await readableHostedZones(context.ledger, context.log);
  await wakeHostedZones(
    context,
    all.filter(({ name, cluster, gone, retired }) => {
      return cluster === context.config.clusterId && !gone && !retired && isOnSameBranch(name, fqdn);
    }),
  );
  await tellOtherClusters(context, fqdn, all);
}

async function runStep(
  context: Context,
  task: SubtreeTask,
  { stops, above }: Awaited<ReturnType<typeof subtreeStops>>,
  { budget, cause }: TaskOptions,
): Promise<{ readonly apexMoved: ReadonlySet<ZoneKey>; readonly next: WalkCursor | null }> {
  const { items, next } = await walkOn(context.ledger, stops, task.cursor, ITEMS_A_STEP);
  const begin = task.cursor === null ? subtreeBegin(task, above) : { names: [], refs: [] };
  const dns = clusterDnsOf(context.config);
  // No object asks for the version name, so no item leads to it.
  const version = dns !== null && begin.names.some((name) => isAtOrBelow(dns.zone, name)) ? [dnsVersionName(dns)] : [];
  const names = new Set([...begin.names, ...version]);
  const objects = new Map(begin.refs.map((ref) => [formatRef(ref), ref]));
  const found = items.map(({ stop, item }) => stop.read(item));
  // A name elsewhere may be lost now by the Zone that gave it: a former endpoint in force, or a PTR.
  const existing = found.filter(({ places = [] }) => places.length > 0);
  const namespaces = new Set(existing.flatMap(({ ref }) => ref?.namespace ?? []));
  const elsewhere = new Set(
    await namesAt(
      context,
      existing.flatMap(({ places = [] }) => places),
    ),
  );
  for (const name of [...found.flatMap((one) => one.names), ...elsewhere]) names.add(name);
  for (const { ref } of found) if (ref !== null) objects.set(formatRef(ref), ref);
  const apexMoved = new Set<ZoneKey>();
  await inParallel(names, NAMES_AT_ONCE, async (name) => {
    const mayLeave = elsewhere.has(name) ? { namespaces } : {};
    const options = { alsoIn: task.alsoIn, cause, ...mayLeave };
    const updated = await whereReadable(context, () => updateName(context, name, options));
    if (updated === null) return;
    for (const ref of updated.objects) objects.set(formatRef(ref), ref);
    if (updated.apexMoved !== null) apexMoved.add(updated.apexMoved);
  });
  budget.spend(Math.max(names.size, 1));
  await context.queues.report([...objects.values()], cause);
  return { apexMoved, next };
}

/** The tasks of the cluster as they are in the ledger. */
export async function readSubtreeTasks({ ledger, config }: Context): Promise<readonly LedgerItem[]> {
  return allItems(ledger, tasksPartition(config.clusterId));
}

/** Removes these tasks, unless they were noted again since they were read, or by another version. */
export async function dropSubtreeTasks(context: Context, tasks: readonly LedgerItem[]): Promise<void> {
  const { ledger, log } = context;
  const all = tasks.length === 0 ? [] : await readableHostedZones(ledger, log);
  for (const stored of tasks) {
    const task = subtreeCodec.read(stored);
    if (task instanceof UnreadableItemError) continue;
    if (task.fqdn !== null) await tellOtherClusters(context, task.fqdn, all);
    await ledger.remove(stored, stored.revision);
  }
}
