// The requests of `import`, `explain` and `migrate` to their use cases, with flags and configuration parsed.

import type { Deployment } from '../../lib/adapters/config/config-file.ts';
import type { NextOwner } from '../../lib/apply/plan-forgetting.ts';
import type { AskedRetirement } from '../../lib/apply/plan-retirement.ts';
import type { AskedStandby } from '../../lib/apply/plan-standby.ts';
import type { HistoryQuestion } from '../../lib/history/query-history.ts';
import type { Writer } from '../../lib/import/written-by-others.ts';
import type { Common, Source, Store } from '../run/requests.ts';
import type { Reviewed } from '../run/reviewed-plan.ts';
import type { ForgettingOutput } from './describe-forgetting.ts';
import type { StandbyOutput } from './describe-standby.ts';
import type { Finding } from './doctor/finding.ts';

/** What is written of a hosted zone or a zone file, and how. */
type Described = {
  readonly namespace: string;
  readonly zoneName: string | null;
  /** The Zone takes over what stands there. */
  readonly takesOver: boolean;
  /** Also what these write. */
  readonly withWriters: readonly Writer[];
};

export type ImportRequest = Common & Described & { readonly hostedZoneId: string };

export type ImportFileRequest = Pick<Common, 'config'> &
  Described & {
    /** `-` is standard input. */
    readonly file: string;
    /** The origin until the file has `$ORIGIN`; null: none. */
    readonly origin: string | null;
  };

export type AccountRequest = Common & {
  /** Null: the objects that the ledger remembers. */
  readonly source: Source | null;
  readonly store: Store;
};

export type CheckLedgerRequest = Common & { readonly store: Store };

/** `configured`: the clusters of the configuration; `standby`: those of them that are on standby. */
export type ClustersRequest = Pick<Common, 'progress'> & {
  readonly store: Store;
  readonly configured: readonly string[];
  readonly standby: readonly string[];
};

/** `question`: what of the history is asked for. */
export type HistoryRequest = Common & { readonly store: Store; readonly question: HistoryQuestion };

export type DoctorRequest = Common & {
  /** What was found about the configuration itself. */
  readonly configuration: Finding;
  /** What the configuration says of a deployment; null: nothing. */
  readonly deployed: Deployment | null;
  readonly context: string | null;
  readonly stack: string | null;
  readonly table: string | null;
};

export type ExplainRequest = AccountRequest & { readonly name: string; readonly type: string | null };

export type MigrateRequest = AccountRequest & { readonly ownerId: string };

/** Record sets to forget: of these names, of a Zone ("ns/name"), or all. */
export type Forgotten =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'zone'; readonly zone: string }
  | { readonly kind: 'all' };

/** What every command asks that plans, shows, asks and carries out. */
export type ReviewedRequest<Output> = Common & {
  readonly store: Store;
  /** Only plans. */
  readonly isDry: boolean;
  /** As of `apply`. */
  readonly reviewed: Reviewed | null;
  readonly confirm: (plan: Output) => Promise<boolean>;
  readonly untilStopped: () => AbortSignal;
};

/** As of `apply`; `planned`: it was only to be planned. */
export type ReviewedResult<Output> =
  | { readonly kind: 'planned' | 'applied' | 'declined'; readonly output: Output }
  | { readonly kind: 'stale'; readonly output: Output; readonly problems: readonly string[] };

export type ForgettingRequest = ReviewedRequest<ForgettingOutput> & {
  readonly what: Forgotten;
  /** Whether those of every cluster of the ledger are meant. */
  readonly isOfAll: boolean;
  /** The external-dns that gets them; null: nobody. */
  readonly owner: NextOwner | null;
};

export type ForgettingResult = ReviewedResult<ForgettingOutput>;

/** `configured`: the clusters of the configuration. */
export type RebuiltRequest = Pick<Common, 'log'> & {
  readonly store: Store;
  readonly cluster: string;
  readonly configured: readonly string[];
};

/** `configured`: the clusters of the configuration. */
export type StandbyRequest = ReviewedRequest<StandbyOutput> &
  AskedStandby & {
    readonly configured: readonly string[];
  };

/** `releases`: whoever confirms the plan agrees to the deletes that the guard holds. */
export type RetireRequest = ReviewedRequest<StandbyOutput> &
  AskedRetirement & {
    readonly configured: readonly string[];
    readonly releases: boolean;
  };
