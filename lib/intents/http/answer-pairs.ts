// Key-value pairs of logical clouds and clusters over HTTP.
import { readItem } from '../../ledger/item-codec.ts';
import { buildKeyValues, type KeyValues, keyValueBody, RECORD_LIST, valueAt } from '../model/key-values.ts';
import { type PairsOf, pairCodec, pairsPrefix } from '../state/items.ts';
import { all, create, page, remove, replace } from '../state/store.ts';
import { otherName } from './answer-records.ts';
import type { IntentDeps } from './deps.ts';
import { type Answer, exists, json, NO_CONTENT, problem, type Request } from './message.ts';
import { type PageQuery, pageAnswer } from './pages.ts';
import { ifNew, preconditionOf, withEtag } from './precondition.ts';
import { readBody, tooLargeToKeep } from './read-body.ts';

function pairsBody({ metadata, kv }: KeyValues): object {
  return { metadata, spec: { kv } };
}

function owner(of: PairsOf): string {
  return of.kind === 'cloud' ? `Logical cloud ${of.cloud}` : `Cluster ${of.provider}/${of.cluster}`;
}

const missing = (of: PairsOf, name: string) => problem(404, `${owner(of)} has no key-value pair ${name}`);
const changed = (name: string) => problem(412, `Key-value pair ${name} is another version by now: read it again`);

/** If the pair is the list of DNS Update Records, has what uses the list follow. */
async function followPairs({ follow }: IntentDeps, of: PairsOf, name: string): Promise<void> {
  if (name !== RECORD_LIST) return;
  await follow(of.kind === 'cloud' ? { kind: 'project', project: of.project } : of);
}

export async function listPairs({ state }: IntentDeps, of: PairsOf, query: PageQuery): Promise<Answer> {
  const range = { partition: state.keys.partitions.pairs, prefix: pairsPrefix(of) };
  const key = query.at.query.get('key');
  if (key !== null) {
    const pairs = await all(state.ledger, range, pairCodec);
    return firstValue(
      pairs.map(({ item }) => item),
      key,
    );
  }
  const found = await page(state.ledger, range, pairCodec, query);
  return pageAnswer(found, found.items.map(pairsBody), ({ metadata }) => metadata.name, query);
}

function firstValue(pairs: readonly KeyValues[], key: string): Answer {
  const value = pairs.map((pair) => valueAt(pair, key)).find((found) => found !== undefined);
  if (value === undefined)
    return problem(404, `No key-value pair has key "${key}"`, [{ parameter: 'key', detail: 'not there' }]);
  return json(200, { value });
}

export async function readPair(
  { state }: IntentDeps,
  of: PairsOf,
  name: string,
  query: URLSearchParams,
  { headers }: Request,
): Promise<Answer> {
  const stored = await readItem(state.ledger, state.keys.pair(of, name), pairCodec);
  if (stored === null) return missing(of, name);
  const key = query.get('key');
  return key === null
    ? ifNew(headers, stored.revision, withEtag(200, pairsBody(stored.item), stored))
    : firstValue([stored.item], key);
}

export async function createPair(deps: IntentDeps, of: PairsOf, request: Request, path: string): Promise<Answer> {
  const read = readBody(request, keyValueBody);
  if (!read.ok) return read.answer;
  const { state } = deps;
  const pair = buildKeyValues(read.value);
  const large = tooLargeToKeep('key-value pair', pair);
  if (large !== null) return large;
  const { name } = pair.metadata;
  const written = await create(state.ledger, state.keys.pair(of, name), pairCodec, pair);
  // Also if it exists: the call that created it may have been cut off.
  await followPairs(deps, of, name);
  if (written.kind !== 'written') return exists(`${owner(of)} has a key-value pair ${name} already`);
  return withEtag(201, pairsBody(pair), written.stored, `${path.replace(/\/$/, '')}/${name}`);
}

export async function putPair(deps: IntentDeps, of: PairsOf, name: string, request: Request): Promise<Answer> {
  const { state } = deps;
  const key = state.keys.pair(of, name);
  if ((await readItem(state.ledger, key, pairCodec)) === null) return missing(of, name);
  const read = readBody(request, keyValueBody);
  if (!read.ok) return read.answer;
  const pair = buildKeyValues(read.value);
  if (pair.metadata.name !== name) return otherName(name);
  const large = tooLargeToKeep('key-value pair', pair);
  if (large !== null) return large;
  const written = await replace(state.ledger, key, pairCodec, preconditionOf(request.headers), () => pair);
  if (written.kind !== 'written') return written.kind === 'missing' ? missing(of, name) : changed(name);
  await followPairs(deps, of, name);
  return withEtag(200, pairsBody(pair), written.stored);
}

export async function deletePair(deps: IntentDeps, of: PairsOf, name: string, request: Request): Promise<Answer> {
  const { state } = deps;
  const precondition = preconditionOf(request.headers);
  const removed = await remove(state.ledger, state.keys.pair(of, name), pairCodec, precondition);
  if (removed === 'changed') return changed(name);
  // Also if there was none: the call that deleted it may have been cut off.
  await followPairs(deps, of, name);
  return removed === 'missing' ? missing(of, name) : NO_CONTENT;
}
