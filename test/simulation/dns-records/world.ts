// One simulated seed of Gardener: an API server with DNSRecords and Secrets, two accounts of Route 53, a Zone that
// publishes beside them, and processes that serve the DNSRecords. Every call that a process makes waits at a gate, and
// meets the fate that the director chose (simulate-seed.ts). It has a random stream of its own, so that seeds without
// it stay as they were.
import { memoryLedger } from '../../../lib/adapters/ledger/memory-ledger.ts';
import type { RecordSetChange } from '../../../lib/dns/record-set.ts';
import type { DnsRecordService } from '../../../lib/gardener/service.ts';
import { DEFAULT_DNS_RECORDS, type DnsRecordSettings } from '../../../lib/ports/config.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { type MemoryHostedZones, memoryHostedZones } from '../../fakes/memory-hosted-zones.ts';
import type { Sabotage } from '../bend.ts';
import { type Random, randomOf } from '../random.ts';
import { isOlderThanSleepers } from '../regressions.ts';
import { type SimulatedQueues, simulatedQueues } from '../simulated-queues.ts';
import { type ApiServer, simulatedApiServer } from './api-server.ts';
import { newShadow, type Shadow } from './shadow.ts';

export const NAMESPACE = 'shoot--foo--bar';
export const APEX = 'example.org.';
/** The hosted zones of each account. One name is in both accounts. */
export const HOSTED_ZONES: Readonly<Record<AccountName, readonly { readonly id: string; readonly name: string }[]>> = {
  a: [
    { id: 'Z1', name: APEX },
    { id: 'Z2', name: `sub.${APEX}` },
  ],
  b: [{ id: 'Z3', name: APEX }],
};
export type AccountName = 'a' | 'b';
export const ACCOUNTS: readonly AccountName[] = ['a', 'b'];

/** What can happen to a call of a port, other than success. */
export const SEED_FATES = [
  'before',
  'after',
  'crash before',
  'crash after',
  'slow',
  'late',
  'throttled',
  'denied',
] as const;
export type SeedFate = (typeof SEED_FATES)[number];

/** What an account answers for a while. */
export type Mood = 'fine' | 'throttled' | 'denied' | 'silent';

/** One process: a function's instance, or `zone53 local`. */
export type Process = { readonly id: string; readonly service: DnsRecordService; dead: boolean; runs: number };

export type Call = {
  readonly process: Process;
  readonly port: 'ledger' | 'hostedZones' | 'seed' | 'queues' | 'clock';
  readonly method: string;
  readonly detail: string;
  notBeforeMs: number;
  readonly release: (fate: SeedFate | null) => void;
};

type LateBatch = {
  readonly account: AccountName;
  readonly id: string;
  readonly changes: readonly RecordSetChange[];
};

export type SeedWorld = {
  readonly seed: number;
  readonly random: Random;
  readonly time: { ms: number };
  readonly settings: DnsRecordSettings;
  readonly api: ApiServer;
  readonly ledger: Ledger;
  readonly accounts: Readonly<Record<AccountName, MemoryHostedZones>>;
  readonly moods: Record<AccountName, Mood>;
  readonly queues: SimulatedQueues;
  readonly shadow: Shadow;
  /** The generation for which an operation was last asked, by uid: its annotation is gone, so it must be served. */
  readonly asked: Map<string, number>;
  readonly calls: Call[];
  readonly processes: Set<Process>;
  readonly late: LateBatch[];
  readonly sabotage: Sabotage | null;
  readonly seen: Map<string, number>;
  readonly trace: string[] | null;
  readonly fates: ReadonlySet<SeedFate>;
  readonly faultShare: number;
  /** All runs are in one process, as in `zone53 local`; otherwise each has its own, as functions may have. */
  readonly isOneProcess: boolean;
  /** A stranger and the Zone write to the same hosted zones. */
  readonly hasStrangers: boolean;
  readonly hasZone: boolean;
  /** The random numbers of processes that sleep longer than their turn; null: none does. */
  readonly sleepers: Random | null;
  readonly steps: number;
  /** Faults are over. */
  direct: boolean;
  started: number;
  violation: { readonly invariant: string; readonly message: string } | null;
};

export type SeedOptions = { readonly sabotage?: Sabotage | null; readonly trace?: boolean; readonly calm?: boolean };

/** One seed in so many has DNSRecords. */
const SHARE = 0.25;

/** The world of a seed; null: it has no DNSRecords. */
export function newSeedWorld(seed: number, options: SeedOptions): SeedWorld | null {
  const random = randomOf(Math.imul(seed, 32_452_843) + 17);
  if (!random.chance(SHARE)) return null;
  const time = { ms: Date.parse('2026-03-01T10:00:00Z') + random.whole(0, 3_600_000) };
  const isCalm = options.calm === true || random.chance(0.15);
  const settings: DnsRecordSettings = {
    ...DEFAULT_DNS_RECORDS,
    takeover: random.chance(0.35),
    ignoreOperationAnnotation: random.chance(0.15),
  };
  const fates = new Set(SEED_FATES.filter(() => random.chance(0.5) && !isCalm));
  const faultShare = isCalm ? 0 : random.pick([0.01, 0.03, 0.08]);
  let revisions = 0;
  const nextRevision = () => {
    revisions += 1;
    return String(revisions);
  };
  const account = (name: AccountName) => memoryHostedZones(HOSTED_ZONES[name].map((zone) => ({ ...zone })));
  return {
    ...{ seed, random, time, settings, fates, faultShare },
    api: simulatedApiServer(() => time.ms),
    ledger: memoryLedger({ nextRevision, trusting: true }),
    accounts: { a: account('a'), b: account('b') },
    moods: { a: 'fine', b: 'fine' },
    queues: simulatedQueues({ fifo: true, redelivery: true }),
    shadow: newShadow(),
    asked: new Map(),
    calls: [],
    processes: new Set(),
    late: [],
    sabotage: options.sabotage ?? null,
    seen: new Map(),
    trace: options.trace === true ? [] : null,
    isOneProcess: random.chance(0.4),
    hasStrangers: !isCalm && random.chance(0.5),
    hasZone: random.chance(0.4),
    sleepers: isCalm ? null : sleepersOf(seed),
    steps: random.pick([100, 200, 300]),
    direct: false,
    started: 0,
    violation: null,
  };
}

/** The share of seeds in which processes sleep. */
const SLEEPERS_SHARE = 0.4;

/** They have a random stream of their own, so that seeds without them stay as they were. */
function sleepersOf(seed: number): Random | null {
  const random = randomOf(Math.imul(seed, 15_485_863) + 5);
  return random.chance(SLEEPERS_SHARE) && !isOlderThanSleepers(seed) ? random : null;
}

export function fail(world: SeedWorld, invariant: string, message: string): void {
  world.violation ??= { invariant, message };
}

/** Counts that something was reached. */
export function saw(world: SeedWorld, what: string): void {
  world.seen.set(what, (world.seen.get(what) ?? 0) + 1);
}

/** Notes a line of the trace. */
export function tell(world: SeedWorld, line: () => string): void {
  world.trace?.push(`${((world.time.ms % 86_400_000) / 1_000).toFixed(1)} ${line()}`);
}
