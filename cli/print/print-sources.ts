// Prints objects that are neither Zone nor Record: the key `sources` of the JSON, and for people their endpoints that
// are not accepted.
import { formatPlace } from '../../lib/adapters/manifests/format-problem.ts';
import { inView, PUBLIC, withViewsInWords } from '../../lib/dns/names/view.ts';
import type { RecordOutput } from '../../lib/report/describe-cluster.ts';
import type { EndpointOutput, SourceOutput, WaitingOutput } from '../../lib/report/describe-sources.ts';
import { counted, type Paint, safeText } from './terminal-text.ts';

/** The stable JSON: these keys, in this order, and no others. */
export function jsonSources(sources: readonly SourceOutput[]): readonly object[] {
  return sources.map(({ kind, namespace, name, endpoints, problems, notes }) => ({
    kind,
    namespace,
    name,
    endpoints: endpoints.map(jsonEndpoint),
    problems,
    notes,
  }));
}

/** The key `waiting` of the stable JSON; absent if nothing waits. */
export function jsonWaiting(waiting: readonly WaitingOutput[]): object {
  if (waiting.length === 0) return {};
  return {
    waiting: waiting.map(({ kind, namespace, name, fqdn, view = PUBLIC, why }) => {
      return { kind, namespace, name, fqdn, ...(view === PUBLIC ? {} : { view }), why };
    }),
  };
}

function jsonEndpoint(endpoint: EndpointOutput): object {
  const { fqdn, view = PUBLIC, type, ttl, values, alias, setIdentifier, routing, parent, conditions } = endpoint;
  const said = conditions.map(({ type: of, status, reason, message }) => ({ type: of, status, reason, message }));
  return { fqdn, view, type, ttl, values, alias, setIdentifier, routing, parent, conditions: said };
}

/** Each endpoint as an object with conditions. */
export function statedOf({ kind, namespace, name, endpoints, origin }: SourceOutput): readonly {
  readonly kind: string;
  readonly object: RecordOutput;
}[] {
  return endpoints.map(({ fqdn, view = PUBLIC, type, parent, conditions }) => ({
    kind,
    object: {
      namespace,
      name,
      fqdn: fqdn === null ? null : `${withViewsInWords(inView(fqdn, view))} ${type}`,
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

/** If there are more notes than this, one line counts the others. */
const NOTES_MAX = 20;

/** The notes of objects, one line each, for standard error. */
export function printNotes(sources: readonly SourceOutput[], paint: Paint): string {
  const all = sources.flatMap(({ kind, namespace, name, notes, origin }) => {
    const place = origin === undefined ? '' : `${formatPlace(origin)}: `;
    return notes.map((note) => `${place}${kind} ${namespace}/${name}: ${note}`);
  });
  const more = all.length > NOTES_MAX ? [`${counted(all.length - NOTES_MAX, 'more note')} (-o json has them)`] : [];
  const lines = [...all.slice(0, NOTES_MAX), ...more];
  return lines.map((line) => `${paint('cyan', 'note:')} ${safeText(line)}\n`).join('');
}

/** How many objects wait for at least one name; empty if none does. */
export function summarizeWaiting(waiting: readonly WaitingOutput[]): readonly string[] {
  const objects = new Set(waiting.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`));
  if (objects.size === 0) return [];
  return [`${counted(objects.size, 'object')} ${objects.size === 1 ? 'waits' : 'wait'}`];
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
