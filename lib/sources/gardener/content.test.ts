import { expect, test } from 'vitest';
import { parseDnsRecord } from './spec.ts';

const REF = { kind: 'DNSRecord', namespace: 'garden', name: 'seed-ingress' };
const STACK = 'dns.gardener.cloud/ip-stack';

/** `type ttl values`, or `type alias target zone health`, of each record set. */
function shown(fields: Record<string, unknown>, annotations: Record<string, string> = {}): readonly string[] {
  const spec = { type: 'aws-route53', secretRef: { name: 'dns' }, name: 'api.example.com', recordType: 'A', ...fields };
  const result = parseDnsRecord({ ref: REF, annotations, spec });
  if (!result.ok) return result.problems;
  return result.spec.recordSets.map(({ name, type, setIdentifier, content }) => {
    expect([name, setIdentifier]).toEqual(['api.example.com.', null]);
    if (content.kind === 'values') return `${type} ${content.ttlSeconds} ${content.values.join(' | ')}`;
    const { dnsName, hostedZoneId, evaluateTargetHealth } = content.alias;
    return `${type} alias ${dnsName} ${hostedZoneId} ${evaluateTargetHealth}`;
  });
}

test('recordSetsOf() uses 120 seconds without a TTL, and keeps a TTL of 0', () => {
  expect(shown({ values: ['1.1.1.1', '2.2.2.2'] })).toEqual(['A 120 1.1.1.1 | 2.2.2.2']);
  expect(shown({ values: ['1.1.1.1'], ttl: null })).toEqual(['A 120 1.1.1.1']);
  expect(shown({ values: ['1.1.1.1'], ttl: 0 })).toEqual(['A 0 1.1.1.1']);
  expect(shown({ values: ['1.1.1.1'], ttl: 2_147_483_647 })).toEqual(['A 2147483647 1.1.1.1']);
});

test('recordSetsOf() keeps a CNAME to any other name', () => {
  expect(shown({ recordType: 'CNAME', values: ['foo.example.com'], ttl: 600 })).toEqual(['CNAME 600 foo.example.com.']);
});

const LOAD_BALANCER = { recordType: 'CNAME', values: ['foo.elb.eu-west-1.amazonaws.com'], ttl: 600 };
const ALIAS = 'alias foo.elb.eu-west-1.amazonaws.com. Z2IFOLAFXWLO4F true';

test.each<[string | undefined, readonly string[]]>([
  [undefined, [`A ${ALIAS}`]],
  ['ipv4', [`A ${ALIAS}`]],
  ['ipv6', [`AAAA ${ALIAS}`]],
  ['dual-stack', [`A ${ALIAS}`, `AAAA ${ALIAS}`]],
  ['IPv6', [`A ${ALIAS}`]],
  ['', [`A ${ALIAS}`]],
  ['toString', [`A ${ALIAS}`]],
])('recordSetsOf() makes a CNAME to a load balancer an alias, stack %s', (stack, expected) => {
  expect(shown(LOAD_BALANCER, stack === undefined ? {} : { [STACK]: stack })).toEqual(expected);
});

test.each([
  ['foo.eu-west-1.elb.amazonaws.com', 'A alias foo.eu-west-1.elb.amazonaws.com. Z32O12XQLNTSW2 true'],
  ['foo.eu-west-1.elb.amazonaws.com.', 'A alias foo.eu-west-1.elb.amazonaws.com. Z32O12XQLNTSW2 true'],
  ['abc.awsglobalaccelerator.com', 'A alias abc.awsglobalaccelerator.com. Z2BJ6XQ5FK7U4H true'],
  ['abc.cloudfront.net', 'A alias abc.cloudfront.net. Z2FDTNDATAQYW2 false'],
  ['foo.elb.us-gov-west-1.amazonaws.com', 'CNAME 120 foo.elb.us-gov-west-1.amazonaws.com.'],
  ['foo.us-gov-east-1.elb.amazonaws.com', 'CNAME 120 foo.us-gov-east-1.elb.amazonaws.com.'],
  ['elb.eu-west-1.amazonaws.com', 'CNAME 120 elb.eu-west-1.amazonaws.com.'],
  ['notelb.eu-west-1.amazonaws.com', 'CNAME 120 notelb.eu-west-1.amazonaws.com.'],
  ['foo.elb.nowhere-1.amazonaws.com', 'CNAME 120 foo.elb.nowhere-1.amazonaws.com.'],
])('recordSetsOf() makes an alias of %s', (target, expected) => {
  expect(shown({ recordType: 'CNAME', values: [target] })).toEqual([expected]);
});

test('recordSetsOf() keeps a CNAME to a service that has no addresses of that family', () => {
  const website = { recordType: 'CNAME', values: ['b.s3-website-eu-west-1.amazonaws.com'] };
  expect(shown(website, { [STACK]: 'ipv6' })).toEqual(['CNAME 120 b.s3-website-eu-west-1.amazonaws.com.']);
  expect(shown(website, { [STACK]: 'dual-stack' })).toEqual([
    'A alias b.s3-website-eu-west-1.amazonaws.com. Z1BKCTXD74EZPE true',
  ]);
});

test('recordSetsOf() makes no alias of an A or a TXT', () => {
  expect(shown({ recordType: 'TXT', values: ['foo.elb.eu-west-1.amazonaws.com'] }, { [STACK]: 'ipv6' })).toEqual([
    'TXT 120 "foo.elb.eu-west-1.amazonaws.com"',
  ]);
});
