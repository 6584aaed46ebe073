// The auditor of a simulated seed. It knows what was in Route 53, who wrote it and for which DNSRecord, and what the
// ledger says. It checks every effect against docs/invariants.md when it happens. It sees effects, never answers.
import type { RecordSetChange, RecordSetKey } from '../../../lib/dns/record-set.ts';
import { dnsRecordKey } from '../../../lib/gardener/items/dns-record-item.ts';
import type { JsonObject, LedgerKey } from '../../../lib/ports/ledger.ts';
import { OUTSIDER } from '../../../lib/record-sets/flip-breaker.ts';
import { dnsRecordsIdOf } from '../../../lib/record-sets/hosted-zone-item.ts';
import { recordSetItemKey } from '../../../lib/record-sets/record-set-item.ts';
import type { DnsRecord } from '../../../lib/sources/gardener/dns-record.ts';
import { parseDnsRecord } from '../../../lib/sources/gardener/spec.ts';
import { standingKey, textOf } from '../record-set-texts.ts';
import { checkUntold } from './untold.ts';
import { ACCOUNTS, type AccountName, fail, HOSTED_ZONES, type SeedWorld, saw } from './world.ts';

/**
 * The contents of one key of one hosted zone over time, in order, and who wrote last. `either`: a stranger wrote what
 * we wanted to write, so that nobody can tell whose it is. `owner`: the DNSRecord, if it is ours. `intended`: what we
 * ever sent. `sought`: the deletions that looked for it since the last write. `isLate`: the last write arrived after
 * its run had stopped waiting. `isLeft`: we wrote it, and its DNSRecord was migrated and left it; earlier writes may
 * still arrive. `isUnwritten`: a stranger wrote it, and a takeover that noted it is still to replace it. No DNSRecord
 * has published it, so its owner is whoever the ledger names.
 */
export type Standing = {
  readonly id: string;
  readonly set: RecordSetKey;
  readonly log: string[];
  writer: 'us' | 'stranger' | 'zone' | 'either' | null;
  readonly intended: Set<string>;
  owner: string | null;
  sought: readonly string[];
  isLate: boolean;
  isLeft: boolean;
  isUnwritten: boolean;
};

/**
 * The longest that an operation with a Secret, or without one, takes: a turn, and the minute that credentials are held.
 */
const OPERATION_MS = 180_000;

export type Shadow = {
  readonly standing: Map<string, Standing>;
  /** The ledger's items by partition and sort key. */
  readonly items: Map<string, JsonObject>;
  /** Names of DNSRecords whose finalizers somebody removed by hand. Their record sets have no owner. */
  readonly forced: Set<string>;
  /** Names of DNSRecords that were migrated. Their record sets stay. */
  readonly migrated: Set<string>;
  /** When the Secret of an account came back: what a DNSRecord left there before may stay, and an Event says so. */
  readonly closedUntilMs: Map<AccountName, number>;
  readonly writes: { batches: number; statuses: number };
};

export function newShadow(): Shadow {
  return {
    standing: new Map(),
    items: new Map(),
    forced: new Set(),
    migrated: new Set(),
    closedUntilMs: new Map(),
    writes: { batches: 0, statuses: 0 },
  };
}

export function standingAt({ shadow }: SeedWorld, id: string, set: RecordSetKey): Standing {
  const key = standingKey(id, set);
  const known = shadow.standing.get(key);
  if (known !== undefined) return known;
  const { name, type, setIdentifier } = set;
  const fresh: Standing = {
    id,
    set: { name, type, setIdentifier },
    log: ['null'],
    writer: null,
    intended: new Set(),
    owner: null,
    sought: [],
    isLate: false,
    isLeft: false,
    isUnwritten: false,
  };
  shadow.standing.set(key, fresh);
  return fresh;
}

