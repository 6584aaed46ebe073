import { describe, expect, test } from 'vitest';
import type { RecordSet } from '../dns/record-set.ts';
import { isObjectName } from '../objects/object-ref.ts';
import { describeHostedZone } from './describe-hosted-zone.ts';
import { recordObjectName, zoneObjectName } from './object-name.ts';

const values = (...all: string[]) => ({ kind: 'values' as const, ttlSeconds: 300, values: all });
function set(
  name: string,
  type: string,
  content: RecordSet['content'],
  setIdentifier: string | null = null,
): RecordSet {
  return { name, type, setIdentifier, content };
}
const imported = (...sets: RecordSet[]) => describeHostedZone('e.', sets, { namespace: 'ns', zoneName: 'e' });
const specs = (...sets: RecordSet[]) =>
  imported(...sets)
    .manifests.slice(1)
    .map(({ spec }) => spec);

describe('describeHostedZone()', () => {
  test('begins with a Zone that gives every name to its own namespace, and leaves Route 53’s own sets out', () => {
    const { manifests, problems } = imported(set('e.', 'NS', values('ns.')), set('e.', 'SOA', values('x')));
    expect(manifests).toEqual([
      {
        apiVersion: 'kubi.zone/v1alpha1',
        kind: 'Zone',
        metadata: { name: 'e', namespace: 'ns' },
        spec: {
          domainName: 'e.',
          delegations: [{ namespaces: ['ns'], records: [{ pattern: '@' }, { pattern: '*' }] }],
        },
      },
    ]);
    expect(problems).toEqual([]);
  });

  test('has a Zone that takes over only where that is asked for', () => {
    const { manifests } = describeHostedZone('e.', [], { namespace: 'ns', zoneName: 'e', takesOver: true });
    expect(manifests[0]?.metadata.annotations).toEqual({ 'zone53.dev/takeover': 'true' });
  });

  test('says one value as rdata and several as values, an alias and routing as a Record does', () => {
    const alias = {
      hostedZoneId: 'Z32O12XQLNTSW2',
      dnsName: 'web-1.eu-west-1.elb.amazonaws.com.',
      evaluateTargetHealth: true,
    };
    const weight = { policy: { kind: 'weight' as const, weight: 10 }, healthCheckId: 'abc' };
    expect(
      specs(
        set('a.e.', 'A', values('192.0.2.1')),
        set('b.e.', 'A', values('192.0.2.1', '192.0.2.2')),
        set('c.e.', 'A', { kind: 'alias', alias }),
        set('sub.e.', 'NS', values('ns.example.')),
        set('w.e.', 'A', { ...values('192.0.2.1'), routing: weight }, 'eu'),
      ),
    ).toEqual([
      { domainName: 'a.e.', type: 'A', ttl: 300, rdata: '192.0.2.1' },
      { domainName: 'b.e.', type: 'A', ttl: 300, values: ['192.0.2.1', '192.0.2.2'] },
      {
        domainName: 'c.e.',
        type: 'A',
        alias: { target: alias.dnsName, hostedZoneId: 'Z32O12XQLNTSW2', evaluateTargetHealth: true },
      },
      { domainName: 'sub.e.', type: 'NS', ttl: 300, rdata: 'ns.example.' },
      {
        domainName: 'w.e.',
        type: 'A',
        ttl: 300,
        rdata: '192.0.2.1',
        routing: { setIdentifier: 'eu', weight: 10, healthCheckId: 'abc' },
      },
    ]);
  });

  test('imports an alias to a load balancer of before 2016, in the hosted zone of that time', () => {
    const alias = {
      hostedZoneId: 'Z3NF1Z3NOM5OY2',
      dnsName: 'web-1.eu-west-1.elb.amazonaws.com.',
      evaluateTargetHealth: false,
    };
    const { manifests, problems } = imported(set('c.e.', 'A', { kind: 'alias', alias }));
    expect(problems).toEqual([]);
    expect(manifests[1]?.spec).toEqual({
      domainName: 'c.e.',
      type: 'A',
      alias: { target: alias.dnsName, hostedZoneId: alias.hostedZoneId, evaluateTargetHealth: false },
    });
  });

  test.each<[string, RecordSet, RegExp]>([
    ['an escape in a name', set('a\\100b.e.', 'A', values('192.0.2.1')), /^Cannot import A a\\100b\.e\.: .*character/],
    ['a dot inside a label', set('a\\056b.e.', 'A', values('192.0.2.1')), /a\\056b/],
    ['a star inside a name', set('a.*.e.', 'A', values('192.0.2.1')), /leftmost/],
    ['no values', set('t.e.', 'A', values()), /traffic policy/],
    ['a policy that nobody knows', set('t.e.', 'A', values('192.0.2.1'), 'eu'), /set identifier "eu"/],
    ['a value that does not parse', set('t.e.', 'A', values('not an address')), /spec\.rdata/],
    [
      'a value that would be written otherwise',
      set('t.e.', 'AAAA', values('2001:DB8::1')),
      /another content than the present one/,
    ],
  ])('says why a Record cannot express %s, and imports the rest', (_, bad, why) => {
    const { manifests, problems } = imported(bad, set('www.e.', 'A', values('192.0.2.1')));
    expect(manifests).toHaveLength(2);
    expect(problems).toEqual([expect.stringMatching(why)]);
  });

  test('leaves out the delegations of a private hosted zone, and says so', () => {
    const sets = [set('sub.e.', 'NS', values('ns.example.')), set('www.e.', 'A', values('192.0.2.1'))];
    const { manifests, problems } = describeHostedZone('e.', sets, { namespace: 'p', zoneName: 'e', isPrivate: true });
    expect(manifests).toHaveLength(2);
    expect(problems).toEqual([
      expect.stringMatching(/^Cannot import NS sub\.e\.: zone53 publishes no delegation in a private/),
    ]);
  });

  test('gives the same for the same record sets, in whatever order they come', () => {
    const sets = ['b', 'a', '*', '_x'].map((label) => set(`${label}.e.`, 'A', values('192.0.2.1')));
    expect(imported(...sets.toReversed())).toEqual(imported(...sets));
  });
});

