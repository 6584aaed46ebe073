// Presents the comparison: the rows as a table, and the goals as limits.
import { atLeast, atMost, type BenchResult, type Limit } from '../result.ts';
import { rounded } from '../statistics.ts';
import { BAD_RECORD, CASE_MS_MAX, STATUSES, total } from './cases.ts';
import type { PeerName } from './peer.ts';
import type { PeerRow } from './session.ts';

/** So long may the calls of the backlog take: they fit into the bucket of requests together. */
const BACKLOG_SECONDS_MAX = 1;
/** CPU seconds of the statuses of 1,000 objects. */
const STATUSES_SECONDS_MAX = 2;
/** The default interval of external-dns. */
const INTERVAL_SECONDS = 60;
const EVENTS: PeerName = 'external-dns, events';
const DEFAULTS: PeerName = 'external-dns, defaults';

/** The text that each goal's limit begins with. A goal without a limit was not measured, and a note says so. */
const GOALS = [
  'Route 53 calls of one change',
  'Route 53 calls, quiet',
  'throttles provoked by zone53',
  `times sooner than ${EVENTS}`,
  `times sooner than ${DEFAULTS}`,
  'times sooner than the default interval',
  'CPU of the first publish',
  'peak memory of the first publish',
  'CPU of its statuses',
  `changes at once, sooner than ${EVENTS}`,
  'CPU of changes at once',
  'CPU of the statuses of changes at once',
  'backlog',
];

export type Compared = {
  readonly rows: readonly PeerRow[];
  readonly notes: readonly string[];
  readonly backlogAtMs: readonly number[];
  readonly ledger: string;
  readonly quick: boolean;
};

/** The whole result of `peers`. */
export function presentPeers({ rows, notes, backlogAtMs, ledger, quick }: Compared): BenchResult {
  const limits = [
    ...callLimits(rows),
    ...latencyLimits(rows),
    ...usageLimits(rows),
    ...burstLimits(rows),
    ...backlogLimits(backlogAtMs),
  ];
  const unmeasured = GOALS.filter((goal) => !limits.some(({ what }) => what.startsWith(goal)));
  return {
    name: `peers: zone53 beside external-dns${quick ? ' (quick: small sizes)' : ''}`,
    rows: rows.map(tableRow),
    limits,
    notes: [
      `zone53's ledger: ${ledger}; its CPU has a column of its own, because AWS runs it in production`,
      ...notes,
      ...unmeasured.map((goal) => `goal not measured: ${goal}`),
    ],
  };
}

/** A row as one line of progress. */
export function rowText(row: PeerRow): string {
  const figures = Object.entries(tableRow(row)).filter(([, value]) => value !== '' && value !== '-');
  return figures.map(([what, value]) => `${what} ${value}`).join(', ');
}

function tableRow(row: PeerRow) {
  return {
    case: row.case,
    names: row.names,
    peer: row.peer,
    samples: row.samples,
    'median s': seconds(row.median),
    'p99 s': seconds(row.p99),
    calls: rounded(total(row.calls), 1),
    per: row.per,
    'by kind': byKind(row.calls),
    throttled: row.throttled,
    'CPU s': seconds(row.cpuSeconds),
    'peak MiB': row.peakMiB ?? '-',
    'ledger CPU s': seconds(row.ledgerCpuSeconds),
    remark: row.remark,
  };
}

function seconds(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '-';
  return value < 1 ? value.toFixed(3) : value.toFixed(1);
}

const SHORT: Readonly<Record<string, string>> = {
  ListHostedZones: 'list zones',
  ListHostedZonesByName: 'find zone',
  GetHostedZone: 'get zone',
  ListResourceRecordSets: 'list sets',
  ChangeResourceRecordSets: 'change',
  ListTagsForResource: 'tags',
};

