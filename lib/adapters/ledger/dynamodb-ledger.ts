// The ledger in a DynamoDB table, an item each, with the attributes `pk`, `sk`, `rev`, a body and perhaps `ttl`. Reads
// are strongly consistent, and all writes are conditional on `rev`. If the answer to a write was lost and the SDK sent
// it again, the second try finds its own revision: that is success, not a conflict.
//
// The body is JSON text in `body`: a string keeps every number, null and empty key, and is readable in the console.
// Above BODY_TEXT_OCTETS_MAX it is compressed into `zbody` (binary), to stay below DynamoDB's 400 KB an item. Source:
// Service, account and table quotas, "Item size". Last verified 2026-11-21 (DynamoDB Local).
import { randomUUID } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { ownText } from '../../dns/own-text.ts';
import type {
  JsonObject,
  Ledger,
  LedgerItem,
  LedgerKey,
  LedgerPage,
  LedgerQuery,
  PutOptions,
} from '../../ports/ledger.ts';
import { OutcomeUnknownError } from '../../ports/outcome-unknown-error.ts';
import { awsError, awsFailure, nothingHappened } from '../aws/aws-failure.ts';
import { type Attributes, type ReadItem, type TableKey, tableReads } from './batched-reads.ts';
import { type WriteItem, writesTogether } from './batched-writes.ts';
import { combinedQueries } from './combined-queries.ts';
import { parseBody } from './parse-body.ts';
import { compareSortKeys } from './sort-key-order.ts';
import { type WriteGroup, writesInTransactions } from './transacted-writes.ts';

const BODY_TEXT_OCTETS_MAX = 64 * 1024;

type Table = {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  readonly read: ReadItem;
  readonly write: WriteItem;
  readonly writeWith: WriteGroup;
};

/**
 * The ledger in an existing table (create-table.ts). Throws OutcomeUnknownError if a write may have happened. Writes of
 * one moment share a request, which needs the permissions dynamodb:PartiQLInsert, PartiQLUpdate and PartiQLDelete.
 * Without them, each write is sent alone.
 */
export function dynamodbLedger(client: DynamoDBDocumentClient, table: string): Ledger {
  const own: Table = {
    client,
    name: table,
    read: tableReads(client, table),
    write: writesTogether(client, table),
    writeWith: writesInTransactions(client, table),
  };
  const together = combinedQueries<LedgerItem>(
    (partition, query) => queryPage(own, partition, query),
    (partition, range) => queryRange(own, partition, range),
  );
  return {
    get: async (key) => {
      const found = await readItem(own, key);
      return found === null ? null : ledgerItem(found);
    },
    query: (partition, { prefix = '', ...page } = {}) =>
      prefix === '' || page.after?.startsWith(prefix) === false
        ? queryPage(own, partition, { prefix, ...page })
        : together(partition, { prefix, ...page }),
    put: (key, body, expected, options = {}) => putItem(own, key, { body, expected, ...options }),
    remove: (key, expected) => removeItem(own, key, expected),
  };
}

async function readItem(table: Table, key: LedgerKey): Promise<Attributes | null> {
  try {
    return await table.read(tableKey(key));
  } catch (cause) {
    throw awsError(`read ${quoteKey(table, key)}`, cause);
  }
}

type Put = PutOptions & { readonly body: JsonObject; readonly expected: string | null };

async function putItem(table: Table, key: LedgerKey, { body, expected, beside = [], expiresAtMs }: Put) {
  const revision = ownText(randomUUID());
  const write = { key: tableKey(key), attributes: attributesOf(revision, body, expiresAtMs), expected };
  const others = beside.map((one) => {
    return { key: tableKey(one.key), attributes: attributesOf(ownText(randomUUID()), one.body, one.expiresAtMs) };
  });
  try {
    await (others.length === 0 ? table.write(write) : table.writeWith({ ...write, beside: others }));
    return revision;
  } catch (cause) {
    const action = `write ${quoteKey(table, key)}`;
    if (awsFailure(cause).code !== 'ConditionalCheckFailedException') throw writeFailed(action, cause);
    // An earlier attempt of this call may have written it, and its answer was lost.
    return existingRevision(cause) === revision ? revision : null;
  }
}

async function removeItem(table: Table, key: LedgerKey, expected: string): Promise<boolean> {
  try {
    await table.write({ key: tableKey(key), attributes: null, expected });
    return true;
  } catch (cause) {
    const failure = awsFailure(cause);
    const action = `remove ${quoteKey(table, key)}`;
    if (failure.code !== 'ConditionalCheckFailedException') throw writeFailed(action, cause);
    if (failure.attempts > 1 && existingRevision(cause) === null) {
      // The item is gone. Nobody can tell whether an earlier attempt of ours removed it, or somebody else.
      throw new OutcomeUnknownError(`Cannot ${action}`, cause);
    }
    return false;
  }
}

