// The library and the double have tables of facts about AWS that were written independently. These tests compare them:
// if one accepts a name or code, the other must accept it too.
import { describe, expect, test } from 'vitest';
import { ALIAS_TARGETS } from '../../../lib/route53/alias-targets.ts';
import { CONTINENTS, COUNTRIES, ROUTING_REGIONS, US_SUBDIVISIONS } from '../../../lib/route53/routing-values.ts';
import { awsTypes, isInAwsZone } from '../../../local/route53/records/aws-alias-zones.ts';
import * as double from '../../../local/route53/values/locations.ts';

/** A name of the service. Names lie below the suffix, except for a website endpoint, which is the suffix itself. */
function nameOf(suffix: string): string {
  return suffix.startsWith('s3-website') ? suffix : `x-1.${suffix}`;
}

describe('an alias target that lib/ knows', () => {
  test.each(ALIAS_TARGETS.map((row) => [row.suffix, row] as const))('%s is accepted by the double', (suffix, row) => {
    expect(isInAwsZone(nameOf(suffix), row.hostedZoneId)).toBe(true);
    for (const type of row.types) expect(awsTypes(row.hostedZoneId)).toContain(type);
  });

  const of = ALIAS_TARGETS.filter(({ service }) => !/VPC|API|S3|Beanstalk/.test(service));
  test.each([
    'cloudfront.net.',
    'awsglobalaccelerator.com.',
    'eu-west-1.elb.amazonaws.com.',
    'elb.us-east-1.amazonaws.com.',
  ])('%s is refused with the id of any other', (suffix) => {
    const own = of.find((row) => row.suffix === suffix)?.hostedZoneId;
    const taken = of.filter(({ hostedZoneId }) => isInAwsZone(nameOf(suffix), hostedZoneId));
    expect(taken.map(({ hostedZoneId }) => hostedZoneId)).toEqual([own]);
  });
});

test('lib/ and the local Route 53 know the same locations for routing', () => {
  expect([...ROUTING_REGIONS].toSorted()).toEqual(double.REGIONS.toSorted());
  expect([...CONTINENTS].toSorted()).toEqual(Object.keys(double.CONTINENTS).toSorted());
  expect([...US_SUBDIVISIONS].toSorted()).toEqual([...double.US_STATES].toSorted());
  expect([...COUNTRIES].filter((code) => double.countryName(code) === undefined)).toEqual([]);
});
