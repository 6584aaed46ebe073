// Estimates what zone53 costs a month, by records and changes per day, and prints the tables of docs/costs.md. What a
// stack has (alarms, dashboards, metrics, secrets, schedules) is counted in the template of examples/aws/zone53.yaml.
//
//   npx node infra/estimate-costs.ts                                    with the prices below
//   npx node infra/estimate-costs.ts --price lambdaGbSecondArm=0.00002  with your own price; may be repeated
//
// docs/costs.md says where the prices come from, and how far they were checked. The counts per change are those of
// `measureHotPath()` (test/fakes/hot-path.ts: 20 items read, 10 written), plus budget, latency metric and report,
// rounded up.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { App } from 'aws-cdk-lib';
import { FUNCTION_ENVIRONMENT } from '../functions/runtime/environment.ts';
import { LEAN_METRICS, METRICS as METRIC_UNITS } from '../functions/runtime/metric-names.ts';
import { addStacks } from './stacks.ts';

/** Dollars, and the day on which they were written down. */
export const PRICES = {
  lambdaGbSecondArm: { dollars: 0.0000133334, of: 'Lambda, a GB-second on arm64', noted: '2026-11-21' },
  lambdaMillionRequests: { dollars: 0.2, of: 'Lambda, a million requests', noted: '2026-11-21' },
  sqsMillionStandard: { dollars: 0.4, of: 'SQS, a million requests to a standard queue', noted: '2026-11-21' },
  sqsMillionFifo: { dollars: 0.5, of: 'SQS, a million requests to a FIFO queue', noted: '2026-11-21' },
  dynamodbMillionWrites: { dollars: 0.625, of: 'DynamoDB, a million write units on demand', noted: '2026-11-21' },
  dynamodbMillionReads: { dollars: 0.125, of: 'DynamoDB, a million read units on demand', noted: '2026-11-21' },
  dynamodbGbMonth: { dollars: 0.25, of: 'DynamoDB, a GB-month', noted: '2026-11-21' },
  dynamodbBackupGbMonth: { dollars: 0.2, of: 'DynamoDB, a GB-month of point-in-time recovery', noted: '2026-11-21' },
  logsGb: { dollars: 0.5, of: 'CloudWatch Logs, a GB taken in', noted: '2026-11-21' },
  customMetric: { dollars: 0.3, of: 'CloudWatch, a metric of ours a month', noted: '2026-11-21' },
  alarm: { dollars: 0.1, of: 'CloudWatch, an alarm a month', noted: '2026-11-21' },
  dashboard: { dollars: 3, of: 'CloudWatch, a dashboard a month', noted: '2026-11-21' },
  secret: { dollars: 0.4, of: 'Secrets Manager, a secret a month', noted: '2026-11-21' },
  secretMillionCalls: { dollars: 5, of: 'Secrets Manager, a million calls', noted: '2026-11-22' },
  kmsMillionCalls: { dollars: 3, of: 'KMS, a million calls with a key of AWS', noted: '2026-11-22' },
  recordSetBeyond10000: {
    dollars: 0.0015,
    of: 'Route 53, a month of a record set beyond 10,000 in its hosted zone',
    noted: '2026-11-22',
  },
  schedulerMillion: { dollars: 1, of: 'EventBridge Scheduler, a million invocations', noted: '2026-11-21' },
} as const;

export type Prices = Readonly<Record<keyof typeof PRICES, number>>;

/** The prices, with those of `given` (NAME=DOLLARS) in their place. Throws an Error for a name that is not a price. */
export function pricesWith(given: readonly string[]): Prices {
  const listed = Object.fromEntries(Object.entries(PRICES).map(([name, { dollars }]) => [name, dollars]));
  const own = given.map((text) => {
    const [name = '', dollars = ''] = text.split('=');
    if (!(name in PRICES) || !(Number(dollars) >= 0) || dollars === '') {
      throw new Error(`Cannot read price "${text}": write NAME=DOLLARS, NAME one of ${Object.keys(PRICES).join(', ')}`);
    }
    return [name, Number(dollars)];
  });
  return { ...listed, ...Object.fromEntries(own) } as Prices;
}

