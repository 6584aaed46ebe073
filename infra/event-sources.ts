// The resources through which changes reach the functions. All but the schedule are optional: events make zone53 fast,
// and the sweep finds what they missed.
//
//   auditLog   EKS audit log in CloudWatch Logs ── subscription ─────────────────► ingest     no endpoint, minutes
//   webhook    admission webhook, audit webhook, CloudEvents ── a front ─────────► ingest     any cluster, at once
//   validate   admission webhook that may refuse ── a front ─────────────────────► validate   changes nothing
//   bus        whatever puts events on our own EventBridge bus ──────────────────► ingest
//   drift      CloudTrail: somebody else changed a hosted zone (one region) ─────► sweep
//   poll       EventBridge Scheduler, once a minute ─────────────────────────────► poll       any cluster, a minute
//   schedule   EventBridge Scheduler ────────────────────────────────────────────► sweep
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ApplicationTargetGroup, TargetType } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LambdaTarget } from 'aws-cdk-lib/aws-elasticloadbalancingv2-targets';
import { EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type FunctionUrl, FunctionUrlAuthType, type Function as LambdaHandler } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { WebhookFront } from '../lib/adapters/config/events-schema.ts';
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

/** Who may send requests: `secret`, senders that know the secret; `iam`, principals that IAM allows. */
export type WebhookAuth = 'secret' | 'iam';

/** The secret that senders show to one function. It must exist before the function, whose environment names it. */
export function senderSecret(scope: Construct, id: string, shownBy: string, encryptionKey?: IKey): Secret {
  const secret = new Secret(scope, id, {
    description: `Shown to zone53 by ${shownBy}; see docs/runbook.md#rotate-the-senders-secret`,
    generateSecretString: { passwordLength: 48, excludePunctuation: true },
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'The other copy is in the webhook configuration of the cluster, which nothing in AWS may write. It is rotated by hand (docs/runbook.md); the previous secret stays valid until the next rotation.',
  });
  return secret;
}

export interface WebhookProps {
  readonly handler: LambdaHandler;
  readonly auth: WebhookAuth;
  readonly front: WebhookFront;
}

/**
 * What brings HTTP requests to a function. `url`: a function URL. `httpApi`: an HTTP API of API Gateway. `alb`: a
 * target group for a listener of a load balancer that you have. `none`: nothing; your endpoint invokes the function.
 */
export class WebhookSource extends Construct {
  readonly url: FunctionUrl | null = null;
  readonly httpApi: HttpApi | null = null;
  readonly targetGroup: ApplicationTargetGroup | null = null;

  constructor(scope: Construct, id: string, { handler, auth, front }: WebhookProps) {
    super(scope, id);
    if (front === 'url') {
      const authType = auth === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE;
      this.url = handler.addFunctionUrl({ authType });
    }
    if (front === 'httpApi')
      this.httpApi = new HttpApi(this, 'Api', {
        description: `${Stack.of(this).stackName}: events for zone53`,
        defaultIntegration: new HttpLambdaIntegration('Function', handler),
        ...(auth === 'iam' && { defaultAuthorizer: new HttpIamAuthorizer() }),
      });
    if (front === 'alb')
      this.targetGroup = new ApplicationTargetGroup(this, 'Targets', {
        targetType: TargetType.LAMBDA,
        targets: [new LambdaTarget(handler)],
      });
  }

