// A whole subtree to be settled anew, because the Zone at its top moved. The task is an item of the ledger, written
// before the directory and removed when every name was settled, so that no crash loses it; it is run in pieces, and a
// task that was noted again meanwhile stays.
import { isAtOrBelow, nameOfReversedKey, reversedKey } from '../dns/name.ts';
import type { ObjectRef } from '../kubizone/objects.ts';
import { formatRef, parseRef, type ZoneKey } from '../kubizone/objects.ts';
import { ancestorsOf } from '../kubizone/resolve-zones.ts';
import type { Context } from './context.ts';
import { inParallel } from './in-parallel.ts';
import { decodeRecordSetItem, recordSetsPartition } from './ledger-items.ts';
import { allItems, eachItem } from './ledger-pages.ts';
import { relativeLabels } from './load-name.ts';
import {
  type DirectoryItem,
  decodeDirectory,
  directoryKey,
  directoryPartition,
  membersPartition,
  namesPartition,
  type RecordItem,
} from './object-items.ts';
import type { Cause, JsonObject, LedgerItem } from './ports.ts';
import { LedgerContentionError, SWAP_ATTEMPTS_MAX } from './record-set-items.ts';
import { type HostedZoneName, settle } from './settle.ts';

/** Names settled at once. */
const NAMES_AT_ONCE = 8;

type SubtreeTask = {
  readonly fqdn: string;
  readonly members: readonly ZoneKey[];
  readonly alsoIn: readonly HostedZoneName[];
};

/** Notes that everything at or below a Zone's name is to be settled, also where it published before. */
export async function noteSubtreeTask(
  context: Context,
  before: DirectoryItem | null,
  after: DirectoryItem | null,
): Promise<void> {
  const zones = [before, after].filter((zone) => zone !== null);
  const fqdn = zones[0]?.fqdn;
  if (fqdn === undefined) return;
  const key = { partition: tasksPartition(context.config.clusterId), sort: reversedKey(fqdn) };
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const stored = await context.ledger.get(key);
    const noted = stored === null ? { fqdn, members: [], alsoIn: [] } : decodeTask(stored);
    const members = new Set([...noted.members, ...zones.map((zone) => zone.key)]);
    const targets = zones.flatMap(({ target }) =>
      target.kind === 'hosted' ? [{ id: target.hostedZoneId, apex: target.fqdn }] : [],
    );
    const alsoIn = new Map([...noted.alsoIn, ...targets].map((hostedZone) => [hostedZone.id, hostedZone]));
    const task: SubtreeTask = { fqdn, members: [...members], alsoIn: [...alsoIn.values()] };
    if ((await context.ledger.put(key, { v: 1, ...task } as unknown as JsonObject, stored?.revision ?? null)) !== null)
      return;
  }
  throw new LedgerContentionError(`the task to settle ${fqdn}`);
}

/**
 * Runs these tasks, which were read before the directory was last seen to be right: a task whose move is yet to be written
 * would else be taken for done. Reports are asked for before a task is dropped. Returns the Zones whose apex moved.
 */
export async function runSubtreeTasks(
  context: Context,
  tasks: readonly LedgerItem[],
  cause: Cause = {},
): Promise<ReadonlySet<ZoneKey>> {
  const apexMoved = new Set<ZoneKey>();
  for (const stored of tasks) {
    const task = decodeTask(stored);
    const { names, refs } = await namesOf(context, task);
    const objects = new Map(refs.map((ref) => [formatRef(ref), ref]));
    await inParallel(names, NAMES_AT_ONCE, async (name) => {
      const settled = await settle(context, name, { alsoIn: task.alsoIn, cause });
      for (const ref of settled.objects) objects.set(formatRef(ref), ref);
      if (settled.apexMoved !== null) apexMoved.add(settled.apexMoved);
    });
    await context.queues.report([...objects.values()], cause);
    await context.ledger.remove(stored, stored.revision);
  }
  return apexMoved;
}

