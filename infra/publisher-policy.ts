// What the functions may do in Route 53: with exactly the configured hosted zones, and never with an apex NS or DS, nor
// deleting the SOA, even if our code were wrong. Changes at the apex travel in a batch of their own (lib/route53/batch-changes.ts),
// so the conditions, which see a batch as sets of names, types and actions, hit nothing else.
import { Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { iamRecordName } from '../functions/runtime/environment.ts';

export type ConfiguredHostedZone = {
  /** Canonical name. */
  readonly zone: string;
  /** Id; may be a token. */
  readonly id: string;
};

const CHANGE = 'route53:ChangeResourceRecordSets';
const NAMES = 'route53:ChangeResourceRecordSetsNormalizedRecordNames';
const TYPES = 'route53:ChangeResourceRecordSetsRecordTypes';
const ACTIONS = 'route53:ChangeResourceRecordSetsActions';

function arnOf({ id }: ConfiguredHostedZone): string {
  return `arn:${Aws.PARTITION}:route53:::hostedzone/${id}`;
}

/** For publish: to change, and to read back, the record sets of these hosted zones. */
export function publisherStatements(hostedZones: readonly ConfiguredHostedZone[]): PolicyStatement[] {
  const resources = hostedZones.map(arnOf);
  return [
    new PolicyStatement({ sid: 'Publish', actions: [CHANGE, 'route53:ListResourceRecordSets'], resources }),
    ...hostedZones.flatMap((hostedZone, index) => apexGuards(hostedZone, index)),
  ];
}

function apexGuards(hostedZone: ConfiguredHostedZone, index: number): PolicyStatement[] {
  const apex = iamRecordName(hostedZone.zone);
  const deny = (sid: string, values: Readonly<Record<string, readonly string[]>>) =>
    new PolicyStatement({
      sid: `${sid}${index}`,
      effect: Effect.DENY,
      actions: [CHANGE],
      resources: [arnOf(hostedZone)],
      conditions: { 'ForAnyValue:StringEquals': { [NAMES]: [apex], ...values } },
    });
  return [
    deny('NoApexDelegation', { [TYPES]: ['NS', 'DS'] }),
    deny('NoSoaDelete', { [TYPES]: ['SOA'], [ACTIONS]: ['DELETE'] }),
  ];
}

/** For reconcile and sweep: to look whether these hosted zones are what they are configured as; for sweep also their record sets. */
export function readerStatement(
  hostedZones: readonly ConfiguredHostedZone[],
  what: 'zones' | 'record-sets',
): PolicyStatement {
  const actions = ['route53:GetHostedZone', ...(what === 'record-sets' ? ['route53:ListResourceRecordSets'] : [])];
  return new PolicyStatement({ sid: 'ReadHostedZones', actions, resources: hostedZones.map(arnOf) });
}
