// Deletes the health checks that no record set uses any more, and has those made again that somebody deleted. The uses
// in the ledger say where to look, and the items there whether a record set names it. Route 53 deletes a health check
// that record sets name without a word, so before that it is asked what stands there.
//
// No batch is under way that names a health check which was not touched for so long: each touches it first, and is sent
// within the time of a lease, or not at all.
import { sameContent } from '../dns/record-set.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems, eachItem } from '../ledger/pages.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Clock } from '../ports/clock.ts';
import type { Config } from '../ports/config.ts';
import type { HealthChecksOfAccounts } from '../ports/health-checks.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { once } from '../ports/once.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { recentLate } from '../record-sets/retention.ts';
import { changeRecordSetItem, readName } from '../record-sets/store.ts';
import {
  HEALTH_CHECKS_PARTITION,
  healthChecksCodec,
  healthChecksKey,
  type MadeCheck,
  useCodec,
  usesPartition,
} from './health-checks-item.ts';
import { changeCheck, newReference } from './hosted-zones-with-health-checks.ts';

/** How long a health check stays after a batch that named it. */
export const UNUSED_MS = 900_000;

export type Tidying = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly config: Pick<Config, 'clusterId' | 'healthChecks'>;
  readonly log: Log;
  readonly hostedZones: HostedZones;
};

type Deps = Tidying & { readonly healthChecks: HealthChecksOfAccounts };

/** Returns the hosted zones with names to publish again. What fails is tried again by the next call. */
export async function tidyHealthChecks(tidying: Tidying): Promise<ReadonlySet<string>> {
  const dirty = new Set<string>();
  const { healthChecks } = tidying.hostedZones;
  if (healthChecks === undefined) return dirty;
  const deps = { ...tidying, healthChecks };
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
  const users = await usersOf(deps, made);
  if (users.some(({ items }) => items.length > 0)) return restore(deps, namespace, made, { users, listed, dirty });
  const { id } = made;
  if (id !== null && (await standsAnywhere(deps, made, users))) return;
  let going: MadeCheck | null = null;
  await changeCheck(ledger, namespace, made, (one) => {
    going = one.touchedMs === made.touchedMs ? { ...one, isGoing: true } : null;
    return going ?? one;
  });
  if (going !== null) await deleteCheck(deps, namespace, going, listed);
}

type User = {
  readonly hostedZoneId: string;
  readonly name: string;
  /** The items at the name that mention it. */
  readonly items: readonly Stored<RecordSetItem>[];
};

async function usersOf({ ledger, clock }: Deps, made: MadeCheck): Promise<readonly User[]> {
  const mention = JSON.stringify(made.key);
  const users: User[] = [];
  for await (const stored of eachItem(ledger, usesPartition(made))) {
    const { hostedZoneId, name, type, setIdentifier } = useCodec.decode(stored);
    const items = (await readName(ledger, hostedZoneId, name)).filter(
      ({ item }) =>
        item.type === type &&
        item.setIdentifier === setIdentifier &&
        JSON.stringify({ ...item, late: recentLate(item, clock.nowMs()) }).includes(mention),
    );
    users.push({ hostedZoneId, name, items });
  }
  return users;
}

/** True if a record set of Route 53 names it: one that zone53 forgot, or that somebody changed. */
async function standsAnywhere({ hostedZones }: Deps, { key, id }: MadeCheck, users: readonly User[]): Promise<boolean> {
  for (const { hostedZoneId, name } of users) {
    const standing = (await hostedZones.readName(hostedZoneId, name)) ?? [];
    if (standing.some(({ content: { routing } }) => [key, id].includes(routing?.healthCheckId ?? ''))) return true;
  }
  return false;
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
  for (const use of await allItems(ledger, usesPartition(made))) await ledger.remove(use, use.revision);
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
    now = { ...made, id: null, lostId, reference };
    await changeCheck(ledger, namespace, made, () => now);
    deps.log('warn', 'a health check was deleted by hand, and is made again', { id: lostId, healthCheck: made.key });
  }
  for (const { hostedZoneId, items } of users)
    for (const { item, revision } of items) {
      const { published } = item;
      if (published?.routing?.healthCheckId !== made.key) continue;
      const stale = { ...published, routing: { ...published.routing, healthCheckId: lostId } };
      await markDirty(ledger, hostedZoneId, item.name, clock.nowMs());
      await changeRecordSetItem(ledger, hostedZoneId, item, { item, revision }, (known) =>
        sameContent(known.published, published) ? { ...known, published: stale } : null,
      );
      dirty.add(hostedZoneId);
    }
  await changeCheck(ledger, namespace, now, ({ lostId: _, ...one }) => one);
}

async function removeEmpty(ledger: Ledger, namespace: string): Promise<void> {
  const stored = await ledger.get(healthChecksKey(namespace));
  if (stored !== null && healthChecksCodec.decode(stored).checks.length === 0)
    await ledger.remove(stored, stored.revision);
}
