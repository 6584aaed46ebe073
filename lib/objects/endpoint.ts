// What an object asks of the DNS, whatever its kind: the one model that adoption, conflicts, publishing and status work on.
// A source (source.ts) makes endpoints of objects; from there on nobody knows which kind they came from.
import type { ZoneKey } from './object-ref.ts';
import type { DomainName } from './spec-fields.ts';

/** One DNS statement of an object, before any Zone has a say. */
export type Endpoint = {
  /** A fully qualified name, or one relative to `zoneRef`, which is then not null. */
  readonly domainName: DomainName;
  readonly zoneRef: ZoneKey | null;
  readonly type: string;
  readonly class: string;
  /** Seconds; null for the Zone's. */
  readonly ttl: number | null;
  /** Canonical rdata, each value once; never empty. */
  readonly values: readonly string[];
};
