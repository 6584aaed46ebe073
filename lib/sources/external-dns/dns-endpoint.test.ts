import { describe, expect, test } from 'vitest';
import { linesOf, resultOf } from '../../../test/support/source-lines.ts';
import { DNS_ENDPOINT } from './dns-endpoint.ts';

type Around = Parameters<typeof linesOf>[2];

function linesWith(...endpoints: readonly unknown[]) {
  return linesOf(DNS_ENDPOINT, { spec: { endpoints } });
}

function around(options: Around, ...endpoints: readonly unknown[]) {
  return linesOf(DNS_ENDPOINT, { spec: { endpoints } }, options);
}

const NAME = { dnsName: 'www.example.org' };
const ALB = 'web-1.eu-west-1.elb.amazonaws.com';

describe('a set of a DNSEndpoint', () => {
  test('has its health check as a property', () => {
    const providerSpecific = [
      { name: 'aws/weight', value: '1' },
      { name: 'zone53.dev/health-check', value: 'tcp://a.example.net:22' },
    ];
    const set = { ...NAME, recordType: 'A', targets: ['192.0.2.1'], setIdentifier: 'one', providerSpecific };
    const result = resultOf(DNS_ENDPOINT, { spec: { endpoints: [set] } });
    expect(result.ok && result.notes).toEqual([]);
    expect(result.ok && result.endpoints.map(({ routing }) => routing?.healthCheckId)).toEqual([
      '{"protocol":"TCP","host":"a.example.net","port":22}',
    ]);
  });

  test.each([
    ['A', ['192.0.2.2', '192.0.2.1'], 'A 192.0.2.1,192.0.2.2'],
    ['aaaa', ['2001:DB8:0::1'], 'AAAA 2001:db8::1'],
    ['CNAME', ['Target.example.net'], 'CNAME target.example.net.'],
    ['TXT', ['v=spf1 -all'], 'TXT "v=spf1 -all"'],
    ['TXT', ['"in quotes" "twice"'], 'TXT "in quotes" "twice"'],
    ['MX', ['10 mail.example.net'], 'MX 10 mail.example.net.'],
    ['MX', ['10 mail.example.net.'], 'MX 10 mail.example.net.'],
    ['SRV', ['0 5 443 host.'], 'SRV 0 5 443 host.'],
    ['SRV', ['0 5 443 host'], 'SRV 0 5 443 host.'],
    ['NS', ['b.example.net.', 'a.example.net'], 'NS a.example.net.,b.example.net.'],
    ['PTR', ['host.example.net'], 'PTR host.example.net.'],
    ['CAA', ['0 issue "ca.example.net"'], 'CAA 0 issue "ca.example.net"'],
    ['DNAME', ['x.example.net'], 'DNAME x.example.net'],
  ])('of type %s', (recordType, targets, line) => {
    expect(linesWith({ ...NAME, recordType, targets })).toEqual({
      endpoints: [`www.example.org. ${line}`],
      invalid: [],
      problems: [],
      waits: [],
    });
  });

  test('without a type is A, AAAA or CNAME by its targets', () => {
    const targets = ['192.0.2.1', '2001:db8::1', 'x.example.net'];
    expect(linesWith({ ...NAME, targets }, { ...NAME, recordType: '', targets: ['192.0.2.9'] }).endpoints).toEqual([
      'www.example.org. A 192.0.2.1',
      'www.example.org. AAAA 2001:db8::1',
      'www.example.org. CNAME x.example.net.',
      'www.example.org. A 192.0.2.9',
    ]);
  });

  test.each([
    [0, ''],
    [null, ''],
    [undefined, ''],
    [60, '60 '],
    [2_147_483_647, '2147483647 '],
  ])('with recordTTL %j', (recordTTL, shown) => {
    expect(linesWith({ ...NAME, recordTTL, targets: ['192.0.2.1'] })).toMatchObject({
      endpoints: [`www.example.org. A ${shown}192.0.2.1`],
      problems: [],
    });
  });

  test.each([-1, 1.5, '60', 2_147_483_648, true, {}])(
    'with recordTTL %j: a problem, and the default holds',
    (recordTTL) => {
      const { endpoints, problems } = linesWith({ ...NAME, recordTTL, targets: ['192.0.2.1'] });
      expect(endpoints).toEqual(['www.example.org. A 192.0.2.1']);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^spec\.endpoints\[0\]\.recordTTL: /);
    },
  );

  test.each([
    ['a bad value among good ones', { recordType: 'A', targets: ['192.0.2.1', 'x'] }, 'targets[1]'],
    ['a host name as an A', { recordType: 'A', targets: ['x.example.net'] }, 'targets[0]'],
    ['an address as a CNAME', { recordType: 'CNAME', targets: ['192.0.2.1'] }, 'targets[0]'],
    ['an open quote', { recordType: 'TXT', targets: ['"open'] }, 'targets[0]'],
    ['an MX without preference', { recordType: 'MX', targets: ['mail.example.net'] }, 'targets[0]'],
    ['a target that is not a string', { recordType: 'A', targets: [7] }, 'targets[0]'],
    ['no target', { recordType: 'A', targets: [] }, 'targets'],
    ['targets that are missing', { recordType: 'A' }, 'targets'],
    ['an invalid type', { recordType: 'NOPE', targets: ['x'] }, 'recordType'],
    ['a type that is not a string', { recordType: 5, targets: ['x'] }, 'recordType'],
    ['an invalid name', { dnsName: 'a..b', targets: ['192.0.2.1'] }, 'dnsName'],
    ['an address for a name', { dnsName: '192.0.2.7', targets: ['192.0.2.1'] }, 'dnsName'],
    ['no name', { dnsName: undefined, targets: ['192.0.2.1'] }, 'dnsName'],
    [
      'a weight that is not a number',
      { targets: ['192.0.2.1'], providerSpecific: [{ name: 'aws/weight', value: 'x' }] },
      'providerSpecific aws/weight',
    ],
    [
      'a weight that is not a string',
      { targets: ['192.0.2.1'], providerSpecific: [{ name: 'aws/weight', value: 1 }] },
      'providerSpecific aws/weight',
    ],
    ['a set identifier that is not a string', { targets: ['192.0.2.1'], setIdentifier: 5 }, 'setIdentifier'],
    ['targets that are not a list', { targets: '192.0.2.1' }, 'targets'],
    [
      'properties that are not a list',
      { targets: ['192.0.2.1'], providerSpecific: { 'aws/weight': '1' } },
      'providerSpecific',
    ],
  ])('with %s is left out as a whole, and no other set is', (_, set, path) => {
    const { endpoints, invalid, problems } = linesWith(
      { ...NAME, ...set },
      { dnsName: 'ok.example.org', targets: ['192.0.2.5'] },
    );
    expect(endpoints).toEqual(['ok.example.org. A 192.0.2.5']);
    expect(invalid).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`spec.endpoints[0].${path}: `);
  });

  test('may be a wildcard, and its name may end in a dot', () => {
    expect(linesWith({ dnsName: '*.Example.org.', targets: ['192.0.2.1'] }).endpoints).toEqual([
      '*.example.org. A 192.0.2.1',
    ]);
  });

  test('with several host names has the first in text order', () => {
    const { endpoints, problems } = linesWith({
      ...NAME,
      recordType: 'CNAME',
      targets: ['b.example.net', 'a.example.net'],
    });
    expect(endpoints).toEqual(['www.example.org. CNAME a.example.net.']);
    expect(problems[0]).toMatch(/left out: b\.example\.net\.$/);
  });
});

