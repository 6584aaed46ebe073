// The three queues and their dead letters. A message is a key, so none is ever precious; but one that could not be
// worked on for hours means that something is broken, so it ends where an alarm sees it. 14 days everywhere: longer
// than any holiday.
import { Duration, Validations } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Long enough for a killed run of the slowest consumer to be done again safely: more than six times its timeout. */
export type QueueTimeouts = { readonly hints: Duration; readonly publish: Duration; readonly reports: Duration };

const RETENTION = Duration.days(14);
/**
 * Failed messages come back after 2 s, doubled up to 300 s (functions/runtime/visibility.ts): so often is an hour and a
 * half.
 */
const RECEIVES_MAX = 25;

/** Hints, publish and reports, and the dead letters of each and of the events that no queue held yet. */
export class Queues extends Construct {
  readonly hints: Queue;
  readonly publish: Queue;
  readonly reports: Queue;
  /** Events that could not be turned into hints, and sweeps that failed. */
  readonly failedEvents: Queue;
  /** Every queue that should be empty, by the name that its alarm gets. */
  readonly deadLetters: Readonly<Record<string, Queue>>;

  constructor(scope: Construct, id: string, timeouts: QueueTimeouts) {
    super(scope, id);
    const fifo = {
      fifo: true,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    };
    const dead = {
      Hints: this.queue('HintsDead', {}),
      Publish: this.queue('PublishDead', { fifo: true }),
      Reports: this.queue('ReportsDead', {}),
    };
    const redrive = (queue: Queue) => ({ deadLetterQueue: { queue, maxReceiveCount: RECEIVES_MAX } });
    this.hints = this.queue('Hints', { visibilityTimeout: timeouts.hints, ...redrive(dead.Hints) });
    this.publish = this.queue('Publish', { visibilityTimeout: timeouts.publish, ...fifo, ...redrive(dead.Publish) });
    this.reports = this.queue('Reports', { visibilityTimeout: timeouts.reports, ...redrive(dead.Reports) });
    this.failedEvents = this.queue('FailedEvents', {});
    Validations.of(this.failedEvents).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is a dead letter queue itself, that of asynchronous invocations, which name it as their destination.',
    });
    this.deadLetters = { ...dead, Events: this.failedEvents };
  }

  private queue(id: string, props: QueueProps): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      ...props,
    });
  }
}
