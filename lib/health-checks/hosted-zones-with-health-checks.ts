// The hosted zones whose record sets name health checks that zone53 makes. Within the engine such a record set has the
// key of its health check (lib/dns/health-check.ts); in Route 53 it has an id. This is the only place between the two.
//
//   before a batch       the ledger has
//   1. the caller reference of a new health check
//   2. a use for each record set that will name it
//   3. the id, once Route 53 has created it: by the reference, a call that is repeated creates no second one
//
// A run that dies in between leaves what the next one continues with, or what tidyHealthChecks() deletes.
import { hash } from 'node:crypto';
import { canBecome, type HealthCheck, parseHealthCheckKey } from '../dns/health-check.ts';
import {
  type RecordSet,
  type RecordSetChange,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
} from '../dns/record-set.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { readItem, type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems, eachItem } from '../ledger/pages.ts';
import type { Clock } from '../ports/clock.ts';
import type { Config } from '../ports/config.ts';
import type { HealthCheckOutcome, HealthChecksOfAccounts } from '../ports/health-checks.ts';
import type { BatchOutcome, HostedZones } from '../ports/hosted-zones.ts';
import type { Ledger } from '../ports/ledger.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { type RecordSetItem, recordSetCodec, recordSetItemKey } from '../record-sets/record-set-item.ts';
import { changeRecordSetItem } from '../record-sets/store.ts';
import {
  HEALTH_CHECKS_PARTITION,
  healthChecksCodec,
  healthChecksKey,
  type MadeCheck,
  USES_PARTITION,
  useCodec,
  useKey,
  usesPrefix,
} from './health-checks-item.ts';

/** A health check is touched again after this time, long before it may be deleted (tidy-health-checks.ts). */
const TOUCH_MS = 300_000;
/** The longest wait for the budget: record sets without a health check are in the same batch. */
const BUDGET_MS_MAX = 1_000;
/** Route 53's limit of a caller reference. */
const REFERENCE_CHARACTERS_MAX = 64;

export type MakingHealthChecks = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly config: Pick<Config, 'clusterId' | 'healthChecks'>;
};

type Deps = MakingHealthChecks & { readonly port: HostedZones; readonly healthChecks: HealthChecksOfAccounts };

/** The same hosted zones, where record sets may name health checks by their keys. */
export function hostedZonesWithHealthChecks(port: HostedZones, making: MakingHealthChecks): HostedZones {
  const { healthChecks } = port;
  if (healthChecks === undefined) return port;
  const deps = { ...making, port, healthChecks };
  return {
    ...port,
    healthChecks: { ...healthChecks, readIds: port.readName },
    change: async (id, changes, ...asked) => {
      const isPlain = changes.every(({ recordSet }) => parseHealthCheckKey(checkOf(recordSet)) === null);
      return isPlain ? port.change(id, changes, ...asked) : changeWithChecks(deps, id, changes, ...asked);
    },
    readName: async (id, name) => withKeys(making, await port.readName(id, name)),
    readPage: async (id, from) => {
      const page = await port.readPage(id, from);
      return page === null ? null : { ...page, recordSets: await withKeys(making, page.recordSets) };
    },
  };
}

function checkOf({ content }: RecordSet): string | null {
  return content.routing?.healthCheckId ?? null;
}

function withCheck(recordSet: RecordSet, healthCheckId: string | null): RecordSet {
  const { content } = recordSet;
  if (content.routing === undefined) return recordSet;
  return { ...recordSet, content: { ...content, routing: { ...content.routing, healthCheckId } } };
}

/** Record sets of Route 53 with the keys of health checks that zone53 made. */
async function withKeys<Sets extends readonly RecordSet[] | null>({ ledger }: MakingHealthChecks, sets: Sets) {
  if (sets === null || sets.every((one) => checkOf(one) === null)) return sets;
  const keys = new Map<string, string>();
  for await (const stored of eachItem(ledger, HEALTH_CHECKS_PARTITION)) {
    const item = healthChecksCodec.read(stored);
    if (!(item instanceof Error))
      for (const made of item.checks)
        for (const id of [made.id, made.lostId]) if (id != null) keys.set(id, standingKey(made));
  }
  return sets.map((one) => withCheck(one, keys.get(checkOf(one) ?? '') ?? checkOf(one))) as unknown as Sets;
}

