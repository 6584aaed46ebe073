// Aliases and routing that the API server admits, and its messages to those that it refuses: rows of
// test/e2e/kubernetes-door.test.ts.
import type { Row } from './door-records.ts';

const UUID = '01234567-89ab-cdef-0123-456789abcdef';

const spec = (fields: object, message?: string): Row => ({
  spec: { domainName: 'www.example.org.', type: 'A', ...fields },
  ...(message === undefined ? {} : { message }),
});
const alias = (fields: object, message?: string): Row => spec({ alias: fields }, message);
const routing = (fields: object, message?: string): Row =>
  spec({ rdata: '192.0.2.1', routing: { setIdentifier: 'eu', ...fields } }, message);

const check = (fields: object, message?: string): Row =>
  routing({ failover: 'PRIMARY', healthCheck: { protocol: 'HTTPS', host: 'a.example.net', ...fields } }, message);

const LOAD_BALANCER = 'web-1.eu-west-1.elb.amazonaws.com.';

export const ALIASES: Readonly<Record<string, Row>> = {
  'an alias': alias({ target: LOAD_BALANCER }),
  'an alias in full': alias({ target: LOAD_BALANCER, hostedZoneId: 'Z32O12XQLNTSW2', evaluateTargetHealth: false }),
  'an alias with nulls': spec({ rdata: null, ttl: null, alias: { target: 'a.example.org.', hostedZoneId: null } }),
  'an alias to a wildcard': alias({ target: '*.example.org' }),
  'an alias of type HTTPS': spec({ type: 'HTTPS', alias: { target: 'd1.cloudfront.net' } }),
  'an alias that is null': spec({ alias: null }, 'the data is missing'),
  'an alias with rdata': spec({ rdata: '192.0.2.1', alias: { target: 'a.example.' } }, 'an alias replaces rdata'),
  'an alias with values': spec({ values: ['192.0.2.1'], alias: { target: 'a.example.' } }, 'an alias replaces'),
  'an alias with a ttl': spec(
    { ttl: 60, alias: { target: 'a.example.' } },
    "an alias has its target's TTL; remove ttl",
  ),
  'an alias of type NS': spec({ type: 'NS', alias: { target: 'a.example.' } }, 'of type NS or SOA cannot be an alias'),
  'an alias without a target': alias({}, 'spec.alias.target'),
  'an alias to the root': alias({ target: '.' }, 'the DNS root'),
  'an alias to an empty label': alias({ target: 'a..b.' }, 'the name has an empty label'),
  'an alias to a label of 64 characters': alias({ target: `${'a'.repeat(64)}.org.` }, 'has 63 characters at most'),
  'an alias to a URL': alias({ target: 'https://a.example/' }, 'a target is a host name'),
  'an alias with a path for an id': alias(
    { target: 'a.example.', hostedZoneId: '/hostedzone/Z1' },
    'this is not the id of a',
  ),
  'CloudFront with health': alias(
    { target: 'd1.cloudfront.net.', evaluateTargetHealth: true },
    'the health of CloudFront',
  ),
  'CloudFront by id with health': alias(
    { target: 'a.example.', hostedZoneId: 'Z2FDTNDATAQYW2', evaluateTargetHealth: true },
    'the health of CloudFront',
  ),
  'TXT to CloudFront': spec(
    { type: 'TXT', alias: { target: 'D1.cloudfront.net' } },
    'an alias to CloudFront is of type',
  ),
  'CNAME to a load balancer': spec({ type: 'CNAME', alias: { target: LOAD_BALANCER } }, 'Elastic Load Balancing is of'),
  'CNAME to a network load balancer': spec(
    { type: 'CNAME', alias: { target: 'web.elb.eu-west-1.amazonaws.com' } },
    'Elastic Load Balancing is of',
  ),
};

