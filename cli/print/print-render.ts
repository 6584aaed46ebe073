// Prints the result of `render`: each Zone with its entries as a table, then every condition that is not True. These
// are last because a reader looks there first. Pure.

import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import type { Entry } from '../../lib/dns/entry.ts';
import { inView, PUBLIC, withViewsInWords } from '../../lib/dns/names/view.ts';
import { formatZoneText } from '../../lib/dns/zone-file.ts';
import type { Condition } from '../../lib/objects/conditions.ts';
import type { RecordOutput, ZoneOutput } from '../../lib/report/describe-cluster.ts';
import type { InheritedEntries } from '../../lib/report/inherited-entries.ts';
import { notesIn } from '../../lib/zones/notes.ts';
import { lacksItsHostedZone, printMissing, summarizeMissing } from './missing-hosted-zones.ts';
import type { ClusterOutput, ErrorOutput, PlanOutput } from './output.ts';
import { jsonErrors } from './print-errors.ts';
import {
  isAccepted,
  jsonSources,
  jsonWaiting,
  printProblems,
  type Stated,
  statedOf,
  summarizeWaiting,
} from './print-sources.ts';
import { problemsOf } from './problems.ts';
import { counted, formatColumns, lazily, type Paint, safeText } from './terminal-text.ts';

/** The stable JSON of `render -o json`: these keys, in this order, and no others. */
export function jsonCluster(resolved: ClusterOutput): object {
  const { cluster } = resolved;
  const of = cluster === undefined ? {} : { cluster };
  return {
    zones: resolved.zones.map((zone) => jsonZone(zone, of)),
    records: lazily(resolved.records, (record) => jsonRecord(record, of)),
    sources: jsonSources(resolved.sources),
    ...jsonWaiting(resolved.waiting ?? []),
    problems: problemsOf({ resolved }),
    errors: jsonErrors(resolved.errors),
  };
}

/** `of`: the cluster, if there is one to be named. */
function jsonZone(
  { namespace, name, fqdn, view = PUBLIC, parent, hash, serial, entries, conditions }: ZoneOutput,
  of: object,
): object {
  return {
    namespace,
    name,
    ...of,
    fqdn,
    view,
    parent,
    hash,
    serial,
    entries: lazily(entries, jsonEntry),
    conditions: conditions.map(jsonCondition),
  };
}

function jsonRecord(
  { namespace, name, fqdn, view = PUBLIC, views, parent, conditions }: RecordOutput,
  of: object,
): object {
  const inEach = views?.map((one) => ({ ...one, conditions: one.conditions.map(jsonCondition) }));
  const inViews = inEach === undefined ? { view } : { views: inEach };
  return { namespace, name, ...of, fqdn, ...inViews, parent, conditions: conditions.map(jsonCondition) };
}

function jsonEntry(entry: Entry): object {
  const { fqdn, type, class: recordClass, ttl, routing } = entry;
  const content = 'alias' in entry ? { alias: entry.alias } : { rdata: entry.rdata };
  return { fqdn, type, class: recordClass, ttl, ...content, ...(routing === undefined ? {} : { routing }) };
}

/** The content of an entry, for people. */
function dataOf(entry: Entry): string {
  const content = 'alias' in entry ? `ALIAS ${entry.alias.target}` : entry.rdata;
  if (entry.routing === undefined) return content;
  const { setIdentifier, ...policy } = entry.routing;
  return `${content}  [${setIdentifier}: ${JSON.stringify(policy)}]`;
}

function jsonCondition({ type, status, reason, message }: Condition): object {
  return { type, status, reason, message };
}

/** Status and `render` show names of the Zone's own in the SOA. Those in Route 53 cannot be chosen. */
const SOA_NAMES = 'In Route 53, the first two names in an SOA are those of the hosted zone.';

/** Zones with their entries, the conditions that are not True, and a summary. */
export function printRender(resolved: ClusterOutput, paint: Paint): string {
  const zones = resolved.zones.filter(({ fqdn, entries }) => fqdn !== null && entries.length > 0);
  const blocks = zones.map((zone) => printZone(zone, paint));
  if (blocks.length > 0) blocks.push(`${paint('dim', SOA_NAMES)}\n`);
  const complaints = printConditions(resolved, paint);
  if (complaints !== '') blocks.push(complaints);
  blocks.push(printSummary(resolved, paint));
  return blocks.join('\n');
}