describe('providerSpecific of a DNSEndpoint', () => {
  const routed = (type: string, targets: readonly string[]) => ({
    ...NAME,
    recordType: type,
    targets,
    setIdentifier: 'one',
    providerSpecific: [{ name: 'aws/weight', value: '5' }],
  });

  test('is routing with setIdentifier', () => {
    const weight = 'one {"kind":"weight","weight":5}';
    expect(linesWith(routed('A', ['192.0.2.1'])).endpoints).toEqual([`www.example.org. A 192.0.2.1 ${weight}`]);
    expect(linesWith(routed('MX', ['10 mail.example.net'])).endpoints).toEqual([
      `www.example.org. MX 10 mail.example.net. ${weight}`,
    ]);
  });

  test('is refused for types without routing', () => {
    const { endpoints, invalid } = linesWith(routed('NS', ['a.example.net']));
    expect(endpoints).toEqual([]);
    expect(invalid[0]).toMatch(/^www\.example\.org\. NS one /);
  });

  test('with only unknown keys is ignored', () => {
    const providerSpecific = [
      { name: 'cloudflare/proxied', value: true },
      { name: 'aws/hosted-zone-id', value: 'Z1' },
      null,
      5,
    ];
    expect(linesWith({ ...NAME, targets: ['192.0.2.1'], providerSpecific })).toMatchObject({
      endpoints: ['www.example.org. A 192.0.2.1'],
      problems: [],
    });
  });

  const alias = (value: string) => ({ providerSpecific: [{ name: 'alias', value }] });
  const types = { 'lb.example.org.': ['A'] };

  test('an A or AAAA with one host name and alias: true is an alias of that type', () => {
    const at = (recordType: string, target: string) => ({ ...NAME, recordType, targets: [target], ...alias('true') });
    expect(linesWith(at('A', ALB)).endpoints).toEqual([`www.example.org. A ALIAS ${ALB}. Z32O12XQLNTSW2`]);
    expect(linesWith(at('AAAA', ALB)).endpoints).toEqual([`www.example.org. AAAA ALIAS ${ALB}. Z32O12XQLNTSW2`]);
    expect(around({ types }, at('A', 'lb.example.org')).endpoints).toEqual([
      'www.example.org. A ALIAS lb.example.org. own',
    ]);
    expect(around({ types }, at('AAAA', 'lb.example.org')).endpoints).toEqual([]);
  });

  test.each([
    ['an A with an address', { recordType: 'A', targets: ['192.0.2.1'] }],
    ['a TXT', { recordType: 'TXT', targets: ['x'] }],
    ['an MX', { recordType: 'MX', targets: ['10 mail.example.net'] }],
    ['an NS', { recordType: 'NS', targets: ['a.example.net'] }],
  ])('alias on %s is a problem', (_, set) => {
    const { endpoints, problems } = linesWith({ ...NAME, ...set, ...alias('true') });
    expect(endpoints).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('alias');
  });

  test('a CNAME to a name of AWS becomes aliases, unless alias is false', () => {
    const set = { ...NAME, recordType: 'CNAME', targets: [ALB] };
    expect(linesWith(set).endpoints).toHaveLength(2);
    expect(linesWith({ ...set, ...alias('false') }).endpoints).toEqual([`www.example.org. CNAME ${ALB}.`]);
    expect(around({ settings: { preferCname: true } }, set).endpoints).toEqual([`www.example.org. CNAME ${ALB}.`]);
  });
});

