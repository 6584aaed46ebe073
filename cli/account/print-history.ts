// Prints the history: for people a diff as of a plan, JSON, or CSV (RFC 4180). Names, users and messages are text of
// tenants, so every one of them is made safe.
import { type Entry, entryRouting, realEntry } from '../../lib/dns/entry.ts';
import { realName, withViewsInWords } from '../../lib/dns/names/view.ts';
import { formatZoneText } from '../../lib/dns/zone-file.ts';
import type { FoundEntry } from '../../lib/history/find-entries.ts';
import type { HistoryAction } from '../../lib/history/history-item.ts';
import type { HistoryAnswer } from '../../lib/history/query-history.ts';
import { hostedZoneIdOf } from '../../lib/record-sets/hosted-zone-item.ts';
import { describeContent } from '../print/describe-plan.ts';
import { contentText } from '../print/print-plan.ts';
import { type Colour, type Paint, safeLines, safeText } from '../print/terminal-text.ts';

/** The stable JSON of `history -o json`. */
export function jsonHistory({ entries, more }: HistoryAnswer): object {
  return { entries: entries.map(jsonEntry), more };
}

/** One entry, also of the JSON of `explain`. */
export function jsonEntry(entry: FoundEntry) {
  const { name, type, setIdentifier, action, objects, zone, cluster, view, changeId, cause, message } = entry;
  return {
    at: timeOf(entry.atMs),
    ...{ name: realName(name), type, setIdentifier, action },
    before: describeContent(entry.before),
    after: describeContent(entry.after),
    objects,
    zone: zone === '' ? null : zone,
    ...{ cluster, view },
    hostedZone: { id: hostedZoneIdOf(entry.hostedZoneId), name: realName(entry.hostedZoneName) },
    batch: batchOf(entry),
    changeId,
    cause: {
      kind: cause.kind,
      at: cause.atMs === null ? null : timeOf(cause.atMs),
      user: cause.user,
      digest: cause.digest,
    },
    message: withViewsInWords(message),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** The id of the batch in its comment in Route 53, which CloudTrail shows. */
function batchOf({ epoch }: FoundEntry): string {
  return `epoch ${epoch}`;
}

const SIGNS: Readonly<Record<HistoryAction, readonly [sign: string, colour: Colour]>> = {
  create: ['+', 'green'],
  delete: ['-', 'red'],
  update: ['~', 'yellow'],
  takeover: ['~', 'yellow'],
  restore: ['~', 'yellow'],
  handover: ['=', 'cyan'],
  adopt: ['=', 'cyan'],
  forget: ['=', 'cyan'],
  drift: ['!', 'yellow'],
  held: ['!', 'yellow'],
  refused: ['!', 'yellow'],
  cleared: ['!', 'yellow'],
};

/** The entries as a diff, the newest first. */
export function printEntries(entries: readonly FoundEntry[], paint: Paint): string {
  return entries.map((entry) => `${printEntry(entry, paint).join('\n')}\n`).join('');
}

function printEntry(entry: FoundEntry, paint: Paint): readonly string[] {
  const { action, name, type, setIdentifier, before, after, objects, message } = entry;
  // A later version may know more actions.
  const [sign, colour] = SIGNS[action] ?? ['!', 'yellow'];
  const identifier = setIdentifier === null ? '' : ` [${safeText(setIdentifier)}]`;
  const set = `${safeText(name)}${type === null ? '' : ` ${safeText(type)}`}${identifier}`;
  const asked = objects.length === 0 ? '' : `  # ${safeText(objects.join(', '))}`;
  const title = `${paint(colour, `${sign} ${timeOf(entry.atMs)} ${safeText(action)} ${set}`)}${paint('dim', asked)}`;
  const said = message === '' ? [] : [paint('yellow', `!     ${safeText(message)}`)];
  return [title, paint('dim', `      ${causeLine(entry)}`), ...sides(before, after, paint), ...said];
}

function sides(before: FoundEntry['before'], after: FoundEntry['after'], paint: Paint): readonly string[] {
  const [was, is] = [contentText(describeContent(before)), contentText(describeContent(after))];
  if (before === null && after === null) return [];
  if (was === is) return [`      ${was}`];
  return [
    ...(before === null ? [] : [paint('red', `-     ${was}`)]),
    ...(after === null ? [] : [paint('green', `+     ${is}`)]),
  ];
}

/** Why, by whom and where; a user is what the API server said. */
function causeLine({ cause, changeId, hostedZoneId, cluster, epoch }: FoundEntry): string {
  const by = cause.user === null ? '' : ` of user ${safeText(cause.user)}`;
  const digest = cause.digest === null ? '' : `, digest ${safeText(cause.digest)}`;
  const change = changeId === null ? '' : `, change ${safeText(changeId)}`;
  const where = `hosted zone ${safeText(hostedZoneIdOf(hostedZoneId))}, cluster ${safeText(cluster)}`;
  return `by ${safeText(cause.kind)}${by}${digest}; ${where}, epoch ${epoch}${change}`;
}

const COLUMNS = [
  ...['at', 'name', 'type', 'setIdentifier', 'action', 'before', 'after', 'objects', 'zone', 'cluster', 'view'],
  ...['hostedZone.id', 'hostedZone.name', 'batch', 'changeId'],
  ...['cause.kind', 'cause.at', 'cause.user', 'cause.digest', 'message'],
] as const;

/** The entries as CSV, always with the header. */
export function csvHistory(entries: readonly FoundEntry[]): string {
  const rows = entries.map((entry) => {
    const { hostedZone, cause, ...shown } = jsonEntry(entry);
    const cells: readonly (string | null)[] = [
      ...[shown.at, shown.name, shown.type, shown.setIdentifier, shown.action],
      ...[zoneText(entry, entry.before), zoneText(entry, entry.after)],
      ...[shown.objects.join(', '), shown.zone, shown.cluster, shown.view, hostedZone.id, hostedZone.name],
      ...[shown.batch, shown.changeId, cause.kind, cause.at, cause.user, cause.digest, shown.message],
    ];
    return cells.map((cell) => csvCell(cell ?? '')).join(',');
  });
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

/** A cell of RFC 4180. A spreadsheet would take what begins with one of these signs for a formula. */
function csvCell(text: string): string {
  const safe = safeLines(text);
  const guarded = /^[=+\-@]/.test(safe) ? `'${safe}` : safe;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** A content as lines of a zone file. */
function zoneText({ name, type, setIdentifier }: FoundEntry, content: FoundEntry['before']): string | null {
  if (content === null || type === null) return null;
  const routing =
    content.routing === undefined
      ? {}
      : { routing: entryRouting({ setIdentifier: setIdentifier ?? '', ...content.routing }) };
  const of = { fqdn: name, type, class: 'IN', ...routing };
  const entries: readonly Entry[] =
    content.kind === 'alias'
      ? [{ ...of, ttl: null, alias: { ...content.alias, target: content.alias.dnsName } }]
      : content.values.map((rdata) => ({ ...of, ttl: content.ttlSeconds, rdata }));
  return formatZoneText(realName(name), entries.map(realEntry))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('$ORIGIN'))
    .join('\n');
}
