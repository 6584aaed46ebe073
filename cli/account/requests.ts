// The requests of `import`, `explain` and `migrate` to their use cases, with flags and configuration parsed.
import type { Clock } from '../../lib/ports/clock.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Source, Store } from '../run/requests.ts';

type Common = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: (text: string) => void;
};

export type ImportRequest = Common & {
  readonly hostedZoneId: string;
  readonly namespace: string;
  readonly zoneName: string | null;
};

export type AccountRequest = Common & {
  /** Null: the objects that the ledger remembers. */
  readonly source: Source | null;
  readonly store: Store;
};

export type ExplainRequest = AccountRequest & { readonly name: string; readonly type: string | null };

export type MigrateRequest = AccountRequest & { readonly ownerId: string };
