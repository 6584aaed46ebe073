// The dashboard and the alarms. The description of an alarm names the heading of docs/runbook.md that says what it
// means and what to do. A test checks that the headings exist.
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  Metric as CloudwatchMetric,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IAlarmAction,
  type IMetric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Metric } from '../functions/runtime/environment.ts';
import { METRICS_NAMESPACE } from './lambda/pipeline-function.ts';

export interface ObservabilityProps {
  readonly service: string;
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  readonly queues: Readonly<Record<string, Queue>>;
  readonly deadLetters: Readonly<Record<string, Queue>>;
  readonly sweepEvery: Duration;
  /** Whether a webhook of API servers sends hints. */
  readonly hasWebhook: boolean;
  /** The address of the runbook in the descriptions. */
  readonly runbook: string;
  readonly actions: readonly IAlarmAction[];
}

type Watch = {
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods?: number;
  readonly missing?: TreatMissingData;
  readonly heading: string;
  readonly says: string;
};

/** Dashboard and alarms. */
export class Observability extends Construct {
  private readonly props: ObservabilityProps;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.props = props;
    this.alarms();
    this.dashboard();
  }

  private own(metric: Metric, statistic: string, period = Duration.minutes(5)): CloudwatchMetric {
    const { service } = this.props;
    return new CloudwatchMetric({
      namespace: METRICS_NAMESPACE,
      metricName: metric,
      dimensionsMap: { service },
      statistic,
      period,
    });
  }

  private alarms(): void {
    const { deadLetters, functions, sweepEvery } = this.props;
    for (const [name, queue] of Object.entries(deadLetters)) {
      const metric = queue.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(1),
      });
      this.alarm(`DeadLetters${name}`, {
        metric,
        threshold: 1,
        heading: 'dead-letters',
        says: 'Messages were given up.',
      });
    }
    for (const [name, one] of Object.entries(functions)) {
      const metric = one.metricErrors({ period: Duration.minutes(5) });
      this.alarm(`Errors${name}`, { metric, threshold: 1, periods: 3, heading: 'errors', says: `${name} fails.` });
    }
    // No data is an alarm only after there was some: a new alarm begins without data, so a first deployment alarms
    // nobody.
    const sweepAge = this.alarm('SweepAge', {
      missing: TreatMissingData.MISSING,
      heading: 'sweep-age',
      metric: this.own('SweepAge', Stats.MAXIMUM),
      threshold: sweepEvery.toSeconds() * 3,
      periods: 3,
      says: 'No sweep has finished for three times its interval, or nothing is measured any more.',
    });
    sweepAge.addInsufficientDataAction(...this.props.actions);
    this.alarm('OldestDirty', {
      metric: this.own('OldestDirty', Stats.MAXIMUM),
      threshold: 900,
      periods: 2,
      heading: 'oldest-dirty-name',
      says: 'A change has waited for a quarter of an hour to be published.',
    });
    this.alarm('HeldDeletes', {
      metric: this.own('HeldDeletes', Stats.MAXIMUM),
      threshold: 1,
      heading: 'held-plan',
      says: 'The guard holds deletes until somebody acknowledges them.',
    });
    this.alarm('Refusals', {
      metric: this.own('Refusals', Stats.SUM, Duration.minutes(15)),
      threshold: 1,
      heading: 'refusals',
      says: 'Record sets are newly refused or held.',
    });
    this.alarm('Throttled', {
      metric: this.own('Throttled', Stats.SUM),
      threshold: 10,
      periods: 3,
      heading: 'throttles',
      says: "Route 53 throttles us: somebody else uses up the account's five calls a second.",
    });
    this.alarm('EventsRefused', {
      metric: this.own('EventsRefused', Stats.SUM),
      threshold: 100,
      periods: 3,
      heading: 'refused-events',
      says: 'Many events cannot be read, or come from unknown senders.',
    });
    if ('validate' in functions) {
      this.alarm('WritesUnjudged', {
        metric: this.own('WritesUnjudged', Stats.SUM),
        threshold: 10,
        periods: 3,
        heading: 'unjudged-writes',
        says: 'The API server stores writes without a verdict of the validating webhook.',
      });
    }
    if (functions.intents !== undefined) {
      // The function answers 500 and does not fail, so its metric Errors shows nothing.
      this.alarm('IntentsFailed', {
        metric: functions.intents.metric('Url5xxCount', { statistic: Stats.SUM, period: Duration.minutes(5) }),
        threshold: 1,
        periods: 3,
        heading: 'failed-intents',
        says: 'The intent API answers with errors of its own (5xx).',
      });
    }
    if (this.props.hasWebhook) this.watchHints();
    this.alarm('MessagesFailed', {
      metric: this.own('MessagesFailed', Stats.SUM),
      threshold: 10,
      periods: 3,
      heading: 'failed-messages',
      says: 'Messages keep failing and coming back.',
    });
  }

  /**
   * An API server lets a write pass when its webhook fails, and does not try again. So a call that was throttled,
   * failed, or had a wrong secret is a lost hint. These alarms start a sweep at once, which finds the write.
   */
  private watchHints(): void {
    const { ingest, sweep } = this.props.functions;
    if (ingest === undefined || sweep === undefined)
      throw new Error('Alarms about lost hints need the functions ingest and sweep');
    const options = { statistic: Stats.SUM, period: Duration.minutes(1) };
    const lost: Readonly<Record<string, readonly [IMetric, string]>> = {
      HintsLost: [this.own('HintsLost', options.statistic, options.period), 'Requests of an API server are refused.'],
      HintsFailed: [ingest.metric('Url5xxCount', options), 'The webhook failed.'],
      HintsThrottled: [ingest.metricThrottles(options), 'The webhook was throttled.'],
    };
    for (const [id, [metric, says]] of Object.entries(lost)) {
      const alarm = this.alarm(id, {
        ...{ metric, threshold: 1, heading: 'lost-hints' },
        says: `${says} A hint may be lost, so a sweep is called at once.`,
      });
      alarm.addAlarmAction({ bind: () => ({ alarmActionArn: sweep.functionArn }) });
      sweep.addPermission(`Call${id}`, {
        principal: new ServicePrincipal('lambda.alarms.cloudwatch.amazonaws.com'),
        sourceAccount: Stack.of(this).account,
        sourceArn: alarm.alarmArn,
      });
    }
  }

  private alarm(id: string, { metric, threshold, periods = 1, missing, heading, says }: Watch): Alarm {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${says} Runbook: ${this.props.runbook}#${heading}`,
    });
    alarm.addAlarmAction(...this.props.actions);
    return alarm;
  }

  private dashboard(): void {
    const { queues, functions } = this.props;
    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
    const dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    dashboard.addWidgets(
      graph('From the event to the updated ledger, ms', [
        this.own('ReconcileLatency', 'p50'),
        this.own('ReconcileLatency', 'p99'),
      ]),
      graph('From the event to Route 53, ms', [this.own('PublishLatency', 'p50'), this.own('PublishLatency', 'p99')]),
      graph('Dirty names, and seconds that the oldest waits', [
        this.own('DirtyNames', Stats.MAXIMUM),
        this.own('OldestDirty', Stats.MAXIMUM),
      ]),
      graph('Hints, changes, refusals', [
        this.own('Hints', Stats.SUM),
        this.own('Changes', Stats.SUM),
        this.own('Refusals', Stats.SUM),
      ]),
      graph('Calls of Route 53', [
        this.own('BudgetCalls', Stats.SUM),
        this.own('Batches', Stats.SUM),
        this.own('Throttled', Stats.SUM),
      ]),
      graph('Wait for the budget of calls, ms', [this.own('BudgetWait', 'p50'), this.own('BudgetWait', Stats.MAXIMUM)]),
      graph('Sweep: seconds since the last, and drift found', [
        this.own('SweepAge', Stats.MAXIMUM),
        this.own('Drifted', Stats.SUM),
      ]),
      graph('Deletes held by the guard', [this.own('HeldDeletes', Stats.MAXIMUM)]),
      graph(
        'Messages in the queues',
        Object.values(queues).map((queue) => queue.metricApproximateNumberOfMessagesVisible()),
      ),
      graph(
        'Errors',
        Object.values(functions).map((one) => one.metricErrors()),
      ),
      graph(
        'Duration, ms',
        Object.values(functions).map((one) => one.metricDuration({ statistic: 'p99' })),
      ),
      graph('Events refused, messages failed', [
        this.own('EventsRefused', Stats.SUM),
        this.own('MessagesFailed', Stats.SUM),
      ]),
      graph('Writes that the validating webhook refused, or passed without a verdict', [
        this.own('WritesRefused', Stats.SUM),
        this.own('WritesUnjudged', Stats.SUM),
      ]),
    );
  }
}
