// What an object asks for at one name.
import type { ZoneKey } from './object-ref.ts';
import type { DomainName } from './spec-fields.ts';

/** A valid Record.spec. `rdata` is canonical; `ttl` in seconds, null for the Zone's. */
export type RecordSpec = {
  readonly domainName: DomainName;
  readonly zoneRef: ZoneKey | null;
  readonly type: string;
  readonly class: string;
  readonly ttl: number | null;
  readonly rdata: string;
};
