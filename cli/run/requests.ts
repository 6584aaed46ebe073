// What the command asks of the use cases, options and configuration parsed.
import type { Clock } from '../../lib/ports/clock.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { ApplyOutput, PlanOutput } from '../print/output.ts';
import type { Reviewed } from './reviewed-plan.ts';

/** Where the objects are: files and folders (`strict`: a remark about them is an error), or a kubeconfig context. */
export type Source =
  | { readonly kind: 'manifests'; readonly paths: readonly string[]; readonly strict?: boolean }
  | { readonly kind: 'context'; readonly name: string };

/** Where the ledger is kept: embedded in a folder (`isNamed`: not the usual one), or a DynamoDB table. */
export type Store =
  | { readonly kind: 'folder'; readonly folder: string; readonly isNamed?: boolean }
  | { readonly kind: 'table'; readonly table: string; readonly create: boolean };

/** What every use case is given by the command. */
type Common = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Says what is being done, for the progress line. */
  readonly progress: (text: string) => void;
};

export type RenderRequest = Common & { readonly source: Source };

export type PlanRequest = Common & {
  readonly source: Source;
  readonly store: Store;
  /** Digests of plans that the guard may let go. */
  readonly acknowledged: readonly string[];
  /** Compares what was published with what stands in Route 53 first. */
  readonly refresh: boolean;
  /** Reads what stands in Route 53 where something would be created. */
  readonly reads: boolean;
};

export type ApplyRequest = PlanRequest & {
  /** Null: nothing was reviewed beforehand, so `confirm` is asked. */
  readonly reviewed: Reviewed | null;
  /** Shown the plan when there is something to do; false: apply nothing. */
  readonly confirm: (plan: PlanOutput) => Promise<boolean>;
  /** Gives up when nothing was published for so long, milliseconds. */
  readonly timeoutMs: number;
  /** Asked when publishing begins: the signal is aborted when no more is to be published. */
  readonly untilStopped: () => AbortSignal;
};

/** Where the ledger is by default. */
export const STATE_FOLDER = '.zone53';

/** How long apply goes on by default while nothing is published, milliseconds. */
export const APPLY_TIMEOUT_MS = 120_000;

/** `stale`: the plan is not the one reviewed. In both that did nothing, nothing was written. */
export type ApplyResult =
  | { readonly kind: 'applied'; readonly output: ApplyOutput }
  | { readonly kind: 'declined'; readonly plan: PlanOutput }
  | { readonly kind: 'stale'; readonly plan: PlanOutput; readonly problems: readonly string[] };

export type LocalRequest = Common & {
  /** The port of the intent API; null: it is not served. */
  readonly intentsPort: number | null;
  readonly source: Source;
  /** The folder that the state is kept in. */
  readonly folder: string;
  /** 0 for any free port. */
  readonly dnsPort: number;
  readonly route53Port: number;
  /** Our own Route 53 with a DNS server over it, or the one that the AWS SDK finds; default: our own. */
  readonly route53?: 'local' | 'aws';
  /**
   * Serves the admission webhook, to an API server that knows this machine as `host`; null: not. `validate`: it refuses
   * too.
   */
  readonly webhook: { readonly port: number; readonly host: string; readonly validate: boolean } | null;
  /** Prints a line of results. What is not ours must have gone through `safeText`. */
  readonly print: (line: string) => void;
  /** Aborted when the command is to end. */
  readonly signal: AbortSignal;
};