/** What the changes need is created first. A batch that then would have to wait for too long is not sent. */
async function changeWithChecks(
  deps: Deps,
  hostedZoneId: string,
  changes: readonly RecordSetChange[],
  comment: string,
  waitMsMax?: number,
  role?: string | null,
): Promise<BatchOutcome> {
  const beganMs = deps.clock.nowMs();
  const leftMs = () => (waitMsMax === undefined ? undefined : waitMsMax - (deps.clock.nowMs() - beganMs));
  const account = await deps.healthChecks.accountOf(hostedZoneId);
  const ids = new Map<string, string>();
  const messages: string[] = [];
  const waits = new Set<string>();
  let why: string | null = null;
  const setsOf = (isDelete: boolean) =>
    changes.filter(({ action }) => (action === 'DELETE') === isDelete).map(({ recordSet }) => recordSet);
  const deleted = new Map(setsOf(true).map((one) => [recordSetId(one), one]));
  for (const [key, users] of Map.groupBy(setsOf(false), (one) => checkOf(one) ?? '')) {
    if (parseHealthCheckKey(key) === null) continue;
    const from = users.flatMap((one) => checkOf(deleted.get(recordSetId(one)) ?? one) ?? []);
    // After one that could not be made, no other is tried now.
    const waitMsMax = waits.size > 0 ? null : Math.min(leftMs() ?? BUDGET_MS_MAX, BUDGET_MS_MAX);
    const outcome = await ensureCheck(deps, { key, account, hostedZoneId, users, from }, waitMsMax).catch(orUnreadable);
    if (outcome.kind === 'made') ids.set(key, outcome.id);
    else if (outcome.kind === 'refused') messages.push(`Health check ${key} was not created: ${outcome.message}`);
    else {
      for (const { name } of users) waits.add(name);
      why ??= `its health check is not made yet: ${outcome.message}`;
    }
  }
  const idsBefore = new Map<string, string | null>();
  for (const key of new Set(setsOf(true).flatMap((one) => checkOf(one) ?? []))) {
    if (parseHealthCheckKey(key) === null) continue;
    const known = await idNow(deps, key, account).catch(orUnreadable);
    if (known !== null && typeof known === 'object')
      messages.push(`Health check ${key} is not known: ${known.message}`);
    else idsBefore.set(key, known);
  }
  if (messages.length > 0) return { kind: 'refused', messages };
  if (why !== null) return { kind: 'throttled', message: why, waits };
  const left = leftMs();
  if (left !== undefined && left < 0)
    return { kind: 'throttled', message: 'its health checks took too long to create', unsent: true };
  const sent = changes.map((change) => {
    const id = (change.action === 'DELETE' ? idsBefore : ids).get(checkOf(change.recordSet) ?? '');
    return id === undefined ? change : { ...change, recordSet: withCheck(change.recordSet, id) };
  });
  const outcome = await deps.port.change(hostedZoneId, sent, comment, left, role);
  if (outcome.kind !== 'refused') return outcome;
  const named = (text: string) => [...ids].reduce((said, [key, id]) => said.replaceAll(id, key), text);
  return { ...outcome, messages: outcome.messages.map(named) };
}

/** An item of the ledger that cannot be read concerns the record sets of its namespace alone. */
function orUnreadable(error: unknown): { readonly kind: 'refused'; readonly message: string } {
  if (!(error instanceof UnreadableItemError)) throw error;
  return { kind: 'refused', message: error.message };
}

/** The id of a record set that was published with this key; null: nothing is known of it any more. */
async function idNow({ ledger }: Deps, key: string, account: string | null): Promise<string | null> {
  const namespace = parseHealthCheckKey(key)?.namespace ?? '';
  const stored = await readItem(ledger, healthChecksKey(namespace), healthChecksCodec);
  const mentions = (one: MadeCheck) => one.key === key || one.formerKey === key;
  const having = (stored?.item.checks ?? []).filter((one) => mentions(one) && one.account === account);
  const known = having.find(({ isGoing }) => isGoing !== true) ?? having[0];
  return known?.lostId ?? known?.id ?? null;
}

type Wanted = {
  readonly key: string;
  readonly account: string | null;
  readonly hostedZoneId: string;
  readonly users: readonly RecordSet[];
  /** The keys that these record sets had before. */
  readonly from: readonly string[];
};

