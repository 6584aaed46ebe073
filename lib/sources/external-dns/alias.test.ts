import { describe, expect, test } from 'vitest';
import { linesOf, resultOf } from '../../../test/support/source-lines.ts';
import { INGRESS } from './ingress.ts';

const ALB = 'web-1.eu-west-1.elb.amazonaws.com';
const ALB_ZONE = 'Z32O12XQLNTSW2';

/** The result for an Ingress at www.example.org with these targets and annotations. */
function linesWith(
  target: string,
  annotations: Readonly<Record<string, string>> = {},
  around: Parameters<typeof linesOf>[2] = {},
) {
  const all = Object.entries({ target, ...annotations }).map(([key, value]) => [
    `external-dns.kubernetes.io/${key}`,
    value,
  ]);
  const object = {
    metadata: { annotations: Object.fromEntries(all) },
    spec: { rules: [{ host: 'www.example.org' }] },
  };
  return linesOf(INGRESS, object, around);
}

describe('targets', () => {
  test('give an A for IPv4, an AAAA for IPv6 and a CNAME for a host name', () => {
    expect(linesWith('192.0.2.1, 2001:DB8::1 ,LB.Example.NET').endpoints).toEqual([
      'www.example.org. A 192.0.2.1',
      'www.example.org. AAAA 2001:db8::1',
      'www.example.org. CNAME lb.example.net.',
    ]);
  });

  test('appear once each, in canonical order, with or without the last dot', () => {
    expect(linesWith('192.0.2.10,192.0.2.9,192.0.2.10').endpoints).toEqual(['www.example.org. A 192.0.2.9,192.0.2.10']);
    expect(linesWith('a.example.net.,a.example.net').endpoints).toEqual(['www.example.org. CNAME a.example.net.']);
  });

  test('give of several host names the first in text order, and a problem that names the others', () => {
    const { endpoints, problems } = linesWith('b.example.net,a.example.net,c.example.net');
    expect(endpoints).toEqual(['www.example.org. CNAME a.example.net.']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/left out: b\.example\.net\., c\.example\.net\.$/);
  });

  test('give no endpoints and a problem if one of them is invalid', () => {
    const { endpoints, problems } = linesWith('192.0.2.1,bad..name');
    expect(endpoints).toEqual([]);
    expect(problems).toEqual([
      'annotation external-dns.kubernetes.io/target: "bad..name" is neither an address nor a host name',
    ]);
  });
});

