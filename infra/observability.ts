// The dashboard and the alarms. Each alarm has a severity: `page`, somebody must look now, or `notify`, it can wait, as
// what a tenant wrote. Its description names the heading of docs/runbook.md that says what it means and what to do. A
// test checks that the headings exist.
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  Metric as CloudwatchMetric,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Metric } from '../functions/runtime/environment.ts';
import { type AlarmName, THRESHOLDS } from '../lib/adapters/config/alarms-schema.ts';
import { shippedFile } from '../lib/adapters/system/shipped-file.ts';
import { METRICS_NAMESPACE } from './lambda/pipeline-function.ts';
import type { AlarmProps } from './zone53-props.ts';

export interface ObservabilityProps extends AlarmProps {
  /** The value of the dimension `service` of the metrics. */
  readonly service: string;
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  readonly queues: Readonly<Record<string, Queue>>;
  readonly deadLetters: Readonly<Record<string, Queue>>;
  readonly sweepEvery: Duration;
  /** Whether a webhook of API servers sends hints. */
  readonly hasWebhook: boolean;
  /** `lean`: four alarms and no dashboard. */
  readonly level: 'full' | 'lean';
}

/** Which alarms page. The others notify. */
const PAGES: ReadonlySet<AlarmName> = new Set([
  'OldestMessage',
  'DeadLetters',
  'SweepAge',
  'Unreadable',
  'Errors',
  'OldestDirty',
  'OldestUnsettled',
  'IntentsFailed',
]);

type Watch = {
  readonly metric: IMetric;
  readonly periods?: number;
  readonly missing?: TreatMissingData;
  readonly heading: string;
  readonly says: string;
};

/** The runbook of this version: npm packages are served by version at this address. */
export function runbookOfVersion(): string {
  const { version } = JSON.parse(shippedFile('package.json')) as { readonly version: string };
  return `https://unpkg.com/zone53@${version}/docs/runbook.md`;
}

/** Dashboard and alarms. */
export class Observability extends Construct {
  /** The alarms, by the ids of their constructs, such as `SweepAge` and `Errorspublish`. */
  readonly alarms: Readonly<Record<string, Alarm>>;
  private readonly props: ObservabilityProps;
  private readonly runbook: string;
  private readonly made: Record<string, Alarm> = {};

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.props = props;
    this.runbook = props.runbook ?? runbookOfVersion();
    this.alarms = this.made;
    if (props.level === 'lean') this.watchQueues();
    else this.watchEachQueue();
    this.watchWhole();
    if (props.level === 'lean') return;
    this.watchFunctions();
    this.watchFigures();
    if (props.hasWebhook) this.watchHints();
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

  /** One alarm for all queues, and one for all dead letter queues. */
  private watchQueues(): void {
    const { queues, deadLetters } = this.props;
    const most = (metrics: Readonly<Record<string, IMetric>>, period: Duration) =>
      new MathExpression({
        expression: `MAX([${Object.keys(metrics).join(', ')}])`,
        usingMetrics: metrics,
        period,
      });
    const of = (all: Readonly<Record<string, Queue>>, measure: (queue: Queue) => IMetric) =>
      Object.fromEntries(Object.entries(all).map(([name, queue]) => [name.toLowerCase(), measure(queue)]));
    this.alarm('OldestMessage', 'OldestMessage', notConsumed(most(of(queues, ageOf), Duration.minutes(5)), 'a queue'));
    this.alarm('DeadLetters', 'DeadLetters', givenUp(most(of(deadLetters, lengthOf), Duration.minutes(1))));
  }

  private watchEachQueue(): void {
    const { queues, deadLetters } = this.props;
    for (const [name, queue] of Object.entries(queues))
      this.alarm('OldestMessage', `OldestMessage${name}`, notConsumed(ageOf(queue), name));
    for (const [name, queue] of Object.entries(deadLetters))
      this.alarm('DeadLetters', `DeadLetters${name}`, givenUp(lengthOf(queue)));
  }

  /** What tells that nothing works any more, or not by what was written last. */
  private watchWhole(): void {
    // No data is an alarm only after there was some: a new alarm begins without data, so a first deployment alarms
    // nobody.
    const sweepAge = this.alarm('SweepAge', 'SweepAge', {
      missing: TreatMissingData.MISSING,
      heading: 'sweep-age',
      metric: this.own('SweepAge', Stats.MAXIMUM),
      periods: 3,
      says: 'No sweep has finished for three times its interval, or nothing is measured any more.',
    });
    sweepAge?.addInsufficientDataAction(...this.actionsOf('SweepAge'));
    this.alarm('Unreadable', 'Unreadable', {
      metric: this.own('Unreadable', Stats.SUM),
      periods: 3,
      heading: 'configuration-or-cluster-unreadable',
      says: 'The configuration is invalid, or it or the cluster cannot be read.',
    });
  }

