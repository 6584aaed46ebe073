// What a batch of aliases and routed record sets is refused for, through the whole state machine.
import { describe, expect, it } from 'vitest';
import {
  change,
  createZone,
  refusalOf,
  restarted,
  type TestAccount,
  testAccount,
} from '../../../test/fakes/route53-account.ts';
import type { LocalRecordSet, RoutingPolicy, RoutingValue } from '../records/record-set.ts';

const WWW = 'www.example.com.';
const ONE = ['192.0.2.1'];
const COLLECTION = '01234567-89ab-cdef-0123-456789abcdef';

const routed = (
  setIdentifier: string,
  policy: RoutingPolicy,
  value: RoutingValue,
  more: Partial<LocalRecordSet> = {},
) => change('CREATE', WWW, 'A', ONE, { setIdentifier, routing: { policy, value }, ...more });
const cidr = (LocationName: string, CollectionId = COLLECTION) => ({ CollectionId, LocationName });
const aliasTo = (dnsName: string, hostedZoneId: string, evaluateTargetHealth = false): Partial<LocalRecordSet> => ({
  ttl: null,
  values: [],
  alias: { hostedZoneId, dnsName, evaluateTargetHealth },
});

describe('of the record sets of one name and type,', () => {
  const head = (identifier: string) => `RRSet with DNS name ${WWW}, type A, SetIdentifier ${identifier}`;
  const simple = change('CREATE', WWW, 'A', ONE);
  it.each([
    [
      'a simple one beside a weighted one',
      routed('a', 'Weight', '1'),
      simple,
      `RRSet with DNS name ${WWW}, type A cannot be created as other RRSets exist with the same name and type.`,
    ],
    [
      'a weighted one beside a simple one',
      simple,
      routed('a', 'Weight', '1'),
      `${head('a')} cannot be created as a non-weighted set exists with the same name and type.`,
    ],
    [
      'a multivalue one beside a weighted one',
      routed('a', 'Weight', '1'),
      routed('b', 'MultiValueAnswer', 'true'),
      `${head('b')} cannot be created as a non multivalue answer rrset exists with the same name and type.`,
    ],
    [
      'a geolocation beside a weighted one',
      routed('a', 'Weight', '1'),
      routed('b', 'GeoLocation', { CountryCode: '*' }),
      `${head('b')}, and routing to [country = (*, Default)] cannot be created because a non-GEO RRSet with the same name and type already exists.`,
    ],
    [
      'a region twice',
      routed('a', 'Region', 'eu-west-1'),
      routed('b', 'Region', 'eu-west-1'),
      `${head('b')}, and Region Name=eu-west-1 cannot be created because a latency RRSet with the same name, type and region already exists.`,
    ],
    [
      'a geolocation twice',
      routed('a', 'GeoLocation', { CountryCode: 'US', SubdivisionCode: 'CA' }),
      routed('b', 'GeoLocation', { SubdivisionCode: 'CA', CountryCode: 'US' }),
      `${head('b')}, and routing to [country = (US, United States), subdivision = CA] cannot be created because a GEO RRSet with the same name, type and location already exists.`,
    ],
    [
      'a role of failover twice',
      routed('a', 'Failover', 'SECONDARY'),
      routed('b', 'Failover', 'SECONDARY'),
      `${head('b')}, and Failover Type=SECONDARY cannot be created because a failover RRSet with the same name, type and role already exists.`,
    ],
    [
      'a CIDR location twice',
      routed('a', 'CidrRoutingConfig', cidr('*')),
      routed('b', 'CidrRoutingConfig', cidr('*')),
      `${head('b')}, and CIDR location [${COLLECTION}, *] cannot be created because a CIDR RRSet with the same name, type and location already exists.`,
    ],
    [
      'another CIDR collection',
      routed('a', 'CidrRoutingConfig', cidr('*')),
      routed('b', 'CidrRoutingConfig', cidr('here', COLLECTION.replace('0', 'f'))),
      `${head('b')} cannot be created because a CIDR RRSet with the same name and type uses another collection.`,
    ],
    [
      'a weighted one with another TTL',
      routed('a', 'Weight', '1'),
      routed('b', 'Weight', '1', { ttl: 60 }),
      `RRSet with DNS name ${WWW} and type A, SetIdentifier b cannot be created as weighted sets must contain the same TTL.`,
    ],
  ])('%s is refused', (_, first, second, message) => {
    const account = testAccount({ takesUnknownIds: true });
    account.apply(first);
    expect(account.refused(second)).toEqual([message]);
    expect(account.keys()).toHaveLength(1);
  });

  it.each([
    [
      'geolocations of a continent, its country and the rest',
      [
        routed('a', 'GeoLocation', { ContinentCode: 'EU' }),
        routed('b', 'GeoLocation', { CountryCode: 'DE' }),
        routed('c', 'GeoLocation', { CountryCode: '*' }),
      ],
    ],
    [
      'regions with different TTLs',
      [routed('a', 'Region', 'eu-west-1'), routed('b', 'Region', 'eu-west-2', { ttl: 60 })],
    ],
    [
      'a weighted set and a weighted alias, which has no TTL',
      [routed('a', 'Weight', '1'), routed('b', 'Weight', '1', aliasTo('d.cloudfront.net', 'Z2FDTNDATAQYW2'))],
    ],
    [
      'two places of geoproximity that are near',
      [
        routed('a', 'GeoProximityLocation', { Coordinates: { Latitude: '49.1', Longitude: '2' } }),
        routed('b', 'GeoProximityLocation', { Coordinates: { Latitude: '49.10', Longitude: '2.00' }, Bias: '5' }),
      ],
    ],
    [
      'both roles of failover',
      [routed('a', 'Failover', 'PRIMARY', { healthCheckId: 'h' }), routed('b', 'Failover', 'SECONDARY')],
    ],
  ])('%s may exist beside each other', (_, changes) => {
    const account = testAccount({ takesUnknownIds: true });
    account.apply(...changes);
    expect(account.keys()).toHaveLength(changes.length);
  });

  it.each([
    ['Weight', 100, '1'],
    ['GeoProximityLocation', 30, { AWSRegion: 'eu-west-1' }],
  ] as const)('one more of %s than %i is refused', (policy, most, value) => {
    const account = testAccount();
    for (let at = 0; at < most; at += 1) account.apply(routed(`s${at}`, policy, value));
    expect(account.refused(routed('more', policy, value))).toEqual([
      `${head('more')} cannot be created as it exceeds the limit of ${most} sets with the same name and type.`,
    ]);
    account.apply({ ...routed('s0', policy, value), action: 'UPSERT' });
  });

  it('all record sets of one policy are deleted before the first of another is created', () => {
    const account = testAccount();
    const old = [routed('a', 'Weight', '1'), routed('b', 'Weight', '2')];
    const create = [routed('a', 'Region', 'eu-west-1'), routed('b', 'Region', 'eu-west-2')];
    const [first, second] = old.map((one) => ({ ...one, action: 'DELETE' as const }));
    if (first === undefined || second === undefined) throw new Error('no deletes');
    account.apply(...old);
    expect(account.refused(first, ...create, second)).not.toEqual([]);
    account.apply(first, second, ...create);
    expect(account.keys()).toEqual([`${WWW} A a`, `${WWW} A b`]);
  });
});

