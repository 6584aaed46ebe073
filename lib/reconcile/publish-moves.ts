// A name that moves from one hosted zone into another, because a Zone at or above it has got one of its own or lost it, is missing
// nowhere on its way. What Route 53 offers is one hosted zone at a time, so the order does it, and each step waits in the ledger for
// the one before, however long that takes:
//
//   a sub-zone gets a hosted zone       its names stand there → its parent delegates to it → they go from the parent's
//   a sub-zone loses its hosted zone    its names stand in the parent's → that delegates no more → they go from the one that was left
//
// What the guard holds, Route 53 refuses or a hosted zone that is gone should take may stay so for days: who waits for that is not asked
// again and again, but told when it goes (`tellWhoWaits`), or asked by the next sweep.
//
// Asked twice: before a batch is made, and, of what moves, again when its intents are written. Two hosted zones that are left for one
// another at the same time each write first and look then, so that one of them sees the other.
import { isAtOrBelow, isBelow, reversedKey } from '../dns/name.ts';
import type { Change } from '../dns/plan-changes.ts';
import { ancestorsOf } from '../kubizone/resolve-zones.ts';
import {
  decodeHostedZoneItem,
  decodeRecordSetItem,
  HOSTED_ZONES_PARTITION,
  heldItemKey,
  hostedZoneItemKey,
  LedgerVersionError,
  type RecordSetItem,
  recordSetItemKey,
  recordSetsPartition,
} from './ledger-items.ts';
import { allItems } from './ledger-pages.ts';
import { type DirectoryItem, decodeDirectory, directoryKey } from './object-items.ts';
import type { LedgerItem, RecordSetKey } from './ports.ts';
import { eachOf, patienceSeconds, type Run, runAgain } from './publish-run.ts';
import { recordSetId, samePublishing } from './record-set-items.ts';
import { readSettling, type Settling } from './subtree-task.ts';

/** Questions answered from one reading of the ledger. */
const QUESTIONS_AT_ONCE = 100;

/** A Zone that takes longer to settle is left to whoever ends it, which asks for our publishing, or to the next sweep. */
const SETTLING_MS_MAX = 900_000;

/** Whether a record set may go from here; for the sake of which change. `delegated`: as if that name were delegated already. */
type Question = { readonly change: Change; readonly key: RecordSetKey; readonly delegated: string | null };

/** What one chunk of questions is answered from; the directory was read before the tasks (see settle-zones.ts). */
type View = {
  readonly run: Run;
  /** The live Zones by name; null: none is there; or why it cannot be read. */
  readonly zones: ReadonlyMap<string, DirectoryItem | LedgerVersionError | null>;
  readonly settling: readonly Settling[];
  readonly itemAt: (hostedZoneId: string, key: RecordSetKey) => Promise<RecordSetItem | null>;
};

/** What a name waits for; `stuck`: nobody knows for how long. */
type Wait = { readonly why: string; readonly stuck: boolean };
export type Waits = ReadonlyMap<string, Wait>;

/** The names among these changes that have to wait. Names that move are noted in the run. */
export async function namesThatWait(run: Run, changes: readonly Change[]): Promise<Waits> {
  const waits = new Map<string, Wait>();
  const questions: Question[] = [];
  for (const change of changes) {
    if (change.after === null) questions.push({ change, key: change, delegated: null });
    if (!isDelegation(run, change)) continue;
    const below = await itemsIn(run, run.lease.hostedZoneId, change.name);
    const missing = below.find((item) => item.name !== change.name && isMissing(item));
    if (change.after === null && missing !== undefined)
      waits.set(change.name, waitsFor(`${missing.name} ${missing.type} is yet to stand here`));
    if (change.after === null) continue;
    const served = [...below, ...(change.before === null ? [] : await itemsOfLeft(run, change.name))];
    const standing = served.filter(({ published }) => published !== null);
    questions.push(...standing.map((key) => ({ change, key, delegated: change.name })));
  }
  for (let at = 0; at < questions.length; at += QUESTIONS_AT_ONCE) {
    const open = questions.slice(at, at + QUESTIONS_AT_ONCE).filter(({ change }) => !waits.has(change.name));
    if (open.length === 0) continue;
    const view = await readView(run, open);
    await eachOf(open, async (question) => {
      const wait = await readable(run, () => waitOf(view, question));
      if (wait !== null) waits.set(question.change.name, wait);
    });
  }
  return waits;
}

