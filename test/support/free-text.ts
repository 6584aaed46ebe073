// Arbitraries for whatever a tenant may write into a free text: any characters, also control characters, line ends and
// halves of surrogate pairs, alone or inside of what would be valid; and objects with such texts in all their fields.
import fc from 'fast-check';

/** Characters that end lines, separate the parts of our keys, or that XML and terminals have trouble with. */
const ODD = [
  '\n',
  '\r',
  '\r\n',
  '\u2028',
  '\u2029',
  '\u0085',
  '\0',
  '\u001b',
  '\t',
  ' ',
  '/',
  '!',
  '#',
  '*',
  '?',
  '=',
  '@',
];
const ODDER = [
  '.',
  ',',
  ';',
  ':',
  '"',
  "'",
  '\\',
  '<',
  '&',
  '%',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\ufffe',
  '\uffff',
  'ß',
  'İ',
];
const HALVES = ['\ud800', '\udbff', '\udc00', '\udfff', '\ude00\ud83d'];

const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD, ...ODDER, ...HALVES) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)) },
  { weight: 1, arbitrary: fc.constantFrom(...'abcXYZ019-_.') },
);

/** Any text of 1 to 253 characters. */
const anyText = fc.string({ unit: character, minLength: 1, maxLength: 253 });

/** One of these texts, one of them with odd characters somewhere, or any text. */
function freeText(...valid: readonly string[]): fc.Arbitrary<string> {
  const plain = fc.constantFrom(...valid);
  const bent = fc
    .tuple(plain, fc.nat({ max: 40 }), character)
    .map(([text, at, odd]) => text.slice(0, at) + odd + text.slice(at));
  return fc.oneof({ weight: 4, arbitrary: bent }, { weight: 2, arbitrary: plain }, { weight: 1, arbitrary: anyText });
}

export type FreeObject = {
  readonly kind: string;
  readonly spec: unknown;
  readonly status: unknown;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
};

const name = (full: boolean) => (full ? freeText('x.e.', '*.x.e.', 'z.x.e.', 'bücher.e.') : freeText('x', '@', '*.x'));
const host = freeText('x.e', '*.x.e', 'e', 'z.x.e.');
const target = freeText('192.0.2.1', '2001:db8::1', 'x.example.net', 'l.eu-west-1.elb.amazonaws.com', 'x.e');
const texts = (...keys: readonly string[]) =>
  fc.dictionary(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...keys) }, { weight: 1, arbitrary: freeText(...keys) }),
    freeText('x.e', 'true', 'HostIP', '60', '192.0.2.1', 'alias', '1'),
    { maxKeys: 4, noNullPrototype: true },
  );
const annotations = texts(
  ...['hostname', 'internal-hostname', 'target', 'ttl', 'alias', 'set-identifier', 'aws-weight', 'aws-region'].map(
    (key) => `external-dns.kubernetes.io/${key}`,
  ),
  'zone53.dev/takeover',
  'zone53.dev/acknowledge-plan',
);
const labels = texts('kubi.zone/parent-zone', 'kubernetes.io/service-name', 'app');
const zoneRef = fc.record(
  { name: freeText('z', 'sub', 'own'), namespace: freeText('a', 'evil') },
  { requiredKeys: ['name'] },
);
const place = fc.oneof(
  name(true).map((domainName) => ({ domainName })),
  fc.record({ domainName: name(false), zoneRef }),
);
const routing = fc.record(
  {
    setIdentifier: freeText('blue', 'green'),
    weight: fc.constantFrom(1, 2),
    healthCheckId: freeText('01234567-89ab-cdef-0123-456789abcdef'),
  },
  { requiredKeys: ['setIdentifier', 'weight'] },
);
const rdata = fc.oneof(
  fc.record({ type: fc.constant('TXT'), rdata: freeText('"x"', 'x', '"a" "b"', 'v=spf1 -all') }),
  fc.record({ type: fc.constant('CAA'), rdata: freeText('0 issue "ca.example.net"') }),
  fc.record({ type: freeText('A', 'CNAME', 'TYPE65280'), rdata: freeText('192.0.2.1', 'x.example.net.', '\\# 1 00') }),
  fc.record({ type: fc.constantFrom('A', 'MX', 'SRV', 'HTTPS'), values: fc.array(freeText('192.0.2.1', '10 x.e.')) }),
  fc.record({
    type: fc.constant('A'),
    alias: fc.record({
      target: freeText('y.e.', 'l.eu-west-1.elb.amazonaws.com'),
      hostedZoneId: freeText('Z32O12XQLNTSW2'),
    }),
  }),
);
const record = fc
  .record({ place, rdata, routing: fc.option(routing), class: fc.option(freeText('IN', 'CH')) })
  .map((said) => ({ ...said.place, ...said.rdata, routing: said.routing, class: said.class }));
