// The parts that every function uses: time, the log, metrics, SQS and secrets. Separate from wire-pipeline.ts because
// ingest needs nothing else, and a bundler cannot leave out what a file imports.

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
import { once } from '../../lib/ports/once.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { kindsHinted } from '../../lib/sources/source.ts';
import { emfMeter, type Meter } from './meter.ts';

export const clock = systemClock;
export const logger = new Logger();
/** The metrics. Powertools' warning about an invocation without any is left out: most reports have none. */
export const metrics = new Metrics({
  logger: { ...withoutWarnings(), error: (content: unknown) => logger.error(String(content)) },
});
/** The stack has `observability: lean`. */
export const isLean = process.env.ZONE53_METRICS === 'lean';
export const meter: Meter = emfMeter(metrics, isLean);

function withoutWarnings() {
  const silent = () => {};
  return { trace: silent, debug: silent, info: silent, warn: silent };
}

/** The log of the use cases, as JSON lines of Powertools. */
export const log: Log = (level, message, fields = {}) => logger[level](message, fields);

/** Adds fields to every log line until the invocation ends. */
export const tag = (fields: Readonly<Record<string, unknown>>): void => logger.appendKeys({ ...fields });

/**
 * Time limits in milliseconds for one try of a call; the SDK makes three. Without them a call that is never answered
 * takes the rest of the invocation. These services answer within tens of milliseconds; Route 53 has its own limits.
 */
export const REQUEST_LIMITS = {
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
};

export const sqsClient = /* @__PURE__ */ once(() => new SQSClient(REQUEST_LIMITS));
const secretsManagers = /* @__PURE__ */ once(() => new Map<string | undefined, SecretsManagerClient>());

type Urls = {
  readonly ZONE53_HINTS_URL: string;
  readonly ZONE53_PUBLISH_URL: string;
  readonly ZONE53_REPORTS_URL: string;
};

/** The delay of a report, so that one report covers everything that follows from the same change, or the next ones. */
const REPORT_SECONDS = 2;

/** The mark of the messages of a cluster; null where there is no other cluster. */
type Mark = string | null;

function fairly(mark: Mark) {
  return { fairByNamespace: true, ...(mark !== null && { cluster: mark }) };
}

/** The three queues. `reportSeconds`: the delay of reports, but for reports of Zones. */
export function openQueues(urls: Urls, mark: Mark, reportSeconds = REPORT_SECONDS): Queues {
  const { ZONE53_HINTS_URL: hints, ZONE53_PUBLISH_URL: publish, ZONE53_REPORTS_URL: reports } = urls;
  return sqsQueues(
    sqsClient(),
    { hints, publish, reports },
    {
      ...fairly(mark),
      reportDelays: { zoneSeconds: REPORT_SECONDS, otherSeconds: reportSeconds },
    },
  );
}

/** Only the hints queue, for functions that send nothing else. */
export function openHints(url: string, mark: Mark): Pick<Queues, 'hint'> {
  const refused = 'about:blank';
  const { hint } = sqsQueues(sqsClient(), { hints: url, publish: refused, reports: refused }, fairly(mark));
  return { hint };
}

/** Only the reports queue. Its delay is the sender's. */
export function openReports(url: string, mark: Mark): Pick<Queues, 'report'> {
  const refused = 'about:blank';
  const { report } = sqsQueues(sqsClient(), { hints: refused, publish: refused, reports: url }, fairly(mark));
  return { report };
}

/** The kinds of objects that are read with this configuration. */
export function objectKinds(config: Pick<Config, 'sources' | 'dnsRecords'>): readonly Kind[] {
  return kindsHinted(config);
}

/** A secret's current and previous text, by ARN. */
export function openSecret(arn: string): SecretText {
  return secretText(secretsManagerOf(arn), arn, clock);
}

/** A client for the region that the ARN of a secret names, because no other region has the secret. */
export function secretsManagerOf(arn: string): SecretsManagerClient {
  const region = /^arn:[^:]*:secretsmanager:([^:]+):/.exec(arn)?.[1];
  const settings = { ...REQUEST_LIMITS, ...(region === undefined ? {} : { region }) };
  const client = secretsManagers().get(region) ?? new SecretsManagerClient(settings);
  secretsManagers().set(region, client);
  return client;
}