/** The tasks as they stand. */
export async function readSubtreeTasks({ ledger, config }: Context): Promise<readonly LedgerItem[]> {
  return allItems(ledger, tasksPartition(config.clusterId));
}

/** Drops these tasks, unless they were noted again since they were read. */
export async function dropSubtreeTasks({ ledger }: Context, tasks: readonly LedgerItem[]): Promise<void> {
  for (const task of tasks) await ledger.remove(task, task.revision);
}

/** Every name at or below the task's that is or was declared, with the objects that declare them and the Zones above. */
async function namesOf(
  context: Context,
  task: SubtreeTask,
): Promise<{ readonly names: Set<string>; readonly refs: readonly ObjectRef[] }> {
  const { ledger, config } = context;
  const names = new Set([task.fqdn]);
  const refs: ObjectRef[] = task.members.map((key) => parseRef(`Zone ${key}`));
  for await (const item of eachItem(ledger, namesPartition(config.clusterId), reversedKey(task.fqdn))) {
    names.add(nameOfReversedKey(item.sort.slice(0, item.sort.indexOf('!'))));
    refs.push((item.body as unknown as RecordItem).ref);
  }
  const zones = new Map<ZoneKey, string>(task.members.map((key) => [key, task.fqdn]));
  for await (const stored of eachItem(ledger, directoryPartition(config.clusterId), reversedKey(task.fqdn))) {
    const zone = decodeDirectory(stored);
    zones.set(zone.key, zone.fqdn);
    names.add(zone.fqdn);
    for (const { rdata } of zone.nameServers) if (isAtOrBelow(rdata, zone.fqdn)) names.add(rdata);
  }
  for (const [key, fqdn] of [...zones, ...task.members.map((member) => [member, task.fqdn] as const)]) {
    for await (const item of eachItem(ledger, membersPartition(config.clusterId, key))) {
      const labels = item.sort.slice(0, item.sort.indexOf('!'));
      names.add(labels === '' ? fqdn : nameOfReversedKey(reversedKey(fqdn) + labels));
      refs.push((item.body as unknown as RecordItem).ref);
    }
  }
  const above = await zonesAt(context, ancestorsOf(task.fqdn));
  for (const { key, fqdn } of above) {
    refs.push(parseRef(`Zone ${key}`));
    const prefix = reversedKey(`${relativeLabels(task.fqdn, fqdn)}.`);
    for await (const item of eachItem(ledger, membersPartition(config.clusterId, key), prefix)) {
      names.add(nameOfReversedKey(reversedKey(fqdn) + item.sort.slice(0, item.sort.indexOf('!'))));
      refs.push((item.body as unknown as RecordItem).ref);
    }
  }
  const hostedZones = new Set(task.alsoIn.map(({ id }) => id));
  for (const { target } of above) if (target.kind === 'hosted') hostedZones.add(target.hostedZoneId);
  for (const id of hostedZones) for (const name of await namesHeld(context, id, task.fqdn)) names.add(name);
  return { names, refs };
}

async function zonesAt({ ledger, config }: Context, names: readonly string[]): Promise<readonly DirectoryItem[]> {
  const stored = await Promise.all(names.map((name) => ledger.get(directoryKey(config.clusterId, name))));
  return stored.flatMap((item) => (item === null ? [] : [decodeDirectory(item)]));
}

/** Names at or below `fqdn` of which the ledger holds record sets: their Records may be gone already. */
async function namesHeld({ ledger }: Context, hostedZoneId: string, fqdn: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const item of eachItem(ledger, recordSetsPartition(hostedZoneId), reversedKey(fqdn))) {
    names.push(decodeRecordSetItem(item).name);
  }
  return names;
}

function tasksPartition(clusterId: string): string {
  return `subtrees#${clusterId}`;
}

function decodeTask(item: LedgerItem): SubtreeTask {
  return item.body as unknown as SubtreeTask;
}
