// The lease of a hosted zone: who may publish into it now. Its epoch grows each time it is taken, so a run that slept
// until its lease had expired notices that before its next batch. Clocks differ between functions: a run stops well
// before its lease expires, and another takes it well after. If two runs still write, Route 53 refuses the DELETE of
// content that is no longer there. All writes of a hosted zone item go through here.

import { swap } from '../ledger/compare-and-swap.ts';
import { readItem, type Stored } from '../ledger/item-codec.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger, PutOptions } from '../ports/ledger.ts';
import { type HostedZoneItem, hostedZoneCodec, hostedZoneItemKey } from './hosted-zone-item.ts';

/** How often a lease is renewed before one batch. If it still leaves too little time, it counts as lost. */
const RENEWALS_MAX = 3;

export type LeaseLimits = {
  /** How long a lease is valid. */
  readonly leaseMs: number;
  /** How much two clocks may differ. */
  readonly skewMs: number;
  /** The longest that a call of Route 53 may take once its turn within the budget has come. */
  readonly callMs: number;
  /** If a lease leaves less time than this to wait for that turn, it is renewed first. */
  readonly waitMs: number;
};

/**
 * A run that is killed keeps its hosted zone for leaseMs + skewMs, 35 s. The lease cannot be much shorter: no batch may
 * be under way when another run takes the lease. So a batch is sent only while callMs + skewMs, 20 s, are left, and the
 * lease is taken no earlier than skewMs after its end. `waitUnderLease()` says how long a batch may wait for its turn.
 * callMs is the deadline of `change` (CHANGE_MS_MAX in lib/adapters/route53/route53-hosted-zones.ts). AWS clocks are
 * within a second, and 10 s apart would still do no harm. Of the other 10 s half is for that turn: the functions'
 * budget lets nobody wait for more than 4 s. The other half limits renewals, a read and a write, to one in 5 s.
 *
 * The lease need not outlast the reading of 5,000 names or the writing of 1,000 intents: a run reads the lease before
 * every batch, and renews it after it has expired if nobody has taken it.
 */
export const DEFAULT_LEASE_LIMITS: LeaseLimits = { leaseMs: 30_000, skewMs: 5_000, callMs: 15_000, waitMs: 5_000 };

export type Lease = { readonly hostedZoneId: string; readonly holder: string; readonly epoch: number };

export type LeaseTaken =
  /** `wasAbandoned`: the run before died, and did not give its lease back. */
  | {
      readonly kind: 'taken';
      readonly lease: Lease;
      readonly hostedZone: HostedZoneItem;
      readonly wasAbandoned: boolean;
    }
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  /** The ledger knows no such hosted zone. */
  | { readonly kind: 'absent' };

type LeaseDeps = { readonly ledger: Ledger; readonly clock: Clock; readonly lease: LeaseLimits };

/** Reads the item of a hosted zone; null if there is none. @throws UnreadableItemError */
export function readHostedZone(ledger: Ledger, id: string): Promise<Stored<HostedZoneItem> | null> {
  return readItem(ledger, hostedZoneItemKey(id), hostedZoneCodec);
}

/**
 * Changes a hosted zone item by compare-and-swap. `change` gets the item (null: there is none) and returns the new one;
 * null: no change. Returns what was written; null if nothing was. `options`: what else is written with it.
 */
export async function changeHostedZone(
  ledger: Ledger,
  id: string,
  change: (item: HostedZoneItem | null) => HostedZoneItem | null | Promise<HostedZoneItem | null>,
  options: PutOptions = {},
): Promise<HostedZoneItem | null> {
  return (await swap(ledger, hostedZoneItemKey(id), hostedZoneCodec, change, undefined, () => options))?.item ?? null;
}

