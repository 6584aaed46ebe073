// Translates routing policies to the attributes of Route 53 and back. Each policy has an attribute of its own. A record
// set without a known one, such as that of a traffic policy, has no routing here.
import type { GeoProximityLocation, ResourceRecordSet, ResourceRecordSetRegion } from '@aws-sdk/client-route-53';
import type { GeolocationArea, GeoproximityLocation, Routing, RoutingPolicy } from '../../dns/routing-policy.ts';

/** The attributes of a routed record set, without its set identifier. */
export function toRoutingAttributes({ policy, healthCheckId }: Routing): Partial<ResourceRecordSet> {
  return { ...toPolicy(policy), ...(healthCheckId === null ? {} : { HealthCheckId: healthCheckId }) };
}

function toPolicy(policy: RoutingPolicy): Partial<ResourceRecordSet> {
  switch (policy.kind) {
    case 'weight':
      return { Weight: policy.weight };
    case 'region':
      return { Region: policy.region as ResourceRecordSetRegion };
    case 'failover':
      return { Failover: policy.failover };
    case 'geolocation':
      return { GeoLocation: toGeoLocation(policy.geolocation) };
    case 'geoproximity':
      return { GeoProximityLocation: toGeoProximity(policy.location, policy.bias) };
    case 'multivalue':
      return { MultiValueAnswer: true };
    case 'cidr':
      return { CidrRoutingConfig: { CollectionId: policy.collectionId, LocationName: policy.location } };
    default:
      return policy satisfies never;
  }
}

function toGeoLocation(area: GeolocationArea): NonNullable<ResourceRecordSet['GeoLocation']> {
  if ('continent' in area) return { ContinentCode: area.continent };
  const { country, subdivision } = area;
  return { CountryCode: country, ...(subdivision === undefined ? {} : { SubdivisionCode: subdivision }) };
}

/** Route 53 takes a missing bias as 0. */
function toGeoProximity(location: GeoproximityLocation, bias: number): GeoProximityLocation {
  const biased = bias === 0 ? {} : { Bias: bias };
  if ('region' in location) return { AWSRegion: location.region, ...biased };
  if ('localZoneGroup' in location) return { LocalZoneGroup: location.localZoneGroup, ...biased };
  const { latitude, longitude } = location.coordinates;
  return { Coordinates: { Latitude: String(latitude), Longitude: String(longitude) }, ...biased };
}

/** The routing of a record set of Route 53; null if none is known. */
export function fromRoutingAttributes(found: ResourceRecordSet): Routing | null {
  const policy = fromPolicy(found);
  return policy === null ? null : { policy, healthCheckId: found.HealthCheckId ?? null };
}

function fromPolicy(found: ResourceRecordSet): RoutingPolicy | null {
  if (found.Weight !== undefined) return { kind: 'weight', weight: Number(found.Weight) };
  if (found.Region !== undefined) return { kind: 'region', region: found.Region };
  if (found.Failover !== undefined) return { kind: 'failover', failover: found.Failover };
  if (found.GeoLocation !== undefined) return { kind: 'geolocation', geolocation: fromGeoLocation(found.GeoLocation) };
  if (found.GeoProximityLocation !== undefined) return fromGeoProximity(found.GeoProximityLocation);
  if (found.MultiValueAnswer === true) return { kind: 'multivalue' };
  const cidr = found.CidrRoutingConfig;
  if (cidr === undefined) return null;
  return { kind: 'cidr', collectionId: cidr.CollectionId ?? '', location: cidr.LocationName ?? '' };
}

function fromGeoLocation(found: NonNullable<ResourceRecordSet['GeoLocation']>): GeolocationArea {
  if (found.ContinentCode !== undefined) return { continent: found.ContinentCode };
  const country = found.CountryCode ?? '';
  return found.SubdivisionCode === undefined ? { country } : { country, subdivision: found.SubdivisionCode };
}

function fromGeoProximity(found: GeoProximityLocation): RoutingPolicy | null {
  const bias = Number(found.Bias ?? 0);
  const { AWSRegion, LocalZoneGroup, Coordinates } = found;
  if (AWSRegion !== undefined) return { kind: 'geoproximity', location: { region: AWSRegion }, bias };
  if (LocalZoneGroup !== undefined) return { kind: 'geoproximity', location: { localZoneGroup: LocalZoneGroup }, bias };
  if (Coordinates === undefined) return null;
  const coordinates = { latitude: Number(Coordinates.Latitude), longitude: Number(Coordinates.Longitude) };
  return { kind: 'geoproximity', location: { coordinates }, bias };
}
