// Decides what must wait when names move between hosted zones, because a Zone gets or loses one of its own. Route 53
// changes one hosted zone at a time. To keep every name answered, each step waits in the ledger for the step before:
//
//   a sub-zone gets a hosted zone      publish its names there → delegate to it → delete them in the parent's
//   a sub-zone loses its hosted zone   publish its names in the parent's → delete the delegation → delete them there
//
// A step may wait for days: for the guard, a refused delegation, a hosted zone that is gone. For a quarter of an hour
// the waiting run asks again and again. Later it asks when another run tells it (waits.ts) or when the sweep
// wakes it. A move is checked before a batch is made, and again when its intents are written: if two hosted zones
// exchange names at the same time, one of them sees the other.

import { type DirectoryItem, directoryKey } from '../../directory/directory-item.ts';
import { ancestorsOf, isAtOrBelow } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSetContent, type RecordSetKey, typesExclude } from '../../dns/record-set.ts';
import { readItem, UnreadableItemError } from '../../ledger/item-codec.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import { once } from '../../ports/once.ts';
import { dirtyCodec, dirtyItemKey } from '../../record-sets/dirty-mark.ts';
import { heldCodec, heldItemKey } from '../../record-sets/held-name.ts';
import { hostedZoneCodec, hostedZoneItemKey } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { waitOfDelegation } from './delegation-waits.ts';
import { isPointer, waitOfHosts } from './pointer-waits.ts';
import {
  hostedZoneOf,
  isAnswered,
  isRefused,
  itemsBehind,
  itemsIn,
  type Question,
  READS_AT_ONCE,
  readView,
  type View,
} from './view.ts';
import {
  type Asker,
  buildWait,
  buildWaitForHeld,
  isDelegation,
  ownHostedZones,
  type Wait,
  type Waits,
} from './waits.ts';

/** How many questions one reading of the ledger answers. */
const QUESTIONS_AT_ONCE = 100;

/** The names among these changes that have to wait, and those that move between hosted zones. */
export async function namesThatWait(
  asker: Asker,
  changes: readonly Change[],
): Promise<{ readonly waits: Waits; readonly moving: ReadonlySet<string> }> {
  const waits = new Map<string, Wait>();
  const moving = new Set<string>();
  const questions: Question[] = [];
  const hostedZones = once(() => ownHostedZones(asker));
  for (const change of changes) {
    const host = isPointer(change) ? await readable(asker, () => waitOfHosts(asker, change)) : null;
    if (host !== null) waits.set(change.name, host);
    if (change.after === null) questions.push({ change, key: change, found: change.before, delegated: null });
    if (!isDelegation(asker, change)) continue;
    const below = await itemsIn(asker, asker.hostedZone.id, change.name);
    const missing = below.find((item) => item.name !== change.name && isMissing(item));
    if (change.after === null && missing !== undefined) waits.set(change.name, waitOfMissing(missing));
    const held = (await isOfOtherCluster(asker, change)) ? await heldAmong(asker, below) : null;
    if (held !== null) waits.set(change.name, buildWaitForHeld(`${held.name} ${held.type}`));
    const hidden = change.after === null ? [] : below;
    const delegated = change.after === null ? null : change.name;
    for (const item of [...hidden, ...(await itemsBehind(asker, below, await hostedZones()))]) {
      if (item.published !== null) questions.push({ change, key: item, found: item.published, delegated });
    }
  }
  for (let at = 0; at < questions.length; at += QUESTIONS_AT_ONCE) {
    const open = questions.slice(at, at + QUESTIONS_AT_ONCE).filter(({ change }) => !waits.has(change.name));
    if (open.length === 0) continue;
    const view = await readView(asker, changes, open, hostedZones);
    await inParallel(open, READS_AT_ONCE, async (question) => {
      const wait = await readable(asker, () => waitOf(view, question, moving));
      if (wait !== null) waits.set(question.change.name, wait);
    });
  }
  return { waits, moving };
}

/** True for a delegation that only a Zone asks for, and not to one of its own cluster. */
async function isOfOtherCluster({ ledger, hostedZone }: Asker, { name, after, objects }: Change): Promise<boolean> {
  if (after === null || !objects.every((object) => object.startsWith('Zone '))) return false;
  return (await ledger.get(directoryKey(hostedZone.cluster, name))) === null;
}

/** The first of these record sets that the guard holds; null: none. */
async function heldAmong(
  { ledger, hostedZone }: Asker,
  below: readonly RecordSetItem[],
): Promise<RecordSetItem | null> {
  for (const item of below) {
    if (item.desired !== null || item.published === null) continue;
    const mark = await readItem(ledger, heldItemKey(hostedZone.id, item.name), heldCodec);
    if (mark?.item.released === false) return item;
  }
  return null;
}

function waitOfMissing({ name, type, refusal }: RecordSetItem): Wait {
  return buildWait(`${name} ${type} is not published here yet`, refusal?.reason === 'HeldByGuard');
}

