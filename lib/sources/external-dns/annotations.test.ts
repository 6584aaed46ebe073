import { describe, expect, test } from 'vitest';
import { ACCEPTED, gateway, routeLines, TO_GW, WWW } from '../../../test/support/route-manifests.ts';
import { linesOf, resultOf } from '../../../test/support/source-lines.ts';
import { NOTHING_RELATED } from '../../objects/related.ts';
import type { Source } from '../../objects/source.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { DNS_ENDPOINT } from './dns-endpoint.ts';
import { ROUTES } from './gateway-route.ts';
import { INGRESS } from './ingress.ts';
import { SERVICE } from './service.ts';

const NEW = 'external-dns.kubernetes.io/';
const OLD = 'external-dns.alpha.kubernetes.io/';

/** An Ingress with one host and these annotations, under the new prefix. */
function ingress(annotations: Readonly<Record<string, string>>, prefix = NEW) {
  const keys = Object.entries(annotations).map(([key, value]) => [key.includes('/') ? key : `${prefix}${key}`, value]);
  return {
    metadata: { annotations: Object.fromEntries(keys) },
    spec: { rules: [{ host: 'www.example.org' }] },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  };
}

function linesWith(annotations: Readonly<Record<string, string>>, prefix = NEW) {
  return linesOf(INGRESS, ingress(annotations, prefix));
}

describe('an annotation', () => {
  test('is read under either prefix, the first before the second', () => {
    expect(linesWith({ ttl: '60' }, OLD).endpoints).toEqual(['www.example.org. A 60 192.0.2.1']);
    const both = linesWith({ [`${OLD}ttl`]: '60', [`${NEW}ttl`]: '30' });
    expect(both.endpoints).toEqual(['www.example.org. A 30 192.0.2.1']);
  });

  test('counts as absent when it is empty', () => {
    expect(linesWith({ ttl: '', 'aws-weight': '', alias: '', controller: '', target: '', hostname: '' })).toEqual({
      endpoints: ['www.example.org. A 192.0.2.1'],
      invalid: [],
      problems: [],
      waits: [],
    });
    const blank = ' \t\n\u00a0\u200b';
    expect(linesWith({ ttl: blank, 'aws-weight': blank, alias: blank, controller: blank, target: blank })).toEqual({
      endpoints: ['www.example.org. A 192.0.2.1'],
      invalid: [],
      problems: [],
      waits: [],
    });
    const both = linesWith({ [`${NEW}ttl`]: blank, [`${OLD}ttl`]: '60' });
    expect(both.endpoints).toEqual(['www.example.org. A 60 192.0.2.1']);
  });

  test('is read only under the prefixes that the operator names', () => {
    const around = { settings: { annotationPrefixes: ['dns.acme.example/'] } };
    expect(linesOf(INGRESS, ingress({ ttl: '60', 'dns.acme.example/ttl': '30' }), around).endpoints).toEqual([
      'www.example.org. A 30 192.0.2.1',
    ]);
  });

  test('of ownership or of another provider is ignored', () => {
    const other = { 'cloudflare-proxied': 'true', 'aws-hosted-zone-id': 'Z1', owner: 'me', 'external-dns/owner': 'x' };
    expect(linesWith(other)).toMatchObject({ endpoints: ['www.example.org. A 192.0.2.1'], problems: [], invalid: [] });
  });
});

test('aws-hosted-zone-id is ignored with a note, which is no problem', () => {
  const result = resultOf(INGRESS, ingress({ 'aws-hosted-zone-id': 'Z1' }));
  const note = `annotation ${NEW}aws-hosted-zone-id is ignored: its Zone decides where a name is published`;
  expect(result).toMatchObject({ ok: true, endpoints: [{ note }], problems: [] });
});

