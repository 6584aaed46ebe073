// The stack that forwards what CloudTrail reports of Route 53 to the region of zone53. CloudTrail reports calls of
// Route 53 in one region of each partition only. This stack is there, and its target is the default event bus of the
// other region. The ARN of a default bus is known without a name that we would have to choose.
import { Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IAlarmAction, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { EventBus as EventBusTarget } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DRIFT_PATTERN } from './event-sources.ts';
import { serviceRole, setTrustConditions } from './iam/service-role.ts';
import { runbookOfVersion } from './observability.ts';

export interface DriftForwardingProps extends StackProps {
  /** The region in which zone53 runs. */
  readonly toRegion: string;
  /**
   * As that of the construct Zone53.
   *
   * @default false
   */
  readonly trustConditions?: boolean;
  /**
   * What the alarm does when calls cannot be forwarded, such as `[new SnsAction(topic)]`, a topic of this region.
   *
   * @default - nothing
   */
  readonly alarmActions?: readonly IAlarmAction[];
}

/** A stack for us-east-1; for us-gov-west-1 or cn-northwest-1 in those partitions. */
export class DriftForwarding extends Stack {
  constructor(scope: Construct, id: string, props: DriftForwardingProps) {
    super(scope, id, props);
    setTrustConditions(this, props.trustConditions ?? false);
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
    const failed = new Queue(this, 'Failed', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(failed).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is itself a dead letter queue.' });
    const home = EventBus.fromEventBusArn(this, 'Home', arn);
    new Rule(this, 'Rule', {
      description: `Forwards Route 53's calls to zone53 in ${props.toRegion}`,
      eventPattern: DRIFT_PATTERN,
      targets: [new EventBusTarget(home, { role, deadLetterQueue: failed })],
    });
    const alarm = new Alarm(this, 'NotForwarded', {
      metric: failed.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(5),
      }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `Route 53's calls do not reach zone53. Runbook: ${runbookOfVersion()}#drift-stopped`,
    });
    const actions = props.alarmActions ?? [];
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
  }
}
