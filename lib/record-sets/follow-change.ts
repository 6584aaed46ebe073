// Follows an accepted batch until Route 53 says that all its name servers have it (GetChange), and then until resolvers
// can no longer answer what was there before. One message for each batch asks for at most 15 minutes.
// What takes longer, and what was lost with a message, the sweep finds at the record sets. Nothing is asked of a batch
// whose record sets wait for nothing, or for another one by now.
import { ancestorsOf, isAtOrBelow } from '../dns/names/name.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { findRef } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import { orDenied } from '../ports/hosted-zones.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { oncePerKey } from '../ports/once.ts';
import type { FollowedChange } from '../ports/queues.ts';
import { reportList } from '../ports/report-list.ts';
import { changeHostedZone, readHostedZone } from './lease.ts';
import { isForgotten, isGivenUp, keptSeconds, negativeSeconds, untilMs, type Wait, waitInSync } from './propagation.ts';
import type { RecordSetItem } from './record-set-item.ts';
import { changeRecordSetItem, readName } from './store.ts';
import { objectsOf } from './transitions.ts';

/** Route 53 is first asked after so many seconds, as a change takes nearly always longer. */
export const FIRST_SECONDS = 20;
/** It is asked again after so many seconds; from some minutes on, after an eighth of the time beyond these. */
const AGAIN_SECONDS = 5;
const SLOW_AFTER_MS = 300_000;
/** The pause after an answer that says nothing of the change, such as a denial. */
const UNSAID_SECONDS = 60;
/** For so long a message asks Route 53; then the sweep does. */
const ASK_MS_MAX = 900_000;
/** The longest wait of a message for a TTL: that of Route 53's own SOA is 15 minutes. The sweep has the others. */
const WAIT_SECONDS_MAX = 1_200;
/** So long after it was accepted, a batch has no message that asks for it. */
const LOST_MS = 120_000;
const AT_ONCE = 100;

export type FollowContext = Pick<Context, 'ledger' | 'queues' | 'clock' | 'log' | 'account'>;

/**
 * What is known after a look. `againSeconds`: when to look again; null: nothing of the batch waits any more.
 * `isAsking`: Route 53 has not said yet what is needed.
 */
export type Followed = { readonly againSeconds: number | null; readonly isAsking: boolean };

type Waiting = Stored<RecordSetItem> & { readonly wait: Wait };

/** Handles the message of a batch: looks once, and sends the message again if that can help within 15 minutes. */
export async function followChange(context: FollowContext, change: FollowedChange): Promise<void> {
  const { hostedZoneId, changeId, names, atMs } = change;
  const items: Stored<RecordSetItem>[] = [];
  await inParallel(new Set(names), AT_ONCE, async (name) => {
    items.push(...(await readName(context.ledger, hostedZoneId, name)));
  });
  const { againSeconds, isAsking } = await lookAtChange(context, hostedZoneId, changeId, items);
  if (againSeconds === null) return;
  const isLate = isAsking && context.clock.nowMs() - atMs + againSeconds * 1_000 > ASK_MS_MAX;
  if (!isLate && againSeconds <= WAIT_SECONDS_MAX) await context.queues.follow(change, againSeconds);
}

/**
 * Asks Route 53 about a batch, unless it is known already that all name servers have it. Saves what is new, and has the
 * objects reported. `items`: of the hosted zone; those that wait for another batch are left alone.
 */
export async function lookAtChange(
  context: FollowContext,
  hostedZoneId: string,
  changeId: string | null,
  items: readonly Stored<RecordSetItem>[],
): Promise<Followed> {
  const { clock, queues } = context;
  const waiting = items.flatMap((one): readonly Waiting[] =>
    isWaiting(one.item) && one.item.propagation.changeId === changeId ? [{ ...one, wait: one.item.propagation }] : [],
  );
  const open = waiting.filter(({ wait }) => wait.insyncMs === null && !isGivenUp(wait, clock.nowMs()));
  const ageMs = clock.nowMs() - Math.min(...open.map(({ wait }) => wait.atMs));
  const asked = open.length === 0 ? null : await ask(context, hostedZoneId, changeId, ageMs);
  if (typeof asked === 'number') return { againSeconds: asked, isAsking: true };
  const nothing = nothingSeconds(context, hostedZoneId);
  const reports = reportList();
  const dueMs: number[] = [];
  let unread = false;
  await inParallel(waiting, AT_ONCE, async (stored) => {
    const { item } = stored;
    const seconds = item.propagation?.isNew === true && asked !== null ? await nothing(item) : 0;
    if (seconds === null) {
      unread = true;
      return;
    }
    const next = (now: RecordSetItem) => {
      const wait = now.propagation;
      if (wait === undefined || wait.changeId !== changeId || wait.givenUp === true) return null;
      const { propagation: _, ...rest } = now;
      if (isGivenUp(wait, clock.nowMs())) return { ...rest, propagation: { ...wait, givenUp: true as const } };
      const known = wait.insyncMs === null && asked !== null ? waitInSync(wait, asked.insyncMs, seconds) : wait;
      if (known.insyncMs === null) return null;
      if (clock.nowMs() >= untilMs(known)) return rest;
      dueMs.push(untilMs(known));
      return known === wait ? null : { ...rest, propagation: known };
    };
    if ((await changeRecordSetItem(context.ledger, hostedZoneId, item, stored, next)) === null) return;
    for (const object of objectsOf(item)) {
      const ref = findRef(object);
      if (ref !== null) reports.add(ref, {});
    }
  });
  await reports.send(queues);
  if (unread) return { againSeconds: UNSAID_SECONDS, isAsking: true };
  if (dueMs.length === 0) return { againSeconds: null, isAsking: false };
  const againSeconds = Math.max(1, Math.ceil((Math.min(...dueMs) - clock.nowMs()) / 1_000));
  return { againSeconds, isAsking: false };
}