function printZone(zone: ZoneOutput, paint: Paint): string {
  const parent = zone.parent === null ? 'root' : `under ${safeText(zone.parent)}`;
  const head = `${paint('bold', safeText(nameOf(zone)))}  Zone ${refOf(zone)}, ${parent}, serial ${zone.serial}`;
  const rows = zone.entries.map((entry) => [
    safeText(entry.fqdn),
    entry.ttl === null ? '-' : String(entry.ttl),
    entry.class,
    entry.type,
    safeText(dataOf(entry)),
  ]);
  const table = formatColumns(rows, '  ', (text, column) =>
    column === 3 ? paint('cyan', text) : column === 0 || column === 4 ? text : paint('dim', text),
  );
  return `${head}\n${paint('dim', `  ${zone.hash}`)}\n${table.join('\n')}\n`;
}

/** Up to so many objects with the same condition have a line each; the others are counted. */
const ALIKE_MAX = 3;

/**
 * Every condition that is not True and every note, with its object and place, and each missing hosted zone once. Empty
 * when there is none.
 */
export function printConditions(resolved: Pick<ClusterOutput, 'zones' | 'records' | 'sources'>, paint: Paint): string {
  const objects = [
    ...resolved.zones.map((zone) => ({ kind: 'Zone', object: withoutElsewhere(zone) })),
    ...resolved.records.map((record) => ({ kind: 'Record', object: record })),
    ...resolved.sources.flatMap(statedOf),
  ];
  const complaints = objects.flatMap(({ kind, object }) =>
    object.conditions
      .flatMap(toBeSaid)
      .map((condition) => ({ condition, head: headOf(kind, object, condition, paint) })),
  );
  const elsewhere = resolved.zones.filter(isElsewhere).map((zone) => printElsewhere(zone, paint));
  const alike = Map.groupBy(complaints, ({ condition: { type, status, reason, message } }) =>
    JSON.stringify([type, status, reason, message]),
  );
  return (
    [...alike.values()].map((group) => printAlike(group, paint)).join('') +
    elsewhere.join('') +
    printProblems(resolved.sources, paint) +
    printMissing(resolved, paint)
  );
}

/** True for a Zone with name servers of its own elsewhere: that is no failure. */
function isElsewhere({ conditions }: ZoneOutput): boolean {
  return conditions.some(({ type, reason }) => type === 'Programmed' && reason === 'HostedElsewhere');
}

function withoutElsewhere(zone: ZoneOutput): ZoneOutput {
  return isElsewhere(zone)
    ? { ...zone, conditions: zone.conditions.filter(({ type }) => type !== 'Programmed') }
    : zone;
}

function printElsewhere(zone: ZoneOutput, paint: Paint): string {
  const name = safeText(nameOf(zone));
  return `${paint('cyan', 'note:')} ${name} (Zone ${refOf(zone)}) is served by its own name servers; only its NS and glue are published\n`;
}

/** A condition that is not True, or the notes of one that is. `printMissing` prints missing hosted zones. */
function toBeSaid(condition: Condition): readonly Condition[] {
  if (condition.status !== 'True') return lacksItsHostedZone(condition) ? [] : [condition];
  const notes = condition.type === 'Accepted' ? notesIn(condition.message) : null;
  return notes === null ? [] : [{ ...condition, message: notes }];
}

type Complaint = { readonly condition: Condition; readonly head: string };

function printAlike(group: readonly Complaint[], paint: Paint): string {
  const { condition } = group[0] as Complaint;
  const heads = group.length <= ALIKE_MAX + 1 ? group : group.slice(0, ALIKE_MAX);
  const more = group.length - heads.length;
  const rest = more === 0 ? '' : `${markOf(condition, paint)} ${counted(more, 'more object')}\n`;
  return `${heads.map(({ head }) => `${head}\n`).join('')}${rest}    ${safeText(condition.message)}\n`;
}

function headOf(kind: string, object: RecordOutput, condition: Condition, paint: Paint): string {
  const { type, status, reason } = condition;
  const place = object.origin === undefined ? '' : `${safeText(formatPlace(object.origin))}: `;
  const name = object.fqdn === null ? '' : ` (${safeText(nameOf(object))})`;
  return `${markOf(condition, paint)} ${place}${kind} ${refOf(object)}${name}: ${type}=${status}, ${paint('bold', reason)}`;
}

function markOf({ type, status }: Condition, paint: Paint): string {
  if (status === 'True') return paint('yellow', '!');
  return type === 'Accepted' ? paint('red', '✗') : paint('yellow', '!');
}

