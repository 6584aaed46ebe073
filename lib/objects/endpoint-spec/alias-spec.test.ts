import { describe, expect, test } from 'vitest';
import { parseAlias } from './alias-spec.ts';

const PATHS = { alias: 'spec.alias', type: 'spec.type' };

function parsed(value: unknown, type: string | null = 'A'): unknown {
  const problems: string[] = [];
  const alias = parseAlias(value, type, PATHS, problems);
  return problems.length > 0 ? problems : alias;
}

describe('parseAlias()', () => {
  test('looks up the hosted zone of an AWS service', () => {
    expect(parsed({ target: 'web-1.eu-west-1.elb.amazonaws.com.' })).toEqual({
      target: 'web-1.eu-west-1.elb.amazonaws.com.',
      hostedZoneId: 'Z32O12XQLNTSW2',
      evaluateTargetHealth: true,
    });
  });

  test('keeps the target as written, in lower case with the last dot', () => {
    expect(parsed({ target: 'dualstack.Web-1.EU-west-1.elb.amazonaws.com' })).toMatchObject({
      target: 'dualstack.web-1.eu-west-1.elb.amazonaws.com.',
    });
  });

  test('keeps the hosted zone id that is given', () => {
    expect(parsed({ target: 'web-1.example.net.', hostedZoneId: 'Z1', evaluateTargetHealth: false })).toEqual({
      target: 'web-1.example.net.',
      hostedZoneId: 'Z1',
      evaluateTargetHealth: false,
    });
    const target = 'web-1.eu-west-1.elb.amazonaws.com.';
    expect(parsed({ target, hostedZoneId: 'Z32O12XQLNTSW2' })).toMatchObject({ hostedZoneId: 'Z32O12XQLNTSW2' });
  });

  test.each(['Z3NF1Z3NOM5OY2', 'Z1', 'Z2IFOLAFXWLO4F'])(
    'takes %s as given for a name of an AWS service: Route 53 judges it',
    (hostedZoneId) => {
      const target = 'web-1.eu-west-1.elb.amazonaws.com.';
      const given = { target, hostedZoneId };
      expect(parsed(given)).toEqual({ ...given, evaluateTargetHealth: true });
    },
  );

  test('knows the service by the name of the target, whatever hosted zone is given', () => {
    const target = 'd111111abcdef8.cloudfront.net.';
    expect(parsed({ target, hostedZoneId: 'Z1' })).toMatchObject({ evaluateTargetHealth: false });
    expect(parsed({ target, hostedZoneId: 'Z1', evaluateTargetHealth: true })).toEqual([
      expect.stringContaining('cannot evaluate the health of CloudFront'),
    ]);
  });

  test('leaves the hosted zone of any other name to the rules for Zones', () => {
    expect(parsed({ target: 'a.example.org.' }, 'TXT')).toEqual({
      target: 'a.example.org.',
      hostedZoneId: null,
      evaluateTargetHealth: true,
    });
  });

  test('treats null as absent', () => {
    expect(parsed({ target: 'a.example.org.', hostedZoneId: null, evaluateTargetHealth: null })).toEqual(
      parsed({ target: 'a.example.org.' }),
    );
  });

  test.each([
    ['by its name', { target: 'd1.cloudfront.net' }],
    ['by its hosted zone', { target: 'www.example.net', hostedZoneId: 'Z2FDTNDATAQYW2' }],
  ])('does not evaluate the health of CloudFront, known %s', (_, value) => {
    expect(parsed(value)).toMatchObject({ evaluateTargetHealth: false });
    expect(parsed({ ...value, evaluateTargetHealth: true })).toEqual([
      'spec.alias.evaluateTargetHealth: Route 53 cannot evaluate the health of CloudFront; leave it out, or write false',
    ]);
  });

  test.each([
    ['A', 'web.elb.us-east-1.amazonaws.com.'],
    ['AAAA', 'web.elb.us-east-1.amazonaws.com.'],
    ['HTTPS', 'd1.cloudfront.net.'],
    ['AAAA', 'a.awsglobalaccelerator.com.'],
    ['A', 's3-website-us-east-1.amazonaws.com.'],
    ['CNAME', 'www.example.org.'],
    ['DS', 'sub.example.org.'],
  ])('accepts %s to %s', (type, target) => {
    expect(parsed({ target }, type)).toMatchObject({ target });
  });

  test.each([
    [
      'CNAME',
      'web.elb.us-east-1.amazonaws.com.',
      'spec.type: an alias to Elastic Load Balancing is of type A or AAAA, not CNAME',
    ],
    [
      'HTTPS',
      'web.elb.us-east-1.amazonaws.com.',
      'spec.type: an alias to Elastic Load Balancing is of type A or AAAA, not HTTPS',
    ],
    ['TXT', 'd1.cloudfront.net.', 'spec.type: an alias to CloudFront is of type A or AAAA or HTTPS, not TXT'],
    ['AAAA', 's3-website-us-east-1.amazonaws.com.', 'spec.type: an alias to an S3 website is of type A, not AAAA'],
    ['NS', 'www.example.org.', 'spec.type: a record of type NS cannot be an alias; write its value into rdata'],
    ['SOA', 'www.example.org.', 'spec.type: a record of type SOA cannot be an alias; write its value into rdata'],
  ])('refuses %s to %s', (type, target, problem) => {
    expect(parsed({ target }, type)).toEqual([problem]);
  });

  test.each([
    ['text', 'a.example.org.', 'spec.alias: expected a mapping, got the string "a.example.org."'],
    ['a list', [], 'spec.alias: expected a mapping, got a list'],
    ['a number', 5, 'spec.alias: expected a mapping, got number 5'],
    ['no target', {}, 'spec.alias.target is required'],
    ['an empty target', { target: '' }, 'spec.alias.target: expected a string that is not empty, got the string ""'],
    [
      'a target that is a number',
      { target: 5 },
      'spec.alias.target: expected a string that is not empty, got number 5',
    ],
    [
      'a target that is not a name',
      { target: 'a..b.' },
      'spec.alias.target: Cannot parse name "a..b.": label 2 is empty',
    ],
    ['the DNS root', { target: '.' }, 'spec.alias.target: "." is the DNS root, which no alias may point to'],
    [
      'a hosted zone id with a path',
      { target: 'a.example.', hostedZoneId: '/hostedzone/Z1' },
      'spec.alias.hostedZoneId: expected the id of a hosted zone, such as Z2FDTNDATAQYW2, got the string "/hostedzone/Z1"',
    ],
    [
      'a hosted zone id that is a number',
      { target: 'a.example.', hostedZoneId: 5 },
      'spec.alias.hostedZoneId: expected a string that is not empty, got number 5',
    ],
    [
      'health that is text',
      { target: 'a.example.', evaluateTargetHealth: 'true' },
      'spec.alias.evaluateTargetHealth: expected true or false, got the string "true"; write true, without quotes',
    ],
    [
      'an unknown field',
      { target: 'a.example.', dnsName: 'b.' },
      'spec.alias.dnsName: unknown field; the fields are target, hostedZoneId, evaluateTargetHealth',
    ],
  ])('refuses %s', (_, value, problem) => {
    expect(parsed(value)).toEqual([problem]);
  });

  test('finds every problem at once', () => {
    expect(parsed({ target: 5, hostedZoneId: 'z', evaluateTargetHealth: 1 }, 'NS')).toHaveLength(4);
  });
});