/** These names are left as they are, dirty, for the next run to ask again. */
export function noteWaiting(run: Run, waits: Waits): void {
  for (const [name, { why }] of waits) {
    run.waiting.set(name, why);
    run.unsettled.add(name);
  }
  const [first] = waits;
  if (first === undefined) return;
  const open = [...waits].filter(([, { stuck }]) => !stuck).map(([name]) => name);
  if (open.length > 0) runAgain(run, patienceSeconds(run, open));
  const more = waits.size === 1 ? '' : ` (and ${waits.size - 1} more)`;
  const message = `${first[0]} waits: ${first[1].why}${more}`;
  run.deps.log({ level: 'info', message, hostedZoneId: run.lease.hostedZoneId });
}

/**
 * Has the hosted zones published whose delegation these changes are about. To be called when the intents are written: who looks from
 * then on sees that something is under way, also where this run dies.
 */
export async function tellWhoWaits(run: Run, changes: readonly Change[]): Promise<void> {
  const names = new Set(changes.filter((change) => isDelegation(run, change)).map(({ name }) => name));
  if (names.size === 0) return;
  for (const id of await hostedZonesNamed(run, names)) await run.deps.queues.publish(id);
}

function waitsFor(why: string, stuck = false): Wait {
  return { why, stuck };
}

/** An NS set below the apex: whoever asks for a name at or below it is sent elsewhere. */
function isDelegation({ hostedZone }: Run, { name, type }: Change): boolean {
  return type === 'NS' && name !== hostedZone.name;
}

/** What this cannot read it waits for. */
async function readable(run: Run, ask: () => Promise<Wait | null>): Promise<Wait | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof LedgerVersionError)) throw error;
    run.deps.log({ level: 'error', message: error.message, hostedZoneId: run.lease.hostedZoneId });
    return waitsFor(error.message, true);
  }
}

/** What an item says, or why it cannot be read: that costs the names that depend on it, never the run. */
function decoded<T>(stored: LedgerItem | null, decode: (item: LedgerItem) => T): T | LedgerVersionError | null {
  try {
    return stored === null ? null : decode(stored);
  } catch (error) {
    if (error instanceof LedgerVersionError) return error;
    throw error;
  }
}

/** The record sets at or below a name of a hosted zone, those that can be read. */
async function itemsIn(run: Run, hostedZoneId: string, name: string): Promise<RecordSetItem[]> {
  const stored = await allItems(run.deps.ledger, recordSetsPartition(hostedZoneId), reversedKey(name));
  return readableOf(stored, decodeRecordSetItem);
}

/** What our hosted zones of this name hold, but for the one that the name has now: a delegation that stands may lead to any of them. */
async function itemsOfLeft(run: Run, name: string): Promise<RecordSetItem[]> {
  const zone = await run.deps.ledger.get(directoryKey(run.hostedZone.cluster, name));
  const now = zone === null ? null : hostedZoneOf(readableOf([zone], decodeDirectory)[0]);
  const left = (await hostedZonesNamed(run, new Set([name]))).filter((id) => id !== now);
  return (await Promise.all(left.map((id) => itemsIn(run, id, name)))).flat();
}

async function hostedZonesNamed(run: Run, names: ReadonlySet<string>): Promise<string[]> {
  const { cluster } = run.hostedZone;
  const all = readableOf(await allItems(run.deps.ledger, HOSTED_ZONES_PARTITION), decodeHostedZoneItem);
  return all.filter((item) => names.has(item.name) && item.cluster === cluster && !item.gone).map(({ id }) => id);
}

