// What zone53 costs a month, by records and changes per day: prints the table of docs/costs.md (`node infra/estimate-costs.ts`).
// Prices are AWS's list prices of us-east-1 in dollars, without free tiers; counts per change are what `measureHotPath()` of
// test/fakes/hot-path.ts counts (20 items read and 10 written) and what budget, latency figure and report add, rounded up. Prices change: the table shows what it was computed from. Last verified 2026-11-21, from memory of the
// public price lists: check them before you budget.

const PRICES = {
  lambdaGbSecondArm: 0.0000133334,
  lambdaMillionRequests: 0.2,
  sqsMillionStandard: 0.4,
  sqsMillionFifo: 0.5,
  dynamodbMillionWrites: 0.625,
  dynamodbMillionReads: 0.125,
  dynamodbGbMonth: 0.25,
  dynamodbBackupGbMonth: 0.2,
  logsGb: 0.5,
  customMetric: 0.3,
  alarm: 0.1,
  dashboard: 3,
  secret: 0.4,
  schedulerMillion: 1,
} as const;

const DAYS = 30;

/** Of one change, from its event to the object's status: counted on the hot path, rounded up. */
const PER_CHANGE = {
  /** ingest 512 MB 20 ms, reconcile 1 GB 150 ms, publish 512 MB 400 ms, report 1 GB 150 ms; a batch shares them. */
  gbSeconds: 0.01 + 0.15 + 0.2 + 0.15,
  invocations: 4,
  /** Sent, received and deleted: hints and reports; publish. */
  standardRequests: 6,
  fifoRequests: 3,
  ledgerWrites: 14,
  ledgerReads: 40,
  logOctets: 4_000,
};

/** Of one record at rest: its object, record and record set items. */
const LEDGER_OCTETS_PER_RECORD = 2_500;
/** A changed Zone's entries, hash and serial are made from all that lies below it: so many records, and at most each two seconds. */
const RECORDS_PER_ZONE = 1_000;
const REPORTS_PER_DAY_MAX = 43_200;
/** A read unit is 4 KB. */
const READ_UNIT_OCTETS = 4_096;
/** Custom metrics (13 of one service, refusals by reason, sweep age by hosted zone), alarms, dashboards. */
const METRICS = 16;
const ALARMS = 16;
/** Polls of three queues by their event sources, five pollers each, 20 s long; a sweep each quarter of an hour, a measurement each five minutes. */
const IDLE_REQUESTS = (3 * 5 * DAYS * 86_400) / 20;
const SWEEPS = DAYS * 96;
const MEASUREMENTS = DAYS * 288;

type Item = readonly [name: string, dollars: number];

/** Dollars a month, by what they are paid for. */
function estimate(records: number, changesPerDay: number): readonly Item[] {
  const changes = changesPerDay * DAYS;
  const million = 1_000_000;
  // A sweep reads every item, lists every object and reads Route 53: 50 µs a record and 2 s besides, with 2 GB.
  const sweepGbSeconds = SWEEPS * 2 * (2 + records * 0.00005);
  const readUnits = (count: number) => (count * LEDGER_OCTETS_PER_RECORD) / READ_UNIT_OCTETS;
  const sweepReads = SWEEPS * readUnits(records);
  const reports = Math.min(changesPerDay, REPORTS_PER_DAY_MAX) * DAYS;
  const reportReads = reports * readUnits(Math.min(records, RECORDS_PER_ZONE));
  const gbSeconds = changes * PER_CHANGE.gbSeconds + sweepGbSeconds + MEASUREMENTS * 2 * 0.2;
  const requests = changes * PER_CHANGE.invocations + SWEEPS + MEASUREMENTS;
  const gb = (records * LEDGER_OCTETS_PER_RECORD) / 1e9;
  return [
    ['Lambda', gbSeconds * PRICES.lambdaGbSecondArm + (requests / million) * PRICES.lambdaMillionRequests],
    [
      'SQS',
      ((changes * PER_CHANGE.standardRequests + IDLE_REQUESTS) / million) * PRICES.sqsMillionStandard +
        ((changes * PER_CHANGE.fifoRequests) / million) * PRICES.sqsMillionFifo,
    ],
    [
      'DynamoDB',
      ((changes * PER_CHANGE.ledgerWrites) / million) * PRICES.dynamodbMillionWrites +
        ((changes * PER_CHANGE.ledgerReads + sweepReads + reportReads) / million) * PRICES.dynamodbMillionReads +
        gb * (PRICES.dynamodbGbMonth + PRICES.dynamodbBackupGbMonth),
    ],
    [
      'CloudWatch',
      METRICS * PRICES.customMetric +
        ALARMS * PRICES.alarm +
        PRICES.dashboard +
        ((changes * PER_CHANGE.logOctets) / 1e9) * PRICES.logsGb,
    ],
    ['Secrets, schedules', PRICES.secret + ((SWEEPS + MEASUREMENTS) / million) * PRICES.schedulerMillion],
  ];
}

/** The table of docs/costs.md, in Markdown. */
export function costTable(): string {
  const sizes = [100, 10_000, 1_000_000];
  const columns = sizes.map((size) => estimate(size, size));
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

if (import.meta.main) process.stdout.write(`${costTable()}\n`);