/** The health check of a key, created if need be, with its uses noted. `waitMsMax` null: Route 53 is not called. */
async function ensureCheck(deps: Deps, wanted: Wanted, waitMsMax: number | null): Promise<HealthCheckOutcome> {
  const { ledger, healthChecks } = deps;
  const { key, account, hostedZoneId, users } = wanted;
  const { namespace, check } = parseHealthCheckKey(key) ?? { namespace: '', check: null };
  if (check === null) throw new Error(`${key} is no key of a health check`);
  const made = await noteWanted(deps, namespace, wanted);
  if (typeof made === 'string') return { kind: 'refused', message: made };
  for (const { name, type, setIdentifier } of users)
    await ledger.put(
      useKey(made, hostedZoneId, { name, type, setIdentifier }),
      useCodec.encode({ hostedZoneId, name, type, setIdentifier }),
      null,
    );
  if (made.isStale !== true && made.id !== null) return { kind: 'made', id: made.id };
  if (waitMsMax === null) return { kind: 'again', message: 'others are made first' };
  if (made.isStale === true) return changeStale(deps, namespace, made, { ...wanted, check }, waitMsMax);
  const outcome = await healthChecks.of(account).create(check, made.reference, waitMsMax);
  if (outcome.kind === 'made') await changeCheck(ledger, namespace, made, (one) => ({ ...one, id: outcome.id }));
  if (outcome.kind === 'spent') {
    const reference = newReference(deps, namespace, key, made.reference);
    await changeCheck(ledger, namespace, made, (one) => ({ ...one, reference }));
  }
  return outcome;
}

/** Notes that a health check is wanted now. Returns it; or why the namespace may not have it. */
async function noteWanted(deps: Deps, namespace: string, { key, account, from }: Wanted): Promise<MadeCheck | string> {
  const nowMs = deps.clock.nowMs();
  let found: MadeCheck | string = '';
  await swap(deps.ledger, healthChecksKey(namespace), healthChecksCodec, async (item) => {
    const checks = item?.checks ?? [];
    const open = checks.filter(({ isGoing }) => isGoing !== true);
    const known = open.find((one) => one.key === key && one.account === account);
    if (known !== undefined) {
      found = known;
      if (Math.abs(nowMs - known.touchedMs) < TOUCH_MS) return null;
      return { checks: checks.map((one) => (one === known ? { ...one, touchedMs: nowMs } : one)) };
    }
    const users = new Map<MadeCheck, readonly User[]>();
    for (const one of open)
      if (from.includes(standingKey(one)) || open.length >= deps.config.healthChecks.max)
        users.set(one, await usersIn(deps.ledger, one));
    const old = open.find(
      (one) => one.account === account && from.includes(standingKey(one)) && mayBecome(one, key, users.get(one) ?? []),
    );
    if (old !== undefined) {
      const changed = { ...old, key, formerKey: standingKey(old), isStale: true as const, touchedMs: nowMs };
      found = changed;
      return { checks: checks.map((one) => (one === old ? changed : one)) };
    }
    const refusal = beyondQuota(
      deps.config,
      namespace,
      open.filter((one) => isWanted(one, users.get(one) ?? [])).length,
      open.length,
    );
    if (refusal !== null) {
      found = refusal;
      return null;
    }
    const reference = newReference(deps, namespace, key);
    const added = { key, account, uid: reference, reference, id: null, touchedMs: nowMs };
    found = added;
    return { checks: [...checks, added] };
  });
  return found;
}

/** The key that the content of a health check in Route 53 has. */
function standingKey({ key, isStale, formerKey }: MadeCheck): string {
  return isStale === true && formerKey !== undefined ? formerKey : key;
}

/** True if it can be changed into another one: no record set wants it as it is, or has what it was before. */
function mayBecome(made: MadeCheck, key: string, users: readonly User[]): boolean {
  const [before, after] = [parseHealthCheckKey(standingKey(made)), parseHealthCheckKey(key)];
  if (before === null || after === null || made.id === null || !canBecome(before.check, after.check)) return false;
  if (isWanted(made, users)) return false;
  const { formerKey } = made;
  return (
    made.isStale === true ||
    formerKey === undefined ||
    !users.some(({ stored }) => has(stored?.item.published, formerKey))
  );
}

/** True while a record set wants it, or may be about to. */
function isWanted({ key }: MadeCheck, users: readonly User[]): boolean {
  return users.length === 0 || users.some(({ stored }) => has(stored?.item.desired, key));
}

function has(content: RecordSetContent | null | undefined, key: string): boolean {
  return content?.routing?.healthCheckId === key;
}

/** A record set that was about to name a health check, and its item; null: it has none any more. */
export type User = RecordSetKey & { readonly hostedZoneId: string; readonly stored: Stored<RecordSetItem> | null };

export async function usersIn(ledger: Ledger, made: MadeCheck): Promise<readonly User[]> {
  const uses = await allItems(ledger, USES_PARTITION, usesPrefix(made));
  return Promise.all(
    uses.map(async (use) => {
      const { hostedZoneId, ...key } = useCodec.decode(use);
      return {
        hostedZoneId,
        ...key,
        stored: await readItem(ledger, recordSetItemKey(hostedZoneId, key), recordSetCodec),
      };
    }),
  );
}

