// What an object asks of the DNS, in one form for all kinds. A source (source.ts) makes endpoints of objects.
// Adoption, conflicts, publishing and status work on endpoints and do not depend on the kind.
import type { Routing } from '../dns/routing-policy.ts';
import type { ClaimSettings } from './claim-settings.ts';
import type { ZoneKey } from './object-ref.ts';
import type { DomainName } from './spec-fields.ts';

/** One record set that an object asks for, before it is known which Zone adopts it. */
export type Endpoint = {
  /** A fully qualified name, or a name relative to `zoneRef`; then `zoneRef` is not null. */
  readonly domainName: DomainName;
  readonly zoneRef: ZoneKey | null;
  /**
   * With a zoneRef: the view that its Zone must have. Absent: any. A full name has its view itself
   * (lib/dns/names/view.ts).
   */
  readonly view?: string;
  /** It is asked for in every view: where no Zone covers its name, nothing is said of it. */
  readonly anyView?: true;
  readonly type: string;
  readonly class: string;
  /** In seconds; null for the Zone's default. */
  readonly ttl: number | null;
  /** Canonical rdata without duplicates. Empty only when there is an alias. */
  readonly values: readonly string[];
  /** An alias, instead of values. */
  readonly alias?: EndpointAlias;
  /** Absent for simple routing. */
  readonly routing?: EndpointRouting;
  /**
   * For a name of the cluster's own DNS or its PTR: the name of the Zone that must be live. Names of the cluster's own
   * DNS belong to that Zone even if it delegates them.
   */
  readonly clusterZone?: string;
  /**
   * For the PTR of an address, which is adopted as a Record is. When no Zone adopts it, it is left out and
   * only the log says so. The PTR of an `endpoint` is also left out when a cluster IP has the address.
   */
  readonly reverse?: 'clusterIP' | 'endpoint';
  /** For an address: who is there speaks TLS for the name on port 443, as the object says. */
  readonly tls?: true;
  /** How it meets what other clusters ask for, by the annotations of the object. */
  readonly claim?: ClaimSettings;
  /** A remark for its author, although nothing is wrong; a sentence. */
  readonly note?: string;
  /** Why it is `InvalidSpec`; absent for a valid endpoint. */
  readonly flaw?: EndpointFlaw;
  /**
   * On an endpoint of a former spec: the endpoints that replaced it, the newest first. It is in force only when none of
   * them is valid.
   */
  readonly standsInFor?: readonly OpenEndpoint[];
};

/**
 * What is needed to judge an endpoint whose validity depends on the live Zones. `target`: the target of an alias
 * without a hosted zone id, else null. The other such endpoints have partial names, which may be too long below their
 * Zone.
 */
export type OpenEndpoint = Pick<Endpoint, 'domainName' | 'zoneRef' | 'type'> & { readonly target: string | null };

/** Returns null for an endpoint whose validity does not depend on a Zone. */
export function openEndpoint({ domainName, zoneRef, type, alias }: Endpoint): OpenEndpoint | null {
  const target = alias?.hostedZoneId === null ? alias.target : null;
  return target === null && domainName.kind !== 'partial' ? null : { domainName, zoneRef, type, target };
}

/** The targets of aliases without a hosted zone id, its own and those of endpoints that replaced it. */
export function openTargets({ alias, standsInFor = [] }: Endpoint): readonly string[] {
  const own = alias?.hostedZoneId === null ? [alias.target] : [];
  return [...own, ...standsInFor.flatMap(({ target }) => target ?? [])];
}

type EndpointFlaw = {
  readonly message: string;
  /** True: it is the last valid version, and stays published. False: it is only shown, never published. */
  readonly isInForce: boolean;
  /** For an endpoint that is not in force, and so has no `routing`. */
  readonly setIdentifier?: string | null;
};

/** An alias as its object states it. */
export type EndpointAlias = {
  /** A canonical name. A prefix `dualstack.` is kept. */
  readonly target: string;
  /** null: the hosted zone that the name itself is published into. */
  readonly hostedZoneId: string | null;
  readonly evaluateTargetHealth: boolean;
};

/** The routing of one of several record sets with the same name and type. */
export type EndpointRouting = Routing & { readonly setIdentifier: string };
