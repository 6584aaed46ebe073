// Route 53's routing, which allows several record sets of one name and type (API_ResourceRecordSet). The set identifier
// is not part of the routing but of the record set's key.

/** The location of a geoproximity record set: exactly one of the three. Degrees have at most two decimals. */
export type GeoproximityLocation =
  | { readonly region: string }
  | { readonly localZoneGroup: string }
  | { readonly coordinates: { readonly latitude: number; readonly longitude: number } };

/** Where the resolvers are that ask: a continent, a country (`*`: everywhere else) or a state of the US. */
export type GeolocationArea =
  | { readonly continent: string }
  | { readonly country: string; readonly subdivision?: string };

export type RoutingPolicy =
  | { readonly kind: 'weight'; readonly weight: number }
  | { readonly kind: 'region'; readonly region: string }
  | { readonly kind: 'failover'; readonly failover: 'PRIMARY' | 'SECONDARY' }
  | { readonly kind: 'geolocation'; readonly geolocation: GeolocationArea }
  | { readonly kind: 'geoproximity'; readonly location: GeoproximityLocation; readonly bias: number }
  | { readonly kind: 'multivalue' }
  | { readonly kind: 'cidr'; readonly collectionId: string; readonly location: string };

/** The policy of one record set, and the health check that its answers depend on. */
export type Routing = { readonly policy: RoutingPolicy; readonly healthCheckId: string | null };

/** True when both are equal, or both are absent. Both must be canonical. */
export function sameRouting(a: Routing | undefined, b: Routing | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return JSON.stringify(describeRouting(a)) === JSON.stringify(describeRouting(b));
}

/** Routing as JSON. Equal routing gives equal JSON, whatever the order of its fields. */
export function describeRouting({ policy, healthCheckId }: Routing): unknown {
  return [policy.kind, ...describePolicy(policy), healthCheckId];
}

function describePolicy(policy: RoutingPolicy): readonly unknown[] {
  switch (policy.kind) {
    case 'weight':
      return [policy.weight];
    case 'region':
      return [policy.region];
    case 'failover':
      return [policy.failover];
    case 'geolocation':
      return 'continent' in policy.geolocation
        ? ['continent', policy.geolocation.continent]
        : ['country', policy.geolocation.country, policy.geolocation.subdivision ?? null];
    case 'geoproximity':
      return [...describeLocation(policy.location), policy.bias];
    case 'multivalue':
      return [];
    case 'cidr':
      return [policy.collectionId, policy.location];
    default:
      return policy satisfies never;
  }
}

function describeLocation(location: GeoproximityLocation): readonly unknown[] {
  if ('region' in location) return ['region', location.region];
  if ('localZoneGroup' in location) return ['localZoneGroup', location.localZoneGroup];
  return ['coordinates', location.coordinates.latitude, location.coordinates.longitude];
}

/** A policy as in a Record's spec: one key and its value. */
export function routingFields(policy: RoutingPolicy): Readonly<Record<string, unknown>> {
  switch (policy.kind) {
    case 'weight':
      return { weight: policy.weight };
    case 'region':
      return { region: policy.region };
    case 'failover':
      return { failover: policy.failover };
    case 'geolocation':
      return { geolocation: policy.geolocation };
    case 'geoproximity':
      return { geoproximity: { ...policy.location, bias: policy.bias } };
    case 'multivalue':
      return { multivalue: true };
    case 'cidr':
      return { cidr: { collectionId: policy.collectionId, location: policy.location } };
    default:
      return policy satisfies never;
  }
}

/**
 * True when two record sets of one name and type with different set identifiers cannot both exist: one is simple, their
 * policies differ, or both have the same region, location or role.
 */
export function excludes(a: Routing | undefined, b: Routing | undefined): boolean {
  if (a?.policy.kind !== b?.policy.kind || a === undefined || b === undefined) return true;
  switch (a.policy.kind) {
    case 'region':
    case 'failover':
    case 'geolocation':
    case 'cidr':
      return JSON.stringify(describePolicy(a.policy)) === JSON.stringify(describePolicy(b.policy));
    case 'weight':
    case 'geoproximity':
    case 'multivalue':
      return false;
    default:
      return a.policy satisfies never;
  }
}
