// The requests of `import`, `explain` and `migrate` to their use cases, with flags and configuration parsed.
import type { Common, Source, Store } from '../run/requests.ts';

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