/** Answers a question. If an item cannot be read, the answer is to wait. */
async function readable(asker: Asker, ask: () => Promise<Wait | null>): Promise<Wait | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UnreadableItemError)) throw error;
    asker.log('error', error.message, { hostedZoneId: asker.hostedZone.id });
    return buildWait(error.message, true);
  }
}

/** The live Zones at or above a name, the longest first. @throws UnreadableItemError */
function zonesAbove({ zones }: View, name: string): DirectoryItem[] {
  return [name, ...ancestorsOf(name)].flatMap((one) => {
    const zone = zones.get(one) ?? [];
    if (zone instanceof UnreadableItemError) throw zone;
    return zone;
  });
}

/** The live Zone responsible for a name; for the NS and DS of a delegation, the Zone that delegates. */
function zoneOf(above: readonly DirectoryItem[], { name, type }: RecordSetKey): DirectoryItem | undefined {
  const [first] = above;
  const isCut = first?.fqdn === name && (type === 'NS' || type === 'DS');
  return isCut ? above.find(({ key }) => key === first.parent) : first;
}

/** Why the record set must stay in the asker's hosted zone; null: it need not. Adds a name that moves to `moving`. */
async function waitOf(
  view: View,
  { change, key, found, delegated }: Question,
  moving: Set<string>,
): Promise<Wait | null> {
  const { asker } = view;
  const own = asker.hostedZone.id;
  const above = zonesAbove(view, key.name);
  const zone = zoneOf(above, key);
  const home = hostedZoneOf(zone);
  const settling = view.settling.filter(({ fqdn }) => isAtOrBelow(key.name, fqdn));
  // While these Zones are being resolved, it is not known where the record set will be desired, nor what comes in place
  // of a delegation that is deleted.
  const others = [
    ...settling.flatMap(({ hostedZoneIds }) => hostedZoneIds),
    ...above.flatMap((zone) => hostedZoneOf(zone) ?? []),
  ];
  const elsewhere = new Set(others.filter((id) => id !== own));
  const moves = home !== null && home !== own;
  if (settling.length > 0 && (moves || isDelegation(asker, change) || (await isKnownIn(view, elsewhere, key))))
    return buildWait(`the Zones at or above ${key.name} are being resolved`);
  // It is not desired anywhere: nothing to wait for.
  if (!moves) return null;
  const there = await desiredInstead(view, home, key, found);
  if (there === null) return null;
  moving.add(change.name);
  if (!isRefused(there) && !isAnswered(there, found)) {
    const sinceMs = await dirtySince(asker, home, key.name);
    const stuck = (there.refusal?.reason === 'HeldByGuard' && sinceMs === null) || (await isGone(asker, home));
    const why = `${there.name} ${there.type} is not published yet in hosted zone ${home}`;
    return { why, stuck, sinceMs: sinceMs ?? asker.nowMs() };
  }
  return waitOfDelegation(view, above, zone, key, delegated);
}

/**
 * The record set of this hosted zone that will answer questions for `key`; null: none will. It is `key` itself, if that
 * is desired there. Otherwise it has the same name, and it has the same type with another set identifier, or one of the
 * two is a CNAME. Of several, one that is published is preferred.
 */
async function desiredInstead(
  view: View,
  hostedZoneId: string,
  key: RecordSetKey,
  found: RecordSetContent | null,
): Promise<RecordSetItem | null> {
  const same = await view.itemAt(hostedZoneId, key);
  if (same !== null && same.desired !== null) return same;
  const others = (await view.itemsAt(hostedZoneId, key.name)).filter(
    ({ type, desired }) => desired !== null && (type === key.type || typesExclude(type, key.type)),
  );
  const open = others.find((item) => !isRefused(item)) ?? null;
  return others.find((item) => isAnswered(item, found)) ?? open ?? others[0] ?? null;
}

/** True if we published the record set in one of these hosted zones, or it is desired there. */
async function isKnownIn(view: View, hostedZoneIds: Iterable<string>, key: RecordSetKey): Promise<boolean> {
  for (const id of hostedZoneIds) {
    const item = await view.itemAt(id, key);
    if (item !== null && [item.desired, item.published, item.intent].some((one) => one !== null)) return true;
  }
  return false;
}

/** Since when a name there has been dirty; null: it is not, because the guard holds it or nobody has marked it yet. */
async function dirtySince({ ledger }: Asker, hostedZoneId: string, name: string): Promise<number | null> {
  return (await readItem(ledger, dirtyItemKey(hostedZoneId, name), dirtyCodec))?.item.sinceMs ?? null;
}

/** True if Route 53 no longer has this hosted zone. When another is found for its Zone, the asker is told. */
async function isGone({ ledger }: Asker, hostedZoneId: string): Promise<boolean> {
  return (await readItem(ledger, hostedZoneItemKey(hostedZoneId), hostedZoneCodec))?.item.gone === true;
}

function isMissing(item: RecordSetItem): boolean {
  return item.desired !== null && !isRefused(item) && !isAnswered(item, item.published);
}
