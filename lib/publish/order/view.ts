// The data from which the order across hosted zones is decided: one reading of the directory, of the subtrees that are
// not resolved yet, and of the record sets in both hosted zones.

import { type DirectoryItem, directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { readSettling, type Settling } from '../../directory/subtree-task-item.ts';
import { ancestorsOf, reversedKey } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSetContent, type RecordSetKey, recordSetId } from '../../dns/record-set.ts';
import { readItem, type UnreadableItemError } from '../../ledger/item-codec.ts';
import { allItems } from '../../ledger/pages.ts';
import { readableItems } from '../../ledger/skip-unreadable.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import { oncePerKey } from '../../ports/once.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import {
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  recordSetsPartition,
} from '../../record-sets/record-set-item.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { stateOf } from '../../record-sets/state.ts';
import { readName } from '../../record-sets/store.ts';
import type { Asker } from './waits.ts';

/** Ledger reads at a time. */
export const READS_AT_ONCE = 25;

/**
 * May a change be made that deletes the record set `key` from this hosted zone, or hides it behind a delegation?
 * `found`: what resolvers find there now. `delegated`: this name counts as delegated already.
 */
export type Question = {
  readonly change: Change;
  readonly key: RecordSetKey;
  readonly found: RecordSetContent | null;
  readonly delegated: string | null;
};

/** The data for one chunk of questions. The directory was read before the tasks (lib/resolve/update-zones.ts). */
export type View = {
  readonly asker: Asker;
  /** All changes that the asker is about to make. */
  readonly changes: readonly Change[];
  /** The live Zones by name. null: there is none; an error: its item cannot be read. */
  readonly zones: ReadonlyMap<string, DirectoryItem | UnreadableItemError | null>;
  readonly settling: readonly Settling[];
  readonly itemAt: (hostedZoneId: string, key: RecordSetKey) => Promise<RecordSetItem | null>;
  readonly itemsAt: (hostedZoneId: string, name: string) => Promise<readonly RecordSetItem[]>;
  /** The hosted zones of this cluster. */
  readonly hostedZones: () => Promise<readonly HostedZoneItem[]>;
};

/** The record set items at or below a name of a hosted zone. Items that cannot be read are left out. */
export async function itemsIn(asker: Asker, hostedZoneId: string, name: string): Promise<RecordSetItem[]> {
  const stored = await allItems(asker.ledger, recordSetsPartition(hostedZoneId), reversedKey(name));
  return readableItems(recordSetCodec, stored);
}

/**
 * For these delegations: the record sets in our other hosted zones of those names, except in the hosted zone that the
 * live Zone of the name uses.
 */
export async function itemsBehind(
  asker: Asker,
  below: readonly RecordSetItem[],
  hostedZones: readonly HostedZoneItem[],
): Promise<RecordSetItem[]> {
  const found: RecordSetItem[] = [];
  for (const { name, type, published } of below) {
    if (type !== 'NS' || published === null || name === asker.hostedZone.name) continue;
    const others = hostedZones.filter((one) => one.name === name && one.id !== asker.hostedZone.id);
    if (others.length === 0) continue;
    const zone = await asker.ledger.get(directoryKey(asker.hostedZone.cluster, name));
    const now = zone === null ? null : hostedZoneOf(readableItems(directoryCodec, [zone])[0]);
    for (const { id } of others) if (id !== now) found.push(...(await itemsIn(asker, id, name)));
  }
  return found;
}

/** Reads the data for one chunk of questions. */
export async function readView(
  asker: Asker,
  changes: readonly Change[],
  questions: readonly Question[],
  hostedZones: View['hostedZones'],
): Promise<View> {
  const { ledger } = asker;
  const { cluster } = asker.hostedZone;
  const zones = new Map<string, DirectoryItem | UnreadableItemError | null>();
  const names = new Set(questions.flatMap(({ key }) => [key.name, ...ancestorsOf(key.name)]));
  await inParallel(names, READS_AT_ONCE, async (name) => {
    const stored = await ledger.get(directoryKey(cluster, name));
    // An item that cannot be read affects the names that depend on it, never the whole run.
    zones.set(name, stored === null ? null : directoryCodec.read(stored));
  });
  const settling = await readSettling(ledger, cluster);
  const itemAt: View['itemAt'] = oncePerKey(
    (hostedZoneId, key) => `${hostedZoneId} ${recordSetId(key)}`,
    (hostedZoneId, key) => readRecordSet(asker, hostedZoneId, key),
  );
  const itemsAt: View['itemsAt'] = oncePerKey(
    (hostedZoneId, name) => `${hostedZoneId} ${name}`,
    async (hostedZoneId, name) => (await readName(ledger, hostedZoneId, name)).map(({ item }) => item),
  );
  return { asker, changes, zones, itemAt, itemsAt, hostedZones, settling };
}

async function readRecordSet(
  { ledger }: Asker,
  hostedZoneId: string,
  key: RecordSetKey,
): Promise<RecordSetItem | null> {
  return (await readItem(ledger, recordSetItemKey(hostedZoneId, key), recordSetCodec))?.item ?? null;
}

export function hostedZoneOf(zone: DirectoryItem | undefined): string | null {
  return zone?.target.kind === 'hosted' ? zone.target.hostedZoneId : null;
}

/** True if the desired content is published, or the content that resolvers find now, and is not being deleted. */
export function isAnswered(
  { type, published, desired, intent }: RecordSetItem,
  found: RecordSetContent | null,
): boolean {
  if (published === null || (intent !== null && intent.content === null)) return false;
  return samePublishing(type, published, desired) || samePublishing(type, published, found);
}

/** True if Route 53 refused exactly the desired content, so that waiting is in vain. Held changes are not refused. */
export function isRefused(item: RecordSetItem): boolean {
  return stateOf(item) === 'refused';
}
