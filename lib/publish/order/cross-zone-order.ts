// A name that moves from one hosted zone into another, because a Zone at or above it has got one of its own or lost it, is missing
// nowhere on its way. What Route 53 offers is one hosted zone at a time, so the order does it, and each step waits in the ledger for
// the one before, however long that takes:
//
//   a sub-zone gets a hosted zone       its names stand there → its parent delegates to it → they go from the parent's
//   a sub-zone loses its hosted zone    its names stand in the parent's → that delegates no more → they go from the one that was left
//
// What the guard holds, a delegation that Route 53 refuses, or what a hosted zone should take that is gone may wait for days: who waits
// for that, or for long, is not asked again and again, but told when something moves (waits.ts), or asked by the sweep.
//
// Asked twice: before a batch is made, and, of what moves, again when its intents are written. Two hosted zones that are left for one
// another at the same time each write first and look then, so that one of them sees the other.

import { type DirectoryItem, directoryCodec, directoryKey } from '../../directory/directory-item.ts';
import { readSettling, type Settling } from '../../directory/subtree-job-item.ts';
import { ancestorsOf, isAtOrBelow, isBelow, reversedKey } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSetContent, type RecordSetKey, recordSetId } from '../../dns/record-set.ts';
import { type Codec, readItem, UnreadableItemError } from '../../ledger/item-codec.ts';
import { allItems } from '../../ledger/pages.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { LedgerItem } from '../../ports/ledger.ts';
import { dirtyCodec, dirtyItemKey } from '../../record-sets/dirty-mark.ts';
import { heldCodec, heldItemKey } from '../../record-sets/held-name.ts';
import { type HostedZoneItem, hostedZoneCodec, hostedZoneItemKey } from '../../record-sets/hosted-zone-item.ts';
import {
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  recordSetsPartition,
} from '../../record-sets/record-set-item.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { type Asker, isDelegation, ownHostedZones, type Wait, type Waits, waitsFor } from './waits.ts';

/** Questions answered from one reading of the ledger. */
const QUESTIONS_AT_ONCE = 100;
/** Ledger reads at a time. */
const READS_AT_ONCE = 25;

/**
 * Whether a record set may go from here, or from the eyes of those who ask here; for the sake of which change. `standing`: what they
 * find now. `delegated`: as if that name were delegated already.
 */
type Question = {
  readonly change: Change;
  readonly key: RecordSetKey;
  readonly standing: RecordSetContent | null;
  readonly delegated: string | null;
};

/** What one chunk of questions is answered from; the directory was read before the tasks (see lib/resolve/update-zones.ts). */
type View = {
  readonly asker: Asker;
  /** What is to be done together. */
  readonly changes: readonly Change[];
  /** The live Zones by name; null: none is there; or why it cannot be read. */
  readonly zones: ReadonlyMap<string, DirectoryItem | UnreadableItemError | null>;
  readonly settling: readonly Settling[];
  readonly itemAt: (hostedZoneId: string, key: RecordSetKey) => Promise<RecordSetItem | null>;
  /** Those of this cluster. */
  readonly hostedZones: () => Promise<readonly HostedZoneItem[]>;
};

/** The names among these changes that have to wait, and those that move between hosted zones. */
export async function namesThatWait(
  asker: Asker,
  changes: readonly Change[],
): Promise<{ readonly waits: Waits; readonly moving: ReadonlySet<string> }> {
  const waits = new Map<string, Wait>();
  const moving = new Set<string>();
  const questions: Question[] = [];
  let read: Promise<readonly HostedZoneItem[]> | null = null;
  const hostedZones = () => {
    read ??= ownHostedZones(asker);
    return read;
  };
  for (const change of changes) {
    if (change.after === null) questions.push({ change, key: change, standing: change.before, delegated: null });
    if (!isDelegation(asker, change)) continue;
    const below = await itemsIn(asker, asker.hostedZone.id, change.name);
    const missing = below.find((item) => item.name !== change.name && isMissing(item));
    if (change.after === null && missing !== undefined) waits.set(change.name, waitOfMissing(missing));
    const hidden = change.after === null ? [] : below;
    const delegated = change.after === null ? null : change.name;
    for (const item of [...hidden, ...(await itemsBehind(asker, below, await hostedZones()))]) {
      if (item.published !== null) questions.push({ change, key: item, standing: item.published, delegated });
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

function waitOfMissing({ name, type, refusal }: RecordSetItem): Wait {
  return waitsFor(`${name} ${type} is yet to stand here`, refusal?.reason === 'HeldByGuard');
}

/** What this cannot read it waits for. */
async function readable(asker: Asker, ask: () => Promise<Wait | null>): Promise<Wait | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UnreadableItemError)) throw error;
    asker.log('error', error.message, { hostedZoneId: asker.hostedZone.id });
    return waitsFor(error.message, true);
  }
}

/** The record sets at or below a name of a hosted zone, those that can be read. */
async function itemsIn(asker: Asker, hostedZoneId: string, name: string): Promise<RecordSetItem[]> {
  const stored = await allItems(asker.ledger, recordSetsPartition(hostedZoneId), reversedKey(name));
  return readableOf(stored, recordSetCodec);
}

