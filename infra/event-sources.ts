// The resources through which changes reach the functions. All but the schedule are optional: events make zone53 fast,
// and the sweep finds what they missed.
//
//   auditLog   EKS audit log in CloudWatch Logs ── subscription ─────────────────► ingest     no endpoint, minutes
//   webhook    admission webhook, audit webhook, CloudEvents ── function URL ────► ingest     any cluster, at once
//   validate   admission webhook that may refuse ── function URL ────────────────► validate   changes nothing
//   bus        whatever puts events on our own EventBridge bus ──────────────────► ingest
//   drift      CloudTrail: somebody else changed a hosted zone (one region) ─────► sweep
//   schedule   EventBridge Scheduler ────────────────────────────────────────────► sweep
import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type FunctionUrl, FunctionUrlAuthType, type Function as LambdaHandler } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { serviceRole } from './iam/service-role.ts';

/** Which of Route 53's calls EventBridge passes on. */
export const DRIFT_PATTERN = {
  source: ['aws.route53'],
  detailType: ['AWS API Call via CloudTrail'],
  detail: {
    eventSource: ['route53.amazonaws.com'],
    eventName: ['ChangeResourceRecordSets', 'DeleteHostedZone'],
  },
};

export interface AuditLogProps {
  readonly clusterName: string;
  readonly ingest: LambdaHandler;
  /** The CloudWatch Logs filter pattern for lines about the kinds that are read. */
  readonly filter: string;
}

/** The audit log of an EKS cluster. Its log type `audit` must be switched on. */
export class AuditLogSource extends Construct {
  constructor(scope: Construct, id: string, { clusterName, ingest, filter }: AuditLogProps) {
    super(scope, id);
    new SubscriptionFilter(this, 'Subscription', {
      logGroup: LogGroup.fromLogGroupName(this, 'ControlPlane', `/aws/eks/${clusterName}/cluster`),
      destination: new LambdaDestination(ingest),
      filterPattern: FilterPattern.literal(filter),
    });
  }
}

/** Who may use the function URL: `secret`, senders that know the secret; `iam`, principals that IAM allows. */
export type WebhookAuth = 'secret' | 'iam';

/** The secret that senders show to one function. It must exist before the function, whose environment names it. */
export function senderSecret(scope: Construct, id: string, shownBy: string): Secret {
  const secret = new Secret(scope, id, {
    description: `Shown to zone53 by ${shownBy}; see docs/runbook.md#rotate-the-senders-secret`,
    generateSecretString: { passwordLength: 48, excludePunctuation: true },
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'The other copy is in the webhook configuration of the cluster, which nothing in AWS may write. It is rotated by hand (docs/runbook.md); the previous secret stays valid until the next rotation.',
  });
  return secret;
}

/** A function with a URL. */
export class WebhookSource extends Construct {
  readonly url: FunctionUrl;

  constructor(scope: Construct, id: string, props: { readonly handler: LambdaHandler; readonly auth: WebhookAuth }) {
    super(scope, id);
    this.url = props.handler.addFunctionUrl({
      authType: props.auth === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
    });
  }
}

/**
 * An event that EventBridge cannot deliver within an hour goes to a dead letter queue; the sweep finds what it was
 * about.
 */
const DELIVERY = { retryAttempts: 10, maxEventAge: Duration.hours(1) };

/** A bus for events whose field `source` begins with `zone53.`; IAM decides who may put events on it. */
export class BusSource extends Construct {
  readonly bus: EventBus;

  constructor(
    scope: Construct,
    id: string,
    { ingest, failed }: { readonly ingest: LambdaHandler; readonly failed: Queue },
  ) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus');
    new Rule(this, 'Rule', {
      eventBus: this.bus,
      eventPattern: { source: Match.prefix('zone53.') },
      targets: [new LambdaFunction(ingest, { ...DELIVERY, deadLetterQueue: failed })],
    });
  }
}

export interface DriftProps {
  readonly sweep: LambdaHandler;
  readonly failed: Queue;
  /** Its own calls would wake the sweep function with every batch, and only one sweep function runs at a time. */
  readonly publish: LambdaHandler;
}

/**
 * Route 53's calls as CloudTrail reports them on the default bus: directly in us-east-1, elsewhere by
 * `DriftForwarding`. The calls of an IAM user have no session, and so no `sessionIssuer`.
 */
export class DriftSource extends Construct {
  constructor(scope: Construct, id: string, { sweep, failed, publish }: DriftProps) {
    super(scope, id);
    const { roleArn } = publish.role as NonNullable<typeof publish.role>;
    const others = [{ exists: false }, { 'anything-but': [roleArn] }];
    const userIdentity = { sessionContext: { sessionIssuer: { arn: others } } };
    new Rule(this, 'Rule', {
      eventPattern: { ...DRIFT_PATTERN, detail: { ...DRIFT_PATTERN.detail, userIdentity } },
      targets: [new LambdaFunction(sweep, { ...DELIVERY, deadLetterQueue: failed })],
    });
  }
}

export interface ScheduleProps {
  readonly sweep: LambdaHandler;
  readonly sweepEvery: Duration;
  readonly measureEvery: Duration;
  readonly failed: Queue;
}

/** Starts the regular sweeps and measurements. */
export class ScheduleSource extends Construct {
  constructor(scope: Construct, id: string, { sweep, sweepEvery, measureEvery, failed }: ScheduleProps) {
    super(scope, id);
    const description = 'zone53: begins sweeps and measurements';
    const role = serviceRole(this, 'Role', { service: 'scheduler.amazonaws.com', description });
    role.addToPolicy(
      new PolicyStatement({ sid: 'Invoke', actions: ['lambda:InvokeFunction'], resources: [sweep.functionArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({ sid: 'GiveUp', actions: ['sqs:SendMessage'], resources: [failed.queueArn] }),
    );
    const every = (name: string, due: string, rate: Duration, description: string) =>
      new Schedule(this, name, {
        schedule: ScheduleExpression.rate(rate),
        description: `${Stack.of(this).stackName}: ${description}`,
        target: new LambdaInvoke(sweep, {
          input: ScheduleTargetInput.fromObject({ zone53: due }),
          deadLetterQueue: failed,
          // Otherwise the target grants the role every version and alias of the function.
          role: role.withoutPolicyUpdates(),
          retryAttempts: 2,
          maxEventAge: Duration.minutes(15),
        }),
      });
    every('Sweep', 'sweep', sweepEvery, 'compare everything');
    every('Measure', 'measure', measureEvery, 'measure how far behind it is');
  }
}