describe('a DNSEndpoint', () => {
  test('is read without its annotations, except controller', () => {
    const prefix = 'external-dns.kubernetes.io/';
    const spec = { endpoints: [{ ...NAME, targets: ['192.0.2.1'] }] };
    const with_ = (annotations: Record<string, string>) => linesOf(DNS_ENDPOINT, { metadata: { annotations }, spec });
    const ignored = { [`${prefix}ttl`]: '5', [`${prefix}hostname`]: 'x.example.org', [`${prefix}target`]: '192.0.2.9' };
    expect(with_(ignored)).toMatchObject({ endpoints: ['www.example.org. A 192.0.2.1'], problems: [] });
    expect(with_({ [`${prefix}controller`]: 'other' }).endpoints).toEqual([]);
  });

  test("has the operator's targets where it has none", () => {
    const settings = { defaultTargets: ['192.0.2.9'] };
    expect(around({ settings }, { ...NAME }).endpoints).toEqual(['www.example.org. A 192.0.2.9']);
    expect(around({ settings }, { ...NAME, recordType: 'TXT' }).problems).toHaveLength(1);
  });

  test.each([[undefined], [null], [{}], [{ endpoints: null }], [{ endpoints: [] }]])(
    'with spec %j asks for nothing',
    (spec) => {
      expect(linesOf(DNS_ENDPOINT, { spec })).toEqual({ endpoints: [], invalid: [], problems: [], waits: [] });
    },
  );

  test('without a list of endpoints is an error', () => {
    expect(resultOf(DNS_ENDPOINT, { spec: { endpoints: 'x' } })).toMatchObject({ ok: false });
  });

  test('may ask for 500 endpoints, and says which is left out first', () => {
    const many = (count: number) =>
      linesWith(
        ...Array.from({ length: count }, (_, index) => ({ dnsName: `n${index}.example.org`, targets: ['192.0.2.1'] })),
      );
    expect(many(500)).toMatchObject({ problems: [] });
    const more = many(1_000);
    expect(more.endpoints).toHaveLength(500);
    expect(more.problems).toEqual([expect.stringContaining('the first for n500.example.org.')]);
  });
});

test('a misspelt field and a misspelt property are notes', () => {
  const endpoint = { dnsName: 'a.example.org', recordTtl: 60, Target: ['x'], targets: ['192.0.2.1'], note: 'mine' };
  const providerSpecific = [{ name: 'aws/wieght', value: '1' }];
  const result = resultOf(DNS_ENDPOINT, { spec: { endpoints: [{ ...endpoint, providerSpecific }] } });
  expect(result).toMatchObject({
    problems: [],
    notes: [
      'spec.endpoints[0].recordTtl is not read; did you mean recordTTL?',
      'spec.endpoints[0].Target is not read; did you mean targets?',
      'spec.endpoints[0].providerSpecific aws/wieght is not read: did you mean aws/weight?',
    ],
  });
});