export function itemOf({ shadow }: SeedWorld, id: string, set: RecordSetKey): JsonObject | undefined {
  const { partition, sort } = recordSetItemKey(dnsRecordsIdOf(id), set);
  return shadow.items.get(`${partition} ${sort}`);
}

/** The name of the DNSRecord that an item belongs to. */
export function ownerOf(item: JsonObject | undefined): string | null {
  const of = (field: unknown) => (Array.isArray(field) ? (field as readonly string[]) : []);
  const all = [...of(item?.objects), ...of(item?.publishedObjects)];
  const owner = all.find((one) => one.startsWith('DNSRecord '));
  return owner?.split('/').at(-1) ?? null;
}

/**
 * Checks, when a batch is sent, that every write has its intent in the ledger and every create an object that wants it.
 */
export function checkSent(world: SeedWorld, id: string, changes: readonly RecordSetChange[]): void {
  for (const { action, recordSet } of changes) {
    const shown = `${id} ${recordSet.name} ${recordSet.type}`;
    if (action === 'UPSERT') fail(world, 'I3', `${shown} is sent as UPSERT`);
    const item = itemOf(world, id, recordSet);
    const intent = item?.intent as { content: unknown } | null | undefined;
    const isNeighbour = action === 'DELETE' && standingAt(world, id, recordSet).writer !== 'us';
    if (intent == null && isNeighbour) continue;
    if (intent == null) fail(world, 'I5', `${shown} is sent without an intent in the ledger`);
    else if (action === 'CREATE' && textOf(intent.content) !== textOf(recordSet.content))
      fail(world, 'I5', `${shown} is sent as ${textOf(recordSet.content)}, its intent says ${textOf(intent.content)}`);
    const owner = ownerOf(item);
    if (action === 'CREATE') standingAt(world, id, recordSet).intended.add(textOf(recordSet.content));
    if (action === 'CREATE' && owner !== null) checkHeld(world, owner, shown);
  }
}

/** I20: nothing is made for an object that would not hold on until it is taken away. */
function checkHeld(world: SeedWorld, name: string, shown: string): void {
  const record = world.api.read(name);
  if (world.shadow.forced.has(name)) return;
  if (record === null) fail(world, 'I20', `${shown} is made for ${name}, which is gone`);
  else if (record.finalizers.length === 0) fail(world, 'I20', `${shown} is made for ${name}, which has no finalizer`);
}

/** Checks an accepted batch: no foreign record set was touched. */
export function checkAccepted(
  world: SeedWorld,
  id: string,
  changes: readonly RecordSetChange[],
  isLate: boolean,
): void {
  world.shadow.writes.batches += 1;
  for (const recordSet of new Map(changes.map((one) => [standingKey(id, one.recordSet), one.recordSet])).values()) {
    const standing = standingAt(world, id, recordSet);
    const made = changes.findLast(
      (one) => one.action !== 'DELETE' && standingKey(id, one.recordSet) === standingKey(id, recordSet),
    );
    const shown = `${id} ${recordSet.name} ${recordSet.type}`;
    if (standing.writer === 'zone') fail(world, 'I1', `${shown} is a Zone's, and was changed for a DNSRecord`);
    const isOwnLate = isLate && standing.isLeft;
    if (standing.writer === 'stranger' && !world.settings.takeover && !isOwnLate)
      fail(world, 'I1', `${shown} is a stranger's, and was changed`);
    if (standing.writer === 'stranger') saw(world, 'a DNSRecord took over a record set');
    if (!isLate) checkRival(world, standing, shown, itemOf(world, id, recordSet), made !== undefined);
    standing.log.push(textOf(made?.recordSet.content));
    standing.isLate = isLate;
    standing.isLeft = false;
    standing.isUnwritten = false;
    standing.writer = made === undefined ? null : 'us';
    standing.owner = made === undefined ? null : ownerOf(itemOf(world, id, recordSet));
    // A write that arrives long after its DNSRecord is gone has no owner: docs/invariants.md allows that.
    if (made !== undefined && isLate && standing.owner === null) standing.writer = 'either';
  }
}

