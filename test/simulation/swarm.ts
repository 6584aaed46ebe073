// What may happen in one seed: every seed switches on a random subset of the faults and of the actors, at random
// strength (swarm testing), so that no kind of trouble always hides behind another.
import type { Random } from './random.ts';

/** What may become of one call of a port, besides going well. */
export const FATES = [
  'before',
  'after',
  'crash before',
  'crash after',
  'slow',
  'throttled',
  'denied',
  'late',
  'stale',
  'short',
  'empty',
] as const;
export type Fate = (typeof FATES)[number];

export type Swarm = {
  /** The kinds of fault that this seed knows, and the share of calls that meet one. */
  readonly fates: ReadonlySet<Fate>;
  readonly faultShare: number;
  readonly steps: number;
  readonly functionsMax: number;
  /** How far clocks differ from the real time, either way. */
  readonly skewMs: number;
  /** A slow call may take longer than a lease lasts. */
  readonly pauses: boolean;
  readonly lostHints: boolean;
  readonly duplicates: boolean;
  /** Days that a message may be late. */
  readonly daysLate: number;
  readonly strangers: boolean;
  readonly hostedZonesVanish: boolean;
  readonly takeover: boolean;
  readonly acknowledge: boolean;
  readonly sweeps: boolean;
  /** No Zone ever gives namespace b anything. */
  readonly denyB: boolean;
  readonly createHostedZones: boolean;
  readonly subZoneHosted: boolean;
  readonly deletesMax: number;
  readonly twoVersions: boolean;
  readonly rejects: boolean;
  readonly statusHints: boolean;
  /** Trouble begins when what was there at the beginning is published. */
  readonly warm: boolean;
  /** Tenants who act all the time, and tenants who forge statuses. */
  readonly eager: boolean;
  readonly forges: boolean;
  readonly budget: Budget;
};

/** The calls of Route 53 that all functions share: one in so many milliseconds (0: no limit). */
type Budget = {
  readonly spacingMs: number;
  /**
   * Nobody waits longer, as shared-call-budget.ts has it; null: everybody waits for their turn, as call-budget.ts has
   * it.
   */
  readonly waitMsMax: number | null;
};

/** A seed's swarm. */
export function swarmOf(random: Random): Swarm {
  const faulty = random.chance(0.85);
  const fates = new Set(FATES.filter(() => faulty && random.chance(0.45)));
  return {
    fates,
    faultShare: faulty ? random.pick([0.01, 0.03, 0.08]) : 0,
    steps: random.pick([150, 300, 450]),
    functionsMax: random.pick([1, 3, 6]),
    skewMs: random.pick([0, 500, 2_400]),
    pauses: random.chance(0.3),
    lostHints: random.chance(0.2),
    duplicates: random.chance(0.5),
    daysLate: random.chance(0.15) ? 3 : 0,
    strangers: random.chance(0.35),
    hostedZonesVanish: random.chance(0.15),
    takeover: random.chance(0.2),
    acknowledge: random.chance(0.5),
    sweeps: random.chance(0.5),
    denyB: random.chance(0.3),
    createHostedZones: random.chance(0.15),
    subZoneHosted: random.chance(0.4),
    deletesMax: random.pick([100, 100, 2, 1, 0]),
    twoVersions: random.chance(0.3),
    rejects: random.chance(0.2),
    statusHints: random.chance(0.5),
    warm: random.chance(0.5),
    eager: random.chance(0.3),
    forges: random.chance(0.4),
    budget: {
      spacingMs: random.pick([0, 0, 0, 250, 2_000, 12_000]),
      waitMsMax: random.pick([4_000, null]),
    },
  };
}

/** The same without any trouble: for finding out what goes wrong all by itself. */
export function calmed(swarm: Swarm): Swarm {
  return {
    ...swarm,
    fates: new Set(),
    faultShare: 0,
    lostHints: false,
    duplicates: false,
    daysLate: 0,
    strangers: false,
    hostedZonesVanish: false,
  };
}