/**
 * Has record sets count as published with another health check, and marks their names, to be compared with what is
 * desired. Returns their hosted zones.
 */
export async function republish(
  { ledger, clock }: Pick<Deps, 'ledger' | 'clock'>,
  users: readonly User[],
  before: readonly string[],
  after: string,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const user of users) {
    const published = user.stored?.item.published ?? null;
    if (published?.routing === undefined || !before.includes(published.routing.healthCheckId ?? '')) continue;
    const now = { ...published, routing: { ...published.routing, healthCheckId: after } };
    await markDirty(ledger, user.hostedZoneId, user.name, clock.nowMs());
    await changeRecordSetItem(ledger, user.hostedZoneId, user, user.stored, (item) =>
      sameContent(item.published, published) ? { ...item, published: now } : null,
    );
    changed.push(user.hostedZoneId);
  }
  return changed;
}

/** Changes in Route 53 what the ledger has changed already. Record sets that have it published have the new one now. */
async function changeStale(
  deps: Deps,
  namespace: string,
  made: MadeCheck,
  { key, account, check, users }: Wanted & { readonly check: HealthCheck },
  waitMsMax: number,
): Promise<HealthCheckOutcome> {
  const { ledger, healthChecks } = deps;
  const before = made.formerKey ?? key;
  const outcome = await healthChecks.of(account).update(made.id ?? '', check, waitMsMax);
  const change = (changed: (one: MadeCheck) => MadeCheck) => changeCheck(ledger, namespace, made, changed);
  if (outcome.kind === 'spent') {
    const reference = newReference(deps, namespace, key, made.reference);
    await change(({ isStale: _, ...one }) => ({
      ...one,
      reference,
      id: null,
      lostId: made.id ?? '',
    }));
  }
  // It stays as it was.
  if (outcome.kind === 'refused') await change(({ isStale: _, ...one }) => ({ ...one, key: before }));
  if (outcome.kind !== 'made') return outcome;
  const own = new Set(users.map(recordSetId));
  const others = (await usersIn(ledger, made)).filter((one) => !own.has(recordSetId(one)));
  await republish(deps, others, [before], key);
  await change(({ isStale: _, ...one }) => one);
  return outcome;
}

/** Why the namespace may have no further health check; null: it may. */
export function beyondQuota(
  { healthChecks }: Pick<Config, 'healthChecks'>,
  namespace: string,
  count: number,
  all: number,
): string | null {
  const { max, namespaces } = healthChecks;
  if (max === 0) return 'the configuration allows none; an operator sets healthChecks, or write healthCheckId';
  if (namespaces?.includes(namespace) === false)
    return `healthChecks.namespaces of the configuration does not list namespace ${namespace}`;
  if (count >= max)
    return `namespace ${namespace} has ${count} already, and healthChecks.max of the configuration is ${max}`;
  // Those that nothing wants any more stay for a while.
  return all < 2 * max
    ? null
    : `namespace ${namespace} has had too many within a quarter of an hour; it is tried again`;
}

/** Changes a health check that is still the same creation. */
export async function changeCheck(
  ledger: Ledger,
  namespace: string,
  { uid, reference }: Pick<MadeCheck, 'uid' | 'reference'>,
  change: (made: MadeCheck) => MadeCheck | null,
): Promise<void> {
  await swap(ledger, healthChecksKey(namespace), healthChecksCodec, (item) => {
    const known = item?.checks.find((one) => one.uid === uid && one.reference === reference);
    const changed = known === undefined ? null : change(known);
    if (item === null || known === undefined || changed === known) return null;
    return { checks: item.checks.flatMap((one) => (one === known ? (changed ?? []) : one)) };
  });
}

/** A reference that was never used: Route 53 refuses that of a deleted health check. `before`: the one that it had. */
export function newReference(
  { clock, config }: Pick<Deps, 'clock' | 'config'>,
  namespace: string,
  key: string,
  before = '',
): string {
  const of = `zone53/${config.clusterId}/${namespace}`;
  const number = Math.max(clock.nowMs(), Number(/\d+$/.exec(before)?.[0] ?? 0) + 1);
  const end = `/${hash('sha256', key, 'hex').slice(0, 8)}-${number}`;
  const isShort = of.length + end.length <= REFERENCE_CHARACTERS_MAX;
  return `${isShort ? of : `zone53/${hash('sha256', of, 'hex').slice(0, 24)}`}${end}`;
}