describe('recordObjectName()', () => {
  const nameOf = (name: string, type = 'A', setIdentifier: string | null = null) =>
    recordObjectName({ name, type, setIdentifier });

  test('is the name and the type, with a hash where there is more to tell apart', () => {
    expect(nameOf('www.example.org.', 'MX')).toBe('www.example.org-mx');
    expect(nameOf('*.example.org.')).toMatch(/^wildcard\.example\.org-a-[0-9a-f]{8}$/);
    expect(nameOf('_dmarc.example.org.', 'TXT')).toMatch(/^dmarc\.example\.org-txt-[0-9a-f]{8}$/);
    expect(nameOf('www.example.org.', 'A', 'eu')).not.toBe(nameOf('www.example.org.', 'A', 'us'));
    expect(nameOf('a_b.example.org.')).not.toBe(nameOf('a/b.example.org.'));
    expect(zoneObjectName('example.org.')).toBe('example.org');
  });

  test('is a name that Kubernetes takes, whatever the DNS name', () => {
    const long = `${'x'.repeat(63)}.`.repeat(3);
    for (const name of ['-a-.e.', '_.e.', '0/25.2.0.192.in-addr.arpa.', `${long}${'y'.repeat(50)}.example.`])
      expect(isObjectName(nameOf(name)), nameOf(name)).toBe(true);
  });
});

describe('describeHostedZone() where zone53 publishes the SOA', () => {
  const soa = (timers: string) => set('e.', 'SOA', { ...values(`ns-1.e. host.e. 1 ${timers}`), ttlSeconds: 900 });
  const of = (timers: string) =>
    describeHostedZone('e.', [soa(timers)], { namespace: 'ns', zoneName: 'e', hasSoa: true });

  test('the Zone has its TTL and timers', () => {
    const { manifests, problems } = of('7200 900 1209600 86400');
    const timers = { ttl: 900, refresh: 7200, retry: 900, expire: 1_209_600, negativeResponseCache: 86_400 };
    expect(manifests).toMatchObject([{ kind: 'Zone', spec: timers }]);
    expect(problems).toEqual([]);
  });

  test('timers that a Zone cannot have are a problem, and left out', () => {
    const { manifests, problems } = of('900 900 1209600 86400');
    expect(manifests[0]?.spec).not.toHaveProperty('refresh');
    expect(problems).toEqual(['Cannot import SOA e.: spec.retry: 900 must be less than refresh, 900 (RFC 1912 §2.2)']);
  });
});

test('describeHostedZone() remarks on what somebody protects: at its Record, or at the Zone', () => {
  const set = (name: string, type: string, value: string): RecordSet => ({
    ...{ name, type, setIdentifier: null },
    content: { kind: 'values', ttlSeconds: 300, values: [value] },
  });
  const sets = [set('a.e.', 'A', '192.0.2.1'), set('e.', 'NS', 'ns.e.'), set('b.e.', 'A', '192.0.2.1')];
  const protections = [
    { name: 'a.e.', type: 'A', comment: 'a\n"b"' },
    { name: 'e.', type: 'NS', comment: null },
    { name: 'new.e.', type: 'TXT', comment: 'kept' },
  ];
  const { manifests, remarks } = describeHostedZone('e.', sets, { namespace: 'p', zoneName: 'e', protections });
  expect(manifests.map((manifest) => remarks.get(manifest) ?? null)).toEqual([
    ['NS e. is protected in Route 53, without a comment', 'TXT new.e. is protected in Route 53, comment "kept"'],
    ['A a.e. is protected in Route 53, comment "a\\n\\"b\\""'],
    null,
  ]);
});