const DAYS = 30;

/** What one change takes, from its event to the object's status: counted on the hot path, rounded up. */
const PER_CHANGE = {
  /** ingest 512 MB 20 ms, reconcile 1 GB 150 ms, publish 512 MB 400 ms, report 1 GB 150 ms; a batch shares them. */
  gbSeconds: 0.01 + 0.15 + 0.2 + 0.15,
  invocations: 4,
  /** Send, receive, extend, delete. Standard queues: hints and reports; FIFO: publish. */
  standardRequests: 8,
  fifoRequests: 4,
  ledgerWrites: 14,
  ledgerReads: 40,
  logOctets: 4_000,
};

/** Of one record at rest: the items of its object, its name and its record set. */
const LEDGER_OCTETS_PER_RECORD = 2_500;
/**
 * A changed Zone is reported at most every 1.5 seconds. Its entries, hash and serial take a read of all records below
 * it, of which this is the assumed number.
 */
const RECORDS_PER_ZONE = 1_000;
const REPORTS_PER_DAY_MAX = 57_600;
/** A read unit is 4 KB. */
const READ_UNIT_OCTETS = 4_096;
/**
 * Custom metrics: those of functions/runtime/metric-names.ts with the dimension `service`, five reasons of refusals,
 * and a cold start of each of seven functions. The age of the sweep has one more for each hosted zone.
 */
const METRICS = Object.keys(METRIC_UNITS).length + 5 + 7;
/**
 * Polls of three queues by five pollers each, 20 seconds long; a sweep every 15 minutes, a measurement every 5 minutes,
 * a poll every minute, which watches each kind for a second.
 */
const IDLE_REQUESTS = (3 * 5 * DAYS * 86_400) / 20;
const SWEEPS = DAYS * 96;
const MEASUREMENTS = DAYS * 288;
const POLLS = DAYS * 1_440;
const GB_OF_POLL = 0.25;
const SECONDS_A_POLL = 1.3;
/** Two versions of a secret every five minutes, in each of two execution environments. */
const CALLS_OF_A_SECRET = 2 * 2 * DAYS * 288;
/** DynamoDB calls KMS once every five minutes for each caller of a table with an AWS managed key. */
const KMS_CALLS = 4 * 2 * DAYS * 288;
/** The quota of a hosted zone. AWS raises it on request, and charges for each record set beyond it. */
const RECORD_SETS_INCLUDED = 10_000;
/** Records that one sweep updates, and the item reads for each (`npm run bench -- sweep`). */
const UPDATED_A_SWEEP = 800;
const READS_A_NAME = 21;
/** What each further cluster adds to a poll, and to a sweep, which serve all at the same time: assumed seconds. */
const POLL_SECONDS_OF_A_CLUSTER = 0.1;
const SWEEP_SECONDS_OF_A_CLUSTER = 0.5;
/** What its sweep reads and writes, whatever it has, rounded up: how far it has come, hosted zones, kinds. */
const SWEEP_READS_OF_A_CLUSTER = 60;
const SWEEP_WRITES_OF_A_CLUSTER = 10;

/** A sweep lists 300 record sets a call, and waits for its share of the budget: four calls a second. */
const SWEEP_SECONDS_A_RECORD = 1 / 300 / 4;
/**
 * GB of audit log a day, by assumed rates of the sample events (some 1.2 KB a line): 25 controllers that elect leaders
 * and 30 reads a second, and for each node its lease every ten seconds, its status and its Pods.
 */
const AUDIT_GB_A_DAY = 5.5;
const AUDIT_GB_A_DAY_OF_A_NODE = 0.015;

type Item = readonly [name: string, dollars: number];

/** What of a stack costs without any change. */
export type Counted = {
  /** CloudWatch charges an alarm for each metric that it watches. */
  readonly alarmMetrics: number;
  readonly dashboards: number;
  readonly secrets: number;
  readonly customMetrics: number;
};

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: Record<string, unknown> }>>;

