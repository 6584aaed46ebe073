// A running peer: its process, its account, and what it used between two moments.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './double.ts';
import type { Objects, Wanted, World } from './objects.ts';
import { isOurs, type PeerName, type PeerPlace, startPeer } from './peer.ts';
import { processUsage } from './process-usage.ts';

export type Session = {
  readonly peer: PeerName;
  readonly world: World;
  readonly account: Account;
  readonly objects: Objects;
  readonly process: Awaited<ReturnType<typeof startPeer>>;
  /** The process of zone53's ledger, when it has one. */
  readonly ledgerPid: number | undefined;
};

/** One line of the table. */
export type PeerRow = {
  readonly case: string;
  readonly names: number;
  readonly peer: PeerName;
  readonly samples: number;
  /** Seconds until the batch was accepted; null: it was not accepted in time. */
  readonly median: number | null;
  readonly p99: number | null;
  /** Route 53 calls by kind, in all or for each change, as `per` says. */
  readonly calls: Readonly<Record<string, number>>;
  readonly per: 'in all' | 'a change';
  readonly throttled: number;
  readonly cpuSeconds: number | null;
  readonly peakMiB: number | null;
  /** CPU of the ledger's process, which AWS runs in production. */
  readonly ledgerCpuSeconds: number | null;
  readonly remark: string;
};

export type Mark = {
  readonly calls: number;
  readonly cpuSeconds: number | null;
  readonly ledgerCpuSeconds: number | null;
};

/** Starts a peer over an account. */
export async function openSession(peer: PeerName, place: PeerPlace, objects: Objects): Promise<Session> {
  const world = isOurs(peer) ? 'zone53' : 'external-dns';
  const ledgerPid = peer === 'zone53' ? place.ledger?.pid : undefined;
  return { peer, world, account: place.account, objects, process: await startPeer(peer, place), ledgerPid };
}

/** The counters at the start of a case. */
export function markNow({ account, process, ledgerPid }: Session): Mark {
  return {
    calls: account.proxy.calls.length,
    cpuSeconds: process.usage()?.cpuSeconds ?? null,
    ledgerCpuSeconds: processUsage(ledgerPid)?.cpuSeconds ?? null,
  };
}

/** What was used since the mark: Route 53 calls by kind, throttled calls, CPU. The peak is of the whole process. */
export function usedSince(
  { account, process, ledgerPid }: Session,
  mark: Mark,
): Pick<PeerRow, 'calls' | 'throttled' | 'cpuSeconds' | 'peakMiB' | 'ledgerCpuSeconds'> {
  const seen = account.proxy.calls.slice(mark.calls);
  const calls: Record<string, number> = {};
  for (const { action } of seen) calls[action] = (calls[action] ?? 0) + 1;
  const usage = process.usage();
  const cpuSeconds = less(usage?.cpuSeconds, mark.cpuSeconds);
  const ledgerCpuSeconds = less(processUsage(ledgerPid)?.cpuSeconds, mark.ledgerCpuSeconds);
  const throttled = seen.filter(({ outcome }) => outcome === 'throttled').length;
  return { calls, throttled, cpuSeconds, peakMiB: usage?.peakMiB ?? null, ledgerCpuSeconds };
}

function less(now: number | undefined, before: number | null): number | null {
  return now === undefined || before === null ? null : now - before;
}

/**
 * Waits until Route 53 has accepted all of `wanted`. Returns the moment, or null after `timeoutMs`. Throws when the
 * peer dies meanwhile.
 */
export async function standing(
  session: Pick<Session, 'account' | 'process'>,
  wanted: readonly Wanted[],
  timeoutMs: number,
): Promise<number | null> {
  const { proxy } = session.account;
  const open = new Map(wanted.map((one) => [`${one.label}.${one.zone}`, one.address]));
  const all = () => {
    for (const [name, address] of open) if (proxy.standing.get(name) === address) open.delete(name);
    return open.size === 0;
  };
  const waiting = proxy.until(all, timeoutMs);
  const ended = new AbortController();
  try {
    return await Promise.race([waiting, untilDeath(session, ended.signal)]);
  } finally {
    ended.abort();
  }
}

async function untilDeath({ process }: Pick<Session, 'process'>, signal: AbortSignal): Promise<never> {
  for (;;) {
    const death = process.death();
    if (death !== null) throw new Error(death);
    await sleep(200, undefined, { signal }).catch(() => {});
    // The caller waits no longer.
    if (signal.aborted) return new Promise<never>(() => {});
  }
}

/** Waits until the peer has not called Route 53 for `calmMs`, or until `timeoutMs` has passed. */
export async function untilCalm({ account }: Session, calmMs: number, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const last = account.proxy.calls.at(-1)?.atMs ?? 0;
    if (performance.now() - last > calmMs || performance.now() > deadline) return;
    await sleep(50);
  }
}

/** A process that uses less than this of a core waits. */
const IDLE_SHARE = 0.1;
const IDLE_MS = 2_000;

/** Waits until the peer's process has been idle for two seconds. Returns when it became idle, or when time was out. */
export async function untilIdle({ process }: Pick<Session, 'process'>, timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [beganMs, before] = [performance.now(), process.usage()?.cpuSeconds ?? 0];
    await sleep(IDLE_MS);
    const used = (process.usage()?.cpuSeconds ?? 0) - before;
    if (used < (IDLE_SHARE * IDLE_MS) / 1_000 || performance.now() > deadline) return beganMs;
  }
}