describe('a name of an AWS service', () => {
  const both = [`www.example.org. A ALIAS ${ALB}. ${ALB_ZONE}`, `www.example.org. AAAA ALIAS ${ALB}. ${ALB_ZONE}`];

  test('becomes an alias A and an alias AAAA, without a TTL', () => {
    expect(linesWith(ALB, { ttl: '60' })).toEqual({ endpoints: both, invalid: [], problems: [], waits: [] });
  });

  test('keeps its spelling in lower case, dualstack included', () => {
    expect(linesWith(`DualStack.${ALB}`).endpoints[0]).toBe(`www.example.org. A ALIAS dualstack.${ALB}. ${ALB_ZONE}`);
  });

  test.each([
    ['alias: false', { alias: 'false' }, {}, [`www.example.org. CNAME ${ALB}.`]],
    ['preferCname', {}, { preferCname: true }, [`www.example.org. CNAME ${ALB}.`]],
    ['alias: A', { alias: 'A' }, {}, both.slice(0, 1)],
    ['alias: AAAA', { alias: 'AAAA' }, {}, both.slice(1)],
    ['alias: true before preferCname', { alias: 'true' }, { preferCname: true }, both],
    ['alias: A before preferCname', { alias: 'A' }, { preferCname: true }, both.slice(0, 1)],
    ['alias: false, with preferCname', { alias: 'false' }, { preferCname: true }, [`www.example.org. CNAME ${ALB}.`]],
  ])('%s', (_, annotations, settings, endpoints) => {
    expect(linesWith(ALB, annotations, { settings })).toEqual({ endpoints, invalid: [], problems: [], waits: [] });
  });

  test('of a service without AAAA becomes an alias A alone', () => {
    const target = 'www.example.org.s3-website.eu-central-1.amazonaws.com';
    expect(linesWith(target).endpoints).toEqual([
      'www.example.org. A ALIAS s3-website.eu-central-1.amazonaws.com. Z21DNDUVLTQW6Q',
    ]);
    const asked = linesWith(target, { alias: 'AAAA' });
    expect(asked.endpoints).toEqual([]);
    expect(asked.problems[0]).toMatch(/^alias: /);
  });

  test('of an S3 website whose bucket has another name than the record becomes a CNAME', () => {
    expect(linesWith('other.s3-website.eu-central-1.amazonaws.com').endpoints).toEqual([
      'www.example.org. CNAME other.s3-website.eu-central-1.amazonaws.com.',
    ]);
  });

  test('of CloudFront does not evaluate health, and may not', () => {
    const target = 'd111.cloudfront.net';
    expect(linesWith(target).endpoints).toEqual([
      'www.example.org. A ALIAS d111.cloudfront.net. Z2FDTNDATAQYW2 no-health',
      'www.example.org. AAAA ALIAS d111.cloudfront.net. Z2FDTNDATAQYW2 no-health',
    ]);
    const asked = linesWith(target, { 'aws-evaluate-target-health': 'true' });
    expect(asked.endpoints).toEqual([]);
    expect(asked.invalid).toHaveLength(2);
  });

  test('takes aws-evaluate-target-health and aws-target-hosted-zone', () => {
    const annotations = { 'aws-evaluate-target-health': 'false', 'aws-target-hosted-zone': 'Z1', alias: 'A' };
    expect(linesWith(ALB, annotations).endpoints).toEqual([`www.example.org. A ALIAS ${ALB}. Z1 no-health`]);
  });

  test('is refused by the same rules as a Record', () => {
    const { endpoints, invalid } = linesWith(ALB, {
      'set-identifier': 'one',
      'aws-multi-value-answer': 'true',
      alias: 'A',
    });
    expect(endpoints).toEqual([]);
    expect(invalid[0]).toMatch(/^www\.example\.org\. A one .*multivalue/);
  });
});

describe('another name', () => {
  const types = { 'lb.example.org.': ['A', 'TXT'], 'both.example.org.': ['A', 'AAAA'], 'text.example.org.': ['TXT'] };

  test.each([
    ['without alias is a CNAME', 'both.example.org', {}, ['www.example.org. CNAME both.example.org.'], []],
    [
      'with alias: true becomes an alias of the types that it has',
      'both.example.org',
      { alias: 'true' },
      ['www.example.org. A ALIAS both.example.org. own', 'www.example.org. AAAA ALIAS both.example.org. own'],
      [],
    ],
    [
      'with alias: true, a problem names the type that it does not have',
      'lb.example.org',
      { alias: 'true' },
      ['www.example.org. A ALIAS lb.example.org. own'],
      ['alias: lb.example.org. has no AAAA record, so www.example.org. gets none'],
    ],
    [
      'with alias: A becomes only that alias',
      'both.example.org',
      { alias: 'A' },
      ['www.example.org. A ALIAS both.example.org. own'],
      [],
    ],
  ] as const)('%s', (_, target, annotations, endpoints, problems) => {
    expect(linesWith(target, annotations, { types })).toMatchObject({ endpoints, problems });
  });

  test.each([
    ['text.example.org', 'true'],
    ['lb.example.org', 'AAAA'],
    ['elsewhere.example.net', 'true'],
    ['192.0.2.1', 'true'],
    ['192.0.2.1,2001:db8::1', 'A'],
  ])('%s with alias: %s is a problem, and its endpoint is left out', (target, alias) => {
    const { endpoints, problems } = linesWith(target, { alias }, { types });
    expect(endpoints).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^alias: /);
  });

  test('becomes an alias of both types with alias: true and the id of its hosted zone', () => {
    const annotations = { alias: 'true', 'aws-target-hosted-zone': 'Z9' };
    expect(linesWith('x.example.net', annotations).endpoints).toEqual([
      'www.example.org. A ALIAS x.example.net. Z9',
      'www.example.org. AAAA ALIAS x.example.net. Z9',
    ]);
  });

  test('at which addresses are published keeps them with alias: false', () => {
    expect(linesWith('192.0.2.1', { alias: 'false' }).endpoints).toEqual(['www.example.org. A 192.0.2.1']);
  });
});

