// The views in which an object asks for its names: `spec.views` of a Record, the annotation `zone53.dev/views` of every
// other kind. A source knows no views: what it asks for is asked for once in each view (inViews()).
import { quote } from '../dns/names/quote.ts';
import { inView, isViewName, PUBLIC } from '../dns/names/view.ts';
import { type Annotated, VIEWS_ANNOTATION } from './annotations.ts';
import type { Endpoint } from './endpoint.ts';
import type { SourceProblem, SourceResult } from './source.ts';
import { type Fields, textList } from './spec-fields.ts';

type Asked = Extract<SourceResult, { readonly ok: true }>;

const ONLY_PUBLIC = { views: [PUBLIC], isPublic: true };
const EXPECTED = 'expected names of views (RFC 1123 labels), such as public or internal';

/** The views in `spec.views`; null: it is absent, or wrong, which is a problem. */
export function readViews(fields: Fields): readonly string[] | null {
  if ((fields.values.views ?? null) === null) return null;
  const before = fields.problems.length;
  const views = textList(fields, 'views');
  if (fields.problems.length > before) return null;
  return judged(views, `${fields.path}.views`, fields.problems);
}

/** The views in the annotation, the public one without it, or what is wrong with it. `isPublic`: it is the only one. */
export function annotatedViews({
  annotations,
  oddAnnotations = {},
}: Annotated): { readonly views: readonly string[]; readonly isPublic: boolean } | { readonly problem: string } {
  const path = `metadata.annotations["${VIEWS_ANNOTATION}"]`;
  const odd = oddAnnotations[VIEWS_ANNOTATION];
  if (odd !== undefined) return { problem: `${path}: ${EXPECTED}, separated by commas, got ${odd}` };
  const text = annotations[VIEWS_ANNOTATION];
  if (text === undefined) return ONLY_PUBLIC;
  const problems: string[] = [];
  const words = text.trim() === '' ? [] : text.split(',').map((word) => word.trim());
  const views = judged(words, path, problems);
  if (views === null) return { problem: problems.join('; ') };
  return { views, isPublic: views.length === 1 && views[0] === PUBLIC };
}

/** Why the annotation is wrong at a Record; null: it is not there. */
export function annotationOfRecord({ annotations, oddAnnotations = {} }: Annotated): string | null {
  if (![annotations, oddAnnotations].some((all) => Object.hasOwn(all, VIEWS_ANNOTATION))) return null;
  return `metadata.annotations["${VIEWS_ANNOTATION}"]: a Record has spec.views instead; write them there, and remove the annotation`;
}

function judged(words: readonly string[], path: string, problems: string[]): readonly string[] | null {
  const wrong = words.filter((word) => !isViewName(word));
  problems.push(...wrong.map((word) => `${path}: ${EXPECTED}, got ${quote(word)}`));
  if (words.length === 0) problems.push(`${path}: ${EXPECTED}, got none; without it, the view is public`);
  return wrong.length > 0 || words.length === 0 ? null : [...new Set(words)];
}

/** What an object asks for, in these views. Names of a cluster's own DNS have no other view than the public one. */
export function inViews(asked: Asked, views: readonly string[]): Asked {
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
    endpoints: [...endpoints.filter(isOfClusterDns), ...each(others, endpointIn)],
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

/** An endpoint in a view. With a zoneRef, its Zone must be of that view. */
function endpointIn(endpoint: Endpoint, view: string): Endpoint {
  const { domainName, alias } = endpoint;
  if (domainName.kind !== 'full') return { ...endpoint, view };
  const name = { kind: 'full', fqdn: inView(domainName.fqdn, view) } as const;
  if (alias === undefined || alias.hostedZoneId !== null) return { ...endpoint, domainName: name };
  return { ...endpoint, domainName: name, alias: { ...alias, target: inView(alias.target, view) } };
}
