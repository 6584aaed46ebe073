// Publishes what DNSRecords of one account want in one hosted zone, with the engine of publish: saves the wishes in the
// items, runs publish for their names only, and determines the outcome of each (judge-wish.ts).
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../dns/record-set.ts';
import { readableItems } from '../ledger/skip-unreadable.ts';
import type { Timer } from '../ports/clock.ts';
import type { BatchOutcome, HostedZones } from '../ports/hosted-zones.ts';
import { once } from '../ports/once.ts';
import { NO_QUEUES } from '../ports/queues.ts';
import type { Account } from '../ports/seed/accounts.ts';
import { withKept } from '../publish/existing/kept-by-others.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { dnsRecordsIdOf, hostedZoneIdOf } from '../record-sets/hosted-zone-item.ts';
import { recordSetCodec } from '../record-sets/record-set-item.ts';
import { stateOf } from '../record-sets/state.ts';
import { changeRecordSetItem, isUntouched, readName, readNameItems } from '../record-sets/store.ts';
import { readDnsRecord } from '../sources/gardener/dns-record.ts';
import { parseDnsRecord } from '../sources/gardener/spec.ts';
import { type DnsRecordDeps, misconfigured, refOfOwner } from './deps.ts';
import { readDnsRecordItem } from './items/dns-record-item.ts';
import { endTakeovers } from './items/end-takeovers.ts';
import {
  adopt,
  isFromUs,
  openHostedZone,
  publishedByZones,
  type Touched,
  touchWish,
  unwanted,
  type Wish,
} from './items/own-record-sets.ts';
import {
  type Asked,
  attempted,
  failureOf,
  judge,
  shownName,
  type Tried,
  typesOf,
  type WishOutcome,
} from './judge-wish.ts';
import { isOurs } from './turn.ts';
import type { Gather } from './turns.ts';

/**
 * The pauses before a batch is tried again while Route 53 still applies another one: it applies one at a time per
 * hosted zone.
 */
const BUSY_PAUSES_MS = [100, 300, 900];

/**
 * Publishes the wishes for one hosted zone, in one run with those of other batches that use the same credentials.
 * Returns the outcomes by owner.
 */
export async function publishWishes(
  deps: DnsRecordDeps,
  gather: Gather,
  account: Account,
  hostedZoneId: string,
  wishes: readonly Asked[],
): Promise<ReadonlyMap<string, WishOutcome>> {
  return gather(account.hostedZones, hostedZoneId, wishes, async (asked) => {
    await openHostedZone(deps.ledger, hostedZoneId);
    const outcomes = new Map<string, WishOutcome>();
    const open: Asked[] = [];
    const again = new Set<string>();
    for (const wish of asked) {
      const early = await noteWish(deps, account, hostedZoneId, wish, again);
      if (early === null) open.push(wish);
      else outcomes.set(wish.owner, early);
    }
    if (open.length === 0) return outcomes;
    const tried = await publishNames(deps, account, hostedZoneId, open, again);
    for (const wish of open)
      outcomes.set(wish.owner, await judge(deps, hostedZoneId, wish, tried, again.has(wish.name)));
    await wakeZones(
      deps,
      hostedZoneId,
      open.filter(({ owner }) => outcomes.get(owner)?.kind === 'done'),
    );
    return outcomes;
  });
}

/** Has Zones try the names again at which these wishes gave up a record set: it may have been in the way of theirs. */
async function wakeZones(
  { ledger, clock, queues }: DnsRecordDeps,
  hostedZoneId: string,
  wishes: readonly Asked[],
): Promise<void> {
  const isLess = ({ types, recordSets }: Asked) => types.some((one) => recordSets.every(({ type }) => type !== one));
  let isWaiting = false;
  for (const name of new Set(wishes.filter(isLess).map((wish) => wish.name))) {
    const items = readableItems(recordSetCodec, await readNameItems(ledger, hostedZoneId, name));
    if (!items.some((item) => item.desired !== null && stateOf(item) !== 'live')) continue;
    await markDirty(ledger, hostedZoneId, name, clock.nowMs(), { retry: true });
    isWaiting = true;
  }
  if (isWaiting) await queues.publish(hostedZoneId);
}

/**
 * Saves a wish, if it is still our turn. Returns its outcome if that is known before anything is published; else null.
 */
