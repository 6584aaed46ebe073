// The names of AWS services that may be alias targets, by suffix: their hosted zone id, the record types that the alias
// may have, and whether Route 53 can evaluate their health. For any other target the hosted zone id must be given.
import { isAtOrBelow } from '../dns/names/name.ts';
import { REGIONAL_TARGETS, REGIONS_VERIFIED, type RegionalService } from './alias-regions.ts';

/** The data for one suffix, a canonical name. */
export type AliasTargetRow = {
  readonly suffix: string;
  readonly hostedZoneId: string;
  /** The service's name in messages. */
  readonly service: string;
  /** The types that an alias to this service may have. */
  readonly types: readonly string[];
  /** False when Route 53 refuses `EvaluateTargetHealth: true`. */
  readonly takesHealth: boolean;
  /** Where the data of this row is from. */
  readonly source: string;
  /** When the row was last compared with its source. */
  readonly verified: string;
};

type Service = Pick<AliasTargetRow, 'service' | 'types' | 'source'> & { readonly suffix: (region: string) => string };

/** The regions whose S3 website endpoints have a hyphen before the region; those of all others have a dot. */
const S3_WITH_HYPHEN: ReadonlySet<string> = new Set([
  ...['ap-northeast-1', 'ap-southeast-1', 'ap-southeast-2', 'eu-west-1', 'sa-east-1'],
  ...['us-east-1', 'us-gov-west-1', 'us-west-1', 'us-west-2'],
]);

const ADDRESSES = ['A', 'AAAA'];
const REFERENCE = 'https://docs.aws.amazon.com/general/latest/gr';

/** Types: API_AliasTarget and "Values specific for simple alias records" of Route 53's developer guide. */
const SERVICES: Readonly<Record<RegionalService, Service>> = {
  elb: {
    service: 'Elastic Load Balancing',
    types: ADDRESSES,
    source: `${REFERENCE}/elb.html`,
    suffix: (region) => `${region}.elb.${domainOf(region)}`,
  },
  nlb: {
    service: 'Elastic Load Balancing',
    types: ADDRESSES,
    source: `${REFERENCE}/elb.html`,
    suffix: (region) => `elb.${region}.${domainOf(region)}`,
  },
  vpce: {
    service: 'a VPC endpoint',
    types: ADDRESSES,
    source: 'https://github.com/kubernetes-sigs/external-dns/blob/master/provider/aws/aws.go',
    suffix: (region) => `${region}.vpce.${domainOf(region)}`,
  },
  api: {
    service: 'API Gateway',
    types: ADDRESSES,
    source: `${REFERENCE}/apigateway.html`,
    suffix: (region) => `execute-api.${region}.${domainOf(region)}`,
  },
  s3: {
    service: 'an S3 website',
    types: ['A'],
    source: `${REFERENCE}/s3.html`,
    suffix: (region) => `s3-website${S3_WITH_HYPHEN.has(region) ? '-' : '.'}${region}.${domainOf(region)}`,
  },
  beanstalk: {
    service: 'Elastic Beanstalk',
    types: ['A'],
    source: `${REFERENCE}/elasticbeanstalk.html`,
    suffix: (region) => `${region}.elasticbeanstalk.com.`,
  },
};

/** Services without regions. CloudFront names also cover edge-optimized APIs of API Gateway and domains of AppSync. */
const GLOBAL: readonly AliasTargetRow[] = [
  {
    suffix: 'cloudfront.net.',
    hostedZoneId: 'Z2FDTNDATAQYW2',
    service: 'CloudFront',
    types: ['A', 'AAAA', 'HTTPS'],
    takesHealth: false,
    source: 'https://docs.aws.amazon.com/Route53/latest/APIReference/API_AliasTarget.html',
    verified: '2026-11-22',
  },
  {
    suffix: 'cloudfront.cn.',
    hostedZoneId: 'Z3RFFRIM2A3IF5',
    service: 'CloudFront',
    types: ['A', 'AAAA', 'HTTPS'],
    takesHealth: false,
    source: 'aws-cdk-lib 2, aws-route53-targets/cloudfront-target',
    verified: '2026-11-22',
  },
  {
    suffix: 'awsglobalaccelerator.com.',
    hostedZoneId: 'Z2BJ6XQ5FK7U4H',
    service: 'Global Accelerator',
    types: ADDRESSES,
    takesHealth: true,
    source: 'https://docs.aws.amazon.com/Route53/latest/APIReference/API_AliasTarget.html',
    verified: '2026-11-22',
  },
];

/** The domain of AWS in the region's partition. */
function domainOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn.' : 'amazonaws.com.';
}

/** All rows. No suffix is at or below another one. */
export const ALIAS_TARGETS: readonly AliasTargetRow[] = [
  ...GLOBAL,
  ...REGIONAL_TARGETS.map(({ region, service, hostedZoneId }) => {
    const { suffix, ...rest } = SERVICES[service];
    return { ...rest, suffix: suffix(region), hostedZoneId, takesHealth: true, verified: REGIONS_VERIFIED };
  }),
];

const BY_SUFFIX: ReadonlyMap<string, AliasTargetRow> = new Map(ALIAS_TARGETS.map((row) => [row.suffix, row]));
/** The rows by hosted zone id, for ids that one service alone has. */
const BY_ID: ReadonlyMap<string, AliasTargetRow> = new Map(ALIAS_TARGETS.map((row) => [row.hostedZoneId, row]));

/** The row of a canonical name at or below a suffix; null when it is no name of these services. */
export function aliasTargetOf(name: string): AliasTargetRow | null {
  for (let at = name; at !== ''; at = at.slice(at.indexOf('.') + 1)) {
    const row = BY_SUFFIX.get(at);
    if (row !== undefined && isAtOrBelow(name, row.suffix)) return row;
  }
  return null;
}

/** The row of a hosted zone that belongs to an AWS service; null for any other hosted zone. */
export function aliasTargetOfHostedZone(hostedZoneId: string): AliasTargetRow | null {
  return BY_ID.get(hostedZoneId) ?? null;
}