function readableOf<T>(stored: readonly LedgerItem[], decode: (item: LedgerItem) => T): T[] {
  return stored.flatMap((item) => {
    const one = decoded(item, decode);
    return one === null || one instanceof LedgerVersionError ? [] : [one];
  });
}

async function readView(run: Run, questions: readonly Question[]): Promise<View> {
  const { ledger } = run.deps;
  const { cluster } = run.hostedZone;
  const zones = new Map<string, DirectoryItem | LedgerVersionError | null>();
  const names = new Set(questions.flatMap(({ key }) => [key.name, ...ancestorsOf(key.name)]));
  await eachOf(names, async (name) => {
    const stored = await ledger.get(directoryKey(cluster, name));
    zones.set(name, decoded(stored, decodeDirectory));
  });
  const settling = await readSettling(ledger, cluster);
  const items = new Map<string, Promise<RecordSetItem | null>>();
  const itemAt: View['itemAt'] = (hostedZoneId, key) => {
    const id = `${hostedZoneId} ${recordSetId(key)}`;
    const known = items.get(id) ?? readItem(run, hostedZoneId, key);
    items.set(id, known);
    return known;
  };
  return { run, zones, itemAt, settling };
}

async function readItem({ deps }: Run, hostedZoneId: string, key: RecordSetKey): Promise<RecordSetItem | null> {
  const stored = await deps.ledger.get(recordSetItemKey(hostedZoneId, key));
  return stored === null ? null : decodeRecordSetItem(stored);
}

/** The live Zones at or above a name, the longest first. @throws LedgerVersionError */
function zonesAbove({ zones }: View, name: string): DirectoryItem[] {
  return [name, ...ancestorsOf(name)].flatMap((one) => {
    const zone = zones.get(one) ?? [];
    if (zone instanceof LedgerVersionError) throw zone;
    return zone;
  });
}

/** What the record set has to stay for where this run publishes; null: it need not. */
async function waitOf(view: View, { change, key, delegated }: Question): Promise<Wait | null> {
  const { run } = view;
  const own = run.lease.hostedZoneId;
  const above = zonesAbove(view, key.name);
  const home = hostedZoneOf(above[0]);
  const settling = view.settling.filter(({ fqdn }) => isAtOrBelow(key.name, fqdn));
  // Whether it is still wanted nowhere else is not known before that; nor what comes to stand where a delegation goes.
  const elsewhere = new Set(settling.flatMap(({ hostedZoneIds }) => hostedZoneIds).filter((id) => id !== own));
  const moves = home !== null && home !== own;
  if (settling.length > 0 && (moves || isDelegation(run, change) || (await isKnownIn(view, elsewhere, key)))) {
    const sinceMs = run.marks.get(change.name)?.sinceMs ?? run.deps.clock.nowMs();
    const isLate = run.deps.clock.nowMs() - sinceMs > SETTLING_MS_MAX;
    return waitsFor(`the Zones at or above ${key.name} are being settled`, isLate);
  }
  // It goes because nobody wants it, here or anywhere.
  if (!moves) return null;
  const there = await view.itemAt(home, key);
  if (there === null || there.desired === null) return null;
  run.moving.add(change.name);
  if (there.refusal === null && !stands(there))
    return waitsFor(`${key.name} ${key.type} is yet to stand in hosted zone ${home}`, await isGone(run, home));
  return waitOfDelegation(view, above, key, delegated);
}

/** Whether any of these hosted zones has, or is to have, the record set from us. */
async function isKnownIn(view: View, hostedZoneIds: Iterable<string>, key: RecordSetKey): Promise<boolean> {
  for (const id of hostedZoneIds) {
    const item = await view.itemAt(id, key);
    if (item !== null && [item.desired, item.published, item.intent].some((one) => one !== null)) return true;
  }
  return false;
}

