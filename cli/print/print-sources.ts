// Prints objects that are neither Zone nor Record: the key `sources` of the JSON, and for people their endpoints that
// are not accepted.
import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import type { RecordOutput } from '../../lib/report/describe-cluster.ts';
import type { EndpointOutput, SourceOutput } from '../../lib/report/describe-sources.ts';
import { counted, type Paint, safeText } from './terminal-text.ts';

/** The stable JSON: these keys, in this order, and no others. */
export function jsonSources(sources: readonly SourceOutput[]): readonly object[] {
  return sources.map(({ kind, namespace, name, endpoints, problems }) => ({
    kind,
    namespace,
    name,
    endpoints: endpoints.map(jsonEndpoint),
    problems,
  }));
}

function jsonEndpoint(endpoint: EndpointOutput): object {
  const { fqdn, type, ttl, values, alias, setIdentifier, routing, parent, conditions } = endpoint;
  const said = conditions.map(({ type: of, status, reason, message }) => ({ type: of, status, reason, message }));
  return { fqdn, type, ttl, values, alias, setIdentifier, routing, parent, conditions: said };
}

/** Each endpoint as an object with conditions. */
export function statedOf({ kind, namespace, name, endpoints, origin }: SourceOutput): readonly {
  readonly kind: string;
  readonly object: RecordOutput;
}[] {
  return endpoints.map(({ fqdn, type, parent, conditions }) => ({
    kind,
    object: {
      namespace,
      name,
      fqdn: fqdn === null ? null : `${fqdn} ${type}`,
      parent,
      conditions,
      ...(origin === undefined ? {} : { origin }),
    },
  }));
}

/** The problems of objects that concern no single endpoint. */
export function printProblems(sources: readonly SourceOutput[], paint: Paint): string {
  return sources
    .flatMap(({ kind, namespace, name, problems, origin }) => {
      const place = origin === undefined ? '' : `${safeText(formatPlace(origin))}: `;
      return problems.map(
        (problem) => `${paint('red', '✗')} ${place}${safeText(`${kind} ${namespace}/${name}: ${problem}`)}\n`,
      );
    })
    .join('');
}

/** "3 of 4 endpoints adopted", and the number of problems; empty if no source asks for anything. */
export function summarizeSources(sources: readonly SourceOutput[]): readonly string[] {
  if (sources.length === 0) return [];
  const endpoints = sources.flatMap((source) => source.endpoints);
  const problems = sources.flatMap((source) => source.problems);
  return [
    `${endpoints.filter(isAccepted).length} of ${counted(endpoints.length, 'endpoint')} adopted`,
    ...(problems.length === 0 ? [] : [counted(problems.length, 'problem')]),
  ];
}

/** True when every endpoint is accepted, and there is no problem. */
export function areAccepted(sources: readonly SourceOutput[]): boolean {
  return sources.every(({ endpoints, problems }) => problems.length === 0 && endpoints.every(isAccepted));
}

/** An object with conditions. */
export type Stated = Pick<RecordOutput, 'conditions'>;

/** True when the object's condition Accepted is True. */
export function isAccepted(object: Stated): boolean {
  return object.conditions.some(({ type, status }) => type === 'Accepted' && status === 'True');
}
