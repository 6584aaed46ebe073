// The request of `zone53 console`, with flags and configuration parsed.
import type { Common, Source, Store } from '../run/requests.ts';

export type ConsoleRequest = Common & {
  /** Null: the objects that the ledger remembers. */
  readonly source: Source | null;
  readonly store: Store;
  readonly port: number;
  /** The file with the token; null: a random one. */
  readonly tokenFile: string | null;
  /** Whether the browser is opened. */
  readonly opens: boolean;
  /** Prints a line. */
  readonly print: (line: string) => void;
  /** Aborted when the command is to stop. */
  readonly signal: AbortSignal;
};