/** The revision at the key, from the refusal of a conditional write; null if there is no item. */
function existingRevision(refusal: unknown): string | null {
  const revision = (refusal as { readonly Item?: Attributes }).Item?.rev;
  if (typeof revision === 'object' && revision !== null && 'S' in revision) return String(revision.S);
  return typeof revision === 'string' ? revision : null;
}

async function queryPage(table: Table, partition: string, options: LedgerQuery): Promise<LedgerPage> {
  const { prefix = '', after = null, limit = null } = options;
  // DynamoDB refuses a start key outside of the requested range.
  const past = after !== null && !after.startsWith(prefix) && compareSortKeys(after, prefix) > 0;
  if (past) return { items: [], next: null };
  let start = after?.startsWith(prefix) && after !== '' ? after : null;
  const items: LedgerItem[] = [];
  do {
    const wanted = limit === null ? null : limit - items.length;
    const answer = await queryOnce(table, partition, prefix, start, wanted);
    for (const found of answer.Items ?? []) items.push(ledgerItem(found));
    const last = answer.LastEvaluatedKey?.sk;
    start = typeof last === 'string' ? last : null;
  } while (start !== null && limit !== null && items.length < limit);
  return { items, next: start };
}

/** One page of the items between two sort keys. */
async function queryRange(
  table: Table,
  partition: string,
  { from, to, limit }: { readonly from: string; readonly to: string; readonly limit: number },
): Promise<LedgerPage> {
  const answer = await sendQuery(table, partition, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': partition, ':from': from, ':to': to },
    Limit: limit,
  });
  const last = answer.LastEvaluatedKey?.sk;
  return { items: (answer.Items ?? []).map(ledgerItem), next: typeof last === 'string' ? last : null };
}

async function queryOnce(
  table: Table,
  partition: string,
  prefix: string,
  start: string | null,
  limit: number | null,
): Promise<QueryCommandOutput> {
  return sendQuery(table, partition, {
    KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partition, ...(prefix === '' ? {} : { ':prefix': prefix }) },
    ...(start === null ? {} : { ExclusiveStartKey: { pk: partition, sk: start } }),
    ...(limit === null ? {} : { Limit: limit }),
  });
}

async function sendQuery(
  table: Table,
  partition: string,
  query: Omit<QueryCommandInput, 'TableName'>,
): Promise<QueryCommandOutput> {
  const command = new QueryCommand({ TableName: table.name, ConsistentRead: true, ...query });
  try {
    return await table.client.send(command);
  } catch (cause) {
    throw awsError(`query "${partition}" of ledger table "${table.name}"`, cause);
  }
}

function tableKey(key: LedgerKey): TableKey {
  return { pk: key.partition, sk: key.sort };
}

/** `ttl`: the second from which on DynamoDB may remove the item. */
function attributesOf(rev: string, body: JsonObject, expiresAtMs?: number): Attributes {
  return { rev, ...encodeBody(body), ...(expiresAtMs === undefined ? {} : { ttl: Math.ceil(expiresAtMs / 1_000) }) };
}

/** The attributes of a body in the table. */
export function encodeBody(body: JsonObject): Attributes {
  const text = JSON.stringify(body);
  if (text.length * 3 <= BODY_TEXT_OCTETS_MAX || Buffer.byteLength(text) <= BODY_TEXT_OCTETS_MAX) return { body: text };
  return { zbody: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) };
}

function ledgerItem(found: Attributes): LedgerItem {
  const { pk, sk, rev, body, zbody } = found;
  if (typeof pk !== 'string' || typeof sk !== 'string' || typeof rev !== 'string') throw notOurs(pk, sk);
  const key = { partition: pk, sort: sk, revision: rev };
  if (typeof body === 'string') return { ...key, body: parseBody(body) };
  if (!(zbody instanceof Uint8Array)) throw notOurs(pk, sk);
  return { ...key, body: parseBody(decompressed(zbody)) };
}

function notOurs(pk: unknown, sk: unknown): Error {
  return new Error(`Cannot read ledger item "${pk}" / "${sk}": it has no "rev" or no body; zone53 did not write it`);
}

function decompressed(zbody: Uint8Array): string {
  try {
    return brotliDecompressSync(zbody).toString('utf8');
  } catch {
    return '';
  }
}

function quoteKey(table: Table, key: LedgerKey): string {
  return `"${key.partition}" / "${key.sort}" of ledger table "${table.name}"`;
}

function writeFailed(action: string, cause: unknown): Error {
  const failure = awsFailure(cause);
  const harmless = nothingHappened(failure) || (failure.kind === 'other' && failure.attempts <= 1);
  return harmless ? awsError(action, cause) : new OutcomeUnknownError(`Cannot ${action}`, cause);
}