/**
 * What stands in our other hosted zones to which a delegation that stands among these may lead: those of its name, but for the one that
 * the name has now and keeps.
 */
async function itemsBehind(
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
    const now = zone === null ? null : hostedZoneOf(readableOf([zone], directoryCodec)[0]);
    for (const { id } of others) if (id !== now) found.push(...(await itemsIn(asker, id, name)));
  }
  return found;
}

function readableOf<T>(stored: readonly LedgerItem[], codec: Codec<T>): T[] {
  return stored.flatMap((raw) => {
    const item = codec.read(raw);
    return item instanceof UnreadableItemError ? [] : [item];
  });
}

async function readView(
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
    // What cannot be read costs the names that depend on it, never the run.
    zones.set(name, stored === null ? null : directoryCodec.read(stored));
  });
  const settling = await readSettling(ledger, cluster);
  const items = new Map<string, Promise<RecordSetItem | null>>();
  const itemAt: View['itemAt'] = (hostedZoneId, key) => {
    const id = `${hostedZoneId} ${recordSetId(key)}`;
    const known = items.get(id) ?? readRecordSet(asker, hostedZoneId, key);
    items.set(id, known);
    return known;
  };
  return { asker, changes, zones, itemAt, hostedZones, settling };
}

async function readRecordSet(
  { ledger }: Asker,
  hostedZoneId: string,
  key: RecordSetKey,
): Promise<RecordSetItem | null> {
  return (await readItem(ledger, recordSetItemKey(hostedZoneId, key), recordSetCodec))?.item ?? null;
}

/** The live Zones at or above a name, the longest first. @throws UnreadableItemError */
function zonesAbove({ zones }: View, name: string): DirectoryItem[] {
  return [name, ...ancestorsOf(name)].flatMap((one) => {
    const zone = zones.get(one) ?? [];
    if (zone instanceof UnreadableItemError) throw zone;
    return zone;
  });
}

/** The live Zone that has the say at a name: where a name is delegated, of the delegation itself the one that delegates. */
function zoneOf(above: readonly DirectoryItem[], { name, type }: RecordSetKey): DirectoryItem | undefined {
  const [first] = above;
  const isCut = first?.fqdn === name && (type === 'NS' || type === 'DS');
  return isCut ? above.find(({ key }) => key === first.parent) : first;
}

/** What the record set has to stay for where the asker publishes; null: it need not. A name that moves is added to `moving`. */
async function waitOf(
  view: View,
  { change, key, standing, delegated }: Question,
  moving: Set<string>,
): Promise<Wait | null> {
  const { asker } = view;
  const own = asker.hostedZone.id;
  const above = zonesAbove(view, key.name);
  const zone = zoneOf(above, key);
  const home = hostedZoneOf(zone);
  const settling = view.settling.filter(({ fqdn }) => isAtOrBelow(key.name, fqdn));
  // Whether it is still wanted nowhere, or here again, is not known before that; nor what comes to stand where a delegation goes.
  const others = [
    ...settling.flatMap(({ hostedZoneIds }) => hostedZoneIds),
    ...above.flatMap((zone) => hostedZoneOf(zone) ?? []),
  ];
  const elsewhere = new Set(others.filter((id) => id !== own));
  const moves = home !== null && home !== own;
  if (settling.length > 0 && (moves || isDelegation(asker, change) || (await isKnownIn(view, elsewhere, key))))
    return waitsFor(`the Zones at or above ${key.name} are being settled`);
  // It goes because nobody wants it, here or anywhere.
  if (!moves) return null;
  const there = await view.itemAt(home, key);
  if (there === null || there.desired === null) return null;
  moving.add(change.name);
  if (!isRefused(there) && !stands(there, standing)) {
    const sinceMs = await dirtySince(asker, home, key.name);
    const stuck = (there.refusal?.reason === 'HeldByGuard' && sinceMs === null) || (await isGone(asker, home));
    const why = `${key.name} ${key.type} is yet to stand in hosted zone ${home}`;
    return { why, stuck, sinceMs: sinceMs ?? asker.nowMs() };
  }
  return waitOfDelegation(view, above, zone, key, delegated);
}

/** Whether any of these hosted zones has, or is to have, the record set from us. */
async function isKnownIn(view: View, hostedZoneIds: Iterable<string>, key: RecordSetKey): Promise<boolean> {
  for (const id of hostedZoneIds) {
    const item = await view.itemAt(id, key);
    if (item !== null && [item.desired, item.published, item.intent].some((one) => one !== null)) return true;
  }
  return false;
}

/** Since when a name there is to be published; null: it is not, for the guard holds it, or nobody has marked it yet. */
async function dirtySince({ ledger }: Asker, hostedZoneId: string, name: string): Promise<number | null> {
  return (await readItem(ledger, dirtyItemKey(hostedZoneId, name), dirtyCodec))?.item.sinceMs ?? null;
}

