// AWS tells of Route 53's calls in us-east-1 only. Where zone53 runs elsewhere, this stack forwards them to the default bus
// of its region: a bus whose ARN is known without giving anything a name.
import { Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { EventBus as EventBusTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { DRIFT_PATTERN } from './event-sources.ts';

export interface DriftForwardingProps extends StackProps {
  /** Where zone53 runs. */
  readonly toRegion: string;
}

/** The region that AWS tells of Route 53's calls in. */
export const ROUTE53_REGION = 'us-east-1';

/** A stack for us-east-1. */
export class DriftForwarding extends Stack {
  constructor(scope: Construct, id: string, props: DriftForwardingProps) {
    super(scope, id, props);
    const arn = this.formatArn({
      service: 'events',
      region: props.toRegion,
      resource: 'event-bus',
      resourceName: 'default',
    });
    new Rule(this, 'Rule', {
      description: `Route 53's calls, to zone53 in ${props.toRegion}`,
      eventPattern: DRIFT_PATTERN,
      targets: [new EventBusTarget(EventBus.fromEventBusArn(this, 'Home', arn))],
    });
  }
}