export const ROUTINGS: Readonly<Record<string, Row>> = {
  'a weight': routing({ weight: 0 }),
  'a weight with a health check': routing({ weight: 255, healthCheckId: UUID, region: null }),
  latency: routing({ region: 'eu-west-1' }),
  failover: routing({ failover: 'SECONDARY' }),
  'a continent': routing({ geolocation: { continent: 'EU' } }),
  'everywhere else': routing({ geolocation: { country: '*' } }),
  'a state': routing({ geolocation: { country: 'US', subdivision: 'CA' } }),
  coordinates: routing({ geoproximity: { coordinates: { latitude: 49.22, longitude: -74 }, bias: 99 } }),
  'a local zone group': routing({ geoproximity: { localZoneGroup: 'us-west-2-lax-1' } }),
  multivalue: routing({ multivalue: true }),
  cidr: routing({ cidr: { collectionId: UUID, location: '*' } }),
  'a routed alias': spec({ alias: { target: LOAD_BALANCER }, routing: { setIdentifier: 'eu', weight: 1 } }),
  'no policy': routing({}, 'write exactly one of weight'),
  'two policies': routing({ weight: 1, region: 'eu-west-1' }, 'write exactly one of weight'),
  'no set identifier': spec({ rdata: '192.0.2.1', routing: { weight: 1 } }, 'spec.routing.setIdentifier'),
  'an empty set identifier': routing({ setIdentifier: '', weight: 1 }, 'spec.routing.setIdentifier'),
  'a set identifier of 129': routing({ setIdentifier: 'x'.repeat(129), weight: 1 }, 'spec.routing.setIdentifier'),
  'a weight of 256': routing({ weight: 256 }, 'less than or equal to 255'),
  'a weight in quotes': routing({ weight: '1' }, 'spec.routing.weight'),
  'a primary without a health check': routing({ failover: 'PRIMARY' }, 'needs a health check'),
  'failover in lower case': routing({ failover: 'primary' }, 'write PRIMARY or SECONDARY'),
  'no place': routing({ geolocation: {} }, 'write either continent or country'),
  'two places': routing({ geolocation: { continent: 'EU', country: 'DE' } }, 'write either continent or country'),
  'a state of Germany': routing(
    { geolocation: { country: 'DE', subdivision: 'BY' } },
    'a subdivision needs country: US',
  ),
  'a continent in lower case': routing({ geolocation: { continent: 'eu' } }, 'this is not a continent'),
  'a country of three letters': routing({ geolocation: { country: 'DEU' } }, 'spec.routing.geolocation.country'),
  'three decimals': routing(
    { geoproximity: { coordinates: { latitude: 49.225, longitude: 0 } } },
    'write two decimals at most',
  ),
  'a longitude of 181': routing(
    { geoproximity: { coordinates: { latitude: 0, longitude: 181 } } },
    'less than or equal to 180',
  ),
  'three decimals of longitude': routing(
    { geoproximity: { coordinates: { latitude: 0, longitude: -0.125 } } },
    'write two decimals at most',
  ),
  'no local zone group': routing({ geoproximity: { localZoneGroup: 'LAX' } }, 'this is not a local zone group'),
  'two geoproximities': routing(
    { geoproximity: { region: 'eu-west-1', localZoneGroup: 'us-west-2-lax-1' } },
    'write exactly one of region, localZoneGroup, coordinates',
  ),
  'a country in lower case': routing({ geolocation: { country: 'de' } }, 'this is not a country'),
  'a state in lower case': routing(
    { geolocation: { country: 'US', subdivision: 'ca' } },
    'this is not a state of the US',
  ),
  'a CIDR location with a space': routing({ cidr: { collectionId: UUID, location: 'a b' } }, 'a location has 1 to 16'),
  'a bias of 100': routing({ geoproximity: { region: 'eu-west-1', bias: 100 } }, 'less than or equal to 99'),
  'multivalue false': routing({ multivalue: false }, 'write true, or leave it out'),
  'a multivalue alias': spec(
    { alias: { target: LOAD_BALANCER }, routing: { setIdentifier: 'eu', multivalue: true } },
    'an alias or a CNAME cannot be a multivalue answer',
  ),
  'a CIDR collection that is no id': routing(
    { cidr: { collectionId: 'office', location: 'a' } },
    'this is not the id of a CIDR',
  ),
  'a health check with a space': routing({ weight: 1, healthCheckId: 'a b' }, 'this is not the id of a health check'),
  'a health check that is to be made': check({ port: 8443, path: '/health', searchString: 'ok', interval: 10 }),
  'a health check with nulls': check({ port: null, path: null, regions: null, threshold: null, interval: null }),
  'two health checks': routing(
    { weight: 1, healthCheckId: UUID, healthCheck: { protocol: 'HTTPS', host: 'a.example.net' } },
    'there is healthCheckId as well',
  ),
  'a health check by UDP': check({ protocol: 'UDP' }, 'write HTTP, HTTPS or TCP'),
  'a health check by TCP without a port': check({ protocol: 'TCP' }, 'a health check by TCP needs a port'),
  'a health check by TCP with a path': check(
    { protocol: 'TCP', port: 22, path: '/' },
    'a health check by TCP has no path and no searchString',
  ),
  'a health check with half a path': check({ path: 'health' }, 'a path begins with "/"'),
  'a health check every 20 seconds': check({ interval: 20 }, 'write 10 or 30'),
  'a routed NS': spec(
    { type: 'NS', rdata: 'ns1.example.net.', routing: { setIdentifier: 'eu', weight: 1 } },
    'Route 53 has no routing for types NS, DS and SOA',
  ),
};

const wide = (length: number): string => 'a'.repeat(length);

/** Specs that break every limit of alias and routing, low and high. */
export const ALIASES_BEYOND_LIMITS: readonly object[] = [
  {
    ...{ domainName: 'a.', type: 'A', alias: { target: wide(256), hostedZoneId: wide(33) } },
    routing: {
      setIdentifier: wide(129),
      weight: 256,
      region: wide(33),
      failover: wide(17),
      geolocation: { continent: wide(3), country: wide(3), subdivision: wide(3) },
      geoproximity: {
        region: wide(33),
        localZoneGroup: wide(65),
        coordinates: { latitude: 91, longitude: 181 },
        bias: 100,
      },
      cidr: { collectionId: wide(37), location: wide(17) },
      healthCheckId: wide(65),
      healthCheck: {
        ...{ protocol: wide(9), host: wide(256), port: 65_536, path: wide(256), searchString: wide(256) },
        ...{ threshold: 11, regions: [...Array.from({ length: 8 }, (_, index) => `${index}`), wide(33)] },
      },
    },
  },
  {
    ...{ domainName: 'a.', type: 'A', alias: { target: '' } },
    routing: {
      setIdentifier: '',
      weight: -1,
      region: '',
      geoproximity: { region: '', coordinates: { latitude: -91, longitude: -181 }, bias: -100 },
      healthCheck: { protocol: 'HTTP', host: '', port: 0, searchString: '', threshold: 0, regions: ['a', 'b'] },
    },
  },
];