describe('ttl', () => {
  test.each([
    ['60', 60],
    ['1', 1],
    ['2147483647', 2_147_483_647],
    ['007', 7],
    ['1m30s', 90],
    ['1h', 3_600],
    ['1.5m', 90],
    ['.5m', 30],
    ['1.9s', 1],
    ['1500ms', 1],
    ['2h45m30.5s', 9_930],
    ['1000000us', 1],
    ['1000000µs', 1],
    ['+5s', 5],
    ['+60', 60],
    [' 60', 60],
    ['60 \n', 60],
    ['\u00a01m30s\t', 90],
  ])('%s is %i seconds', (text, seconds) => {
    expect(linesWith({ ttl: text })).toMatchObject({
      endpoints: [`www.example.org. A ${seconds} 192.0.2.1`],
      problems: [],
    });
  });

  test.each([
    ...['0', '0s', '-1', '-5m', '2147483648', '999999999999h', '1.5', '1m 30s', '6 0', 'abc', '1d', '1e3'],
    ...['0x10', '.s', 's', '500ms', '0.9s', '\u0661'],
  ])('%j is a problem, and the default holds', (text) => {
    const { endpoints, problems } = linesWith({ ttl: text });
    expect(endpoints).toEqual(['www.example.org. A 192.0.2.1']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^annotation external-dns\.kubernetes\.io\/ttl: /);
  });
});

describe('a list', () => {
  const separators = [' ', ',', ', ', ' ,', ' , ', '\n', '\r\n', '\t', '\v', '\f', ',\n  ', ',,', ' ,, ', '\u00a0'];
  test.each([...separators, '\u0085', '\u2003', '\u2028', '\u2029', '\u3000', '\u200b', '\ufeff'])(
    'is separated by %j, and its items are never joined',
    (separator) => {
      const listed = (...items: readonly string[]) => `${separator}${items.join(separator)}${separator}`;
      const { endpoints, problems } = linesWith({
        hostname: listed('a.example.org', 'b.example.org'),
        target: listed('192.0.2.2', '192.0.2.3'),
      });
      const values = 'A 192.0.2.2,192.0.2.3';
      expect(problems).toEqual([]);
      expect(endpoints).toEqual(['www', 'a', 'b'].map((label) => `${label}.example.org. ${values}`));
    },
  );

  test('of host names has two targets, not one that nobody wrote', () => {
    const { endpoints, problems } = linesWith({ target: 'lb1.example.net lb2.example.net' });
    expect(endpoints).toEqual(['www.example.org. CNAME lb1.example.net.']);
    expect(problems).toHaveLength(1);
  });

  test('in a template is a list, too', () => {
    const settings = { hostnameTemplate: '{name}.a.example.org\t{name}.b.example.org' };
    const object = { ...ingress({}), spec: {} };
    expect(linesOf(INGRESS, object, { settings }).endpoints).toEqual([
      'web.a.example.org. A 192.0.2.1',
      'web.b.example.org. A 192.0.2.1',
    ]);
  });
});

test('an object with another controller is ignored', () => {
  expect(linesWith({ controller: 'dns-controller' }).endpoints).toHaveLength(1);
  expect(linesWith({ controller: ' dns-controller\n' }).endpoints).toHaveLength(1);
  expect(linesWith({ controller: 'kops', 'aws-weight': 'x' })).toEqual({
    endpoints: [],
    invalid: [],
    problems: [],
    waits: [],
  });
});

