// The requests of the commands to the use cases, with flags and configuration parsed.

import type { Clock } from '../../lib/ports/clock.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Route53Limits } from '../../local/route53/model/token-bucket.ts';
import type { ApplyOutput, PlanOutput } from '../print/output.ts';
import type { Paint } from '../print/terminal-text.ts';
import type { Reviewed } from './reviewed-plan.ts';

/** Where the objects are: files and folders (`strict`: remarks about them are errors), or a kubeconfig context. */
export type Source =
  | { readonly kind: 'manifests'; readonly paths: readonly string[]; readonly strict?: boolean }
  | { readonly kind: 'context'; readonly name: string };

/** Where the ledger is: embedded in a folder (`isNamed`: not the default one), or a DynamoDB table. */
export type Store =
  | { readonly kind: 'folder'; readonly folder: string; readonly isNamed?: boolean }
  | { readonly kind: 'table'; readonly table: string; readonly create: boolean };

/** The part of a request that all commands have. */
export type Common = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Sets the text of the progress line. */
  readonly progress: (text: string) => void;
};

export type RenderRequest = Common & { readonly source: Source };

export type PlanRequest = Common & {
  readonly source: Source;
  readonly store: Store;
  /** Digests of plans whose held deletes the guard releases. */
  readonly acknowledged: readonly string[];
  /** Whether to compare what was published with what Route 53 has first. */
  readonly refresh: boolean;
  /** Whether to read what Route 53 has where something would be created. */
  readonly reads: boolean;
  /** Whether to list what stands in the hosted zones and nobody asks for. */
  readonly unmanaged?: boolean;
};

export type ApplyRequest = PlanRequest & {
  /** Null: no plan was reviewed before, so `confirm` is called. */
  readonly reviewed: Reviewed | null;
  /** Called with a plan that has changes; false: apply nothing. */
  readonly confirm: (plan: PlanOutput) => Promise<boolean>;
  /** After this time without a published change apply gives up, in milliseconds. */
  readonly timeoutMs: number;
  /** Waits until resolvers answer what is published, at most so many milliseconds; null: as long as it takes. */
  readonly wait?: { readonly timeoutMs: number | null };
  /** Called when publishing begins. The signal is aborted when no further batch is to be sent. */
  readonly untilStopped: () => AbortSignal;
};

/** The default folder of the ledger. */
export const STATE_FOLDER = '.zone53';

/** The default of `timeoutMs`: apply gives up after this time without a published change. */
export const APPLY_TIMEOUT_MS = 120_000;

/**
 * `unresolved`: what resolvers do not answer yet, if it waited; null or absent: nothing. `declined`: the user said no;
 * `stale`: the plan differs from the reviewed one. In both cases nothing was written.
 */
export type ApplyResult =
  | { readonly kind: 'applied'; readonly output: ApplyOutput; readonly unresolved?: string | null }
  | { readonly kind: 'declined'; readonly plan: PlanOutput }
  | { readonly kind: 'stale'; readonly plan: PlanOutput; readonly problems: readonly string[] };

/** The console that `local` serves. `mayMove`: if the port is taken, a free one is used. */
export type ConsoleOfLocal = { readonly port: number; readonly mayMove: boolean };
/** What the console of `local` reads besides the ledger. `hasChanged`: the ledger has, since it was asked before. */
export type ReadByConsole = { readonly source: Source; readonly folder: string; readonly hasChanged: () => boolean };
export type ServedConsole = { readonly url: string; close(): Promise<void> };

export type LocalRequest = Common & {
  /** Further clusters with the same ledger and Route 53; default: none. */
  readonly others?: readonly { readonly config: Config; readonly source: Source }[];
  /** The console, and how it is served over the ledger; default and null: it is not. */
  readonly console?:
    | (ConsoleOfLocal & {
        readonly serve: (asked: ConsoleOfLocal, context: Context, of: ReadByConsole) => Promise<ServedConsole>;
      })
    | null;
  /** The port of the intent API; null: it is not served. */
  readonly intentsPort: number | null;
  readonly source: Source;
  /** How often the API server is asked for changes, in milliseconds; default and null: it is watched. */
  readonly pollMs?: number | null;
  /** The folder that the state is kept in. */
  readonly folder: string;
  /** 0 for any free port. */
  readonly dnsPort: number;
  /** The DNS port of each further view that is served; 0: a free one. */
  readonly viewPorts?: ReadonlyMap<string, number>;
  readonly route53Port: number;
  /** The local Route 53 with its DNS server, or the one that the AWS SDK finds; default: local. */
  readonly route53?: 'local' | 'aws';
  /** The limits of the local Route 53; default: those of AWS, as far as they are known. */
  readonly route53Limits?: Route53Limits;
  /**
   * The admission webhook to serve, with the host name by which the API server reaches this machine; null: none.
   * `validate`: whether it may refuse.
   */
  readonly webhook: { readonly port: number; readonly host: string; readonly validate: boolean } | null;
  /** Colours a part of a line; default: no colours. */
  readonly paint?: Paint;
  /** Prints a line of results. Text from outside must have gone through `safeText`. */
  readonly print: (line: string) => void;
  /** Aborted when the command is to stop. */
  readonly signal: AbortSignal;
};
