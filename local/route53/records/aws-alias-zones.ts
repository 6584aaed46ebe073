// Which names are in the hosted zones of AWS services, so that an alias with a wrong hosted zone id is refused as in
// Route 53. Where a service has many ids (VPC endpoints, API Gateway) or a region is not in the table, any id is
// accepted that belongs to no other service. The AWS resource itself is assumed to exist. Sources: AWS General
// Reference "Elastic Load Balancing", "Amazon S3", "Elastic Beanstalk" endpoints; API reference AliasTarget
// (CloudFront, Global Accelerator). Last verified 2026-11-22.

const CLOUDFRONT = 'Z2FDTNDATAQYW2';
const CLOUDFRONT_CHINA = 'Z3RFFRIM2A3IF5';
const ACCELERATOR = 'Z2BJ6XQ5FK7U4H';

/** Region -> classic and application load balancers, network load balancers. */
const LOAD_BALANCERS: Readonly<Record<string, readonly [string, string]>> = {
  'af-south-1': ['Z268VQBMOI5EKX', 'Z203XCE67M25HM'],
  'ap-east-1': ['Z3DQVH9N71FHZ0', 'Z12Y7K3UBGUAD1'],
  'ap-northeast-1': ['Z14GRHDCWA56QT', 'Z31USIVHYNEOWT'],
  'ap-northeast-2': ['ZWKZPGTI48KDX', 'ZIBE1TIR4HY56'],
  'ap-northeast-3': ['Z5LXEXXYW11ES', 'Z1GWIQ4HH19I5X'],
  'ap-south-1': ['ZP97RAFLXTNZK', 'ZVDDRBQ08TROA'],
  'ap-southeast-1': ['Z1LMS91P8CMLE5', 'ZKVM4W9LS7TM'],
  'ap-southeast-2': ['Z1GM3OXH4ZPM65', 'ZCT6FZBF4DROD'],
  'ap-southeast-3': ['Z08888821HLRG5A9ZRTER', 'Z01971771FYVNCOVWJU1G'],
  'ca-central-1': ['ZQSVJUPU6J1EY', 'Z2EPGBW3API2WT'],
  'cn-north-1': ['Z1GDH35T77C1KE', 'Z3QFB96KMJ7ED6'],
  'cn-northwest-1': ['ZM7IZAIOVVDZF', 'ZQEIKTCZ8352D'],
  'eu-central-1': ['Z215JYRZR1TBD5', 'Z3F0SRJ5LGBH90'],
  'eu-central-2': ['Z06391101F2ZOEP8P5EB3', 'Z02239872DOALSIDCX66S'],
  'eu-north-1': ['Z23TAZ6LKFMNIO', 'Z1UDT6IFJ4EJM'],
  'eu-south-1': ['Z3ULH7SSC9OV64', 'Z23146JA1KNAFP'],
  'eu-south-2': ['Z0956581394HF5D5LXGAP', 'Z1011216NVTVYADP1SSV'],
  'eu-west-1': ['Z32O12XQLNTSW2', 'Z2IFOLAFXWLO4F'],
  'eu-west-2': ['ZHURV8PSTC4K8', 'ZD4D7Y8KGAS4G'],
  'eu-west-3': ['Z3Q77PNBQS71R4', 'Z1CMS0P5QUZ6D5'],
  'me-central-1': ['Z08230872XQRWHG2XF6I', 'Z00282643NTTLPANJJG2P'],
  'me-south-1': ['ZS929ML54UICD', 'Z3QSRYVP46NYYV'],
  'sa-east-1': ['Z2P70J7HTTTPLU', 'ZTK26PT1VY4CU'],
  'us-east-1': ['Z35SXDOTRQ7X7K', 'Z26RNL4JYFTOTI'],
  'us-east-2': ['Z3AADJGX6KTTL2', 'ZLMOA37VPKANP'],
  'us-gov-east-1': ['Z166TLBEWOO7G0', 'Z1ZSMQQ6Q24QQ8'],
  'us-gov-west-1': ['Z33AYJ8TM3BH4J', 'ZMG1MZ2THAWF1'],
  'us-west-1': ['Z368ELLRRE2KJ0', 'Z24FKFUX50B4VW'],
  'us-west-2': ['Z1H1FL5HABSF5', 'Z18D5FSROUN65G'],
};