/** Counts in a template. */
export function countTemplate(resources: Resources): Counted {
  const ofType = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
  const metricsOf = (alarm: Resources[string]) => {
    const watched = (alarm.Properties?.Metrics ?? [{ MetricStat: {} }]) as readonly { MetricStat?: object }[];
    return watched.filter(({ MetricStat }) => MetricStat !== undefined).length;
  };
  const isLean = JSON.stringify(ofType('AWS::Lambda::Function')).includes('"ZONE53_METRICS":"lean"');
  return {
    alarmMetrics: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0),
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    customMetrics: isLean ? LEAN_METRICS.length : METRICS + 1,
  };
}

/** Counts in the template of examples/aws/zone53.yaml, with verdicts. */
export function countExample(observability: 'full' | 'lean'): Counted {
  const file = path.join(import.meta.dirname, '..', 'examples', 'aws', 'zone53.yaml');
  const source = readFileSync(file, 'utf8').replace('webhook: {', 'validate: true, webhook: {');
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-costs-'));
  try {
    // The code does not matter for the template.
    for (const name of Object.keys(FUNCTION_ENVIRONMENT)) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, name, 'index.mjs'), '');
    }
    const app = new App();
    const { home } = addStacks(app, `${source}\nobservability: ${observability}\n`, file, folder);
    return countTemplate(app.synth().getStackArtifact(home.artifactId).template.Resources as Resources);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A column of the table. `records`: those of all clusters. */
type Column = { readonly counted: Counted; readonly records: number; readonly clusters?: number };

/** Dollars a month, by service. */
function estimate(
  prices: Prices,
  { counted, records, changesPerDay, clusters = 1 }: Column & { readonly changesPerDay: number },
): readonly Item[] {
  const changes = changesPerDay * DAYS;
  const million = 1_000_000;
  // A sweep reads every item, lists every object and reads Route 53: 2 seconds and 50 µs a record, and what it waits
  // for Route 53, with 2 GB. A part of the names is also updated, with point reads.
  const sweepGbSeconds =
    SWEEPS * 2 * (2 + (clusters - 1) * SWEEP_SECONDS_OF_A_CLUSTER + records * (0.00005 + SWEEP_SECONDS_A_RECORD));
  const readUnits = (count: number) => (count * LEDGER_OCTETS_PER_RECORD) / READ_UNIT_OCTETS;
  const sweepReads = SWEEPS * (readUnits(records) + Math.min(records, UPDATED_A_SWEEP) * READS_A_NAME);
  const further = clusters - 1;
  const readsOfClusters = further * (SWEEPS * SWEEP_READS_OF_A_CLUSTER + POLLS);
  const writesOfClusters = further * SWEEPS * SWEEP_WRITES_OF_A_CLUSTER;
  const reports = Math.min(changesPerDay, REPORTS_PER_DAY_MAX) * DAYS;
  const reportReads = reports * readUnits(Math.min(records / clusters, RECORDS_PER_ZONE));
  const pollGbSeconds = POLLS * GB_OF_POLL * (SECONDS_A_POLL + (clusters - 1) * POLL_SECONDS_OF_A_CLUSTER);
  const gbSeconds = changes * PER_CHANGE.gbSeconds + sweepGbSeconds + MEASUREMENTS * 2 * 0.2 * clusters + pollGbSeconds;
  const requests = changes * PER_CHANGE.invocations + SWEEPS + MEASUREMENTS + POLLS;
  const gb = (records * LEDGER_OCTETS_PER_RECORD) / 1e9;
  return [
    ['Lambda', gbSeconds * prices.lambdaGbSecondArm + (requests / million) * prices.lambdaMillionRequests],
    [
      'SQS',
      ((changes * PER_CHANGE.standardRequests + IDLE_REQUESTS) / million) * prices.sqsMillionStandard +
        ((changes * PER_CHANGE.fifoRequests) / million) * prices.sqsMillionFifo,
    ],
    [
      'DynamoDB',
      ((changes * PER_CHANGE.ledgerWrites + writesOfClusters) / million) * prices.dynamodbMillionWrites +
        ((changes * PER_CHANGE.ledgerReads + sweepReads + reportReads + readsOfClusters) / million) *
          prices.dynamodbMillionReads +
        gb * (prices.dynamodbGbMonth + prices.dynamodbBackupGbMonth),
    ],
    [
      'CloudWatch',
      counted.customMetrics * prices.customMetric +
        counted.alarmMetrics * prices.alarm +
        counted.dashboards * prices.dashboard +
        ((changes * PER_CHANGE.logOctets) / 1e9) * prices.logsGb,
    ],
    [
      'Secrets, keys, schedules',
      counted.secrets * prices.secret +
        ((counted.secrets * CALLS_OF_A_SECRET) / million) * prices.secretMillionCalls +
        (KMS_CALLS / million) * prices.kmsMillionCalls +
        ((SWEEPS + MEASUREMENTS + POLLS) / million) * prices.schedulerMillion,
    ],
    ['Route 53, in one hosted zone', Math.max(0, records - RECORD_SETS_INCLUDED) * prices.recordSetBeyond10000],
  ];
}

