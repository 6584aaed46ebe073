// The cases of `peers`, the sizes of the zones that they are measured in, and the number of samples.
import type { RivalName } from './peer.ts';

export const PEER_CASES = [
  'first-publish',
  'one-change',
  'burst',
  'bad-record',
  'hand-edit',
  'quiet',
  'backlog',
] as const;
export type PeerCase = (typeof PEER_CASES)[number];

export type PeersOptions = {
  /** Smaller zones, fewer samples, fewer quiet minutes. */
  readonly quick: boolean;
  /** Empty: all. First publishes are always measured. */
  readonly cases: readonly PeerCase[];
  /** Only zones of so many names; empty: all. */
  readonly names: readonly number[];
};

export type Sizes = {
  readonly oneChange: readonly number[];
  readonly samples: Readonly<Record<RivalName, number>>;
  /** Names in the zones in which many of them change at once, and how many do. */
  readonly burst: readonly number[];
  readonly burstChanges: number;
  /** Names in the zone in which all other cases are measured. */
  readonly others: number;
  /**
   * External-dns with its defaults is measured only in zones of at least so many names: a change waits for its interval
   * of a minute in any zone.
   */
  readonly defaultsNames: number;
  readonly quietMinutes: number;
  readonly afterBadMs: number;
  readonly zones: number;
};

export const FULL: Sizes = {
  oneChange: [100, 1_000, 10_000],
  samples: { zone53: 20, 'external-dns, events': 5, 'external-dns, defaults': 1 },
  burst: [1_000, 10_000],
  burstChanges: 1_000,
  others: 1_000,
  defaultsNames: 1_000,
  quietMinutes: 5,
  afterBadMs: 10_000,
  zones: 24,
};
export const QUICK: Sizes = {
  oneChange: [100, 300],
  samples: { zone53: 10, 'external-dns, events': 2, 'external-dns, defaults': 1 },
  burst: [300],
  burstChanges: 300,
  others: 300,
  defaultsNames: 300,
  quietMinutes: 0.5,
  afterBadMs: 10_000,
  zones: 12,
};
