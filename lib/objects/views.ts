// The views in which an object asks for its names: `spec.views` of a Record, the annotation `zone53.dev/views` of every
// other kind. A source knows no views: what it asks for is asked for once in each view (inViews()).
import { quote } from '../dns/names/quote.ts';
import { inView, isViewName, PUBLIC, realName, viewOf } from '../dns/names/view.ts';
import { type Annotated, VIEWS_ANNOTATION } from './annotations.ts';
import type { Endpoint } from './endpoint.ts';
import type { SourceProblem, SourceResult } from './source.ts';
import { type Fields, textList } from './spec-fields.ts';

/** The part of an outcome that says whether a Zone covers its name. */
type OutcomeInView = {
  readonly endpoint: Endpoint | null;
  readonly fqdn: string | null;
  readonly verdict: { readonly reason: string };
};

type Asked = Extract<SourceResult, { readonly ok: true }>;

const EXPECTED = 'expected names of views (RFC 1123 labels), such as public or internal, or "*" alone';

/** The views in `spec.views`; null: it is absent, or wrong, which is a problem. */
export function readViews(fields: Fields): readonly string[] | null {
  if ((fields.values.views ?? null) === null) return null;
  const before = fields.problems.length;
  const views = textList(fields, 'views');
  if (fields.problems.length > before) return null;
  return judged(views, `${fields.path}.views`, fields.problems);
}

/** The views in the annotation, null without it, or what is wrong with it. */
export function annotatedViews({
  annotations,
  oddAnnotations = {},
}: Annotated): { readonly views: readonly string[] | null } | { readonly problem: string } {
  const path = `metadata.annotations["${VIEWS_ANNOTATION}"]`;
  const odd = oddAnnotations[VIEWS_ANNOTATION];
  if (odd !== undefined) return { problem: `${path}: ${EXPECTED}, separated by commas, got ${odd}` };
  const text = annotations[VIEWS_ANNOTATION];
  if (text === undefined) return { views: null };
  const problems: string[] = [];
  const words = text.trim() === '' ? [] : text.split(',').map((word) => word.trim());
  const views = judged(words, path, problems);
  return views === null ? { problem: problems.join('; ') } : { views };
}

/** Why the annotation is wrong at a Record; null: it is not there. */
export function annotationOfRecord({ annotations, oddAnnotations = {} }: Annotated): string | null {
  if (![annotations, oddAnnotations].some((all) => Object.hasOwn(all, VIEWS_ANNOTATION))) return null;
  return `metadata.annotations["${VIEWS_ANNOTATION}"]: a Record has spec.views instead; write them there, and remove the annotation`;
}

/** Every view of the configuration in which a live Zone covers the name. */
const EVERY = '*';

function judged(words: readonly string[], path: string, problems: string[]): readonly string[] | null {
  if (words.length === 1 && words[0] === EVERY) return words;
  const wrong = words.filter((word) => !isViewName(word));
  problems.push(...wrong.map((word) => `${path}: ${EXPECTED}, got ${quote(word)}`));
  if (words.length === 0) problems.push(`${path}: ${EXPECTED}, got none; without it, the view is public`);
  return wrong.length > 0 || words.length === 0 ? null : [...new Set(words)];
}

/**
 * What an object asks for, in these views; `known`: those of the configuration. Names of a cluster's own DNS have no
 * other view than the public one.
 */
export function inViews(asked: Asked, wanted: readonly string[], known: readonly string[] = [PUBLIC]): Asked {
  const isEvery = wanted[0] === EVERY;
  const views = isEvery ? known : wanted;
  const { endpoints, invalid, problems, waits, wants, waiting } = asked;
  const each = <One>(all: readonly One[], of: (one: One, view: string) => One) =>
    views.flatMap((view) => all.map((one) => of(one, view)));
  const named = <One extends { readonly fqdn: string }>(one: One, view: string) => ({
    ...one,
    fqdn: inView(one.fqdn, view),
  });
  const isOfClusterDns = ({ clusterZone }: Endpoint) => clusterZone !== undefined;
  const others = endpoints.filter((one) => !isOfClusterDns(one));
  return {
    ...asked,
    endpoints: [...endpoints.filter(isOfClusterDns), ...(isEvery ? inEvery(others, known) : each(others, endpointIn))],
    ...(invalid && { invalid: each(invalid, named) }),
    ...(problems && {
      problems: problems.flatMap((one) =>
        one.leavesOut == null || one.ofClusterDns === true ? [one] : each([one], leftOutIn),
      ),
    }),
    ...(waits !== undefined && { waits: waits === true ? true : each(waits, inView) }),
    ...(wants && { wants: each(wants, inView) }),
    ...(waiting && { waiting: each(waiting, named) }),
  };
}

function leftOutIn(problem: SourceProblem, view: string): SourceProblem {
  return problem.leavesOut == null ? problem : { ...problem, leavesOut: inView(problem.leavesOut, view) };
}

/** Endpoints in every view. Those with a zoneRef are in the view of its Zone. */
function inEvery(endpoints: readonly Endpoint[], known: readonly string[]): readonly Endpoint[] {
  const full = endpoints.filter(({ domainName }) => domainName.kind === 'full');
  const others = endpoints.filter((one) => !full.includes(one));
  return [
    ...known.flatMap((view) => full.map((one) => ({ ...endpointIn(one, view), anyView: true as const }))),
    ...others,
  ];
}

/**
 * Leaves out the outcomes of endpoints in every view where no Zone covers the name. If none does in any view, that of
 * the public view stays, and says so.
 */
export function withoutUncovered<One>(all: readonly One[], of: (one: One) => OutcomeInView): readonly One[] {
  const nameOf = ({ fqdn, endpoint }: OutcomeInView) => `${realName(fqdn ?? '')} ${endpoint?.type}`;
  const isWide = (one: One) => of(one).endpoint?.anyView === true;
  const isCovered = (one: One) => of(one).verdict.reason !== 'ParentNotFound';
  if (!all.some(isWide)) return all;
  const covered = new Set(all.filter((one) => isWide(one) && isCovered(one)).map((one) => nameOf(of(one))));
  return all.filter((one) => {
    if (!isWide(one) || isCovered(one)) return true;
    return viewOf(of(one).fqdn ?? '') === PUBLIC && !covered.has(nameOf(of(one)));
  });
}

/** An endpoint in a view. With a zoneRef, its Zone must be of that view. */
function endpointIn(endpoint: Endpoint, view: string): Endpoint {
  const { domainName, alias } = endpoint;
  if (domainName.kind !== 'full') return { ...endpoint, view };
  const name = { kind: 'full', fqdn: inView(domainName.fqdn, view) } as const;
  if (alias === undefined || alias.hostedZoneId !== null) return { ...endpoint, domainName: name };
  return { ...endpoint, domainName: name, alias: { ...alias, target: inView(alias.target, view) } };
}