describe('a ring of aliases', () => {
  const ringed = (aliases: Record<string, Record<string, string>>) =>
    linesWith('b.example.org', { alias: 'A' }, { types: { 'b.example.org.': ['A'] }, aliases });

  test('is reported, and is published as its objects ask', () => {
    const { endpoints, problems } = ringed({ 'b.example.org.': { A: 'www.example.org.' } });
    expect(endpoints).toEqual(['www.example.org. A ALIAS b.example.org. own']);
    expect(problems).toEqual([
      'alias: www.example.org. → b.example.org. → www.example.org. is a ring of aliases, so nobody answers for www.example.org. A; give one of these names another target',
    ]);
  });

  test('is reported also by an alias that only leads into it', () => {
    const { problems } = ringed({
      'b.example.org.': { A: 'c.example.org.' },
      'c.example.org.': { A: 'b.example.org.' },
    });
    expect(problems[0]).toMatch(/b\.example\.org\. → c\.example\.org\. → b\.example\.org\. is a ring/);
  });

  test('is not reported for a chain with an end, and not for an alias of another type', () => {
    expect(ringed({ 'b.example.org.': { A: 'c.example.org.' } }).problems).toEqual([]);
    expect(ringed({ 'b.example.org.': { AAAA: 'www.example.org.' } }).problems).toEqual([]);
  });

  test('of only one name is refused', () => {
    const types = { 'www.example.org.': ['A'] };
    const { endpoints, problems } = linesWith('www.example.org', { alias: 'true' }, { types });
    expect(endpoints).toEqual([]);
    expect(problems).toEqual(['alias: www.example.org. is the name of the record itself; write another target']);
  });
});

describe('notes', () => {
  const notesOf = (target: string, annotations: Readonly<Record<string, string>> = {}, preferCname = false) => {
    const all = Object.entries({ target, ...annotations });
    const object = {
      metadata: {
        annotations: Object.fromEntries(all.map(([key, one]) => [`external-dns.kubernetes.io/${key}`, one])),
      },
      spec: { rules: [{ host: 'www.example.org' }] },
    };
    const result = resultOf(INGRESS, object, { settings: { preferCname } });
    return result.ok ? result.notes : null;
  };
  const UNKNOWN = [expect.stringContaining('in a region that zone53 does not know')];

  test.each([
    'web-1.eu-east-9.elb.amazonaws.com',
    'dualstack.web-1.eu-east-9.elb.amazonaws.com',
    'web-1.elb.eu-east-9.amazonaws.com',
    'web-1.elb.cn-east-9.amazonaws.com.cn',
    'web-1.elb.eusc-de-east-9.amazonaws.eu',
    'vpce-1-a.ec2.eu-east-9.vpce.amazonaws.com',
    'shop.eu-east-9.elasticbeanstalk.com',
  ])('%s is of a region that no table has', (host) => {
    expect(notesOf(host)).toEqual(UNKNOWN);
    expect(notesOf(host, { alias: 'false' })).toEqual([]);
    expect(notesOf(host, {}, true)).toEqual([]);
    expect(notesOf(host, { alias: 'true', 'aws-target-hosted-zone': 'Z0123456789ABC' })).toEqual([]);
  });

  test.each([ALB, 'lb.example.net', 'elb.amazonaws.com', 'db.eu-west-1.rds.amazonaws.com'])('%s is none', (host) => {
    expect(notesOf(host)).toEqual([]);
  });

  test('an option of aliases has no effect on a CNAME and on addresses', () => {
    const unused = (key: string) =>
      expect.stringMatching(`^${key} has no effect at www\\.example\\.org\\., which is no`);
    const zone = { 'aws-target-hosted-zone': 'Z0123456789ABC' };
    expect(notesOf('lb.example.net', zone)).toEqual([unused('aws-target-hosted-zone')]);
    expect(notesOf('192.0.2.1', zone)).toEqual([unused('aws-target-hosted-zone')]);
    expect(notesOf('192.0.2.1', { 'aws-evaluate-target-health': 'true' })).toEqual([
      unused('aws-evaluate-target-health'),
    ]);
    expect(notesOf(ALB, { ...zone, 'aws-evaluate-target-health': 'false' })).toEqual([]);
  });
});