async function noteWish(
  deps: DnsRecordDeps,
  account: Account,
  hostedZoneId: string,
  wish: Asked,
  again: Set<string>,
): Promise<WishOutcome | null> {
  const { ledger } = deps;
  if (wish.untilMs !== null && deps.clock.nowMs() >= wish.untilMs) return { kind: 'later' };
  if (!wish.takeover) await endTakeovers(ledger, hostedZoneId, wish.name);
  if (wish.does === 'check') {
    again.add(wish.name);
    return null;
  }
  const isOurTurn = () => isOwnersTurn(deps, wish.owner);
  const adopts = wish.does !== 'write';
  const takes = adopts || wish.takeover;
  const zones = takes ? await publishedByZones(ledger, hostedZoneId, wish.name, typesOf(wish)) : [];
  if (zones.length > 0 && wish.recordSets.length > 0) {
    return misconfigured(
      `${shownName(wish.name)} is published for ${zones.join(', ')}, which was first; ask its owner, or give it another name`,
    );
  }
  if (adopts && zones.length === 0) {
    const existing = await attempted(account.hostedZones.readName(hostedZoneId, wish.name));
    if (!existing.ok) return failureOf(existing.error);
    if (existing.value === null && wish.recordSets.length === 0) return { kind: 'done', left: null, isGone: true };
    const wanted = new Map(wish.recordSets.map((set) => [recordSetId(set), set]));
    const isEqual = (set: RecordSet) => sameContent(set.content, wanted.get(recordSetId(set))?.content ?? null);
    const isTaken = wish.does === 'adopt equal' ? isEqual : (set: RecordSet) => isDeletedBy(wish, set);
    const there = new Map((existing.value ?? []).map((set) => [recordSetId(set), set]));
    const ids = { ledger, hostedZoneId: dnsRecordsIdOf(hostedZoneId) };
    const kept = await withKept(ids, there, there.values(), new Map());
    const left = [...there].flatMap(([id, set]) => (kept.has(id) ? [] : [set]));
    await adopt(ledger, hostedZoneId, wish, left, isTaken, isOurTurn);
  }
  const look = once(async () => (await account.hostedZones.readName(hostedZoneId, wish.name)) ?? []);
  const tried = await attempted(touchWish(ledger, hostedZoneId, wish, look, isOurTurn));
  if (!tried.ok) return failureOf(tried.error);
  let touched = tried.value;
  if (touched.kind === 'taken') {
    const released = await attempted(releaseLost(deps, hostedZoneId, touched, look));
    if (!released.ok) return failureOf(released.error);
    if (released.value) touched = await touchWish(ledger, hostedZoneId, wish, look, isOurTurn);
    // A write of it may be under way: the run of publish finds out, and the wish is noted by the next try.
    if (released.value && touched.kind === 'taken') {
      again.add(wish.name);
      return null;
    }
  }
  if (touched.kind === 'overtaken') return { kind: 'later' };
  if (touched.kind === 'taken') {
    const rival = touched.rival.replace(/^DNSRecord [^/]*\//, 'DNSRecord ');
    return misconfigured(
      `${touched.key.type} ${shownName(wish.name)} is published for ${rival}, which was first; ask its owner, or give it another name`,
    );
  }
  if (touched.again) again.add(wish.name);
  return null;
}

/** True if this process has the turn to serve the DNSRecord with these record sets. */
async function isOwnersTurn(deps: DnsRecordDeps, owner: string): Promise<boolean> {
  const ref = refOfOwner(deps.server.clusterId, owner);
  const stored = ref === null ? null : await readDnsRecordItem(deps, ref);
  return stored !== null && isOurs(deps, stored.item);
}

/**
 * Releases a record set of another DNSRecord that no longer asks for it, if Route 53 does not have it, or has what
 * somebody else wrote over it: only the success of that DNSRecord would release it otherwise, and it may never succeed.
 * True if it was released.
 */
async function releaseLost(
  deps: DnsRecordDeps,
  hostedZoneId: string,
  { key, rival }: Extract<Touched, { kind: 'taken' }>,
  look: () => Promise<readonly RecordSet[]>,
): Promise<boolean> {
  const { ledger } = deps;
  const id = dnsRecordsIdOf(hostedZoneId);
  const isKey = (set: RecordSetKey) => recordSetId(set) === recordSetId(key);
  const known = (await readName(ledger, id, key.name)).find(({ item }) => isKey(item));
  if (
    known === undefined ||
    (await mayAsk(deps, rival, hostedZoneId, key)) ||
    (await look()).some((set) => isKey(set) && isFromUs(known.item, set))
  )
    return false;
  const written = await changeRecordSetItem(ledger, id, key, known, (now) =>
    isUntouched(known.item, now) ? unwanted({ ...now, published: null }) : null,
  );
  return written !== null;
}

/** True if the DNSRecord asks for the record set, or if that is not known. */
async function mayAsk(
  deps: DnsRecordDeps,
  owner: string,
  hostedZoneId: string,
  { name, type }: RecordSetKey,
): Promise<boolean> {
  const ref = refOfOwner(deps.server.clusterId, owner);
  if (ref === null) return true;
  const stored = await readDnsRecordItem(deps, ref);
  // The last place is the one that it asks for. It leaves the others when it succeeds.
  const place = stored?.item.places.at(-1);
  if (place?.hostedZoneId !== hostedZoneId || place.name !== name || !place.types.includes(type)) return false;
  const record = readDnsRecord(await deps.seed.get(ref));
  if (record === null || record.status.lastOperation?.state === 'Succeeded') return record !== null;
  const parsed = parseDnsRecord(record);
  return !parsed.ok || parsed.spec.recordSets.some((set) => set.type === type);
}

/** True for a record set that a deletion with takeover removes. A CNAME may have become an alias of type A or AAAA. */
function isDeletedBy({ types }: Wish, { type, content }: RecordSet): boolean {
  if (types.includes(type)) return true;
  return types.includes('CNAME') && content.kind === 'alias' && (type === 'A' || type === 'AAAA');
}

async function publishNames(
  deps: DnsRecordDeps,
  account: Account,
  hostedZoneId: string,
  asked: readonly Asked[],
  again: ReadonlySet<string>,
): Promise<Tried> {
  let last: BatchOutcome | null = null;
  let saidGone = false;
  const hostedZones = ofLedgerIds(account.hostedZones, deps.clock, (outcome) => {
    saidGone ||= outcome === null || outcome.kind === 'gone';
    if (outcome !== null && outcome.kind !== 'accepted' && outcome.kind !== 'refused') last = outcome;
  });
  const publishDeps: PublishDeps = {
    ledger: deps.ledger,
    hostedZones,
    clock: deps.clock,
    // The DNSRecords themselves show what is left to do.
    queues: NO_QUEUES,
    config: {
      ...DEFAULT_PUBLISH_CONFIG,
      guard: { deletesMax: Number.MAX_SAFE_INTEGER, deletesShareMax: 1, isOff: true },
      throttleTriesMax: 1,
      ...(deps.history !== undefined && { history: deps.history }),
    },
    newHolder: deps.newHolder,
    log: deps.log,
  };
  const names = [...new Set(asked.map(({ name }) => name))].sort();
  const untilMs = Math.min(...asked.map((wish) => wish.untilMs ?? Number.POSITIVE_INFINITY));
  const stopAtMs = untilMs === Number.POSITIVE_INFINITY ? null : untilMs;
  const agreed = deps.agreed?.(hostedZoneId);
  const options = { names: { names, retryNames: again }, stopAtMs, ...(agreed !== undefined && { agreed }) };
  const ran = await attempted(publish(publishDeps, dnsRecordsIdOf(hostedZoneId), options));
  return ran.ok ? { kind: 'run', result: ran.value, last, saidGone } : { kind: 'threw', error: ran.error };
}

/**
 * The hosted zones, by their ids in the ledger. `onOutcome` gets the outcome of each batch, and null if a read found no
 * such hosted zone.
 */
function ofLedgerIds(
  hostedZones: HostedZones,
  { sleep }: Pick<Timer, 'sleep'>,
  onOutcome: (outcome: BatchOutcome | null) => void,
): HostedZones {
  const told = <T>(answer: T | null): T | null => {
    if (answer === null) onOutcome(null);
    return answer;
  };
  return {
    ...hostedZones,
    change: async (id, ...asked) => {
      let outcome = await hostedZones.change(hostedZoneIdOf(id), ...asked);
      for (const pauseMs of BUSY_PAUSES_MS) {
        if (!isBusy(outcome)) break;
        await sleep(pauseMs);
        outcome = await hostedZones.change(hostedZoneIdOf(id), ...asked);
      }
      onOutcome(outcome);
      return outcome;
    },
    readName: async (id, name) => told(await hostedZones.readName(hostedZoneIdOf(id), name)),
    protections: async (id, name) => told(await hostedZones.protections(hostedZoneIdOf(id), name)),
    readPage: async (id, from) => told(await hostedZones.readPage(hostedZoneIdOf(id), from)),
  };
}

/** True if Route 53 still applies another batch. Then nothing of this one was applied. */
function isBusy(outcome: BatchOutcome): boolean {
  return outcome.kind === 'throttled' && outcome.message.startsWith('PriorRequestNotComplete');
}
