// Prints the result of `explain`: the name, the objects that ask for it, what Route 53 has, what is pending, and what
// to do.

import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import { realName, viewOf, withViewsInWords } from '../../lib/dns/names/view.ts';
import { WAITING } from '../../lib/inspect/asking-objects.ts';
import type { ExplainedClaim } from '../../lib/inspect/claims-at.ts';
import type { ExistingSet, Explanation, OpenChange } from '../../lib/inspect/explanation.ts';
import type { Vpc } from '../../lib/ports/hosted-zones.ts';
import { describeChange, describeContent } from '../print/describe-plan.ts';
import type { ChangeOutput } from '../print/output.ts';
import { contentText, jsonChange, printChange } from '../print/print-plan.ts';
import { type Paint, safeText } from '../print/terminal-text.ts';
import { jsonEntry, printEntries } from './print-history.ts';

/** Where a private hosted zone answers. */
function vpcsText(vpcs: readonly Vpc[]): string {
  if (vpcs.length === 0)
    return 'private, and no VPC is associated with it: nothing resolves its names; associate a VPC';
  return `private: it answers in ${vpcs.map(({ id, region }) => `${id} (${region})`).join(', ')} alone`;
}

/** The stable JSON of `explain -o json`. */
export function jsonExplanation(of: Explanation): object {
  const { name, type, zone, hostedZone, objects, route53, protections, published, delegation, pending, held, advice } =
    of;
  return {
    name: realName(name),
    view: viewOf(name),
    type,
    zone,
    hostedZone: hostedZone === null ? null : { ...hostedZone, name: realName(hostedZone.name) },
    objects: objects.map(({ object, type: ofObject, origin, accepted, programmed }) => ({
      object,
      type: ofObject,
      file: origin?.file ?? null,
      line: origin?.line ?? null,
      accepted: inWords(accepted),
      programmed: programmed === null ? null : inWords(programmed),
    })),
    route53: route53.map(({ content, setIdentifier, ...set }) => ({
      type: set.type,
      setIdentifier,
      content: describeContent(content),
      owner: set.owner,
    })),
    protections: protections.map(({ type: ofSet, comment }) => ({ type: ofSet, comment })),
    claims: (of.claims ?? []).map((claim) => jsonClaim(claim, viewOf(name))),
    published: published.map((set) => ({
      type: set.type,
      setIdentifier: set.setIdentifier,
      content: describeContent(set.content),
      at: set.atMs === null ? null : timeOf(set.atMs),
    })),
    delegation:
      delegation === null
        ? null
        : {
            hostedZones: delegation.path.map((one) => ({ id: one.id, name: one.name })),
            cut: delegation.cut,
            problem: delegation.problem,
          },
    pending: pending.map((change) => jsonChange(describeOpen(change, false))),
    held: held.map((change) => jsonChange(describeOpen(change, true))),
    advice: withViewsInWords(advice),
    history: (of.history ?? []).map(jsonEntry),
  };
}

function inWords<Verdict extends { readonly message: string }>(verdict: Verdict): Verdict {
  return { ...verdict, message: withViewsInWords(verdict.message) };
}

function jsonClaim(claim: ExplainedClaim, view: string): object {
  const { cluster, type, setIdentifier, content, objects, standby, sinceMs, owns, reason } = claim;
  return {
    ...{ cluster, view, type, setIdentifier, content: describeContent(content), objects, standby },
    ...{ since: sinceMs === null ? null : timeOf(sinceMs), owns, reason },
  };
}

