// Deletes the health checks that no record set uses any more, and has those made again that somebody deleted. The uses
// in the ledger say where to look, and the items there whether a record set names it. Route 53 deletes a health check
// that record sets name without a word, so before that it is asked what stands there.
//
// No batch is under way that names a health check which was not touched for so long: each touches it first, and is sent
// within the time of a lease, or not at all.
import { type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems, eachItem } from '../ledger/pages.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Clock } from '../ports/clock.ts';
import type { Config } from '../ports/config.ts';
import type { HealthChecksOfAccounts } from '../ports/health-checks.ts';
import type { HostedZones, RecordSetsPage } from '../ports/hosted-zones.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { once, oncePerKey } from '../ports/once.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { recentLate } from '../record-sets/retention.ts';
import {
  HEALTH_CHECKS_PARTITION,
  healthChecksCodec,
  healthChecksKey,
  type MadeCheck,
  USES_PARTITION,
  usesPrefix,
} from './health-checks-item.ts';
import { changeCheck, newReference, republish, type User, usersIn } from './hosted-zones-with-health-checks.ts';

/** How long a health check stays after a batch that named it. */
export const UNUSED_MS = 900_000;

export type Tidying = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly config: Pick<Config, 'clusterId' | 'healthChecks'>;
  readonly log: Log;
  readonly hostedZones: HostedZones;
};

type Deps = Tidying & {
  readonly healthChecks: HealthChecksOfAccounts;
  /** The health checks that the record sets of a hosted zone name. */
  readonly named: (hostedZoneId: string) => Promise<ReadonlySet<string>>;
};

/** Returns the hosted zones with names to publish again. What fails is tried again by the next call. */
export async function tidyHealthChecks(tidying: Tidying): Promise<ReadonlySet<string>> {
  const dirty = new Set<string>();
  const { healthChecks } = tidying.hostedZones;
  if (healthChecks === undefined) return dirty;
  const named = oncePerKey(
    (id: string) => id,
    (id: string) => namedIn(tidying.hostedZones, id),
  );
  const deps = { ...tidying, healthChecks, named };
  const accounts = new Map<string | null, () => Promise<Listed>>();
  for await (const stored of eachItem(tidying.ledger, HEALTH_CHECKS_PARTITION)) {
    const item = healthChecksCodec.read(stored);
    if (item instanceof UnreadableItemError) continue;
    for (const made of item.checks) {
      const listed = accounts.get(made.account) ?? once(() => healthChecks.of(made.account).list());
      accounts.set(made.account, listed);
      try {
        await tidyOne(deps, stored.sort, made, listed, dirty);
      } catch (error) {
        tidying.log('warn', 'a health check could not be looked after', {
          healthCheck: made.key,
          reason: errorMessage(error),
        });
      }
    }
    await removeEmpty(tidying.ledger, stored.sort);
  }
  return dirty;
}

type Listed = Awaited<ReturnType<ReturnType<HealthChecksOfAccounts['of']>['list']>>;

async function tidyOne(
  deps: Deps,
  namespace: string,
  made: MadeCheck,
  listed: () => Promise<Listed>,
  dirty: Set<string>,
): Promise<void> {
  const { ledger, clock } = deps;
  if (Math.abs(clock.nowMs() - made.touchedMs) < UNUSED_MS) return;
  if (made.isGoing === true) return deleteCheck(deps, namespace, made, listed);
  const users = await usersIn(ledger, made);
  if (users.some(({ stored }) => stored !== null && mentions(stored, made, clock.nowMs())))
    return restore(deps, namespace, made, { users, listed, dirty });
  const { id } = made;
  if (id !== null && (await standsAnywhere(deps, made, users))) return;
  let going: MadeCheck | null = null;
  await changeCheck(ledger, namespace, made, (one) => {
    going = one.touchedMs === made.touchedMs ? { ...one, isGoing: true } : null;
    return going ?? one;
  });
  if (going !== null) await deleteCheck(deps, namespace, going, listed);
}

/** True if an item mentions it, be it as what is desired, published, or may still land. */
function mentions({ item }: Stored<RecordSetItem>, { key, formerKey }: MadeCheck, nowMs: number): boolean {
  const text = JSON.stringify({ ...item, late: recentLate(item, nowMs) });
  return [key, formerKey].some((one) => one !== undefined && text.includes(JSON.stringify(one)));
}