describe('whatever exists at the name,', () => {
  it.each([
    [
      'a multivalue alias',
      routed('a', 'MultiValueAnswer', 'true', aliasTo('d.cloudfront.net', 'Z2FDTNDATAQYW2')),
      'Multivalue answer rrset should not be an alias rrset',
    ],
    [
      'a multivalue CNAME',
      change('CREATE', WWW, 'CNAME', ['a.example.org.'], {
        setIdentifier: 'a',
        routing: { policy: 'MultiValueAnswer', value: 'true' },
      }),
      `RRSet of type CNAME with DNS name ${WWW} cannot be a multivalue answer rrset`,
    ],
    [
      'a primary without a health check that is not an alias',
      routed('a', 'Failover', 'PRIMARY'),
      'A non-alias primary ResourceRecordSet must have an associated health check.',
    ],
    [
      'a missing CIDR collection',
      routed('a', 'CidrRoutingConfig', cidr('*')),
      `RRSet with DNS name ${WWW}, type A, SetIdentifier a cannot be created because the CIDR collection ${COLLECTION} does not exist.`,
    ],
  ])('%s is refused', (_, bad, message) => {
    expect(testAccount().refused(bad)).toEqual([message]);
  });

  it('an unknown location of a CIDR collection is refused; its own and the default are accepted', () => {
    const account = testAccount();
    const { id } = account.state.createCidrCollection('c', 'c');
    account.state.changeCidrCollection(id, null, [{ location: 'here', action: 'PUT', blocks: ['192.0.2.0/24'] }]);
    account.apply(routed('a', 'CidrRoutingConfig', cidr('here', id)), routed('b', 'CidrRoutingConfig', cidr('*', id)));
    expect(account.refused(routed('c', 'CidrRoutingConfig', cidr('there', id)))[0]).toContain('has no location there.');
  });

  it('the caller reference of a deleted health check is refused, also after a restart', () => {
    const { state } = testAccount();
    state.deleteHealthCheck(state.createHealthCheck('h', { Type: 'TCP' }).id);
    for (const one of [state, restarted(state)]) {
      expect(() => one.createHealthCheck('h', { Type: 'TCP' })).toThrow(
        expect.objectContaining({ code: 'HealthCheckAlreadyExists', status: 409 }),
      );
      expect(one.countHealthChecks()).toBe(0);
    }
  });

  it('an account has at most 200 health checks', () => {
    const { state } = testAccount();
    for (let at = 0; at < 200; at += 1) state.createHealthCheck(`h${at}`, { Type: 'TCP' });
    const refusal = expect.objectContaining({ code: 'TooManyHealthChecks', status: 400 });
    expect(() => state.createHealthCheck('h200', { Type: 'TCP' })).toThrow(refusal);
    expect(state.createHealthCheck('h0', { Type: 'TCP' }).callerReference).toBe('h0');
  });

  it('a missing health check is NoSuchHealthCheck, except in a DELETE', () => {
    const account = testAccount();
    const { id: healthCheckId } = account.state.createHealthCheck('h', { Type: 'TCP' });
    const set = { healthCheckId };
    account.apply(change('CREATE', WWW, 'A', ONE, set));
    account.state.deleteHealthCheck(healthCheckId);
    const upsert = [change('UPSERT', WWW, 'A', ONE, set)];
    expect(refusalOf(() => account.state.changeResourceRecordSets(account.zoneId, null, upsert))).toMatchObject({
      code: 'NoSuchHealthCheck',
      status: 404,
    });
    account.apply(change('DELETE', WWW, 'A', ONE, set));
  });
});

