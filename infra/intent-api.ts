// The intent API: a function behind a URL that needs IAM authentication. The function uses the ledger and sends
// hints. In the cluster it has the group zone53-intents (examples/intents/rbac.yaml).
import { CfnOutput, Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type FunctionUrl, FunctionUrlAuthType, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AccessOfCluster, ClusterAccess } from './cluster-access.ts';
import type { Ledger } from './storage/ledger.ts';

/** The sweep finishes what a call left undone that was cut off. */
const SWEEP_EVERY = Duration.minutes(5);
/** The next sweep does the work of one that failed or is late. Otherwise they would pile up while Lambda is down. */
const NOT_LATE = { retryAttempts: 0, maxEventAge: SWEEP_EVERY };

export type IntentApiProps = {
  readonly handler: LambdaFunction;
  readonly ledger: Ledger;
  readonly hints: Queue;
  /** The cluster that the intents are for. */
  readonly cluster: AccessOfCluster;
};

/** The function with its URL. `url.grantInvokeUrl` lets a principal call it. */
export class IntentApi extends Construct {
  readonly handler: LambdaFunction;
  readonly url: FunctionUrl;

  constructor(scope: Construct, id: string, { handler, ledger, hints, cluster }: IntentApiProps) {
    super(scope, id);
    this.handler = handler;
    ledger.grantUse(handler);
    handler.addToRolePolicy(
      new PolicyStatement({ sid: 'Send', actions: ['sqs:SendMessage'], resources: [hints.queueArn] }),
    );
    new ClusterAccess(this, 'Access', {
      clusters: [cluster],
      functions: { intents: handler },
      group: 'zone53-intents',
    });
    this.url = handler.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
    const event = RuleTargetInput.fromObject({ kind: 'sweep' });
    new Rule(this, 'Sweep', {
      schedule: Schedule.rate(SWEEP_EVERY),
      targets: [new LambdaTarget(handler, { event, ...NOT_LATE })],
    });
    handler.configureAsyncInvoke(NOT_LATE);
    new CfnOutput(this, 'Url', { value: this.url.url });
    new CfnOutput(this, 'Role', { value: (handler.role as NonNullable<typeof handler.role>).roleArn });
  }
}
