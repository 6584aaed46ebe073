// The stack that forwards what CloudTrail reports of Route 53 to the region of zone53. CloudTrail reports calls of
// Route 53 in one region of each partition only. This stack is there, and its target is the default event bus of the
// other region. The ARN of a default bus is known without a name that we would have to choose.
import { Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { EventBus as EventBusTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { DRIFT_PATTERN } from './event-sources.ts';
import { serviceRole } from './iam/service-role.ts';

export interface DriftForwardingProps extends StackProps {
  /** The region in which zone53 runs. */
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
      description: `Forwards Route 53's calls to zone53 in ${props.toRegion}`,
      eventPattern: DRIFT_PATTERN,
      targets: [new EventBusTarget(EventBus.fromEventBusArn(this, 'Home', arn), { role })],
    });
  }
}
