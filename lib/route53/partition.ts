// The partitions of AWS, each with the region in which CloudTrail reports the calls of its Route 53.

export type Partition = {
  readonly name: 'aws' | 'aws-us-gov' | 'aws-cn';
  /** The region in which CloudTrail reports calls of Route 53. */
  readonly route53Region: string;
};

/** The partition of a region; null for partitions that are closed to the public. */
export function partitionOf(region: string): Partition | null {
  if (region.startsWith('us-gov-')) return { name: 'aws-us-gov', route53Region: 'us-gov-west-1' };
  if (region.startsWith('cn-')) return { name: 'aws-cn', route53Region: 'cn-northwest-1' };
  if (/^(us-iso|eu-iso|eusc-)/.test(region)) return null;
  return { name: 'aws', route53Region: 'us-east-1' };
}