function isUnderWay(item: RecordSetItem, nowMs: number): boolean {
  return item.intent !== null || recentLate(item, nowMs).length > 0;
}

/**
 * True if a record set of Route 53 names it: one that zone53 forgot, that somebody changed, or that is somebody else's.
 * All of each hosted zone is read in which record sets used it, once for all health checks.
 */
async function standsAnywhere(
  { named }: Deps,
  { key, id, formerKey }: MadeCheck,
  users: readonly User[],
): Promise<boolean> {
  for (const hostedZoneId of new Set(users.map((user) => user.hostedZoneId))) {
    const all = await named(hostedZoneId);
    if ([key, id, formerKey].some((one) => one != null && all.has(one))) return true;
  }
  return false;
}

/** The health checks that record sets of a hosted zone name: those of zone53 by their keys, others by their ids. */
async function namedIn(hostedZones: HostedZones, hostedZoneId: string): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  let from: RecordSetKey | null = null;
  do {
    const page: RecordSetsPage | null = await hostedZones.readPage(hostedZoneId, from);
    for (const { content } of page?.recordSets ?? [])
      if (content.routing?.healthCheckId != null) all.add(content.routing.healthCheckId);
    from = page?.next ?? null;
  } while (from !== null);
  return all;
}

/** Deletes it in Route 53, by its reference if its id was never learned; then its items. */
async function deleteCheck(
  { ledger, healthChecks, log }: Deps,
  namespace: string,
  made: MadeCheck,
  listed: () => Promise<Listed>,
): Promise<void> {
  const id = made.id ?? (await listed()).find(({ reference }) => reference === made.reference)?.id;
  if (id !== undefined) {
    await healthChecks.of(made.account).remove(id);
    log('info', 'health check deleted', { id, healthCheck: made.key });
  }
  for (const use of await allItems(ledger, USES_PARTITION, usesPrefix(made))) await ledger.remove(use, use.revision);
  await changeCheck(ledger, namespace, made, () => null);
}

/**
 * If Route 53 does not have it any more, it is made again: the record sets that have the id of the old one count as
 * published with that id, so the next run changes them.
 */
async function restore(
  deps: Deps,
  namespace: string,
  made: MadeCheck,
  { users, listed, dirty }: { users: readonly User[]; listed: () => Promise<Listed>; dirty: Set<string> },
): Promise<void> {
  const { ledger, clock } = deps;
  const lostId = made.lostId ?? made.id;
  const isLost = made.lostId !== undefined || !(await listed()).some(({ id }) => id === made.id);
  if (lostId === null || !isLost) return;
  let now = made;
  if (made.lostId === undefined) {
    const reference = newReference(deps, namespace, made.key, made.reference);
    const { isStale: _, ...rest } = made;
    now = { ...rest, id: null, lostId, reference };
    await changeCheck(ledger, namespace, made, () => now);
    deps.log('warn', 'a health check was deleted by hand, and is made again', { id: lostId, healthCheck: made.key });
  }
  // What is under way at a record set must be known first: it may be a write of ours with the old id.
  if (users.some(({ stored }) => stored !== null && isUnderWay(stored.item, clock.nowMs()))) return;
  const read = deps.healthChecks.readIds ?? deps.hostedZones.readName;
  const having: User[] = [];
  for (const user of users) {
    const standing = (await read(user.hostedZoneId, user.name)) ?? [];
    const own = standing.find((one) => recordSetId(one) === recordSetId(user));
    if (own?.content.routing?.healthCheckId === lostId) having.push(user);
  }
  for (const id of await republish(deps, having, [made.key, made.formerKey ?? ''], lostId)) dirty.add(id);
  await changeCheck(ledger, namespace, now, ({ lostId: _, ...one }) => one);
}

async function removeEmpty(ledger: Ledger, namespace: string): Promise<void> {
  const stored = await ledger.get(healthChecksKey(namespace));
  if (stored !== null && healthChecksCodec.decode(stored).checks.length === 0)
    await ledger.remove(stored, stored.revision);
}