/** What several clusters ask for; nothing if it is only one. */
function printClaims(claims: readonly ExplainedClaim[], paint: Paint): readonly string[] {
  if (new Set(claims.map(({ cluster }) => cluster)).size < 2) return [];
  const lines = claims.map(({ cluster, type, content, standby, owns, reason, objects }) => {
    const what = contentText(describeContent(content));
    return safeText(
      `${cluster}: ${type} ${what}, ${owns ? 'owns it' : 'waits'}${standby ? ' on standby' : ''}, ${reason}, for ${objects.join(', ')}`,
    );
  });
  return [section('Clusters', lines, '', paint)];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function describeOpen(change: OpenChange, held: boolean): ChangeOutput {
  const { standing, message, why } = change;
  const because = why === undefined ? {} : { why: withViewsInWords(why) };
  return { ...describeChange(change), held, standing, message: withViewsInWords(message), ...because };
}

/** The same for people. */
export function printExplanation(of: Explanation, paint: Paint): string {
  const { name, type, zone, hostedZone, protections, published, delegation, pending, held } = of;
  const unlisted = of.protectionsUnread === undefined ? [] : [`could not be listed: ${safeText(of.protectionsUnread)}`];
  const where = hostedZone === null ? 'no hosted zone' : `hosted zone ${placeText(hostedZone)}`;
  const vpcs = hostedZone?.vpcs === undefined ? '' : `  ${safeText(vpcsText(hostedZone.vpcs))}\n`;
  const there = of.route53.map((set) => printSet(set, of.claims ?? []));
  const noSets = of.isUnread === true ? 'could not be read' : 'nothing';
  const blocks = [
    `${paint('bold', `${safeText(name)}${type === null ? '' : ` ${type}`}`)}\n  ${zone === null ? `no live Zone covers it${hostedZone === null ? '' : `, ${where}`}` : `covered by Zone ${safeText(zone)}, ${where}`}\n${vpcs}`,
    section('Asked for by', of.objects.map(printObject), 'nobody', paint),
    ...printClaims(of.claims ?? [], paint),
    section('In Route 53', there, hostedZone === null ? 'not read: no hosted zone' : noSets, paint),
    protections.length === 0 && unlisted.length === 0
      ? ''
      : section('Protected in Route 53', [...protections.map(protectionLine), ...unlisted], '', paint),
    section('Last published by zone53', published.map(printPublished), 'nothing', paint),
    delegation === null ? '' : section('How a resolver gets there', delegationLines(delegation), '', paint),
    changes('Pending', pending, false, paint),
    changes('Held by the guard', held, true, paint),
    `${paint('bold', 'What to do')}\n  ${safeText(of.advice)}\n`,
    (of.history ?? []).length === 0 ? '' : `${paint('bold', 'Last changes')}\n${printEntries(of.history ?? [], paint)}`,
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

function protectionLine({ type, comment }: Explanation['protections'][number]): string {
  return `${safeText(type)}: ${comment === null ? 'without a comment' : safeText(comment)}`;
}

function placeText({ id, name }: { readonly id: string | null; readonly name: string }): string {
  return `${safeText(id ?? 'to be created')}${name === '' ? '' : ` (${safeText(name)})`}`;
}

/** Each hosted zone that a resolver asks, and where the way ends. */
function delegationLines({ path, cut, unread, problem }: NonNullable<Explanation['delegation']>): readonly string[] {
  const lines = path.map((one, at) => `${at === 0 ? 'hosted zone' : 'NS lead to hosted zone'} ${placeText(one)}`);
  if (cut !== null)
    lines.push(`NS ${safeText(cut.name)} lead to ${cut.nameServers.map(safeText).join(', ')}, which are elsewhere`);
  if (unread !== null) lines.push(`could not be followed in full: ${safeText(unread)}`);
  if (problem !== null) lines.push('what zone53 publishes is not on this way: see below');
  return lines;
}

function printPublished(set: Explanation['published'][number]): string {
  return `${printContent(set)}${set.atMs === null ? '' : `, at ${timeOf(set.atMs)}`}`;
}

function printObject({ object, type, origin, accepted, programmed }: Explanation['objects'][number]): string {
  const line = (what: string, verdict: { readonly reason: string; readonly message: string }) =>
    `\n    ${what} ${verdict.reason}: ${safeText(verdict.message)}`;
  const shown = programmed === null ? '' : line('Programmed', programmed);
  const place = origin === undefined ? '' : `${safeText(formatPlace(origin))}: `;
  return `${place}${safeText(object)}${type === null ? '' : ` (${safeText(type)})`}${accepted.reason === WAITING ? `\n    waits: ${safeText(accepted.message)}` : line('Accepted', accepted)}${shown}`;
}

const OWNERS: Readonly<Record<ExistingSet['owner'], string>> = {
  zone53: 'zone53',
  'external-dns': 'external-dns',
  foreign: 'foreign',
  drifted: 'changed by hand',
  route53: "Route 53's own",
};

function printSet(set: ExistingSet, claims: readonly ExplainedClaim[]): string {
  const isThis = (one: ExplainedClaim) =>
    one.owns && one.type === set.type && one.setIdentifier === set.setIdentifier && set.owner === 'foreign';
  const cluster = claims.find(isThis)?.cluster;
  return `${printContent(set)} (${cluster === undefined ? OWNERS[set.owner] : `cluster ${safeText(cluster)}`})`;
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
  const shown = all.map((change) => printChange(describeOpen(change, isHeld), paint));
  return `${paint('bold', title)}\n${shown.join('')}`;
}
