// All that a source needs beside an object, in rounds: what it asks for is read, and with the answers it is asked
// again, until it asks for nothing new. Who is to be found by a later change is noted before each reading (`note`).
import { compareText } from '../../objects/object-ref.ts';
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
/** One object may ask for so much; a Service with 1,000 endpoints asks for as many Pods. */
const QUERIES_MAX = 5_000;
const READS_AT_ONCE = 16;
/** Of a list whose members come and go while it is read. */
const READINGS_MAX = 5;

/** What an object leans on. */
export type Gathered = {
  readonly related: RelatedObjects;
  readonly queries: readonly RelatedQuery[];
  /** What is wrong with what it asks for; null: nothing. */
  readonly problem: string | null;
  /** False: something of it cannot be read now, and nothing may be concluded from its absence. */
  readonly isWhole: boolean;
};

/** What gathering needs of the world. */
export type Gatherer = {
  readonly reader: RelatedReader;
  readonly typesAt: (fqdn: string) => Promise<TypesOfName>;
  /** Told of queries before they are read. True: any of them was not noted before. */
  readonly note: (queries: readonly RelatedQuery[]) => Promise<boolean>;
};

/** Gathers what a source asks for. */
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
      const problem = `it leans on more than can be read for one object (${queries.length + fresh.length} objects in ${round + 1} steps)`;
      return { related, queries: distinct(queries), isWhole, problem };
    }
    queries.push(...fresh.map(([, query]) => query));
    await gatherer.note(fresh.map(([, query]) => query));
    await inParallel(fresh, READS_AT_ONCE, async ([text, query]) => {
      const answer = await ask(gatherer, query, (more) => queries.push(...more));
      answers.set(text, answer.found);
      isWhole &&= answer.isWhole;
    });
  }
  return { related, queries: distinct(queries), isWhole, problem: null };
}

function distinct(queries: readonly RelatedQuery[]): readonly RelatedQuery[] {
  // In the order of the text: what is answered first must not move the digest of the object.
  const byText = new Map(queries.map((query) => [queryText(query), query]));
  return [...byText].toSorted(([a], [b]) => compareText(a, b)).map(([, query]) => query);
}

type Found = { readonly found: unknown; readonly isWhole: boolean };

async function ask(
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
 * The objects with a label. One that loses the label, or is gone, no longer shows that it had it, so each is also noted
 * by name. A new one is read once more, because it is noted after it was read.
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