  /** Outputs what a cluster needs of it, or what a listener of a load balancer forwards to. */
  output(scope: Construct, name: string): void {
    const url = this.url?.url ?? this.httpApi?.apiEndpoint;
    if (url !== undefined) new CfnOutput(scope, `${name}Url`, { value: url });
    const arn = this.targetGroup?.targetGroupArn;
    if (arn !== undefined) new CfnOutput(scope, `${name}TargetGroup`, { value: arn });
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

/**
 * More ids would make a pattern longer than the 2,048 characters that EventBridge takes ("Amazon EventBridge quotas").
 * Last verified 2026-11-29.
 */
const HOSTED_ZONES_IN_PATTERN = 30;

export interface DriftProps {
  /** The ids of the hosted zones of zone53. */
  readonly hostedZoneIds: readonly string[];
  readonly sweep: LambdaHandler;
  readonly failed: Queue;
  /** Its own calls would wake the sweep function with every batch, and only one sweep function runs at a time. */
  readonly publish: LambdaHandler;
}

/**
 * Route 53's calls as CloudTrail reports them on the default bus: directly in us-east-1, elsewhere by
 * `DriftForwarding`. The calls of an IAM user have no session, and so no `sessionIssuer`. Changes of hosted zones that
 * are not zone53's wake nothing, if the pattern has room for the ids of zone53's.
 */
export class DriftSource extends Construct {
  constructor(scope: Construct, id: string, { hostedZoneIds, sweep, failed, publish }: DriftProps) {
    super(scope, id);
    const { roleArn } = publish.role as NonNullable<typeof publish.role>;
    const others = [{ exists: false }, { 'anything-but': [roleArn] }];
    const userIdentity = { sessionContext: { sessionIssuer: { arn: others } } };
    // A call without the id is DeleteHostedZone, or so large that CloudTrail leaves its parameters out.
    // CloudTrail has the id as the caller wrote it: also as /hostedzone/ID.
    const ids = hostedZoneIds.map((suffix) => ({ suffix }));
    const ours = { requestParameters: { hostedZoneId: [...ids, { exists: false }] } };
    const detail = {
      ...DRIFT_PATTERN.detail,
      userIdentity,
      ...(hostedZoneIds.length <= HOSTED_ZONES_IN_PATTERN ? ours : {}),
    };
    new Rule(this, 'Rule', {
      eventPattern: { ...DRIFT_PATTERN, detail },
      targets: [new LambdaFunction(sweep, { ...DELIVERY, deadLetterQueue: failed })],
    });
  }
}

/** What a sender to a queue needs of its key. */
export const QUEUE_KEY_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'] as const;
/** What a schedule invokes: a function, with the payload that says which task is due. */
export interface ScheduledTask {
  readonly handler: LambdaHandler;
  readonly due: string;
  readonly every: Duration;
  readonly description: string;
}

export interface ScheduleProps {
  /** By construct id. */
  readonly tasks: Readonly<Record<string, ScheduledTask>>;
  readonly failed: Queue;
}

/** Starts the regular tasks. */
export class ScheduleSource extends Construct {
  constructor(scope: Construct, id: string, { tasks, failed }: ScheduleProps) {
    super(scope, id);
    const description = 'zone53: begins sweeps, measurements and polls';
    const role = serviceRole(this, 'Role', { service: 'scheduler.amazonaws.com', description });
    const resources = [...new Set(Object.values(tasks).map(({ handler }) => handler.functionArn))];
    role.addToPolicy(new PolicyStatement({ sid: 'Invoke', actions: ['lambda:InvokeFunction'], resources }));
    role.addToPolicy(
      new PolicyStatement({ sid: 'GiveUp', actions: ['sqs:SendMessage'], resources: [failed.queueArn] }),
    );
    failed.encryptionMasterKey?.grant(role, ...QUEUE_KEY_ACTIONS);
    for (const [name, { handler, due, every, description: what }] of Object.entries(tasks))
      new Schedule(this, name, {
        schedule: ScheduleExpression.rate(every),
        description: `${Stack.of(this).stackName}: ${what}`,
        target: new LambdaInvoke(handler, {
          input: ScheduleTargetInput.fromObject({ zone53: due }),
          deadLetterQueue: failed,
          // Otherwise the target grants the role every version and alias of the function.
          role: role.withoutPolicyUpdates(),
          retryAttempts: 2,
          maxEventAge: Duration.minutes(15),
        }),
      });
  }
}