/** The table of docs/costs.md, in Markdown. */
export function costTable(prices: Prices = pricesWith([])): string {
  const full = countExample('full');
  const lean = countExample('lean');
  const sizes = [
    { records: 100, of: ', `lean`', counted: lean },
    { records: 5_000, of: ', in 50 clusters, `lean`', counted: lean, clusters: 50 },
    ...[100, 10_000, 1_000_000].map((records) => ({ records, of: '', counted: full })),
  ];
  const columns = sizes.map((size) => estimate(prices, { ...size, changesPerDay: size.records }));
  const names = columns[0]?.map(([name]) => name) ?? [];
  const cell = (dollars: number) => (dollars < 100 ? dollars.toFixed(2) : dollars.toFixed(0));
  const row = (title: string, values: readonly number[]) => `| ${title} | ${values.map(cell).join(' | ')} |`;
  return [
    `| dollars a month | ${sizes.map(({ records, of }) => `${records.toLocaleString('en')} records, as many changes a day${of}`).join(' | ')} |`,
    `|---|${sizes.map(() => '---:').join('|')}|`,
    ...names.map((name, index) =>
      row(
        name,
        columns.map((column) => column[index]?.[1] ?? 0),
      ),
    ),
    row(
      '**all**',
      columns.map((column) => column.reduce((sum, [, dollars]) => sum + dollars, 0)),
    ),
  ].join('\n');
}

/** The table of the audit log in Markdown. */
export function auditTable(prices: Prices = pricesWith([])): string {
  const rows = [10, 50, 200, 1_000].map((nodes) => {
    const gb = AUDIT_GB_A_DAY + nodes * AUDIT_GB_A_DAY_OF_A_NODE;
    return `| ${nodes.toLocaleString('en')} | ${gb.toFixed(1)} | ${(gb * DAYS * prices.logsGb).toFixed(0)} |`;
  });
  return ['| nodes | GB a day | dollars a month |', '|---:|---:|---:|', ...rows].join('\n');
}

/** The table of prices in Markdown, each with the day on which it was noted. */
export function priceTable(prices: Prices = pricesWith([])): string {
  const rows = Object.entries(PRICES).map(
    ([name, { of, noted }]) => `| \`${name}\` | ${of} | ${prices[name as keyof Prices]} | ${noted} |`,
  );
  return ['| price | of what | dollars | written down |', '|---|---|---:|---|', ...rows].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { price: { type: 'string', multiple: true, default: [] } } });
  try {
    const prices = pricesWith(values.price);
    process.stdout.write(`${costTable(prices)}\n\n${auditTable(prices)}\n\n${priceTable(prices)}\n`);
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