describe('routing', () => {
  const policies: readonly (readonly [Record<string, string>, unknown])[] = [
    [{ 'aws-weight': '10' }, { kind: 'weight', weight: 10 }],
    [{ 'aws-region': 'eu-west-1' }, { kind: 'region', region: 'eu-west-1' }],
    [{ 'aws-failover': 'SECONDARY' }, { kind: 'failover', failover: 'SECONDARY' }],
    [{ 'aws-geolocation-continent-code': 'EU' }, { kind: 'geolocation', geolocation: { continent: 'EU' } }],
    [
      { 'aws-geolocation-country-code': 'US', 'aws-geolocation-subdivision-code': 'CA' },
      { kind: 'geolocation', geolocation: { country: 'US', subdivision: 'CA' } },
    ],
    [
      { 'aws-geoproximity-coordinates': '48.86,2.35' },
      { kind: 'geoproximity', location: { coordinates: { latitude: 48.86, longitude: 2.35 } }, bias: 0 },
    ],
    [
      { 'aws-geoproximity-region': 'us-east-1', 'aws-geoproximity-bias': '-10' },
      { kind: 'geoproximity', location: { region: 'us-east-1' }, bias: -10 },
    ],
    [
      { 'aws-geoproximity-local-zone-group': 'us-west-2-lax-1' },
      { kind: 'geoproximity', location: { localZoneGroup: 'us-west-2-lax-1' }, bias: 0 },
    ],
    [{ 'aws-multi-value-answer': 'true' }, { kind: 'multivalue' }],
  ];

  test.each(policies)('of %j', (annotations, policy) => {
    const { endpoints, invalid, problems } = linesWith({ 'set-identifier': 'one', ...annotations });
    expect([invalid, problems]).toEqual([[], []]);
    expect(endpoints).toEqual([`www.example.org. A 192.0.2.1 one ${JSON.stringify(policy)}`]);
  });

  test.each([
    ['an address', 'https://a.example.net:8443/health'],
    ['JSON', '{"host": "a.example.net", "path": "/health", "port": 8443, "protocol": "HTTPS"}'],
  ])('with a health check as %s names it by its text', (_, value) => {
    const routed = { 'set-identifier': 'one', 'aws-weight': '1', 'zone53.dev/health-check': value };
    const result = resultOf(INGRESS, ingress(routed));
    expect(result.ok && result.notes).toEqual([]);
    expect(result.ok && result.endpoints[0]?.routing?.healthCheckId).toBe(
      '{"protocol":"HTTPS","host":"a.example.net","port":8443,"path":"/health"}',
    );
  });

  test('with a health check that is neither is a problem, and its endpoint is left out', () => {
    const routed = { 'set-identifier': 'one', 'aws-weight': '1', 'zone53.dev/health-check': 'yes' };
    expect(linesWith(routed)).toMatchObject({
      endpoints: [],
      problems: [
        'annotation zone53.dev/health-check: "yes" is no health check; write JSON, or an address such as https://www.example.org:443/health',
      ],
    });
  });

  test.each([
    ['aws-weight', 'heavy'],
    ['aws-weight', '1.5'],
    ['aws-weight', '0x10'],
    ['aws-geoproximity-bias', 'ten'],
    ['aws-geoproximity-coordinates', '48.86'],
    ['aws-geoproximity-coordinates', '48.86,2.35,1'],
    ['aws-geoproximity-coordinates', 'north,east'],
    ['aws-multi-value-answer', 'yes'],
    ['aws-evaluate-target-health', 'yes'],
    ['alias', 'maybe'],
    ['alias', 'True'],
  ])('with %s: %s is a problem that names the key, and its endpoint is left out', (key, value) => {
    const lines = linesWith({ 'set-identifier': 'one', [key]: value });
    expect(lines.endpoints).toEqual([]);
    expect(lines.invalid).toEqual([]);
    expect(lines.problems).toHaveLength(1);
    expect(lines.problems[0]).toContain(`annotation ${NEW}${key}: "${value}"`);
  });

  const refused: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['two policies', { 'set-identifier': 'one', 'aws-weight': '1', 'aws-region': 'eu-west-1' }, /weight and region/],
    [
      'a bias of 100',
      { 'set-identifier': 'one', 'aws-geoproximity-region': 'eu-west-1', 'aws-geoproximity-bias': '100' },
      /bias/,
    ],
    ['a bias without a place', { 'set-identifier': 'one', 'aws-geoproximity-bias': '1' }, /geoproximity/],
    ['a weight of 256', { 'set-identifier': 'one', 'aws-weight': '256' }, /0 to 255/],
    ['a negative weight', { 'set-identifier': 'one', 'aws-weight': '-1' }, /0 to 255/],
    ['a policy without a set identifier', { 'aws-weight': '1' }, /setIdentifier/],
    ['a set identifier without a policy', { 'set-identifier': 'one' }, /exactly one/],
    ['a health check alone', { 'aws-health-check-id': 'abc' }, /setIdentifier/],
    [
      'a health check of a private address',
      { 'set-identifier': 'one', 'aws-weight': '1', 'zone53.dev/health-check': 'tcp://10.0.0.1:22' },
      /routing\.healthCheck\.host: .*cannot reach 10\.0\.0\.1/,
    ],
    ['a health check without routing', { 'zone53.dev/health-check': 'https://a.example.net' }, /setIdentifier/],
    ['an invalid region', { 'set-identifier': 'one', 'aws-region': 'mars-1' }, /region/],
    ['failover in lower case', { 'set-identifier': 'one', 'aws-failover': 'primary' }, /PRIMARY/],
    [
      'a subdivision without its country',
      { 'set-identifier': 'one', 'aws-geolocation-subdivision-code': 'CA' },
      /country/,
    ],
    [
      'a continent and a country',
      { 'set-identifier': 'one', 'aws-geolocation-continent-code': 'EU', 'aws-geolocation-country-code': 'DE' },
      /continent/,
    ],
    ['coordinates out of range', { 'set-identifier': 'one', 'aws-geoproximity-coordinates': '91,0' }, /latitude/],
    [
      'coordinates with three decimals',
      { 'set-identifier': 'one', 'aws-geoproximity-coordinates': '1.234,0' },
      /two decimals/,
    ],
  ];

  test.each(refused)('with %s is read and refused: InvalidSpec', (_, annotations, message) => {
    const { endpoints, invalid, problems } = linesWith(annotations);
    expect([endpoints, problems]).toEqual([[], []]);
    expect(invalid).toHaveLength(1);
    expect(invalid[0]).toMatch(new RegExp(`^www\\.example\\.org\\. A ${annotations['set-identifier'] ?? '-'} `));
    expect(invalid[0]).toMatch(message);
  });
});

