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

export type Lease = {
  readonly hostedZoneId: string;
  readonly holder: string;
  readonly epoch: number;
  /** The hosted zone's item as this run last read or wrote it: a write on its revision needs no reading first. */
  readonly known: { stored: Stored<HostedZoneItem> };
};

/** The lease of a run that died, or that could not save what it had to. */
export type AbandonedLease = NonNullable<HostedZoneItem['lease']>;

export type LeaseTaken =
  /** `abandoned`: the lease of the run before, if that did not give it back. */
  | {
      readonly kind: 'taken';
      readonly lease: Lease;
      readonly hostedZone: HostedZoneItem;
      readonly abandoned: AbandonedLease | null;
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
  let abandoned: AbandonedLease | null = null;
  const taken = await swap(deps.ledger, hostedZoneItemKey(hostedZoneId), hostedZoneCodec, (item) => {
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
    abandoned = item.lease;
    // If this run dies before it charges anything, the next one must know what the one before had charged.
    const charged = item.lease?.charged ?? { epoch: item.epoch, batch: Number.MAX_SAFE_INTEGER };
    return { ...item, epoch, lease: { holder, epoch, expiresAtMs: nowMs + leaseMs, charged } };
  });
  if (taken !== null) {
    const lease = { hostedZoneId, holder, epoch: taken.item.epoch, known: { stored: taken } };
    return { kind: 'taken', lease, hostedZone: taken.item, abandoned };
  }
  if (busyUntilMs === null) return { kind: 'absent' };
  return { kind: 'busy', retryAfterMs: busyUntilMs - deps.clock.nowMs() + 1 };
}

function isHeldBy(lease: Lease, item: HostedZoneItem | null): item is HostedZoneItem {
  return item !== null && item.lease !== null && item.lease.epoch === lease.epoch && item.lease.holder === lease.holder;
}

/** What is written under the lease before a call: in the hosted zone's item, and with it. */
export type Charge = Pick<PutOptions, 'beside'> & { readonly note: (item: HostedZoneItem) => HostedZoneItem };

/**
 * Reads the lease again, and renews it if it leaves little time for one more call. Returns how many milliseconds that
 * call may wait for its turn, so that it ends before the lease does. Null if the lease is lost: another run has taken
 * over, and this one must not write to Route 53 any more. `charge`: what must be in the item before that call. It is
 * written in place of the reading, and renews the lease.
 */
export async function waitUnderLease(deps: LeaseDeps, lease: Lease, charge?: Charge): Promise<number | null> {
  const { leaseMs, callMs, skewMs, waitMs } = deps.lease;
  const renewed = (item: HostedZoneItem) => {
    return { ...item, lease: item.lease && { ...item.lease, expiresAtMs: deps.clock.nowMs() + leaseMs } };
  };
  let change = charge;
  for (let attempt = 0; attempt <= RENEWALS_MAX; attempt += 1) {
    const { note, ...options } = change ?? {};
    const item =
      note === undefined
        ? await readOwn(deps.ledger, lease)
        : await changeUnderLease(deps.ledger, lease, (now) => renewed(note(now)), options);
    if (item === null) return null;
    // Also after a renewal: a delayed one may have written a lease that has expired by now.
    const leftMs = (item.lease?.expiresAtMs ?? 0) - deps.clock.nowMs() - callMs - skewMs;
    if (leftMs > waitMs) return leftMs;
    change = { note: (now) => now };
  }
  return null;
}

/** The hosted zone's item while the lease is ours; null if it is not. */
async function readOwn(ledger: Ledger, lease: Lease): Promise<HostedZoneItem | null> {
  const stored = await readHostedZone(ledger, lease.hostedZoneId);
  if (stored === null || !isHeldBy(lease, stored.item)) return null;
  lease.known.stored = stored;
  return stored.item;
}

/** True while this is the present lease: nobody has taken another since. */
export async function holdsLease(ledger: Ledger, lease: Lease): Promise<boolean> {
  return (await readOwn(ledger, lease)) !== null;
}

/** Changes the hosted zone item while the lease is ours; null if it is not. */
export async function changeUnderLease(
  ledger: Ledger,
  lease: Lease,
  change: (item: HostedZoneItem) => HostedZoneItem,
  options: PutOptions = {},
): Promise<HostedZoneItem | null> {
  const { known } = lease;
  const key = hostedZoneItemKey(lease.hostedZoneId);
  const next = (item: HostedZoneItem | null) => (isHeldBy(lease, item) ? change(item) : null);
  const written = await swap(ledger, key, hostedZoneCodec, next, known.stored, () => options);
  if (written !== null) known.stored = written;
  return written?.item ?? null;
}

/** A lease that has ended whatever the clock says. */
const ENDED_MS = Number.MIN_SAFE_INTEGER;

/** Notes that the counts of the hosted zone may be wrong: the next run finds an abandoned lease, and counts again. */
export async function abandonLease(ledger: Ledger, hostedZoneId: string): Promise<void> {
  await changeHostedZone(ledger, hostedZoneId, (item) => {
    if (item === null) return null;
    const charged = { epoch: item.epoch, batch: Number.MAX_SAFE_INTEGER };
    const ended = { holder: '', epoch: item.epoch, expiresAtMs: ENDED_MS, charged };
    return { ...item, lease: { ...(item.lease ?? ended), isDisturbed: true } };
  });
}

/**
 * Gives the lease back, and changes the item in the same write; `change` null: what this run had to save is not saved,
 * so the next run finds an abandoned lease. False if the lease was lost before.
 */
export async function releaseLease(ledger: Ledger, lease: Lease, change: Charge | null): Promise<boolean> {
  const { note = (item: HostedZoneItem) => item, ...options } = change ?? {};
  const released = (before: HostedZoneItem) => {
    const isWhole = change !== null && before.lease?.isDisturbed !== true;
    return { ...note(before), lease: isWhole ? null : before.lease && { ...before.lease, expiresAtMs: ENDED_MS } };
  };
  return (await changeUnderLease(ledger, lease, released, options)) !== null;
}