function byKind(calls: Readonly<Record<string, number>>): string {
  return Object.entries(calls)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${rounded(count, 1)} ${SHORT[kind] ?? kind}`)
    .join(', ');
}

function callLimits(rows: readonly PeerRow[]): Limit[] {
  const ours = rows.filter(({ peer }) => peer === 'zone53');
  const changes = ours.filter((row) => row.case === 'one change');
  const quiet = ours.filter((row) => row.case.startsWith('quiet'));
  const largest = changes.at(-1);
  return [
    ...(largest === undefined
      ? []
      : [atMost(`Route 53 calls of one change at ${largest.names} names`, total(largest.calls), 1)]),
    ...quiet.map((row) => atMost(`Route 53 calls, ${row.case}`, total(row.calls), 0)),
    atMost(
      'throttles provoked by zone53',
      ours.reduce((sum, row) => sum + row.throttled, 0),
      0,
    ),
  ];
}

function latencyLimits(rows: readonly PeerRow[]): Limit[] {
  const changes = rows.filter((row) => row.case === 'one change');
  const ours = changes.findLast(({ peer }) => peer === 'zone53');
  if (ours === undefined || ours.median === null) return [];
  const { names, median } = ours;
  const sooner = (peer: PeerName, times: number): Limit[] => {
    const theirs = changes.find((row) => row.peer === peer && row.names === names);
    if (theirs === undefined) return [];
    // A case that did not end took at least as long as it was waited for.
    const bound = theirs.median === null ? ' (at least: it did not end)' : '';
    const took = theirs.median ?? CASE_MS_MAX / 1_000;
    return [atLeast(`times sooner than ${peer}, at ${names} names${bound}`, took / median, times)];
  };
  return [
    ...sooner(EVENTS, 50),
    ...sooner(DEFAULTS, 500),
    atLeast(`times sooner than the default interval of 60 s, at ${names} names`, INTERVAL_SECONDS / median, 500),
  ];
}

/** The limit is above 1 because Node alone, without any code of ours, takes half of external-dns's memory. */
const MEMORY_MAX = 1.5;

function usageLimits(rows: readonly PeerRow[]): Limit[] {
  const first = (peer: PeerName, name = 'first publish') =>
    rows.findLast((row) => row.peer === peer && row.case === name);
  const [own, embedded, theirs] = [first('zone53'), first('zone53, SQLite'), first(EVENTS)];
  return [
    ...usageLimit('CPU', own, theirs, ({ cpuSeconds }) => cpuSeconds),
    ...usageLimit('peak memory', own, theirs, ({ peakMiB }) => peakMiB, MEMORY_MAX),
    ...usageLimit('CPU', embedded, theirs, ({ cpuSeconds }) => cpuSeconds),
    ...usageLimit('peak memory', embedded, theirs, ({ peakMiB }) => peakMiB, MEMORY_MAX),
    ...usageLimit('CPU', first('zone53', STATUSES), theirs, ({ cpuSeconds }) => cpuSeconds),
    ...usageLimit('CPU', first('zone53, SQLite', STATUSES), theirs, ({ cpuSeconds }) => cpuSeconds),
  ];
}

function usageLimit(
  what: string,
  own: PeerRow | undefined,
  theirs: PeerRow | undefined,
  value: (row: PeerRow) => number | null,
  limit = 1,
): Limit[] {
  const [a, b] = [own === undefined ? null : value(own), theirs === undefined ? null : value(theirs)];
  if (a === null || b === null) return [];
  const who = own?.peer === 'zone53' ? '' : ` by ${own?.peer}`;
  const part =
    own?.case === STATUSES
      ? `its statuses at ${own.names} names${who}, over that of the first publish`
      : `the first publish of ${own?.names} names${who}, over that`;
  return [atMost(`${what} of ${part} of ${EVENTS}`, a / b, limit)];
}

/** Many changes at once, also with a bad record among them, beside external-dns in the same zone. */
function burstLimits(rows: readonly PeerRow[]): Limit[] {
  const isBurst = (row: PeerRow) => row.case.endsWith(' at once') || row.case === BAD_RECORD;
  const ours = rows.filter((row) => row.peer === 'zone53' && isBurst(row));
  return ours.flatMap((own) => {
    const theirs = rows.find(
      (row) => row.peer === EVENTS && row.case === own.case && row.names === own.names && isBurst(row),
    );
    const where = `${own.case}, at ${own.names} names`;
    const statuses = rows.find((row) => row.case === `${own.case}, ${STATUSES}` && row.names === own.names);
    const changed = Number.parseInt(own.case, 10);
    const told =
      statuses?.cpuSeconds == null || Number.isNaN(changed)
        ? []
        : [
            atMost(
              `CPU of the statuses of changes at once, s a thousand: ${where}`,
              (statuses.cpuSeconds / changed) * 1_000,
              STATUSES_SECONDS_MAX,
            ),
          ];
    if (theirs?.median == null || own.median === null) return told;
    const sooner = atLeast(`changes at once, sooner than ${EVENTS}: ${where}`, theirs.median / own.median, 1);
    if (theirs.cpuSeconds === null || own.cpuSeconds === null) return [sooner, ...told];
    const times = own.cpuSeconds / theirs.cpuSeconds;
    return [sooner, atMost(`CPU of changes at once, over that of ${EVENTS}: ${where}`, times, 3), ...told];
  });
}

function backlogLimits(atMs: readonly number[]): Limit[] {
  const [first, last] = [atMs[0], atMs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const what = `backlog: s from the first of ${atMs.length} calls to the last`;
  return [atMost(what, (last - first) / 1_000, BACKLOG_SECONDS_MAX)];
}
