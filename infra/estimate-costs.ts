// What zone53 costs a month, by records and changes per day: prints the table of docs/costs.md.
//
//   npx node infra/estimate-costs.ts                                    with the prices below
//   npx node infra/estimate-costs.ts --price lambdaGbSecondArm=0.00002  with yours; may be repeated; npx finds Node 24
//
// The prices are AWS's list prices of us-east-1 in dollars, without free tiers, as known on the day that each states.
// Those of Lambda, SQS, DynamoDB's units, logs, metrics and dashboards agree with what third parties quote of AWS's
// pages in 2025 and 2026 (https://airbyte.com/data-engineering-resources/dynamodb-pricing,
// https://cloudburn.io/blog/amazon-sqs-pricing); none was read from AWS's own price list: check them before you budget.
// Counts per change are what `measureHotPath()` of test/fakes/hot-path.ts counts (20 items read and 10 written) and
// what budget, latency figure and report add, rounded up.
import { parseArgs } from 'node:util';
import { METRICS as METRIC_UNITS } from '../functions/runtime/metric-names.ts';

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

/**
 * The listed prices, with others in place of those that are given. Throws an Error that names a price there is none of.
 */
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

/** Of one change, from its event to the object's status: counted on the hot path, rounded up. */
const PER_CHANGE = {
  /** ingest 512 MB 20 ms, reconcile 1 GB 150 ms, publish 512 MB 400 ms, report 1 GB 150 ms; a batch shares them. */
  gbSeconds: 0.01 + 0.15 + 0.2 + 0.15,
  invocations: 4,
  /** Sent, received, kept while it is worked on, deleted: hints and reports; publish. */
  standardRequests: 8,
  fifoRequests: 4,
  ledgerWrites: 14,
  ledgerReads: 40,
  logOctets: 4_000,
};

/** Of one record at rest: its object, record and record set items. */
const LEDGER_OCTETS_PER_RECORD = 2_500;
/**
 * A changed Zone's entries, hash and serial are made from all that lies below it: so many records, and at most each
 * second and a half.
 */
const RECORDS_PER_ZONE = 1_000;
const REPORTS_PER_DAY_MAX = 57_600;
/** A read unit is 4 KB. */
const READ_UNIT_OCTETS = 4_096;
/**
 * Custom metrics: those of functions/runtime/metric-names.ts with the dimension of the service, five reasons of
 * refusals, a cold start of each of six functions, and the age of the sweep by hosted zone.
 */
const METRICS = Object.keys(METRIC_UNITS).length + 5 + 6;
/** Of the construct, with a webhook and verdicts; a test counts them. */
export const ALARMS = 21;
/**
 * Polls of three queues by their event sources, five pollers each, 20 s long; a sweep each quarter of an hour, a
 * measurement each five minutes.
 */
const IDLE_REQUESTS = (3 * 5 * DAYS * 86_400) / 20;
const SWEEPS = DAYS * 96;
const MEASUREMENTS = DAYS * 288;
/**
 * A function with a webhook reads its secret, two versions of it, each five minutes in each execution environment that
 * lives.
 */
const SECRET_CALLS = 2 * 2 * DAYS * 288 * 2;
/** A table encrypted with AWS's own key: one call each five minutes for each caller that is connected to it. */
const KMS_CALLS = 4 * 2 * DAYS * 288;
/** Of each hosted zone; the quota beyond which it is raised on request only, and costs. */
const RECORD_SETS_INCLUDED = 10_000;
/** Records that a sweep updates anew, and the reads of each (`npm run bench -- sweep`). */
const UPDATED_A_SWEEP = 800;
const READS_A_NAME = 21;

type Item = readonly [name: string, dollars: number];

/** Dollars a month, by what they are paid for. */
function estimate(prices: Prices, records: number, changesPerDay: number): readonly Item[] {
  const changes = changesPerDay * DAYS;
  const million = 1_000_000;
  // A sweep reads every item, lists every object and reads Route 53: 50 µs a record and 2 s besides, with 2 GB. Of the
  // names it updates a part anew, by point reads.
  const sweepGbSeconds = SWEEPS * 2 * (2 + records * 0.00005);
  const readUnits = (count: number) => (count * LEDGER_OCTETS_PER_RECORD) / READ_UNIT_OCTETS;
  const sweepReads = SWEEPS * (readUnits(records) + Math.min(records, UPDATED_A_SWEEP) * READS_A_NAME);
  const reports = Math.min(changesPerDay, REPORTS_PER_DAY_MAX) * DAYS;
  const reportReads = reports * readUnits(Math.min(records, RECORDS_PER_ZONE));
  const gbSeconds = changes * PER_CHANGE.gbSeconds + sweepGbSeconds + MEASUREMENTS * 2 * 0.2;
  const requests = changes * PER_CHANGE.invocations + SWEEPS + MEASUREMENTS;
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
      ((changes * PER_CHANGE.ledgerWrites) / million) * prices.dynamodbMillionWrites +
        ((changes * PER_CHANGE.ledgerReads + sweepReads + reportReads) / million) * prices.dynamodbMillionReads +
        gb * (prices.dynamodbGbMonth + prices.dynamodbBackupGbMonth),
    ],
    [
      'CloudWatch',
      (METRICS + 1) * prices.customMetric +
        ALARMS * prices.alarm +
        prices.dashboard +
        ((changes * PER_CHANGE.logOctets) / 1e9) * prices.logsGb,
    ],
    [
      'Secrets, keys, schedules',
      2 * prices.secret +
        (SECRET_CALLS / million) * prices.secretMillionCalls +
        (KMS_CALLS / million) * prices.kmsMillionCalls +
        ((SWEEPS + MEASUREMENTS) / million) * prices.schedulerMillion,
    ],
    ['Route 53, in one hosted zone', Math.max(0, records - RECORD_SETS_INCLUDED) * prices.recordSetBeyond10000],
  ];
}

/** The table of docs/costs.md, in Markdown. */
export function costTable(prices: Prices = pricesWith([])): string {
  const sizes = [100, 10_000, 1_000_000];
  const columns = sizes.map((size) => estimate(prices, size, size));
  const names = columns[0]?.map(([name]) => name) ?? [];
  const cell = (dollars: number) => (dollars < 100 ? dollars.toFixed(2) : dollars.toFixed(0));
  const row = (title: string, values: readonly number[]) => `| ${title} | ${values.map(cell).join(' | ')} |`;
  return [
    `| dollars a month | ${sizes.map((size) => `${size.toLocaleString('en')} records, as many changes a day`).join(' | ')} |`,
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

/** The prices in Markdown, each with the day on which it was written down. */
export function priceTable(prices: Prices = pricesWith([])): string {
  const rows = Object.entries(PRICES).map(
    ([name, { of, noted }]) => `| \`${name}\` | ${of} | ${prices[name as keyof Prices]} | ${noted} |`,
  );
  return ['| price | of what | dollars | written down |', '|---|---|---:|---|', ...rows].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { price: { type: 'string', multiple: true, default: [] } } });
  const prices = pricesWith(values.price);
  process.stdout.write(`${costTable(prices)}\n\n${priceTable(prices)}\n`);
}
