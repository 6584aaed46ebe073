import { describe, expect, test } from 'vitest';
import { parseRouting, type RoutedRecord } from './routing-spec.ts';

const UUID = '01234567-89ab-cdef-0123-456789abcdef';
const ONE_OF = 'expected exactly one of weight, region, failover, geolocation, geoproximity, multivalue, cidr';

function parsed(value: unknown, record: Partial<RoutedRecord> = {}): unknown {
  const problems: string[] = [];
  const routing = parseRouting(value, { type: 'A', isAlias: false, ...record }, 'spec.routing', problems);
  return problems.length > 0 ? problems : routing;
}

describe('parseRouting()', () => {
  test.each<[string, object, object]>([
    ['the least weight', { weight: 0 }, { kind: 'weight', weight: 0 }],
    ['the largest weight', { weight: 255 }, { kind: 'weight', weight: 255 }],
    ['latency', { region: 'eu-west-1' }, { kind: 'region', region: 'eu-west-1' }],
    ['failover', { failover: 'SECONDARY' }, { kind: 'failover', failover: 'SECONDARY' }],
    ['a continent', { geolocation: { continent: 'EU' } }, { kind: 'geolocation', geolocation: { continent: 'EU' } }],
    ['a country', { geolocation: { country: 'DE' } }, { kind: 'geolocation', geolocation: { country: 'DE' } }],
    ['everywhere else', { geolocation: { country: '*' } }, { kind: 'geolocation', geolocation: { country: '*' } }],
    [
      'a state of the US',
      { geolocation: { country: 'US', subdivision: 'CA' } },
      { kind: 'geolocation', geolocation: { country: 'US', subdivision: 'CA' } },
    ],
    [
      'geoproximity to a region',
      { geoproximity: { region: 'us-east-1', bias: -99 } },
      { kind: 'geoproximity', location: { region: 'us-east-1' }, bias: -99 },
    ],
    [
      'geoproximity to a local zone group',
      { geoproximity: { localZoneGroup: 'us-west-2-lax-1' } },
      { kind: 'geoproximity', location: { localZoneGroup: 'us-west-2-lax-1' }, bias: 0 },
    ],
    [
      'geoproximity to coordinates',
      { geoproximity: { coordinates: { latitude: 49.22, longitude: -74 } } },
      { kind: 'geoproximity', location: { coordinates: { latitude: 49.22, longitude: -74 } }, bias: 0 },
    ],
    ['multivalue answers', { multivalue: true }, { kind: 'multivalue' }],
    [
      'a location of a CIDR collection',
      { cidr: { collectionId: UUID, location: 'office_1' } },
      { kind: 'cidr', collectionId: UUID, location: 'office_1' },
    ],
    [
      'CIDR anywhere else',
      { cidr: { collectionId: UUID, location: '*' } },
      { kind: 'cidr', collectionId: UUID, location: '*' },
    ],
  ])('reads %s', (_, fields, policy) => {
    expect(parsed({ setIdentifier: 'eu', ...fields })).toEqual({ setIdentifier: 'eu', policy, healthCheckId: null });
  });

  test('reads a health check that is to be made as its text', () => {
    const healthCheck = { host: 'A.example.net', protocol: 'HTTPS', interval: 30 };
    const healthCheckId = '{"protocol":"HTTPS","host":"a.example.net","port":443}';
    const primary = { setIdentifier: 'eu', failover: 'PRIMARY', healthCheck };
    expect(parsed(primary)).toMatchObject({ healthCheckId });
    const both = 'spec.routing.healthCheck: there is healthCheckId as well; keep one of the two';
    expect(parsed({ ...primary, healthCheckId: UUID })).toEqual([both]);
    const wrong = 'spec.routing.healthCheck.interval: expected 10 or 30, got number 20';
    expect(parsed({ ...primary, healthCheck: { ...healthCheck, interval: 20 } })).toEqual([wrong]);
  });

  test('reads a health check, and null as absent', () => {
    expect(parsed({ setIdentifier: 'eu', weight: 1, region: null, healthCheckId: UUID })).toEqual({
      setIdentifier: 'eu',
      policy: { kind: 'weight', weight: 1 },
      healthCheckId: UUID,
    });
  });

  test.each([['NS'], ['DS'], ['SOA']])('refuses type %s', (type) => {
    expect(parsed({ setIdentifier: 'a', weight: 1 }, { type })).toEqual([
      `spec.routing: Route 53 has no routing for type ${type}; remove routing`,
    ]);
  });

  test('refuses multivalue answers of an alias and of a CNAME', () => {
    const value = { setIdentifier: 'a', multivalue: true };
    expect(parsed(value, { isAlias: true })).toEqual([
      'spec.routing.multivalue: an alias cannot be a multivalue answer; use weight, or write values',
    ]);
    expect(parsed(value, { type: 'CNAME' })).toEqual([
      'spec.routing.multivalue: a CNAME cannot be a multivalue answer; use weight, or type A or AAAA',
    ]);
  });

  test.each<[string, unknown, string]>([
    ['text', 'weighted', 'spec.routing: expected a mapping, got the string "weighted"'],
    ['no policy', {}, `spec.routing: ${ONE_OF}; there is none`],
    ['two policies', { weight: 1, region: 'eu-west-1' }, `spec.routing: ${ONE_OF}; there are weight and region`],
    [
      'an unknown field',
      { weight: 1, policy: 'x' },
      'spec.routing.policy: unknown field; the fields are setIdentifier, weight, region, failover, geolocation, geoproximity, multivalue, cidr, healthCheckId, healthCheck',
    ],
    ['a weight of 256', { weight: 256 }, 'spec.routing.weight: expected a whole number from 0 to 255, got number 256'],
    ['a negative weight', { weight: -1 }, 'spec.routing.weight: expected a whole number from 0 to 255, got number -1'],
    [
      'a fraction as a weight',
      { weight: 0.5 },
      'spec.routing.weight: expected a whole number from 0 to 255, got number 0.5',
    ],
    [
      'a weight in quotes',
      { weight: '10' },
      'spec.routing.weight: expected a whole number from 0 to 255, got the string "10"; remove the quotes: 10',
    ],
    [
      'no region',
      { region: 'eu-west-9' },
      'spec.routing.region: expected an AWS region, such as eu-west-1, got the string "eu-west-9"',
    ],
    [
      'an empty region',
      { region: '' },
      'spec.routing.region: expected an AWS region, such as eu-west-1, got the string ""',
    ],
    [
      'failover in lower case',
      { failover: 'primary' },
      'spec.routing.failover: expected PRIMARY or SECONDARY, got the string "primary"',
    ],
    [
      'a primary without a health check',
      { failover: 'PRIMARY' },
      'spec.routing.healthCheckId: a PRIMARY that is not an alias needs a health check; write the id of one, or healthCheck',
    ],
    [
      'multivalue false',
      { multivalue: false },
      'spec.routing.multivalue: expected true, got boolean false; leave it out for another policy',
    ],
    ['geolocation as text', { geolocation: 'EU' }, 'spec.routing.geolocation: expected a mapping, got the string "EU"'],
    [
      'geolocation without a place',
      { geolocation: {} },
      'spec.routing.geolocation: expected either continent or country; there is neither',
    ],
    [
      'geolocation with two places',
      { geolocation: { continent: 'EU', country: 'DE' } },
      'spec.routing.geolocation: expected either continent or country; there are both',
    ],
    [
      'a continent in lower case',
      { geolocation: { continent: 'eu' } },
      'spec.routing.geolocation.continent: expected a continent, such as EU, got the string "eu"',
    ],
    [
      'no country',
      { geolocation: { country: 'XX' } },
      'spec.routing.geolocation.country: expected a country, such as DE, or "*" for everywhere else, got the string "XX"',
    ],
    [
      'a subdivision of Germany',
      { geolocation: { country: 'DE', subdivision: 'CA' } },
      'spec.routing.geolocation.subdivision: it needs country: US',
    ],
    [
      'no state',
      { geolocation: { country: 'US', subdivision: 'XX' } },
      'spec.routing.geolocation.subdivision: expected a state of the US, such as CA, got the string "XX"',
    ],
    [
      'geoproximity without a place',
      { geoproximity: { bias: 1 } },
      'spec.routing.geoproximity: expected exactly one of region, localZoneGroup, coordinates; there is none',
    ],
    [
      'geoproximity to two places',
      { geoproximity: { region: 'eu-west-1', localZoneGroup: 'us-west-2-lax-1' } },
      'spec.routing.geoproximity: expected exactly one of region, localZoneGroup, coordinates; there are region and localZoneGroup',
    ],
    [
      'an empty local zone group',
      { geoproximity: { localZoneGroup: '' } },
      'spec.routing.geoproximity.localZoneGroup: expected a local zone group, such as us-west-2-lax-1, got the string ""',
    ],
    [
      'a bias of 100',
      { geoproximity: { region: 'eu-west-1', bias: 100 } },
      'spec.routing.geoproximity.bias: expected a whole number from -99 to 99, got number 100',
    ],
    [
      'three decimals',
      { geoproximity: { coordinates: { latitude: 49.225, longitude: 0 } } },
      'spec.routing.geoproximity.coordinates.latitude: expected degrees from -90 to 90 with two decimals at most, got number 49.225',
    ],
    [
      'a longitude of 181',
      { geoproximity: { coordinates: { latitude: 1, longitude: 181 } } },
      'spec.routing.geoproximity.coordinates.longitude: expected degrees from -180 to 180 with two decimals at most, got number 181',
    ],
    [
      'no longitude',
      { geoproximity: { coordinates: { latitude: 1 } } },
      'spec.routing.geoproximity.coordinates.longitude: expected degrees from -180 to 180 with two decimals at most, got nothing',
    ],
    [
      'an invalid CIDR collection id',
      { cidr: { collectionId: 'office', location: 'a' } },
      `spec.routing.cidr.collectionId: expected the id of a CIDR collection, such as ${UUID}, got the string "office"`,
    ],
    [
      'a CIDR location of 17 characters',
      { cidr: { collectionId: UUID, location: 'a'.repeat(17) } },
      'spec.routing.cidr.location: expected a location of 1 to 16 letters, digits, "-" and "_", or "*", got the string "aaaaaaaaaaaaaaaaa"',
    ],
    ['no CIDR location', { cidr: { collectionId: UUID } }, 'spec.routing.cidr.location is required'],
    [
      'a health check with a space',
      { weight: 1, healthCheckId: 'a b' },
      `spec.routing.healthCheckId: expected the id of a health check, such as ${UUID}, got the string "a b"`,
    ],
    [
      'a health check that is a number',
      { weight: 1, healthCheckId: 5 },
      'spec.routing.healthCheckId: expected a string that is not empty, got number 5',
    ],
  ])('refuses %s', (_, value, problem) => {
    expect(parsed(typeof value === 'string' ? value : { setIdentifier: 'a', ...(value as object) })).toEqual([problem]);
  });

  test.each<[string, unknown, string]>([
    ...['\n', '\u0085', '\ud800', '\uffff'].map((character): [string, object, string] => [
      `a set identifier with ${JSON.stringify(character)}`,
      { setIdentifier: `a${character}`, weight: 1 },
      `spec.routing.setIdentifier: expected 1 to 128 characters, none of them a control character, got the string ${JSON.stringify(`a${character}`)}`,
    ]),
    ['no set identifier', {}, 'spec.routing.setIdentifier is required'],
    [
      'an empty set identifier',
      { setIdentifier: '' },
      'spec.routing.setIdentifier: expected a string that is not empty, got the string ""',
    ],
    [
      'a number as set identifier',
      { setIdentifier: 1 },
      'spec.routing.setIdentifier: expected a string that is not empty, got number 1',
    ],
  ])('refuses %s', (_, value, problem) => {
    expect(parsed({ weight: 1, ...(value as object) })).toEqual([problem]);
  });

  test('accepts a set identifier of 128 characters, and refuses one of 129', () => {
    expect(parsed({ setIdentifier: 'x'.repeat(128), weight: 1 })).toMatchObject({ setIdentifier: 'x'.repeat(128) });
    expect(parsed({ setIdentifier: 'x'.repeat(129), weight: 1 })).toHaveLength(1);
  });

  test('finds every problem at once', () => {
    expect(parsed({ weight: 300, region: 'x', healthCheckId: 1, other: 1 })).toHaveLength(6);
  });
});