describe('an alias', () => {
  const to = (type: string, target: Partial<LocalRecordSet>) => change('CREATE', 'x.example.com', type, [], target);
  const refused = (account: TestAccount, dnsName: string, zone: string, reasons: readonly string[], type = 'A') => {
    const head = `Tried to create an alias that targets ${dnsName}, type ${type} in zone ${zone}, but`;
    expect(account.refused(to(type, aliasTo(dnsName, zone)))).toEqual(reasons.map((reason) => `${head} ${reason}`));
  };
  const OUTSIDE = ['the alias target name does not lie within the target zone', 'that target was not found'];

  it.each([
    ['a hosted zone that does not exist', 'a.example.org.', 'ZNOWHERE'],
    ['a load balancer by the id of another region', 'lb-1.eu-west-1.elb.amazonaws.com.', 'Z35SXDOTRQ7X7K'],
    ['a network load balancer by the id of an application one', 'lb-1.elb.eu-west-1.amazonaws.com.', 'Z32O12XQLNTSW2'],
    ['a distribution by the id of a load balancer', 'd.cloudfront.net.', 'Z32O12XQLNTSW2'],
    ['an API by the id of CloudFront', 'd-1.execute-api.eu-west-1.amazonaws.com.', 'Z2FDTNDATAQYW2'],
    ['a name that only looks like one of AWS', 'www.amazonaws.com.', 'Z32O12XQLNTSW2'],
  ])('to %s is refused', (_, dnsName, zone) => {
    refused(testAccount(), dnsName, zone, OUTSIDE);
  });

  it('to a record set of another hosted zone of the account is refused', () => {
    const account = testAccount();
    refused(account, 'example.org.', createZone(account.state, 'example.org', 'other'), OUTSIDE);
  });

  it('to a missing record set of its own zone, to another type or to itself is refused', () => {
    const account = testAccount();
    account.apply(change('CREATE', WWW, 'A', ONE));
    refused(account, 'a.example.com.', account.zoneId, ['that target was not found']);
    refused(account, WWW, account.zoneId, ['that target was not found'], 'AAAA');
    refused(account, 'x.example.com.', account.zoneId, ['that target was not found']);
    account.apply(to('A', aliasTo(WWW, account.zoneId)));
  });

  it.each([
    ['Z32O12XQLNTSW2', 'dualstack.lb-1.eu-west-1.elb.amazonaws.com.', 'A'],
    ['Z32O12XQLNTSW2', 'lb-1.eu-west-1.elb.amazonaws.com.', 'AAAA'],
    ['Z2IFOLAFXWLO4F', 'lb-1.elb.eu-west-1.amazonaws.com.', 'A'],
    ['Z3QFB96KMJ7ED6', 'lb-1.elb.cn-north-1.amazonaws.com.cn.', 'A'],
    ['ZNEWREGION', 'lb-1.xx-new-1.elb.amazonaws.com.', 'A'],
    ['Z2FDTNDATAQYW2', 'd.cloudfront.net.', 'HTTPS'],
    ['Z2BJ6XQ5FK7U4H', 'a1.awsglobalaccelerator.com.', 'A'],
    ['Z2BJ6XQ5FK7U4H', 'a1.dualstack.awsglobalaccelerator.com.', 'AAAA'],
    ['ZVPCE', 'vpce-1-x.execute-api.eu-west-1.vpce.amazonaws.com.', 'A'],
    ['ZAPI', 'd-1.execute-api.eu-west-1.amazonaws.com.', 'A'],
    ['Z1BKCTXD74EZPE', 's3-website-eu-west-1.amazonaws.com.', 'A'],
    ['ZEB', 'env.eu-west-1.elasticbeanstalk.com.', 'A'],
  ])('to %s %s, type %s is accepted', (zone, dnsName, type) => {
    const account = testAccount();
    account.apply(to(type, aliasTo(dnsName, zone)));
    expect(account.keys()).toEqual([`x.example.com. ${type}`]);
  });

  it.each([
    ['Z2FDTNDATAQYW2', 'd.cloudfront.net.', 'TXT'],
    ['Z32O12XQLNTSW2', 'lb-1.eu-west-1.elb.amazonaws.com.', 'HTTPS'],
    ['Z32O12XQLNTSW2', 'lb-1.eu-west-1.elb.amazonaws.com.', 'CNAME'],
  ])('to %s %s, type %s is refused', (zone, dnsName, type) => {
    refused(testAccount(), dnsName, zone, ['that target was not found'], type);
  });

  it('to CloudFront is refused if it evaluates health, and in a private zone', () => {
    const account = testAccount();
    const head = 'Tried to create an alias that targets d.cloudfront.net., type A in zone Z2FDTNDATAQYW2, but';
    expect(account.refused(to('A', aliasTo('d.cloudfront.net.', 'Z2FDTNDATAQYW2', true)))).toEqual([
      `${head} EvaluateTargetHealth must be false for a CloudFront distribution`,
    ]);
    const vpc = { id: 'vpc-0123456789abcdef0', region: 'eu-west-1' };
    const { zone } = account.state.createHostedZone({ name: 'example.com', callerReference: 'p', comment: null, vpc });
    const bad = [to('A', aliasTo('d.cloudfront.net.', 'Z2FDTNDATAQYW2'))];
    expect(refusalOf(() => account.state.changeResourceRecordSets(zone.id, null, bad)).messages).toEqual([
      `${head} an alias in a private hosted zone cannot target a CloudFront distribution`,
    ]);
    const byAddress = [routed('a', 'CidrRoutingConfig', cidr('*'))];
    expect(refusalOf(() => account.state.changeResourceRecordSets(zone.id, null, byAddress)).messages).toEqual([
      `RRSet with DNS name ${WWW}, type A, SetIdentifier a cannot be created because a private hosted zone does not support CIDR routing.`,
    ]);
  });
});
