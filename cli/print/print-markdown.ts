// Prints a plan for a comment on a pull request: what the guard holds and what is refused first, then a table for each
// hosted zone. Whatever comes from an object is a code span.
import { withoutShare } from '../../lib/objects/share-id.ts';
import { type Block, cellSpan, codeSpan, fitBlocks } from './markdown-text.ts';
import type { ChangeOutput, ContentOutput, DnsRecordOutput, HostedZoneOutput, PlanOutput } from './output.ts';
import { isWorthPrinting, linesOf, NOT_READ, printSummary, withoutEqual } from './print-plan.ts';
import { isForeign, type ProblemOutput, problemsOf } from './problems.ts';
import { countedActions, mayRise, outcomeWord } from './sum-up.ts';
import { counted, plainPaint } from './terminal-text.ts';

/** GitHub takes 65,536 characters; the rest is left to who puts the plan into a comment. */
const CHARACTERS_MAX = 65_000;
/** What is said before the tables. */
const VERDICT_CHARACTERS_MAX = 25_000;
/** A table with more changes is folded, and so are all tables if there are more hosted zones. */
const UNFOLDED_CHANGES_MAX = 20;
const UNFOLDED_HOSTED_ZONES_MAX = 10;
/** More rows of a table, or lines of a section, than this do not fit in any case. */
const ROWS_MAX = 1_500;
const LINES_MAX = 1_000;
/** Up to so many values, objects and notes are shown; the others are counted. */
const SHOWN_MAX = 10;

const NO_OBJECTS = { zones: [], records: [], sources: [] };

/** The whole page, of at most 65,000 characters. */
export function printMarkdown(plan: PlanOutput): string {
  const hostedZones = plan.hostedZones.filter(isWorthPrinting).map((one) => withoutEqual(one, plan.ledger));
  const says = plan.ledger == null ? '' : `**The ledger:** ${codeSpan(plan.ledger.says)}\n\n`;
  const head = `## DNS plan\n\n${printSummary(plan, plainPaint)}\n\n${says}`;
  const verdicts = fitBlocks(verdictsOf(plan, hostedZones), VERDICT_CHARACTERS_MAX, 'sections');
  const areFolded = hostedZones.length > UNFOLDED_HOSTED_ZONES_MAX;
  const tables = [
    ...hostedZones.map((one) => tableOf(one, areFolded)),
    ...dnsRecordsTable(plan.dnsRecords ?? [], areFolded),
  ];
  const left = CHARACTERS_MAX - head.length - verdicts.length;
  return `${head}${verdicts}${fitBlocks(tables, left, 'hosted zones')}`.trimEnd().concat('\n');
}

/** Reasons about who may declare a name, and where it is published. */
const OF_DELEGATION: readonly string[] = ['DelegationDenied', 'RootNotAllowed', 'ParentNotFound', 'ParentNotLive'];
/** Of these, `problems` has a note: names that no resolver finds. */
const NOTED: readonly string[] = ['Adopted', 'Root'];

function verdictsOf(plan: PlanOutput, hostedZones: readonly HostedZoneOutput<ChangeOutput>[]): readonly Block[] {
  const problems = problemsOf({ ...plan, resolved: plan.resolved ?? NO_OBJECTS });
  const isOfDelegation = ({ reason }: ProblemOutput) => OF_DELEGATION.includes(reason) || NOTED.includes(reason);
  const isFirst = (problem: ProblemOutput) => problem.reason === 'InvalidSpec';
  const rest = problems.filter((one) => !isOfDelegation(one));
  return [
    section('Held by the guard', hostedZones.flatMap(guardLines), (line) => line),
    section('Delegations', problems.filter(isOfDelegation), problemLine),
    section(
      'Not accepted, or not published',
      [...rest.filter(isFirst), ...rest.filter((one) => !isFirst(one))],
      problemLine,
    ),
    section('Not read', plan.errors, errorLine),
  ].filter(({ count }) => count > 0);
}

/** The items of a section. More than `LINES_MAX` do not fit in any case. */
function section<Item>(title: string, items: readonly Item[], line: (item: Item) => string): Block {
  const rows = items.slice(0, LINES_MAX).map((item) => ({ text: `- ${line(item)}\n`, first: true }));
  return { open: `### ${title}\n\n`, rows, close: '\n', count: items.length };
}

function errorLine({ file, line, message }: PlanOutput['errors'][number]): string {
  return `${line === 0 ? '' : `${placeOf({ file, line })}: `}${codeSpan(message)}`;
}

function guardLines({ name, held, reasons, changes }: HostedZoneOutput<ChangeOutput>): readonly string[] {
  const count = changes.filter((change) => change.held === true).length;
  const what = held ? [`${codeSpan(name)}: ${counted(count, 'change')} held`] : [];
  return [...what, ...reasons.map((reason) => `${held ? '' : `${codeSpan(name)}: `}${codeSpan(reason)}`)];
}