/** Takes the lease if it is free, ours already, or expired long enough ago. */
export async function takeLease(deps: LeaseDeps, hostedZoneId: string, holder: string): Promise<LeaseTaken> {
  const { leaseMs, skewMs } = deps.lease;
  let busyUntilMs: number | null = null;
  let recount = false;
  let wasAbandoned = false;
  const taken = await changeHostedZone(deps.ledger, hostedZoneId, (item) => {
    busyUntilMs = null;
    if (item === null) return null;
    const nowMs = deps.clock.nowMs();
    const freeAtMs = (item.lease?.expiresAtMs ?? Number.NEGATIVE_INFINITY) + skewMs;
    // A lease that ends later than is possible is from a clock that was far ahead: waiting for it might take days.
    const believable = freeAtMs <= nowMs + 2 * leaseMs + 3 * skewMs;
    if (item.lease !== null && item.lease.holder !== holder && nowMs <= freeAtMs && believable) {
      busyUntilMs = freeAtMs;
      return null;
    }
    const epoch = item.epoch + 1;
    // The run of a lease that was not given back may have died without saving its counts.
    wasAbandoned = item.lease !== null;
    recount = item.recount || wasAbandoned;
    // From now on the lease itself says that the counts are not final. The flag is for events during this run.
    return { ...item, epoch, recount: false, lease: { holder, epoch, expiresAtMs: nowMs + leaseMs } };
  });
  if (taken !== null) {
    const lease = { hostedZoneId, holder, epoch: taken.epoch };
    return { kind: 'taken', lease, hostedZone: { ...taken, recount }, wasAbandoned };
  }
  if (busyUntilMs === null) return { kind: 'absent' };
  return { kind: 'busy', retryAfterMs: busyUntilMs - deps.clock.nowMs() + 1 };
}

function isHeldBy(lease: Lease, item: HostedZoneItem | null): item is HostedZoneItem {
  return item !== null && item.lease !== null && item.lease.epoch === lease.epoch && item.lease.holder === lease.holder;
}

/**
 * Reads the lease again, and renews it if it leaves little time for one more call. Returns how many milliseconds that
 * call may wait for its turn, so that it ends before the lease does. Null if the lease is lost: another run has taken
 * over, and this one must not write to Route 53 any more.
 */
export async function waitUnderLease(deps: LeaseDeps, lease: Lease): Promise<number | null> {
  const { leaseMs, callMs, skewMs, waitMs } = deps.lease;
  for (let attempt = 0; attempt < RENEWALS_MAX; attempt += 1) {
    const stored = await readHostedZone(deps.ledger, lease.hostedZoneId);
    if (!isHeldBy(lease, stored?.item ?? null)) return null;
    // The lease is read again after every renewal: a delayed renewal may have written a lease that has expired by now.
    const leftMs = (stored?.item.lease?.expiresAtMs ?? 0) - deps.clock.nowMs() - callMs - skewMs;
    if (leftMs > waitMs) return leftMs;
    const expiresAtMs = deps.clock.nowMs() + leaseMs;
    const renewal = { holder: lease.holder, epoch: lease.epoch, expiresAtMs };
    const renewed = await changeUnderLease(deps.ledger, lease, (item) => ({ ...item, lease: renewal }));
    if (renewed === null) return null;
  }
  return null;
}

/** True while this is the present lease: nobody has taken another since. */
export async function holdsLease(ledger: Ledger, lease: Lease): Promise<boolean> {
  return isHeldBy(lease, (await readHostedZone(ledger, lease.hostedZoneId))?.item ?? null);
}

/** Changes the hosted zone item while the lease is ours; null if it is not. */
export async function changeUnderLease(
  ledger: Ledger,
  lease: Lease,
  change: (item: HostedZoneItem) => HostedZoneItem,
  options: PutOptions = {},
): Promise<HostedZoneItem | null> {
  const next = (item: HostedZoneItem | null) => (isHeldBy(lease, item) ? change(item) : null);
  return changeHostedZone(ledger, lease.hostedZoneId, next, options);
}

/** Notes that the counts of the hosted zone may be wrong: the next run counts again. */
export async function requestRecount(ledger: Ledger, hostedZoneId: string): Promise<void> {
  await changeHostedZone(ledger, hostedZoneId, (item) =>
    item === null || item.recount ? null : { ...item, recount: true },
  );
}

/** Gives the lease back, and changes the item in the same write. False if the lease was lost before. */
export async function releaseLease(
  ledger: Ledger,
  lease: Lease,
  note: (item: HostedZoneItem) => HostedZoneItem,
): Promise<boolean> {
  const released = await changeUnderLease(ledger, lease, (item) => ({ ...note(item), lease: null }));
  return released !== null;
}