function printSummary(resolved: ClusterOutput, paint: Paint): string {
  const { zones, records, sources, errors, waiting = [] } = resolved;
  const endpoints = sources.flatMap((source) => source.endpoints);
  const all = [...zones, ...records, ...endpoints];
  const refused = all.filter((one) => !isAccepted(one)).length;
  const problems = sources.reduce((sum, source) => sum + source.problems.length, 0);
  const what = [counted(zones.length, 'Zone'), counted(records.length, 'Record')];
  if (sources.length > 0) what.push(counted(endpoints.length, 'other endpoint'));
  const said = [
    ...(refused > 0 ? [`${refused} not accepted`] : all.length > 0 ? ['all accepted'] : []),
    ...(problems > 0 ? [counted(problems, 'problem')] : []),
    ...summarizeWaiting(waiting),
    ...(errors.length > 0 ? [counted(errors.length, 'error')] : []),
  ];
  const well = refused + problems + errors.length === 0;
  const text = said.length === 0 ? what.join(', ') : `${what.join(', ')}: ${said.join(', ')}`;
  return `${printWaiting(waiting, paint)}${paint(well ? 'green' : 'yellow', text)}\n`;
}

/** Up to so many names that wait have a line each; the others are counted. */
const WAITING_MAX = 3;

/** The names that objects ask for and do not get yet, with the reason. */
function printWaiting(waiting: NonNullable<ClusterOutput['waiting']>, paint: Paint): string {
  const shown = waiting.length <= WAITING_MAX + 1 ? waiting : waiting.slice(0, WAITING_MAX);
  const lines = shown.map(({ kind, namespace, name, fqdn, why, origin }) => {
    const place = origin === undefined ? '' : `${safeText(formatPlace(origin))}: `;
    return `${place}${safeText(`${kind} ${namespace}/${name} waits for ${fqdn}: ${why}`)}\n`;
  });
  const more = waiting.length - shown.length;
  const rest = more === 0 ? [] : [`${counted(more, 'more name')} wait (-o json has them)\n`];
  return [...lines, ...rest].map((line) => paint('dim', line)).join('');
}

/** True when the object's spec is invalid. */
export function isInvalid(object: Stated): boolean {
  return object.conditions.some(({ type, reason }) => type === 'Accepted' && reason === 'InvalidSpec');
}

/** The part of a summary about errors, objects that are invalid or `Drifted`, and missing hosted zones. */
export function whatIsLeft(errors: readonly ErrorOutput[], resolved: PlanOutput['resolved']): string {
  const objects = [
    ...(resolved?.zones ?? []),
    ...(resolved?.records ?? []),
    ...(resolved?.sources ?? []).flatMap(({ endpoints }) => endpoints),
  ];
  const invalid = objects.filter(isInvalid).length;
  const drifted = objects.filter(({ conditions }) => conditions.some(({ reason }) => reason === 'Drifted')).length;
  const parts = [
    ...(errors.length === 0 ? [] : [`${counted(errors.length, 'error')}; the objects concerned are left unchanged.`]),
    ...(invalid === 0 ? [] : [`${counted(invalid, 'object')} with an invalid spec.`]),
    ...(drifted === 0 ? [] : [`${counted(drifted, 'object')} changed by hand in Route 53.`]),
  ];
  return parts.map((part) => ` ${part}`).join('') + summarizeMissing(resolved);
}

/** The name of an object for people, with its view. */
function nameOf({ fqdn, view = PUBLIC }: RecordOutput): string {
  return withViewsInWords(inView(fqdn ?? '', view));
}

function refOf({ namespace, name }: RecordOutput): string {
  return safeText(`${namespace}/${name}`);
}

/** Every live Zone as a zone file (RFC 1035), after a comment with its name. `view`: only of this one; null: of all. */
export function printZoneFiles(
  resolved: ClusterOutput,
  view: string | null = null,
  inherited: InheritedEntries = new Map(),
): string {
  const viewText = ({ view: of = PUBLIC }: ZoneOutput) => (of === PUBLIC ? '' : `, view ${of}`);
  return resolved.zones
    .filter(
      ({ fqdn, entries, view: of = PUBLIC }) => fqdn !== null && entries.length > 0 && (view === null || of === view),
    )
    .map(
      (zone) =>
        `; Zone ${refOf(zone)}${viewText(zone)}\n; ${SOA_NAMES}\n${formatZoneText(zone.fqdn ?? '', [...zone.entries, ...(inherited.get(zone) ?? [])])}`,
    )
    .join('\n');
}
