// Reads the element of a routing policy in a change, by the schema, and finds what Route 53 calls an invalid request in
// it: locations that are named twice or not at all, or that do not exist.
// Source: API reference ResourceRecordSet, GeoLocation, GeoProximityLocation, Coordinates, CidrRoutingConfig.
// Last verified 2026-11-22.
import { type LocalRouting, ROUTING_POLICIES, type RoutingValue, routingElement } from '../records/record-set.ts';
import { CONTINENTS, countryName, REGIONS, US_STATES } from '../values/locations.ts';
import { readBoolean, readChildren, readInteger, readMatching, readOneOf, readText, readWithin } from './schema.ts';
import type { XmlElement } from './xml.ts';

const WEIGHT_MAX = 255;
const BIAS_MAX = 99;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const LOCATION_NAME = /^[0-9A-Za-z_\-*]{1,16}$/;
/** Two decimals at most. */
const LATITUDE = /^[-+]?\d{1,2}(?:\.\d{0,2})?$/;
const LONGITUDE = /^[-+]?\d{1,3}(?:\.\d{0,2})?$/;

/** The first routing policy of a record set; null where it has none. */
export function readRouting(set: ReadonlyMap<string, XmlElement>): LocalRouting | null {
  const policy = ROUTING_POLICIES.find((one) => set.has(one));
  const element = policy === undefined ? undefined : set.get(policy);
  if (policy === undefined || element === undefined) return null;
  return { policy, value: readPolicy(policy, element) };
}

function readPolicy(policy: LocalRouting['policy'], element: XmlElement): RoutingValue {
  switch (policy) {
    case 'Weight':
      return String(readInteger(element, WEIGHT_MAX));
    case 'Region':
      return readOneOf(element, REGIONS);
    case 'Failover':
      return readOneOf(element, ['PRIMARY', 'SECONDARY']);
    case 'MultiValueAnswer':
      return String(readBoolean(element));
    case 'GeoLocation':
      return readParts(element, [], {
        ContinentCode: (code) => readText(code, 2, 2),
        CountryCode: (code) => readText(code, 1, 2),
        SubdivisionCode: (code) => readText(code, 1, 3),
      });
    case 'CidrRoutingConfig':
      return readParts(element, ['CollectionId', 'LocationName'], {
        CollectionId: (id) => readMatching(id, UUID),
        LocationName: (name) => readMatching(name, LOCATION_NAME),
      });
    case 'GeoProximityLocation':
      return readParts(element, [], {
        AWSRegion: (region) => readText(region, 1, 64),
        LocalZoneGroup: (group) => readText(group, 1, 64),
        Coordinates: (both) =>
          readParts(both, ['Latitude', 'Longitude'], {
            Latitude: (degrees) => readMatching(degrees, LATITUDE),
            Longitude: (degrees) => readMatching(degrees, LONGITUDE),
          }),
        Bias: (bias) => String(readWithin(bias, -BIAS_MAX, BIAS_MAX)),
      });
    default:
      return policy satisfies never;
  }
}

function readParts(
  element: XmlElement,
  required: readonly string[],
  parts: Readonly<Record<string, (element: XmlElement) => RoutingValue>>,
): RoutingValue {
  const children = readChildren(element, required, Object.keys(parts));
  return Object.fromEntries([...children].map(([name, child]) => [name, parts[name]?.(child) ?? '']));
}

/** The faults in the location of a policy. */
export function placeProblems(routing: LocalRouting | null): string[] {
  if (routing === null) return [];
  if (routing.policy === 'GeoLocation') return geolocationProblems(routing.value);
  if (routing.policy === 'GeoProximityLocation') return geoproximityProblems(routing.value);
  if (routing.policy === 'MultiValueAnswer' && routing.value !== 'true') return ['MultiValueAnswer must be true'];
  return [];
}

function geolocationProblems(value: RoutingValue): string[] {
  const [continent, country, state] = ['ContinentCode', 'CountryCode', 'SubdivisionCode'].map((name) =>
    routingElement(value, name),
  );
  if (continent !== null && continent !== undefined) {
    if (country !== null || state !== null)
      return ['ContinentCode cannot be given with CountryCode or SubdivisionCode'];
    return CONTINENTS[continent] === undefined ? [`The continent code is not valid: ${continent}`] : [];
  }
  if (country === null || country === undefined) return ['GeoLocation must have ContinentCode or CountryCode'];
  if (countryName(country) === undefined) return [`The country code is not valid: ${country}`];
  if (state === null || state === undefined) return [];
  if (country !== 'US') return [`SubdivisionCode is only valid with the country code US, not ${country}`];
  return US_STATES.has(state) ? [] : [`The subdivision code is not valid: ${state}`];
}

function geoproximityProblems(value: RoutingValue): string[] {
  const given = typeof value === 'string' ? [] : Object.keys(value).filter((name) => name !== 'Bias');
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : 'more than one';
    return [`Expected exactly one of [AWSRegion, LocalZoneGroup, or Coordinates], but found ${found}`];
  }
  const region = routingElement(value, 'AWSRegion');
  if (region !== null && !REGIONS.includes(region)) return [`The AWS Region is not valid: ${region}`];
  const latitude = Number(routingElement(value, 'Coordinates', 'Latitude') ?? 0);
  const longitude = Number(routingElement(value, 'Coordinates', 'Longitude') ?? 0);
  if (Math.abs(latitude) > 90) return [`The latitude is not within -90 and 90: ${latitude}`];
  if (Math.abs(longitude) > 180) return [`The longitude is not within -180 and 180: ${longitude}`];
  return [];
}