/**
 * Region -> classic load balancers of before 2016, which are in hosted zones of that time (the General Reference as it
 * was then, as in the tables of roadworker and fog).
 */
const OLD_LOAD_BALANCERS: Readonly<Record<string, string>> = {
  'ap-northeast-1': 'Z2YN17T5R711GT',
  'ap-southeast-1': 'Z1WI8VXHPB1R38',
  'ap-southeast-2': 'Z2999QAZ9SRTIC',
  'eu-west-1': 'Z3NF1Z3NOM5OY2',
  'sa-east-1': 'Z2ES78Y61JGQKS',
  'us-east-1': 'Z3DZXE0Q79N41H',
  'us-west-1': 'Z1M58G0W56PQJA',
  'us-west-2': 'Z33MTJ483KN6FU',
};

/** A service: the pattern of its names (the group is the region), and the ids of its hosted zones, if known. */
type Service = {
  readonly names: RegExp;
  readonly zoneId: (region: string) => string | undefined;
  readonly oldZoneId?: (region: string) => string | undefined;
};

const NOT_KNOWN = () => undefined;
const SERVICES: readonly Service[] = [
  { names: /^[^.]+\.cloudfront\.net\.$/, zoneId: () => CLOUDFRONT },
  { names: /^[^.]+\.cloudfront\.cn\.$/, zoneId: () => CLOUDFRONT_CHINA },
  { names: /^[^.]+(?:\.dualstack)?\.awsglobalaccelerator\.com\.$/, zoneId: () => ACCELERATOR },
  {
    names: /^.+\.([a-z0-9-]+)\.elb\.amazonaws\.com(?:\.cn)?\.$/,
    zoneId: (region) => LOAD_BALANCERS[region]?.[0],
    oldZoneId: (region) => OLD_LOAD_BALANCERS[region],
  },
  {
    names: /^.+\.elb\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\.$/,
    zoneId: (region) => LOAD_BALANCERS[region]?.[1],
  },
  { names: /^.+\.([a-z0-9-]+)\.vpce\.amazonaws\.com(?:\.cn)?\.$/, zoneId: NOT_KNOWN },
  { names: /^[^.]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\.$/, zoneId: NOT_KNOWN },
  { names: /^s3-website[.-]([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\.$/, zoneId: NOT_KNOWN },
  { names: /^[^.]+\.([a-z0-9-]+)\.elasticbeanstalk\.com(?:\.cn)?\.$/, zoneId: NOT_KNOWN },
  { names: /^[^.]+\.([a-z0-9-]+)\.awsapprunner\.com\.$/, zoneId: NOT_KNOWN },
];

const IDS: ReadonlySet<string> = new Set([
  CLOUDFRONT,
  CLOUDFRONT_CHINA,
  ACCELERATOR,
  ...Object.values(LOAD_BALANCERS).flat(),
  ...Object.values(OLD_LOAD_BALANCERS),
]);

/** True for the id of CloudFront's hosted zone. */
export function isCloudFront(hostedZoneId: string): boolean {
  return hostedZoneId === CLOUDFRONT || hostedZoneId === CLOUDFRONT_CHINA;
}

/** True when a name (in kept form) is in the hosted zone with that id, as far as the table knows. */
export function isInAwsZone(dnsName: string, hostedZoneId: string): boolean {
  for (const { names, zoneId, oldZoneId } of SERVICES) {
    const match = names.exec(dnsName);
    if (match === null) continue;
    const [, region = ''] = match;
    const known = zoneId(region);
    if (oldZoneId?.(region) === hostedZoneId) return !dnsName.startsWith('dualstack.');
    return known === undefined ? !IDS.has(hostedZoneId) : known === hostedZoneId;
  }
  return false;
}

/** The record types that AWS serves in that hosted zone. An alias has the type of its target. */
export function awsTypes(hostedZoneId: string): readonly string[] {
  return isCloudFront(hostedZoneId) ? ['A', 'AAAA', 'HTTPS'] : ['A', 'AAAA'];
}