/** Somebody looked at a name: for whom it is to be deleted, if he did so in time, he knows what stands. */
export function lookedAt({ api, shadow }: SeedWorld, id: string, name: string): void {
  const deleted = api.all().filter(({ status }) => status.lastOperation?.type === 'Delete');
  for (const standing of shadow.standing.values()) {
    if (standing.id !== id || standing.set.name !== name) continue;
    standing.sought = deleted.map(({ ref }) => ref.name);
    standing.isLate = false;
  }
}

/** A deletion begins, or an object: what was looked for before does not count. */
export function seeksAnew({ shadow }: SeedWorld, name: string): void {
  for (const standing of shadow.standing.values()) standing.sought = standing.sought.filter((one) => one !== name);
}

/** The write arrived after the deletion had looked for it, and nobody has looked since, so zone53 cannot know of it. */
export function landedUnseen({ isLate, sought, owner }: Standing): boolean {
  return isLate && owner !== null && sought.includes(owner);
}

/** I1: among DNSRecords, the one that published a record set keeps it as long as it asks for it. */
function checkRival(
  world: SeedWorld,
  { writer, owner }: Standing,
  shown: string,
  item: JsonObject | undefined,
  isMade: boolean,
): void {
  if (writer !== 'us' || owner === null) return;
  const now = ownerOf(item);
  if (now !== null && now !== owner) fail(world, 'I1', `${shown} is ${owner}'s, and was changed for ${now}`);
  if (!isMade && item?.desired != null) fail(world, 'I1', `${shown} is ${owner}'s, which asks for it, and was deleted`);
}

/** A stranger, or the Zone, wrote; `content` null: removed. */
export function othersWrote(
  world: SeedWorld,
  id: string,
  set: RecordSetKey,
  content: unknown,
  who: 'stranger' | 'zone',
): void {
  const standing = standingAt(world, id, set);
  if (who === 'zone' && standing.writer === 'us')
    fail(world, 'I1', `${id} ${set.name} ${set.type} is a DNSRecord's, and was changed for a Zone`);
  standing.log.push(textOf(content));
  const item = itemOf(world, id, set);
  const wanted = item?.published == null ? null : item.desired;
  const known = [...standing.intended, textOf(item?.published), textOf(wanted)];
  const isEither = content !== null && known.includes(textOf(content));
  standing.writer = content === null ? null : isEither ? 'either' : who;
  standing.isLeft = false;
  standing.isUnwritten = false;
  standing.owner = null;
}

/** One write of the ledger; `after` null: the item was removed. */
export function wroteItem(world: SeedWorld, key: LedgerKey, after: JsonObject | null): void {
  checkUntold(world, 'the ledger', { ...key, after });
  const { items } = world.shadow;
  const id = `${key.partition} ${key.sort}`;
  const before = items.get(id);
  if (after === null) items.delete(id);
  else items.set(id, after);
  const hostedZoneId = /^recordsets#([^/]+)\/dnsrecords$/.exec(key.partition)?.[1];
  if (hostedZoneId !== undefined) checkItem(world, hostedZoneId, before ?? null, after);
}

/**
 * I8: what is noted as ours stood there. What we cannot have written is ours only if somebody says so; we forget
 * nothing.
 */
