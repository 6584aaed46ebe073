// Reads the related objects that a source needs, in rounds: what it asks for is read, and with the answers the source
// is asked again, until it asks for nothing new. Before each reading the object is noted as a dependent (`note`), so
// that a later change finds it.
import { compareText } from '../../dns/names/compare-text.ts';
import {
  NO_TYPES,
  queryText,
  type RelatedObject,
  type RelatedObjects,
  type RelatedQuery,
  type TypesOfName,
} from '../../objects/related.ts';
import { type Source, type SourceObject, settingsOf } from '../../objects/source.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { RelatedReader } from './read-related.ts';

/** A route asks in four rounds: its Gateways, their ListenerSets, Namespaces, and what these name. */
const ROUNDS_MAX = 8;
/** The most queries of one object. A Service with 1,000 endpoints asks for as many Pods. */
const QUERIES_MAX = 5_000;
const READS_AT_ONCE = 16;
/** How often a list is read whose members come and go meanwhile. */
const READINGS_MAX = 5;

/** The related objects of an object. */
export type Gathered = {
  readonly related: RelatedObjects;
  readonly queries: readonly RelatedQuery[];
  /** What is wrong with the queries; null: nothing. */
  readonly problem: string | null;
  /** False: something cannot be read now, so nothing may be concluded from its absence. */
  readonly isWhole: boolean;
};

/** What gathering needs from outside. */
export type Gatherer = {
  readonly reader: RelatedReader;
  readonly typesAt: (fqdn: string) => Promise<TypesOfName>;
  /** Notes queries before they are read. True if one of them was not noted before. */
  readonly note: (queries: readonly RelatedQuery[]) => Promise<boolean>;
};

export async function gatherRelated(source: Source, object: SourceObject, gatherer: Gatherer): Promise<Gathered> {
  const answers = new Map<string, unknown>();
  const queries: RelatedQuery[] = [];
  const related = answeredBy(answers);
  let isWhole = true;
  for (let round = 0; source.relatedOf !== undefined; round += 1) {
    const asked = source.relatedOf(object, settingsOf(source), related);
    const fresh = [...new Map(asked.map((query) => [queryText(query), query]))].filter(([text]) => !answers.has(text));
    if (fresh.length === 0) break;
    if (round === ROUNDS_MAX || queries.length + fresh.length > QUERIES_MAX) {
      const problem = `it needs more related objects than can be read for one object (${queries.length + fresh.length} objects in ${round + 1} rounds)`;
      return { related, queries: distinct(queries), isWhole, problem };
    }
    queries.push(...fresh.map(([, query]) => query));
    await gatherer.note(fresh.map(([, query]) => query));
    await inParallel(fresh, READS_AT_ONCE, async ([text, query]) => {
      const answer = await askCluster(gatherer, query, (more) => queries.push(...more));
      answers.set(text, answer.found);
      isWhole &&= answer.isWhole;
    });
  }
  return { related, queries: distinct(queries), isWhole, problem: null };
}

function distinct(queries: readonly RelatedQuery[]): readonly RelatedQuery[] {
  // Sorted by text, because the order of the answers must not change the digest of the object.
  const byText = new Map(queries.map((query) => [queryText(query), query]));
  return [...byText].toSorted(([a], [b]) => compareText(a, b)).map(([, query]) => query);
}

type Found = { readonly found: unknown; readonly isWhole: boolean };

async function askCluster(
  gatherer: Gatherer,
  query: RelatedQuery,
  alsoAsks: (queries: readonly RelatedQuery[]) => void,
): Promise<Found> {
  const { reader, typesAt } = gatherer;
  if (query.code === 'types') return { found: await typesAt(query.fqdn), isWhole: true };
  if (query.code === 'get') return reader.get(query.kind, query.namespace, query.name);
  return query.label === null ? reader.list(query.kind, query.namespace, null) : selected(gatherer, query, alsoAsks);
}

/**
 * The objects with a label. When one of them loses the label, or is deleted, it no longer shows the label. So each is
 * also noted by name. Since that happens after it was read, a new one is read once more.
 */
async function selected(
  { reader, note }: Gatherer,
  { kind, namespace, label }: Extract<RelatedQuery, { readonly code: 'list' }>,
  alsoAsks: (queries: readonly RelatedQuery[]) => void,
): Promise<Found> {
  for (let reading = 1; ; reading += 1) {
    const answer = await reader.list(kind, namespace, label);
    const members = answer.found.map(({ ref }) => ({ code: 'get', ...ref }) as const);
    const isNew = await note(members);
    if (isNew && reading < READINGS_MAX) continue;
    alsoAsks(members);
    return answer;
  }
}

function answeredBy(answers: ReadonlyMap<string, unknown>): RelatedObjects {
  const typesOf = (fqdn: string) => (answers.get(queryText({ code: 'types', fqdn })) ?? NO_TYPES) as TypesOfName;
  return {
    get: (kind, namespace, name) =>
      (answers.get(queryText({ code: 'get', kind, namespace, name })) ?? null) as RelatedObject | null,
    list: (kind, namespace, label) =>
      (answers.get(queryText({ code: 'list', kind, namespace, label })) ?? []) as readonly RelatedObject[],
    typesAt: (fqdn) => typesOf(fqdn).types,
    aliasesAt: (fqdn) => typesOf(fqdn).aliases,
  };
}
