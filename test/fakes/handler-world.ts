// Shared by the tests of the handlers: samples, batches of messages, a small world, and a meter and log that record.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Metric } from '../../functions/runtime/metric-names.ts';
import { HIDDEN_SECONDS, type Resting } from '../../functions/runtime/visibility.ts';
import { formatQueueMessage, type QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { type ReconcileWorld, reconcileWorld } from './reconcile-world.ts';

/** A payload of events/samples/. */
export function sample(name: string): unknown {
  return JSON.parse(
    readFileSync(path.join(import.meta.dirname, '..', '..', 'events', 'samples', `${name}.json`), 'utf8'),
  );
}

/** A meter and a log that record what they are given. Log lines carry the tags of their invocation. */
export function watching() {
  const counted = new Map<Metric, number>();
  const lines: string[] = [];
  const retried: string[] = [];
  const pauses: number[] = [];
  const hidden: string[] = [];
  const tags: Record<string, unknown> = {};
  return {
    counted,
    lines,
    retried,
    pauses,
    hidden,
    deps: {
      meter: (metric: Metric, value: number) => void counted.set(metric, (counted.get(metric) ?? 0) + value),
      log: (level: string, message: string, fields: object = {}) =>
        void lines.push(`${level}: ${message} ${JSON.stringify({ ...tags, ...fields })}`),
      tag: (fields: Readonly<Record<string, unknown>>) => void Object.assign(tags, fields),
      hintAliases: async () => {},
      comeBack: async (messages: readonly Resting[]) => {
        for (const { record, pauseSeconds } of messages) {
          if (pauseSeconds === HIDDEN_SECONDS) {
            hidden.push(record.messageId);
            continue;
          }
          retried.push(record.messageId);
          pauses.push(pauseSeconds);
        }
      },
    },
  };
}

/** The messages as an event source mapping passes them, received for the first time. */
export function batchOf(...bodies: readonly (string | QueueMessage)[]): SQSEvent {
  const Records = bodies.map((body, index) => ({
    messageId: `m${index}`,
    receiptHandle: `r${index}`,
    body: typeof body === 'string' ? body : formatQueueMessage(body),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 's',
      ApproximateFirstReceiveTimestamp: '0',
      MessageGroupId: typeof body !== 'string' && body.kind === 'publish' ? body.hostedZoneId : 'g',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:1:q',
    awsRegion: 'eu-west-1',
  }));
  return { Records };
}

/** Ids of the messages that were reported as failed. */
export const failures = ({ batchItemFailures }: SQSBatchResponse) =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
/** A hint at an object of namespace `a`. */
export const hintOf = (name: string, kind: Hint['kind'] = 'Record'): QueueMessage => ({
  kind: 'hint',
  hint: { kind, namespace: 'a', name },
});

/** A Zone `e.` of hosted zone Z1 and a Record in it, in a cluster that was not observed yet. */
export function worldOfOne(): ReconcileWorld {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put({ kind: 'Zone', namespace: 'a', name: 'e' }, { domainName: 'e.', delegations });
  world.cluster.put(
    { kind: 'Record', namespace: 'a', name: 'www' },
    { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' },
  );
  return world;
}

/** The context of an invocation that may take two minutes. */
export const INVOCATION = { getRemainingTimeInMillis: () => 120_000 };