/** True for a record set that is published, and of which it is not known yet whether resolvers answer it. */
function isWaiting(item: RecordSetItem): item is RecordSetItem & { readonly propagation: Wait } {
  if (item.type === 'SOA' || item.published === null) return false;
  return item.propagation !== undefined && item.propagation.givenUp !== true;
}

/** True for a record set of whose batch no message is on its way. */
export function needsLook(item: RecordSetItem, nowMs: number): boolean {
  if (!isWaiting(item)) return false;
  const { propagation: wait } = item;
  if (wait.insyncMs !== null) return nowMs >= untilMs(wait);
  return wait.changeId === null ? isGivenUp(wait, nowMs) : nowMs - wait.atMs >= LOST_MS;
}

/** When all name servers have the batch, as of now; a number: after how many seconds to ask again. */
async function ask(
  { account, clock, log }: FollowContext,
  hostedZoneId: string,
  changeId: string | null,
  ageMs: number,
): Promise<{ readonly insyncMs: number } | number> {
  if (changeId === null) return UNSAID_SECONDS;
  const status = await account.hostedZones.changeStatus(hostedZoneId, changeId);
  // Not earlier than it became true.
  if (status.kind === 'insync') return { insyncMs: clock.nowMs() };
  const againSeconds = Math.max(AGAIN_SECONDS, Math.ceil((ageMs - SLOW_AFTER_MS) / 8_000));
  if (status.kind !== 'unsaid' || status.message === null) return againSeconds;
  log('warn', `Cannot learn whether the name servers of Route 53 have a change: ${status.message}`, {
    hostedZoneId,
    changeId,
  });
  return UNSAID_SECONDS;
}

/**
 * For how many seconds resolvers may answer what they had where no record set was: the negative TTL of the SOA, or the
 * TTL of a wildcard. Null: the SOA cannot be read now.
 */
function nothingSeconds(context: FollowContext, hostedZoneId: string) {
  const { ledger } = context;
  const negative = oncePerKey(
    (id: string) => id,
    (id: string) => readNegativeSeconds(context, id),
  );
  const wildcard = oncePerKey(
    (name: string) => name,
    (name: string) => readName(ledger, hostedZoneId, name),
  );
  return async ({ name, type }: RecordSetItem): Promise<number | null> => {
    const soa = await negative(hostedZoneId);
    if (soa === null) return null;
    const above = ancestorsOf(name).filter((one) => isAtOrBelow(one, soa.apex));
    const wildcards = (await Promise.all(above.map((one) => wildcard(`*.${one}`)))).flat();
    const kept = wildcards
      .filter(({ item }) => item.name !== name && isAnsweredFor(item, type))
      .map(({ item }) => Math.max(keptSeconds(item.published), item.propagation?.keptSeconds ?? 0));
    return Math.max(soa.seconds, ...kept);
  };
}

/** True if a resolver that asked for this type may have got that record set. */
export function isAnsweredFor(of: Pick<RecordSetItem, 'type'>, type: string): boolean {
  return of.type === type || of.type === 'CNAME' || type === 'CNAME';
}

async function readNegativeSeconds({ ledger, account, clock }: FollowContext, hostedZoneId: string) {
  const stored = await readHostedZone(ledger, hostedZoneId);
  if (stored === null) return null;
  const { name: apex, negativeSeconds: known } = stored.item;
  const before = await formerNegativeSeconds(ledger, hostedZoneId, apex, clock.nowMs());
  if (known !== null) return { apex, seconds: Math.max(known, before) };
  const sets = await account.hostedZones.readName(hostedZoneId, apex).catch(orDenied);
  if (sets === null || sets instanceof Error) return null;
  const seconds = negativeSeconds(sets.find(({ type }) => type === 'SOA')?.content ?? null);
  if (seconds === null) return null;
  await noteNegativeSeconds(ledger, hostedZoneId, seconds);
  return { apex, seconds: Math.max(seconds, before) };
}

/** What resolvers may still keep by the SOA that we have replaced, and by ours, in seconds. */
async function formerNegativeSeconds(ledger: Context['ledger'], hostedZoneId: string, apex: string, nowMs: number) {
  const soa = (await readName(ledger, hostedZoneId, apex)).find(({ item }) => item.type === 'SOA')?.item;
  if (soa === undefined) return 0;
  const { published, propagation: wait } = soa;
  const former = wait === undefined || isForgotten(wait, nowMs) ? 0 : wait.keptSeconds;
  return Math.max(former, negativeSeconds(published) ?? 0);
}

/** Notes the negative TTL of the SOA that Route 53 has. */
export async function noteNegativeSeconds(
  ledger: Context['ledger'],
  hostedZoneId: string,
  seconds: number,
): Promise<void> {
  await changeHostedZone(ledger, hostedZoneId, (item) =>
    item === null || item.negativeSeconds === seconds ? null : { ...item, negativeSeconds: seconds },
  );
}