/** Until another is found, whose publishing is then asked for here too. */
async function isGone({ ledger }: Asker, hostedZoneId: string): Promise<boolean> {
  return (await readItem(ledger, hostedZoneItemKey(hostedZoneId), hostedZoneCodec))?.item.gone === true;
}

/** What is to be delegated before whoever asks is led to where the name belongs, all the way from here, and no more to here. */
async function waitOfDelegation(
  view: View,
  above: readonly DirectoryItem[],
  at: DirectoryItem | undefined,
  key: RecordSetKey,
  delegated: string | null,
): Promise<Wait | null> {
  const { asker, changes } = view;
  const own = asker.hostedZone.id;
  const byKey = new Map(above.map((zone) => [zone.key, zone]));
  let zone = at;
  while (zone !== undefined && hostedZoneOf(zone) !== own) {
    // The Zone whose hosted zone this is, and the one that delegates to it; nobody of ours does to a root.
    const cut: DirectoryItem | undefined = byKey.get(zone.target.zone);
    if (cut === undefined || cut.parent === null) break;
    zone = byKey.get(cut.parent);
    // Read while it was written: the next run sees it whole.
    if (zone !== undefined && !isBelow(cut.fqdn, zone.fqdn)) return waitsFor(`the Zones above ${cut.fqdn} are moving`);
    const from = hostedZoneOf(zone);
    // What goes and the delegation of the same name go in one batch.
    const isMade = changes.some(({ name, type, after }) => name === cut.fqdn && type === 'NS' && after !== null);
    const together = from === own && (cut.fqdn === delegated || (cut.fqdn === key.name && isMade));
    // Below what is to be delegated, one that is refused for good loses only what is behind it.
    const orRefused = delegated !== null && from !== own;
    const missing = from === null || together ? null : await undelegated(view, from, cut.fqdn, orRefused);
    if (missing !== null) return { why: `hosted zone ${from} is yet to delegate ${cut.fqdn}`, ...missing };
  }
  return above.some((one) => hostedZoneOf(one) === own) ? null : waitOfWayBack(view, above);
}

/** What still delegates the hosted zone of this run, which its Zones have left; it may be in one that was left too. */
async function waitOfWayBack(view: View, above: readonly DirectoryItem[]): Promise<Wait | null> {
  const left = view.asker.hostedZone.name;
  const known = (await view.hostedZones()).flatMap(({ id, name }) => (isBelow(left, name) ? [id] : []));
  // Also where the item of the hosted zone itself cannot be read.
  const used = above.flatMap(({ target }) =>
    target.kind === 'hosted' && isBelow(left, target.fqdn) ? [target.hostedZoneId] : [],
  );
  for (const id of new Set([...used, ...known])) {
    const astray = await delegatedOtherwise(view, id, left);
    if (astray !== null) return { why: `hosted zone ${id} may still delegate ${left} to this one`, ...astray };
  }
  return null;
}

function hostedZoneOf(zone: DirectoryItem | undefined): string | null {
  return zone?.target.kind === 'hosted' ? zone.target.hostedZoneId : null;
}

function delegationOf(name: string): RecordSetKey {
  return { name, type: 'NS', setIdentifier: null };
}

const BEGUN = { stuck: false, begun: true } as const;

/** Where the delegation that is wanted does not stand. None may be wanted: then nothing would come of waiting. */
async function undelegated(
  { itemAt }: View,
  from: string,
  name: string,
  orRefused: boolean,
): Promise<Omit<Wait, 'why'> | null> {
  const item = await itemAt(from, delegationOf(name));
  if (item === null || (item.desired === null && item.published === null)) return null;
  if (item.intent !== null) return BEGUN;
  const said = samePublishing('NS', item.desired, item.published) || (orRefused && isRefused(item));
  return said ? null : { stuck: item.refusal !== null };
}

/** Where a delegation stands, or may stand, that is not the one that is wanted. */
async function delegatedOtherwise(
  { asker, itemAt }: View,
  from: string,
  name: string,
): Promise<Omit<Wait, 'why'> | null> {
  const item = await itemAt(from, delegationOf(name));
  if (item === null || (item.published === null && item.intent === null)) return null;
  if (item.intent !== null) return BEGUN;
  if (samePublishing('NS', item.desired, item.published)) return null;
  if (item.refusal !== null) return { stuck: true };
  const held = await readItem(asker.ledger, heldItemKey(from, name), heldCodec);
  return { stuck: held !== null && !held.item.released };
}

/** What is wanted stands there, or what those who ask find already, and is not being deleted. */
function stands({ type, published, desired, intent }: RecordSetItem, found: RecordSetContent | null): boolean {
  if (published === null || (intent !== null && intent.content === null)) return false;
  return samePublishing(type, published, desired) || samePublishing(type, published, found);
}

/** Route 53 said no to exactly what is wanted: nothing would come of waiting. What the guard holds comes yet. */
function isRefused({ type, refusal, desired }: RecordSetItem): boolean {
  return refusal !== null && refusal.reason !== 'HeldByGuard' && samePublishing(type, refusal.content, desired);
}

function isMissing(item: RecordSetItem): boolean {
  return item.desired !== null && !isRefused(item) && !stands(item, item.published);
}
