// Prints the result of `explain`: the name, the objects that ask for it, what Route 53 has, what is pending, and what
// to do.
import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import type { ExistingSet, Explanation, OpenChange } from '../../lib/inspect/explanation.ts';
import { describeChange, describeContent } from '../print/describe-plan.ts';
import type { ChangeOutput } from '../print/output.ts';
import { contentText, jsonChange, printChange } from '../print/print-plan.ts';
import { type Paint, safeText } from '../print/terminal-text.ts';

/** The stable JSON of `explain -o json`. */
export function jsonExplanation(of: Explanation): object {
  const { name, type, zone, hostedZone, objects, route53, published, pending, held, advice } = of;
  return {
    name,
    type,
    zone,
    hostedZone,
    objects: objects.map(({ object, accepted, programmed }) => ({ object, accepted, programmed })),
    route53: route53.map(({ content, setIdentifier, ...set }) => ({
      type: set.type,
      setIdentifier,
      content: describeContent(content),
      owner: set.owner,
    })),
    published:
      published === null
        ? null
        : {
            content: describeContent(published.content),
            at: published.atMs === null ? null : new Date(published.atMs).toISOString(),
          },
    pending: pending.map((change) => jsonChange(describeOpen(change))),
    held: held.map((change) => jsonChange(describeOpen(change))),
    advice,
  };
}

function describeOpen(change: OpenChange): ChangeOutput {
  return { ...describeChange(change), standing: change.standing, message: change.message };
}

/** The same for people. */
export function printExplanation(of: Explanation, paint: Paint): string {
  const { name, type, zone, hostedZone, published, pending, held } = of;
  const at = published?.atMs == null ? '' : ` at ${new Date(published.atMs).toISOString()}`;
  const where =
    hostedZone === null
      ? 'no hosted zone'
      : `hosted zone ${safeText(hostedZone.id ?? 'to be created')}${hostedZone.name === '' ? '' : ` (${safeText(hostedZone.name)})`}`;
  const noSets = of.isUnread === true ? 'could not be read' : 'nothing';
  const blocks = [
    `${paint('bold', `${safeText(name)}${type === null ? '' : ` ${type}`}`)}\n  ${zone === null ? `no live Zone covers it${hostedZone === null ? '' : `, ${where}`}` : `covered by Zone ${safeText(zone)}, ${where}`}\n`,
    section('Asked for by', of.objects.map(printObject), 'nobody', paint),
    section('In Route 53', of.route53.map(printSet), hostedZone === null ? 'not read: no hosted zone' : noSets, paint),
    section(`Last published by zone53${at}`, published === null ? [] : [printContent(published)], 'nothing', paint),
    changes('Pending', pending, false, paint),
    changes('Held by the guard', held, true, paint),
    `${paint('bold', 'What to do')}\n  ${safeText(of.advice)}\n`,
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

function printObject({ object, origin, accepted, programmed }: Explanation['objects'][number]): string {
  const line = (what: string, verdict: { readonly reason: string; readonly message: string }) =>
    `\n    ${what} ${verdict.reason}: ${safeText(verdict.message)}`;
  const shown = programmed === null ? '' : line('Programmed', programmed);
  const place = origin === undefined ? '' : `${safeText(formatPlace(origin))}: `;
  return `${place}${safeText(object)}${line('Accepted', accepted)}${shown}`;
}

function printSet(set: ExistingSet): string {
  return `${printContent(set)} (${set.owner})`;
}

function printContent({
  type,
  setIdentifier,
  content,
}: Pick<ExistingSet, 'type' | 'setIdentifier' | 'content'>): string {
  const identifier = setIdentifier === null ? '' : ` [${safeText(setIdentifier)}]`;
  return `${type}${identifier} ${contentText(describeContent(content))}`;
}

function section(title: string, lines: readonly string[], none: string, paint: Paint): string {
  const shown = lines.length === 0 ? [none] : lines;
  return `${paint('bold', title)}\n${shown.map((line) => `  ${line}\n`).join('')}`;
}

function changes(title: string, all: readonly OpenChange[], isHeld: boolean, paint: Paint): string {
  if (all.length === 0) return '';
  const shown = all.map((change) => printChange(describeOpen(change), isHeld, paint));
  return `${paint('bold', title)}\n${shown.join('')}`;
}
