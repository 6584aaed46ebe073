import { expect, test } from 'vitest';
import { isAtOrBelow } from '../dns/names/name.ts';
import { ALIAS_TARGETS, aliasTargetOf, aliasTargetOfHostedZone } from './alias-targets.ts';

test('ALIAS_TARGETS: no suffix hides another', () => {
  const shadowed = ALIAS_TARGETS.flatMap((row) =>
    ALIAS_TARGETS.filter((other) => other !== row && isAtOrBelow(row.suffix, other.suffix)).map(
      (other) => `${row.suffix} lies at or below ${other.suffix}`,
    ),
  );
  expect(shadowed).toEqual([]);
});

test('ALIAS_TARGETS: every row has a hosted zone id, a source and a date', () => {
  expect(ALIAS_TARGETS.length).toBeGreaterThan(200);
  for (const row of ALIAS_TARGETS) {
    expect(row.hostedZoneId).toMatch(/^Z[0-9A-Z]{11,21}$/);
    expect(row.source).not.toBe('');
    expect(row.verified).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(row.suffix).toMatch(/^[a-z0-9.-]+\.$/);
  }
});

test('ALIAS_TARGETS: a hosted zone belongs to one service only', () => {
  const services = Map.groupBy(ALIAS_TARGETS, ({ hostedZoneId }) => hostedZoneId);
  const shared = [...services].filter(([, rows]) => new Set(rows.map(({ service }) => service)).size > 1);
  expect(shared).toEqual([]);
});

test.each([
  ['web-1.eu-west-1.elb.amazonaws.com.', 'Z32O12XQLNTSW2'],
  ['dualstack.web-1.eu-west-1.elb.amazonaws.com.', 'Z32O12XQLNTSW2'],
  ['web-1.elb.eu-west-1.amazonaws.com.', 'Z2IFOLAFXWLO4F'],
  ['web-1.cn-north-1.elb.amazonaws.com.cn.', 'Z1GDH35T77C1KE'],
  ['web-1.elb.cn-northwest-1.amazonaws.com.cn.', 'ZQEIKTCZ8352D'],
  ['web-1.us-gov-west-1.elb.amazonaws.com.', 'Z33AYJ8TM3BH4J'],
  ['d111111abcdef8.cloudfront.net.', 'Z2FDTNDATAQYW2'],
  ['a1234567890abcdef.awsglobalaccelerator.com.', 'Z2BJ6XQ5FK7U4H'],
  ['a1234567890abcdef.dualstack.awsglobalaccelerator.com.', 'Z2BJ6XQ5FK7U4H'],
  ['d-abc123.execute-api.us-east-2.amazonaws.com.', 'ZOJJZC49E0EPZ'],
  ['vpce-1-abc.ec2.us-east-1.vpce.amazonaws.com.', 'Z7HUB22UULQXV'],
  ['vpce-1-abc.ec2.ap-east-2.vpce.amazonaws.com.', 'Z09379811HWP0POAUWVN3'],
  ['s3-website-us-east-1.amazonaws.com.', 'Z3AQBSTGFYJSTF'],
  ['s3-website.eu-central-1.amazonaws.com.', 'Z21DNDUVLTQW6Q'],
  ['env.eba-abc.us-west-2.elasticbeanstalk.com.', 'Z38NKT9BP95V3O'],
])('aliasTargetOf() knows %s', (name, id) => {
  expect(aliasTargetOf(name)?.hostedZoneId).toBe(id);
});

test.each(['www.example.org.', 'elb.amazonaws.com.', 'notcloudfront.net.', 'web.nowhere-1.elb.amazonaws.com.', '.'])(
  'aliasTargetOf() does not know %s',
  (name) => {
    expect(aliasTargetOf(name)).toBeNull();
  },
);

test('aliasTargetOfHostedZone() knows only the hosted zones of AWS', () => {
  expect(aliasTargetOfHostedZone('Z2FDTNDATAQYW2')?.service).toBe('CloudFront');
  expect(aliasTargetOfHostedZone('Z0123456789ABCDEFGHIJ')).toBeNull();
});