function checkItem(world: SeedWorld, id: string, before: JsonObject | null, after: JsonObject | null): void {
  const body = (after ?? before) as unknown as RecordSetKey;
  const standing = standingAt(world, id, body);
  const now = textOf(after?.published);
  const shown = `${id} ${body.name} ${body.type}`;
  if (after === null) forgets(world, standing, shown, ownerOf(before ?? undefined));
  if (after === null) return;
  if (standing.isUnwritten) standing.owner = ownerOf(after) ?? standing.owner;
  if (now !== 'null' && !isToReplace(after)) standing.isUnwritten = false;
  if (now === textOf(before?.published) || now === 'null') return;
  if (!standing.log.includes(now)) fail(world, 'I8', `${shown} is noted as published ${now}, which never stood there`);
  if (standing.log.at(-1) !== now || standing.writer === 'us') return;
  if (standing.writer === 'either' || standing.intended.has(now) || mayHaveSent(before).includes(now)) {
    standing.writer = 'either';
    return;
  }
  const owner = ownerOf(after);
  const record = owner === null ? null : world.api.read(owner);
  const isRestored =
    record !== null && statesOf(world, record).some((one) => isRestore(one) && asks(one, id, body, now));
  if (standing.writer === 'zone') fail(world, 'I1', `${shown} is a Zone's, and is noted as a DNSRecord's`);
  else if (!world.settings.takeover && !isRestored)
    fail(world, 'I1', `${shown} is a stranger's, and is noted as ${owner}'s`);
  if (isRestored) saw(world, 'a restore replaced a record set');
  standing.isUnwritten = isToReplace(after);
  standing.writer = 'us';
  standing.owner = owner;
}

/** True if a takeover noted what a stranger published and is to replace it; false if it was ours before his edit. */
function isToReplace({ desired, publishedObjects }: JsonObject): boolean {
  return (
    desired != null &&
    Array.isArray(publishedObjects) &&
    publishedObjects.length === 1 &&
    publishedObjects[0] === OUTSIDER
  );
}

/** The contents that a run was about to send. If it died, nobody can tell whether it did. */
function mayHaveSent(item: JsonObject | null): readonly string[] {
  const { intent, late } = (item ?? {}) as { readonly intent?: Noted | null; readonly late?: readonly Noted[] };
  return [...(intent == null ? [] : [intent]), ...(late ?? [])].map(({ content }) => textOf(content));
}
type Noted = { readonly content: unknown };

/** The item is removed. A record set that is still in Route 53 then has no owner, and that must have been requested. */
function forgets(world: SeedWorld, standing: Standing, shown: string, owner: string | null): void {
  if (standing.writer !== 'us' || standing.log.at(-1) === 'null' || standing.owner !== owner) return;
  const { forced, migrated, closedUntilMs } = world.shadow;
  const isClosed = ACCOUNTS.some((name) => {
    const untilMs = closedUntilMs.get(name) ?? 0;
    return world.time.ms < untilMs + OPERATION_MS && HOSTED_ZONES[name].some(({ id }) => id === standing.id);
  });
  if (
    owner !== null &&
    !landedUnseen(standing) &&
    !forced.has(owner) &&
    !migrated.has(owner) &&
    !migrates(world, owner) &&
    !isClosed
  )
    fail(world, 'I21', `${shown} of ${owner} stands, and nobody knows any more whose it is`);
  standing.writer = 'stranger';
  standing.isUnwritten = false;
  standing.isLeft = owner !== null && (migrated.has(owner) || migrates(world, owner));
  standing.owner = null;
}

function migrates({ api, shadow }: SeedWorld, name: string): boolean {
  const record = api.read(name);
  if (record === null) return false;
  const { partition, sort } = dnsRecordKey('seed', record.ref);
  return shadow.items.get(`${partition} ${sort}`)?.pending === 'Migrate';
}

function isRestore({ annotations, status }: DnsRecord): boolean {
  return annotations['gardener.cloud/operation'] === 'restore' || status.lastOperation?.type === 'Restore';
}

/** Every state that the object was in. */
export function statesOf({ api }: SeedWorld, { uid }: DnsRecord): readonly DnsRecord[] {
  return api.history.get(uid) ?? [];
}

function asks(record: DnsRecord, id: string, { name, type }: RecordSetKey, text: string): boolean {
  const parsed = parseDnsRecord(record);
  if (!parsed.ok || (parsed.spec.zone ?? id) !== id) return false;
  return parsed.spec.recordSets.some((set) => set.name === name && set.type === type && textOf(set.content) === text);
}