const zone = fc
  .record({ place, namespace: freeText('evil', 'a'), pattern: freeText('*', 'x', '*.@', 'e.'), type: freeText('A') })
  .map(({ place: at, namespace, pattern, type }) => ({
    ...at,
    delegations: [
      { namespace, namespaces: [namespace], zones: [pattern], records: [{ pattern, types: [type] }, { pattern: '*' }] },
    ],
  }));
const balanced = fc.array(fc.record({ ip: target, hostname: target }, { requiredKeys: [] }), { maxLength: 2 });
const service = fc.record({
  type: fc.constantFrom('LoadBalancer', 'ClusterIP', 'NodePort', 'ExternalName'),
  clusterIPs: fc.constantFrom(['10.0.0.1'], ['None']),
  clusterIP: fc.constantFrom('10.0.0.1', 'None'),
  externalName: target,
  ports: fc.array(fc.record({ name: freeText('http'), port: fc.constant(80), protocol: freeText('TCP') })),
});
const dnsEndpoint = fc.record({
  endpoints: fc.array(
    fc.record(
      {
        dnsName: host,
        recordType: freeText('A', 'CNAME', 'TXT', 'NS'),
        targets: fc.array(target, { minLength: 1, maxLength: 2 }),
        setIdentifier: freeText('blue'),
        providerSpecific: fc.array(fc.record({ name: freeText('aws/weight', 'alias'), value: freeText('1', 'true') })),
      },
      { requiredKeys: ['dnsName', 'targets'] },
    ),
    { maxLength: 3 },
  ),
});
const parentRef = fc.record({ namespace: freeText('evil'), name: freeText('gw'), sectionName: freeText('http') });
const parentRefs = fc.array(parentRef, { maxLength: 2 });
const endpoints = fc.array(
  fc.record({
    addresses: fc.array(freeText('10.1.0.1'), { maxLength: 2 }),
    hostname: freeText('h'),
    nodeName: freeText('n'),
    targetRef: fc.record({ kind: freeText('Pod'), namespace: freeText('evil'), name: freeText('p') }),
  }),
  { maxLength: 2 },
);

const object = (kind: string, spec: fc.Arbitrary<unknown>, status: fc.Arbitrary<unknown> = fc.constant(null)) =>
  fc.record({ kind: fc.constant(kind), spec, status, annotations, labels });
const withBalancer = fc.record({ loadBalancer: fc.record({ ingress: balanced }) });

/** An object of any kind, with free texts in all of its fields. */
export const freeObject: fc.Arbitrary<FreeObject> = fc.oneof(
  object('Record', record),
  object('Record', record),
  object('Zone', zone),
  object('DNSEndpoint', dnsEndpoint),
  object('Service', service, withBalancer),
  object(
    'Ingress',
    fc.record({ rules: fc.array(fc.record({ host })), tls: fc.array(fc.record({ hosts: fc.array(host) })) }),
    withBalancer,
  ),
  object(
    'HTTPRoute',
    fc.record({ hostnames: fc.array(host), parentRefs }),
    fc.record({
      parents: fc.array(fc.record({ parentRef, conditions: fc.constant([{ type: 'Accepted', status: 'True' }]) })),
    }),
  ),
  object(
    'Pod',
    fc.record({ hostname: freeText('h'), subdomain: freeText('s'), nodeName: freeText('n') }),
    fc.record({ podIP: target, podIPs: fc.array(fc.record({ ip: target })), phase: freeText('Running') }),
  ),
  object(
    'Gateway',
    fc.record({
      listeners: fc.array(fc.record({ name: freeText('http'), protocol: freeText('HTTP'), hostname: host })),
      addresses: fc.array(fc.record({ value: target })),
    }),
  ),
  object('EndpointSlice', fc.record({ addressType: freeText('IPv4'), endpoints, ports: fc.constant([]) })),
);

/** The spec of a DNSRecord of Gardener, its annotations and its status. */
export const freeDnsRecord = fc.record({
  spec: fc.record(
    {
      name: freeText('x.example.org', '*.x.example.org'),
      recordType: fc.oneof(fc.constantFrom('A', 'TXT', 'CNAME'), freeText('A')),
      values: fc.array(freeText('192.0.2.1', 'x.example.net', 'v=spf1'), { minLength: 1, maxLength: 2 }),
      zone: freeText('Z1', '/hostedzone/Z1'),
      region: freeText('eu-west-1'),
      secretRef: fc.record(
        { name: freeText('creds'), namespace: freeText('shoot--foo--bar') },
        { requiredKeys: ['name'] },
      ),
    },
    { requiredKeys: ['name', 'recordType', 'values'] },
  ),
  annotations: texts('gardener.cloud/operation', 'gardener.cloud/timestamp', 'dns.gardener.cloud/ip-stack'),
  text: freeText('AKIAGOODGOODGOODGOOD'),
});
