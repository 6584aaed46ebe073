// AWS tells of Route 53's calls in one region of a partition. Where zone53 runs elsewhere, this stack forwards them to
// the default bus of its region: a bus whose ARN is known without giving anything a name.
import { Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { EventBus as EventBusTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { DRIFT_PATTERN } from './event-sources.ts';
import { serviceRole } from './iam/service-role.ts';

export interface DriftForwardingProps extends StackProps {
  /** Where zone53 runs. */
  readonly toRegion: string;
}

/** A stack for us-east-1; for us-gov-west-1 or cn-northwest-1 in those partitions. */
export class DriftForwarding extends Stack {
  constructor(scope: Construct, id: string, props: DriftForwardingProps) {
    super(scope, id, props);
    const arn = this.formatArn({
      service: 'events',
      region: props.toRegion,
      resource: 'event-bus',
      resourceName: 'default',
    });
    const role = serviceRole(this, 'Role', {
      service: 'events.amazonaws.com',
      description: `zone53: forwards Route 53's calls to ${props.toRegion}`,
    });
    new Rule(this, 'Rule', {
      description: `Route 53's calls, to zone53 in ${props.toRegion}`,
      eventPattern: DRIFT_PATTERN,
      targets: [new EventBusTarget(EventBus.fromEventBusArn(this, 'Home', arn), { role })],
    });
  }
}