function problemLine({ object, file, line, reason, message }: ProblemOutput): string {
  const place = file === null ? '' : ` (${placeOf({ file, line: line ?? 0 })})`;
  return `${codeSpan(object)}${place}, ${reason}: ${codeSpan(message)}`;
}

function placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
  return codeSpan(line === 0 ? file : `${file}:${line}`);
}

const HEADINGS = '| change | name | type | before | after | objects |\n|---|---|---|---|---|---|\n';

function tableOf(hostedZone: HostedZoneOutput<ChangeOutput>, areFolded: boolean): Block {
  const { id, name, zone, changes, notes = [], unmanaged = [], hidesWhatStands } = hostedZone;
  const where = id === null ? 'hosted zone to be created' : `hosted zone ${codeSpan(withoutShare(id))}`;
  const nobodys = shownOf(unmanaged, ({ name: at, type, content }) => {
    const text = content === null ? '' : linesOf(content).join(', ');
    return `nobody asks for ${codeSpan(`${at} ${type}`)}: ${codeSpan(text)}`;
  });
  const said = [...shownOf(notes, codeSpan), ...nobodys, ...(hidesWhatStands === true ? [NOT_READ] : [])];
  const lines = said.map((note) => `- ${note}\n`);
  const list = lines.length === 0 ? '' : `${lines.join('')}\n`;
  const open = `### ${codeSpan(name)}\n\n${where}, Zone ${codeSpan(zone)}\n\n${list}`;
  return changes.length === 0 ? { open, rows: [], close: '', count: 0 } : table(open, changes, areFolded);
}

/** The changes of all DNSRecords, whose accounts have other hosted zones. */
function dnsRecordsTable(dnsRecords: readonly DnsRecordOutput[], areFolded: boolean): readonly Block[] {
  const changes = dnsRecords.flatMap(({ namespace, name, changes: all }) =>
    all.map((change) => ({ ...change, objects: [`DNSRecord ${namespace}/${name}`] })),
  );
  return changes.length === 0 ? [] : [table('### DNSRecords\n\n', changes, areFolded)];
}

function table(open: string, changes: readonly ChangeOutput[], areFolded: boolean): Block {
  const isLong = changes.length > ROWS_MAX;
  const ordered = isLong ? [...changes.filter(mayRise), ...changes.filter((one) => !mayRise(one))] : changes;
  const rows = ordered.slice(0, ROWS_MAX).map((change) => ({ text: rowOf(change), first: mayRise(change) }));
  const count = changes.length;
  if (!areFolded && count <= UNFOLDED_CHANGES_MAX) return { open: `${open}${HEADINGS}`, rows, close: '\n', count };
  const summary = `<details><summary>${countedActions(changes)}</summary>\n\n`;
  return { open: `${open}${summary}${HEADINGS}`, rows, close: '\n</details>\n\n', count };
}

function rowOf(change: ChangeOutput): string {
  const { name, type, setIdentifier, before, after } = change;
  const identifier = setIdentifier === null ? '' : ` ${cellSpan(setIdentifier)}`;
  const cells = [wordOf(change), cellSpan(name), `${cellSpan(type)}${identifier}`, contentCell(before)];
  return `| ${[...cells, contentCell(after), objectsCell(change)].join(' | ')} |\n`;
}

function wordOf(change: ChangeOutput): string {
  const { action, held, outcome } = change;
  if (outcome !== undefined) return `${action}: **${outcomeWord(action, outcome)}**`;
  if (isForeign(change)) return `${action}: **foreign**`;
  return held === true ? `${action}: **held**` : action;
}

function contentCell(content: ContentOutput | null): string {
  return content === null ? '' : spansOf(linesOf(content)).join('<br>');
}

/** For whom it is, what is deleted with it, and what Route 53 has there. */
function objectsCell({ objects, why, also = [], standing = 'none', outcome, message = '' }: ChangeOutput): string {
  const by = why === undefined ? spansOf(objects) : [cellSpan(why)];
  const withIt = shownOf(also, ({ action, name, type }) => `${action} ${cellSpan(`${name} ${type}`)}`);
  const isSaid = message !== '' && (standing !== 'none' || outcome !== undefined);
  return [...by, ...withIt, ...(isSaid ? [cellSpan(message)] : [])].join('<br>');
}

function spansOf(texts: readonly string[]): readonly string[] {
  return shownOf(texts, cellSpan);
}

/** The first of these, and how many more there are. */
function shownOf<Item>(items: readonly Item[], show: (item: Item) => string): readonly string[] {
  const more = items.length - SHOWN_MAX;
  return [...items.slice(0, SHOWN_MAX).map(show), ...(more > 0 ? [`and ${more} more`] : [])];
}