  private watchFunctions(): void {
    const options = { period: Duration.minutes(5) };
    for (const [name, one] of Object.entries(this.props.functions)) {
      this.alarm('Errors', `Errors${name}`, {
        metric: one.metricErrors(options),
        periods: 3,
        heading: 'errors',
        says: `${name} fails.`,
      });
      this.alarm('Throttles', `Throttles${name}`, {
        metric: one.metricThrottles(options),
        periods: 3,
        heading: 'throttled-functions',
        says: `Lambda throttles ${name}.`,
      });
    }
  }

  /** The figures of the functions. */
  private watchFigures(): void {
    const { functions } = this.props;
    this.alarm('OldestDirty', 'OldestDirty', {
      metric: this.own('OldestDirty', Stats.MAXIMUM),
      periods: 2,
      heading: 'oldest-dirty-name',
      says: 'A change has waited for a quarter of an hour to be published.',
    });
    this.alarm('OldestUnsettled', 'OldestUnsettled', {
      metric: this.own('OldestUnsettled', Stats.MAXIMUM),
      heading: 'unsettled-objects',
      says: 'Sweeps in a row find the same object unsettled: its hints are not consumed.',
    });
    this.alarm('HeldDeletes', 'HeldDeletes', {
      metric: this.own('HeldDeletes', Stats.MAXIMUM),
      heading: 'held-plan',
      says: 'The guard holds deletes until somebody acknowledges them.',
    });
    this.alarm('Refusals', 'Refusals', {
      metric: this.own('Refusals', Stats.SUM, Duration.minutes(15)),
      heading: 'refusals',
      says: 'Record sets are newly refused or held.',
    });
    this.alarm('Throttled', 'Throttled', {
      metric: this.own('Throttled', Stats.SUM),
      periods: 3,
      heading: 'route-53-throttles-us',
      says: 'Route 53 throttles us: somebody else uses more of its limits than the budget leaves to others.',
    });
    this.alarm('EventsRefused', 'EventsRefused', {
      metric: this.own('EventsRefused', Stats.SUM),
      periods: 3,
      heading: 'refused-events',
      says: 'Many events cannot be read, or come from unknown senders.',
    });
    if ('validate' in functions) {
      this.alarm('WritesUnjudged', 'WritesUnjudged', {
        metric: this.own('WritesUnjudged', Stats.SUM),
        periods: 3,
        heading: 'unjudged-writes',
        says: 'The API server stores writes without a verdict of the validating webhook.',
      });
    }
    if (functions.intents !== undefined) {
      // The function answers 500 and does not fail, so its metric Errors shows nothing.
      this.alarm('IntentsFailed', 'IntentsFailed', {
        metric: functions.intents.metric('Url5xxCount', { statistic: Stats.SUM, period: Duration.minutes(5) }),
        periods: 3,
        heading: 'failed-intents',
        says: 'The intent API answers with errors of its own (5xx).',
      });
    }
    this.alarm('MessagesFailed', 'MessagesFailed', {
      metric: this.own('MessagesFailed', Stats.SUM),
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
      const alarm = this.alarm('HintsLost', id, {
        ...{ metric, heading: 'lost-hints' },
        says: `${says} A hint may be lost, so a sweep is called at once.`,
      });
      if (alarm === null) return;
      alarm.addAlarmAction({ bind: () => ({ alarmActionArn: sweep.functionArn }) });
      sweep.addPermission(`Call${id}`, {
        principal: new ServicePrincipal('lambda.alarms.cloudwatch.amazonaws.com'),
        sourceAccount: Stack.of(this).account,
        sourceArn: alarm.alarmArn,
      });
    }
  }

  private actionsOf(name: AlarmName): readonly IAlarmAction[] {
    const { page, notify = [] } = this.props;
    return PAGES.has(name) ? (page ?? notify) : notify;
  }

  /** Makes an alarm. Null if its threshold is false. */
  private alarm(name: AlarmName, id: string, { metric, periods = 1, missing, heading, says }: Watch): Alarm | null {
    const { thresholds = {}, sweepEvery } = this.props;
    const threshold = thresholds[name] ?? THRESHOLDS[name].usual ?? sweepEvery.toSeconds() * 3;
    if (threshold === false) return null;
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${says} Runbook: ${this.runbook}#${heading}`,
    });
    const actions = this.actionsOf(name);
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
    this.made[id] = alarm;
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
      graph('Seconds for which an object is unsettled', [this.own('OldestUnsettled', Stats.MAXIMUM)]),
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

function ageOf(queue: Queue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: Duration.minutes(5) });
}

function lengthOf(queue: Queue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: Duration.minutes(1) });
}

function notConsumed(metric: IMetric, queue: string): Watch {
  return { metric, heading: 'queue-not-consumed', says: `Messages of ${queue} wait, and nobody takes them.` };
}

function givenUp(metric: IMetric): Watch {
  return { metric, heading: 'dead-letters', says: 'Messages were given up.' };
}
