// The three queues and their dead letter queues. A message is only a key, so nothing is lost with it. But a message
// that failed for an hour and a half means that something is broken, so it ends in a queue with an alarm. Messages are
// kept for 14 days, longer than any holiday.
import { Duration, Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Visibility timeouts: more than six times the timeout of the consumer, as AWS advises. */
export type QueueTimeouts = { readonly hints: Duration; readonly publish: Duration; readonly reports: Duration };

const RETENTION = Duration.days(14);
/** SQS asks KMS for a new key so often. Each call costs. */
const DATA_KEY_REUSE = Duration.hours(1);
/**
 * Failed messages come back after 2 s, doubled up to 300 s (functions/runtime/visibility.ts). So 25 receives take an
 * hour and a half.
 */
const RECEIVES_MAX = 25;

/** The queues hints, publish and reports, a dead letter queue for each, and one for events that reached no queue. */
export class Queues extends Construct {
  readonly hints: Queue;
  readonly publish: Queue;
  readonly reports: Queue;
  /** Events that could not be turned into hints, and sweeps that failed. */
  readonly failedEvents: Queue;
  /** Every queue that should be empty, by the name of its alarm. */
  readonly deadLetters: Readonly<Record<string, Queue>>;

  private readonly encryption: Pick<QueueProps, 'encryption' | 'encryptionMasterKey' | 'dataKeyReuse'>;

  /** `encryptionKey`: default is a key of SQS. */
  constructor(scope: Construct, id: string, timeouts: QueueTimeouts, encryptionKey?: IKey) {
    super(scope, id);
    this.encryption =
      encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey, dataKeyReuse: DATA_KEY_REUSE };
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
      reason: 'It is itself the dead letter queue of asynchronous invocations, which name it as their destination.',
    });
    this.deadLetters = { ...dead, Events: this.failedEvents };
  }

  private queue(id: string, props: QueueProps): Queue {
    return new Queue(this, id, {
      ...this.encryption,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      ...props,
    });
  }
}
