// The routing policies that name a place: geolocation, geoproximity, and the blocks of a CIDR collection.
import type { GeoproximityLocation, RoutingPolicy } from '../../dns/routing-policy.ts';
import { CONTINENTS, COUNTRIES, ROUTING_REGIONS, US_SUBDIVISIONS } from '../../route53/routing-values.ts';
import { describe, type Fields, isWhole, openFields, optional, requiredText } from '../spec-fields.ts';

const BIAS_MAX = 99;
/** API_GeoProximityLocation: 64 characters at most. */
const LOCAL_ZONE_GROUP = /^[a-z0-9-]{1,64}$/;
/** API_CidrRoutingConfig. */
const COLLECTION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const CIDR_LOCATION = /^(?:[0-9A-Za-z_-]{1,16}|\*)$/;

/** `geolocation`: a continent, or a country, or a state of the US. */
export function readGeolocation(fields: Fields): RoutingPolicy | null {
  const inner = openPlace(fields, 'geolocation', ['continent', 'country', 'subdivision']);
  if (inner === null) return null;
  const { problems, path } = inner;
  const before = problems.length;
  const continent = oneOf(inner, 'continent', CONTINENTS, 'a continent, such as EU');
  const country = oneOf(inner, 'country', COUNTRIES, 'a country, such as DE, or "*" for everywhere else', '*');
  const subdivision = oneOf(inner, 'subdivision', US_SUBDIVISIONS, 'a state of the US, such as CA');
  const has = (key: string): boolean => (inner.values[key] ?? null) !== null;
  if (has('continent') === has('country')) {
    const found = has('continent') ? 'there are both' : 'there is neither';
    problems.push(`${path}: expected either continent or country; ${found}`);
  }
  if (has('subdivision') && inner.values.country !== 'US') problems.push(`${path}.subdivision: it needs country: US`);
  if (problems.length > before) return null;
  if (continent !== null) return { kind: 'geolocation', geolocation: { continent } };
  if (country === null) return null;
  return { kind: 'geolocation', geolocation: subdivision === null ? { country } : { country, subdivision } };
}

/** `geoproximity`: a region, a local zone group or coordinates, with a bias. */
export function readGeoproximity(fields: Fields): RoutingPolicy | null {
  const inner = openPlace(fields, 'geoproximity', ['region', 'localZoneGroup', 'coordinates', 'bias']);
  if (inner === null) return null;
  const { problems, path, values } = inner;
  const before = problems.length;
  const given = ['region', 'localZoneGroup', 'coordinates'].filter((key) => (values[key] ?? null) !== null);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'there is none' : `there are ${given.join(' and ')}`;
    problems.push(`${path}: expected exactly one of region, localZoneGroup, coordinates; ${found}`);
  }
  const region = oneOf(inner, 'region', ROUTING_REGIONS, 'an AWS region, such as eu-west-1');
  const localZoneGroup = matching(
    inner,
    'localZoneGroup',
    LOCAL_ZONE_GROUP,
    'a local zone group, such as us-west-2-lax-1',
  );
  const coordinates = readCoordinates(inner);
  const bias = readBias(inner);
  if (problems.length > before) return null;
  let location: GeoproximityLocation | null = coordinates === null ? null : { coordinates };
  if (region !== null) location = { region };
  if (localZoneGroup !== null) location = { localZoneGroup };
  return location === null ? null : { kind: 'geoproximity', location, bias };
}

/** `cidr`: a location of a CIDR collection, or `*`. */
export function readCidr(fields: Fields): RoutingPolicy | null {
  const inner = openPlace(fields, 'cidr', ['collectionId', 'location']);
  if (inner === null) return null;
  const collectionId = required(
    inner,
    'collectionId',
    COLLECTION_ID,
    'the id of a CIDR collection, such as 01234567-89ab-cdef-0123-456789abcdef',
  );
  const location = required(
    inner,
    'location',
    CIDR_LOCATION,
    'a location of 1 to 16 letters, digits, "-" and "_", or "*"',
  );
  if (collectionId === null || location === null) return null;
  return { kind: 'cidr', collectionId, location };
}

function openPlace(fields: Fields, key: string, known: readonly string[]): Fields | null {
  return openFields(fields.values[key], `${fields.path}.${key}`, known, fields.problems);
}

function readCoordinates(fields: Fields): { latitude: number; longitude: number } | null {
  if ((fields.values.coordinates ?? null) === null) return null;
  const inner = openPlace(fields, 'coordinates', ['latitude', 'longitude']);
  if (inner === null) return null;
  const latitude = degrees(inner, 'latitude', 90);
  const longitude = degrees(inner, 'longitude', 180);
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

/** Degrees with two decimals at most (API_Coordinates). */
function degrees({ values, path, problems }: Fields, key: string, max: number): number | null {
  const value = values[key];
  // As for the bias, adding zero makes 0 of -0.
  if (typeof value === 'number' && Math.abs(value) <= max && Number(value.toFixed(2)) === value) return value + 0;
  problems.push(
    `${path}.${key}: expected degrees from -${max} to ${max} with two decimals at most, got ${describe(value)}`,
  );
  return null;
}

function readBias(fields: Fields): number {
  const expected = `a whole number from -${BIAS_MAX} to ${BIAS_MAX}`;
  // Adding zero makes 0 of -0, which is written otherwise and means the same.
  return (optional(fields, 'bias', isWhole(-BIAS_MAX, BIAS_MAX), expected) ?? 0) + 0;
}

function oneOf(
  fields: Fields,
  key: string,
  allowed: ReadonlySet<string>,
  expected: string,
  other?: string,
): string | null {
  const isAllowed = (value: unknown): value is string =>
    typeof value === 'string' && (allowed.has(value) || value === other);
  return optional(fields, key, isAllowed, expected);
}

function required(fields: Fields, key: string, pattern: RegExp, expected: string): string | null {
  return requiredText(fields, key) === null ? null : matching(fields, key, pattern, expected);
}

function matching(fields: Fields, key: string, pattern: RegExp, expected: string): string | null {
  const matches = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);
  return optional(fields, key, matches, expected);
}
