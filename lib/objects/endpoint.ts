// What an object asks of the DNS, whatever its kind: the one model that adoption, conflicts, publishing and status work
// on. A source (source.ts) makes endpoints of objects; from there on nobody knows which kind they came from.
import type { Routing } from '../dns/routing-policy.ts';
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
  /** Canonical rdata, each value once; empty only where there is an alias. */
  readonly values: readonly string[];
  /** In place of values. */
  readonly alias?: EndpointAlias;
  /** Absent for simple routing. */
  readonly routing?: EndpointRouting;
  /**
   * A name of a cluster's own DNS, or its PTR: the Zone of exactly this name must be live. Its names belong to that
   * Zone, whatever it delegates.
   */
  readonly clusterZone?: string;
  /**
   * The PTR of an address, adopted as any Record. It is left out where no Zone adopts it; that of an endpoint also
   * where a cluster IP has the address.
   */
  readonly reverse?: 'clusterIP' | 'endpoint';
  /** What its author should know of it, though nothing is wrong; a sentence, as adoption notes are. */
  readonly note?: string;
  /** Why it is `InvalidSpec`; absent for a valid one. */
  readonly flaw?: EndpointFlaw;
  /** Of a former endpoint: those that came after it, the last first. It is in force where none of them is valid. */
  readonly standsInFor?: readonly OpenEndpoint[];
};

/**
 * What the live Zones need to judge an endpoint: the target of an alias without a hosted zone id (else null), and a
 * partial name, which may be too long below its Zone's.
 */
export type OpenEndpoint = Pick<Endpoint, 'domainName' | 'zoneRef' | 'type'> & { readonly target: string | null };

/** Null for an endpoint whose validity no Zone decides. */
export function openEndpoint({ domainName, zoneRef, type, alias }: Endpoint): OpenEndpoint | null {
  const target = alias?.hostedZoneId === null ? alias.target : null;
  return target === null && domainName.kind !== 'partial' ? null : { domainName, zoneRef, type, target };
}

/** What is wrong with an endpoint. */
type EndpointFlaw = {
  readonly message: string;
  /** True: it is the last valid one, and stays in force. False: it is shown, and never published. */
  readonly isInForce: boolean;
  /** Of one that is not in force, whose routing says nothing. */
  readonly setIdentifier?: string | null;
};

/** An alias as its object asks for it. */
export type EndpointAlias = {
  /** A canonical name, `dualstack.` kept. */
  readonly target: string;
  /** Null: that of the hosted zone which the name itself is published into. */
  readonly hostedZoneId: string | null;
  readonly evaluateTargetHealth: boolean;
};

/** One of several record sets of one name and type. */
export type EndpointRouting = Routing & { readonly setIdentifier: string };
