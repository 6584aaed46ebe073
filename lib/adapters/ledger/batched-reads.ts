// Combines reads of single items that are requested at the same moment into one BatchGetItem. Updating a name reads its
// chain of Zones and its endpoints, and several names are updated at once. Each read is as strongly consistent as
// alone. Source: BatchGetItem API page: at most 100 keys and 16 MB, no key twice; what did not fit or was throttled
// comes back as `UnprocessedKeys`. Last verified 2026-11-21 (DynamoDB Local).

import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { backoff } from '../../ports/backoff.ts';
import { sentTogether } from './sent-together.ts';

const KEYS_MAX = 100;
/** Requests in a row that return nothing, before this gives up: some 2 s with their pauses. */
const EMPTY_MAX = 6;
const pauseMs = backoff(100, 60_000);

export type TableKey = { readonly pk: string; readonly sk: string };
export type Attributes = Readonly<Record<string, unknown>>;
type Waiting = { readonly resolve: (found: Attributes | null) => void; readonly reject: (error: unknown) => void };
type Asked = { readonly key: TableKey; readonly waiting: Waiting[] };

/** Reads the item of a key; null if there is none. Throws what the SDK throws. */
export type ReadItem = (key: TableKey) => Promise<Attributes | null>;

export function tableReads(client: DynamoDBDocumentClient, table: string): ReadItem {
  /** What was asked for and not sent yet. */
  const asked = new Map<string, Asked>();
  const send = sentTogether<Asked>({
    cut: (all) => Array.from({ length: Math.ceil(all.length / KEYS_MAX) }, (_, at) => part(all, at)),
    isFull: (request) => request.length === KEYS_MAX,
    send: (request) => {
      for (const { key } of request) asked.delete(idOf(key));
      return readBatches(client, table, request);
    },
  });
  return (key) =>
    new Promise((resolve, reject) => {
      const id = idOf(key);
      const known = asked.get(id);
      if (known !== undefined) return void known.waiting.push({ resolve, reject });
      const one = { key, waiting: [{ resolve, reject }] };
      asked.set(id, one);
      send(one);
    });
}

function part(all: readonly Asked[], at: number): readonly Asked[] {
  return all.slice(at * KEYS_MAX, (at + 1) * KEYS_MAX);
}

/** A text for each key. */
export function idOf({ pk, sk }: TableKey): string {
  return `${pk}\0${sk}`;
}

async function readBatches(client: DynamoDBDocumentClient, table: string, all: readonly Asked[]): Promise<void> {
  const left = new Map(all.map((one) => [idOf(one.key), one]));
  const answer = (id: string, found: Attributes | null) => {
    for (const { resolve } of left.get(id)?.waiting ?? []) resolve(found);
    left.delete(id);
  };
  try {
    const [only] = all;
    if (only !== undefined && all.length === 1) {
      const command = new GetCommand({ TableName: table, Key: only.key, ConsistentRead: true });
      answer(idOf(only.key), (await client.send(command)).Item ?? null);
      return;
    }
    for (let empty = 0; left.size > 0; ) {
      const { found, unprocessed } = await readSome(client, table, [...left.values()]);
      for (const item of found) answer(idOf(item), item);
      for (const id of [...left.keys()]) if (!unprocessed.has(id)) answer(id, null);
      empty = found.length === 0 && left.size > 0 ? empty + 1 : 0;
      if (empty >= EMPTY_MAX) throw throttled(left.size);
      if (empty > 0) await sleep(pauseMs(empty) * (0.5 + Math.random() / 2));
    }
  } catch (error) {
    for (const { waiting } of left.values()) for (const { reject } of waiting) reject(error);
  }
}

type Found = Attributes & TableKey;

async function readSome(client: DynamoDBDocumentClient, table: string, wanted: readonly Asked[]) {
  const Keys = wanted.map(({ key }) => key);
  const answer = await client.send(new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }));
  const unprocessed = (answer.UnprocessedKeys?.[table]?.Keys ?? []) as TableKey[];
  const found = answer.Responses?.[table] as Found[] | undefined;
  // An item that the answer does not mention does not exist. But an answer that mentions nothing at all is incomplete.
  if (found === undefined && unprocessed.length === 0) throw failedRead('NoAnswer', 'the answer names no table');
  return { found: found ?? [], unprocessed: new Set(unprocessed.map(idOf)) };
}

function throttled(keys: number): Error {
  return failedRead('UnprocessedKeys', `${keys} ${keys === 1 ? 'key was' : 'keys were'} left ${EMPTY_MAX} times over`);
}

/** An error in the shape of the SDK's, as lib/adapters/aws/aws-failure.ts reads it. */
function failedRead(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