describe('an annotation that is a list', () => {
  const ROUTE = ROUTES[0] as Source;
  const odd = (source: Source, key: string) => {
    const object = { ref: { kind: source.kind, namespace: 'shop', name: 'web' }, annotations: {}, labels: {} };
    const spec = { rules: [{ host: 'www.example.org' }], type: 'ExternalName', externalName: 'lb.example.net' };
    const oddAnnotations = { [`${NEW}${key}`]: 'a list', 'acme.example/hostname': 'a mapping' };
    const asked = source.endpointsOf({ ...object, oddAnnotations, spec }, DEFAULT_SETTINGS, NOTHING_RELATED);
    if (!asked.ok) throw new Error('cannot be read');
    return { count: asked.endpoints.length, problems: asked.problems };
  };

  test.each([INGRESS, SERVICE, ROUTE])('is a problem, and nothing is asked for', (source) => {
    for (const key of ['hostname', 'target', 'ttl', 'controller'])
      expect(odd(source, key)).toEqual({
        count: 0,
        problems: [{ message: expect.stringMatching(`^annotation ${NEW}${key}: .* got a list; `), leavesOut: null }],
      });
  });

  test('of a DNSEndpoint counts if it is the controller', () => {
    expect(odd(DNS_ENDPOINT, 'controller').problems).toHaveLength(1);
    expect(odd(DNS_ENDPOINT, 'hostname').problems).toEqual([]);
  });

  test('on a Gateway leaves out the names of its routes', () => {
    const annotations = { [`${NEW}target`]: ['192.0.2.7'] };
    const related = [gateway([{}], { metadata: { annotations } })];
    const { endpoints, problems } = routeLines({ hostnames: WWW }, related);
    expect(endpoints).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^Gateway infra\/gw: annotation .*\/target: .* got a list/)]);
  });
});

test('a misspelt target of a Gateway is a note on the route', () => {
  const related = [gateway([{}], { metadata: { annotations: { [`${NEW}targets`]: '192.0.2.7' } } })];
  const route = {
    metadata: { namespace: 'shop', name: 'web' },
    spec: { hostnames: WWW, parentRefs: [TO_GW] },
    status: { parents: [{ parentRef: TO_GW, controllerName: 'a/b', conditions: ACCEPTED }] },
  };
  expect(resultOf(ROUTES[0] as Source, route, { related })).toMatchObject({
    notes: [`Gateway infra/gw: annotation ${NEW}targets is not read: did you mean ${NEW}target?`],
  });
});
