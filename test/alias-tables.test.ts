// Compares the table of alias targets with the tables that npm has: those of the CDK, and the regions that the SDK
// knows for Route 53. So an update of either shows what is new. Neither has the hosted zones of load balancers, API
// Gateway and VPC endpoints: for these, only the regions are compared.
import { ResourceRecordSetRegion } from '@aws-sdk/client-route-53';
import { CloudFrontTarget, GlobalAcceleratorTarget } from 'aws-cdk-lib/aws-route53-targets';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { expect, test } from 'vitest';
import { REGIONAL_TARGETS, type RegionalService } from '../lib/route53/alias-regions.ts';
import { aliasTargetOf } from '../lib/route53/alias-targets.ts';

const ours = (service: RegionalService, region: string) =>
  REGIONAL_TARGETS.find((one) => one.service === service && one.region === region)?.hostedZoneId ?? null;

/**
 * Where the CDK has another id than we have. S3: as the General Reference had it in 2020; today it has ours. Beanstalk:
 * the CDK has the id of another region. Regions of AWS' isolated partitions are not ours.
 */
const OTHERS_IN_CDK = [
  's3 af-south-1 Z11KHD8FBVPUYU',
  's3 eu-south-1 Z3IXVV8C73GIO3',
  's3 us-isof-east-1 Z03373031FTGQH4MNG6ST',
  's3 us-isof-south-1 Z03376072I8GXC2DXUFXI',
  'beanstalk ap-southeast-7 Z1R25G3KIG2GBW',
  'beanstalk eu-south-2 Z23GO28BZ5AETM',
];

test('S3 websites and Elastic Beanstalk have the hosted zones that the CDK has, but for known differences', () => {
  const others = (service: 's3' | 'beanstalk', idOf: (region: RegionInfo) => string | undefined) =>
    RegionInfo.regions.flatMap((region) => {
      const id = idOf(region) ?? '';
      return id === '' || id === ours(service, region.name) ? [] : [`${service} ${region.name} ${id}`];
    });
  expect([
    ...others('s3', (region) => region.s3StaticWebsiteHostedZoneId),
    ...others('beanstalk', (region) => region.ebsEnvEndpointHostedZoneId),
  ]).toEqual(OTHERS_IN_CDK);
});

test('S3 websites have the names that the CDK has', () => {
  const names = RegionInfo.regions.flatMap(({ name, s3StaticWebsiteEndpoint: endpoint }) => {
    const id = ours('s3', name);
    return id === null || endpoint === undefined ? [] : [[endpoint, aliasTargetOf(`${endpoint}.`)?.hostedZoneId, id]];
  });
  expect(names.length).toBeGreaterThan(30);
  for (const [endpoint, found, id] of names) expect([endpoint, found]).toEqual([endpoint, id]);
});

test('load balancers are in the domain that the CDK has for their region', () => {
  for (const { region, hostedZoneId } of REGIONAL_TARGETS.filter(({ service }) => service === 'elb')) {
    const { domainSuffix } = RegionInfo.get(region);
    expect([region, aliasTargetOf(`lb.${region}.elb.${domainSuffix}.`)?.hostedZoneId]).toEqual([region, hostedZoneId]);
  }
});

test('CloudFront and Global Accelerator have the hosted zones that the CDK has', () => {
  expect(aliasTargetOf('d1.cloudfront.net.')?.hostedZoneId).toBe(CloudFrontTarget.CLOUDFRONT_ZONE_ID);
  expect(aliasTargetOf('a1.awsglobalaccelerator.com.')?.hostedZoneId).toBe(
    GlobalAcceleratorTarget.GLOBAL_ACCELERATOR_ZONE_ID,
  );
});

/** Regions that the SDK knows, and whose load balancers no source of the table has. */
const NOT_OURS = ['eusc-de-east-1'];

test('every region that the SDK knows for Route 53 has load balancers, but for known ones', () => {
  const regions: readonly string[] = Object.values(ResourceRecordSetRegion);
  const without = (service: RegionalService) => regions.filter((region) => ours(service, region) === null);
  expect(without('elb')).toEqual(NOT_OURS);
  expect(without('nlb')).toEqual(NOT_OURS);
  expect(REGIONAL_TARGETS.filter(({ region }) => !regions.includes(region))).toEqual([]);
});

test('the regions without a row for VPC endpoints or API Gateway are known', () => {
  const regions: readonly string[] = Object.values(ResourceRecordSetRegion);
  const without = (service: RegionalService) => regions.filter((region) => ours(service, region) === null).sort();
  expect(without('vpce')).toEqual([
    ...['ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'ca-west-1', 'cn-north-1', 'cn-northwest-1'],
    ...['eusc-de-east-1', 'il-central-1', 'mx-central-1'],
  ]);
  expect(without('api')).toEqual(['ap-southeast-6', 'cn-north-1', 'cn-northwest-1', 'eusc-de-east-1']);
});