/** Until another is found, whose publishing is then asked for here too. */
async function isGone({ deps }: Run, hostedZoneId: string): Promise<boolean> {
  return (await deps.ledger.get(hostedZoneItemKey(hostedZoneId)))?.body.gone === true;
}

/** What is to be delegated before whoever asks is led to where the name belongs, all the way from here, and no more to here. */
async function waitOfDelegation(
  view: View,
  above: readonly DirectoryItem[],
  key: RecordSetKey,
  delegated: string | null,
): Promise<Wait | null> {
  const { run } = view;
  const own = run.lease.hostedZoneId;
  const byKey = new Map(above.map((zone) => [zone.key, zone]));
  let zone = above[0];
  while (zone !== undefined && hostedZoneOf(zone) !== own) {
    // The Zone whose hosted zone this is, and the one that delegates to it; nobody of ours does to a root.
    const cut: DirectoryItem | undefined = byKey.get(zone.target.zone);
    if (cut === undefined || cut.parent === null) break;
    zone = byKey.get(cut.parent);
    // Read while it was written: the next run sees it whole.
    if (zone !== undefined && !isBelow(cut.fqdn, zone.fqdn)) return waitsFor(`the Zones above ${cut.fqdn} are moving`);
    const from = hostedZoneOf(zone);
    // What goes and the delegation of the same name go in one batch.
    const together = from === own && (cut.fqdn === delegated || cut.fqdn === key.name);
    const missing = from === null || together ? null : await undelegated(view, from, cut.fqdn);
    if (missing !== null) return waitsFor(`hosted zone ${from} is yet to delegate ${cut.fqdn}`, missing.stuck);
  }
  if (above.some((one) => hostedZoneOf(one) === own)) return null;
  const left = run.hostedZone.name;
  const from = hostedZoneOf(above.find(({ fqdn }) => isBelow(left, fqdn)));
  const astray = from === null || from === own ? null : await delegatedOtherwise(view, from, left);
  return astray && waitsFor(`hosted zone ${from} may still delegate ${left} to this one`, astray.stuck);
}

function hostedZoneOf(zone: DirectoryItem | undefined): string | null {
  return zone?.target.kind === 'hosted' ? zone.target.hostedZoneId : null;
}

function delegationOf(name: string): RecordSetKey {
  return { name, type: 'NS', setIdentifier: null };
}

/** Where the delegation that is wanted does not stand. None may be wanted: then nothing would come of waiting. */
async function undelegated({ itemAt }: View, from: string, name: string): Promise<Pick<Wait, 'stuck'> | null> {
  const item = await itemAt(from, delegationOf(name));
  if (item === null || (item.desired === null && item.published === null)) return null;
  const said = samePublishing('NS', item.desired, item.published) || item.refusal !== null;
  return stands(item) && item.intent === null && said ? null : { stuck: item.refusal !== null && item.intent === null };
}

/** Where a delegation stands, or may stand, that is not the one that is wanted. */
async function delegatedOtherwise(
  { run, itemAt }: View,
  from: string,
  name: string,
): Promise<Pick<Wait, 'stuck'> | null> {
  const item = await itemAt(from, delegationOf(name));
  if (item === null || (item.published === null && item.intent === null)) return null;
  if (item.intent !== null) return { stuck: false };
  if (item.refusal !== null || samePublishing('NS', item.desired, item.published)) return null;
  const held = await run.deps.ledger.get(heldItemKey(from, name));
  return { stuck: held !== null && held.body.released !== true };
}

/** Something of ours stands there, and is not being deleted. */
function stands({ published, intent }: RecordSetItem): boolean {
  return published !== null && (intent === null || intent.content !== null);
}

function isMissing(item: RecordSetItem): boolean {
  return item.desired !== null && item.refusal === null && !stands(item);
}
