// What every function is made of: time, the log, the figures, SQS and secrets. Kept apart from wire-pipeline.ts because
// ingest needs nothing else, and a bundler cannot leave out what one file imports.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type SecretText, secretText } from '../../lib/adapters/aws/rotating-secret.ts';
import { sqsQueues } from '../../lib/adapters/queues/sqs-queues.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import type { Kind } from '../../lib/objects/kind.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { kindsHinted } from '../../lib/sources/source.ts';
import { emfMeter, type Meter } from './meter.ts';

export const clock = systemClock;
export const logger = new Logger();
/** An invocation without figures is nothing to warn of, as most of report's are. */
export const metrics = new Metrics({
  logger: { ...withoutWarnings(), error: (content: unknown) => logger.error(String(content)) },
});
export const meter: Meter = emfMeter(metrics);

function withoutWarnings() {
  const silent = () => {};
  return { trace: silent, debug: silent, info: silent, warn: silent };
}

/** The use cases' log, as Powertools' JSON lines. */
export const log: Log = (level, message, fields = {}) => logger[level](message, fields);

/** Adds fields to every log line until the invocation ends. */
export const tag = (fields: Readonly<Record<string, unknown>>): void => logger.appendKeys({ ...fields });

/** Makes something once for each execution environment, when it is first needed. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * How long a try of a call may take, in milliseconds, before the SDK makes the next of its three: without it, a call
 * that is never answered takes the rest of the invocation. They answer within tens of milliseconds; Route 53 has its
 * own limits.
 */
export const REQUEST_LIMITS = {
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
};

export const sqsClient = /* @__PURE__ */ once(() => new SQSClient(REQUEST_LIMITS));
const secretsManager = /* @__PURE__ */ once(() => new SecretsManagerClient(REQUEST_LIMITS));

type Urls = {
  readonly ZONE53_HINTS_URL: string;
  readonly ZONE53_PUBLISH_URL: string;
  readonly ZONE53_REPORTS_URL: string;
};

/** A report waits so long for what comes of the same change, or of the next ones. */
const REPORT_SECONDS = 2;

/** The three queues. `reportSeconds`: how long reports wait, but for those of Zones. */
export function openQueues(urls: Urls, reportSeconds = REPORT_SECONDS): Queues {
  const { ZONE53_HINTS_URL: hints, ZONE53_PUBLISH_URL: publish, ZONE53_REPORTS_URL: reports } = urls;
  return sqsQueues(
    sqsClient(),
    { hints, publish, reports },
    {
      fairByNamespace: true,
      reportDelays: { zoneSeconds: REPORT_SECONDS, otherSeconds: reportSeconds },
    },
  );
}

/** Only the hints queue, for those who leave nothing else. */
export function openHints(url: string): Pick<Queues, 'hint'> {
  const refused = 'about:blank';
  return sqsQueues(sqsClient(), { hints: url, publish: refused, reports: refused }, { fairByNamespace: true });
}

/** A secret's current and previous text, by ARN. */
/** The kinds of objects that a configuration has read. */
export function objectKinds(config: Pick<Config, 'sources' | 'dnsRecords'>): readonly Kind[] {
  return kindsHinted(config);
}

export function openSecret(arn: string): SecretText {
  return secretText(secretsManager(), arn, clock);
}
