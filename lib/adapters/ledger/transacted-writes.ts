// Writes items together with others that must not be there without them, nor they without these: each group is all or
// nothing. Groups that are requested at the same moment share a transaction. If it is cancelled, because one of them is
// refused or written by somebody else now, each group is sent in a transaction of its own.
//
// Source: TransactWriteItems API page: at most 100 actions and 4 MB, no item twice; idempotent by the token that the
// SDK adds. Developer guide, "Read and write operations": an item costs double. Last verified 2026-11-29.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { backoff } from '../../ports/backoff.ts';
import { awsFailure } from '../aws/aws-failure.ts';
import type { TableKey } from './batched-reads.ts';
import { condition, type TableWrite } from './batched-writes.ts';
import { sentTogether } from './sent-together.ts';

const ACTIONS_MAX = 100;
/** Tries of one group while others write its items or DynamoDB throttles: some 5 s with their pauses. */
const TRIES_MAX = 8;
const pauseMs = backoff(50, 1_000);

type Other = { readonly key: TableKey; readonly attributes: Readonly<Record<string, unknown>> };

/** A conditional write, and the items that are put if it is made. */
type Group = TableWrite & { readonly attributes: Readonly<Record<string, unknown>>; readonly beside: readonly Other[] };

/** Writes a group. Throws as `WriteItem` of batched-writes.ts does. */
export type WriteGroup = (group: Group) => Promise<void>;

type Asked = { readonly group: Group; readonly resolve: () => void; readonly reject: (error: unknown) => void };

export function writesInTransactions(client: DynamoDBDocumentClient, table: string): WriteGroup {
  const alone = (one: Asked) => writeAlone(client, table, one.group).then(one.resolve, one.reject);
  const write = async (all: readonly Asked[]) => {
    try {
      await client.send(
        commandOf(
          table,
          all.map(({ group }) => group),
        ),
      );
      for (const one of all) one.resolve();
    } catch {
      // Perhaps it was made and its answer lost: then the group finds its own revision (dynamodb-ledger.ts).
      for (const one of all) void alone(one);
    }
  };
  const send = sentTogether<Asked>({
    cut: transactionsOf,
    isFull: () => false,
    send: ([only, ...others]) =>
      only !== undefined && others.length === 0 ? alone(only) : write(only === undefined ? [] : [only, ...others]),
  });
  return (group) =>
    new Promise((resolve, reject) => {
      send({ group, resolve, reject });
    });
}

function transactionsOf(all: readonly Asked[]): Asked[][] {
  const batches: { size: number; readonly keys: Set<string>; readonly asked: Asked[] }[] = [];
  for (const one of all) {
    const { key, beside } = one.group;
    const keys = [key, ...beside.map((other) => other.key)].map(({ pk, sk }) => `${pk}\0${sk}`);
    let batch = batches.at(-1);
    if (batch === undefined || batch.size + keys.length > ACTIONS_MAX || keys.some((id) => batch?.keys.has(id))) {
      batch = { size: 0, keys: new Set(), asked: [] };
      batches.push(batch);
    }
    batch.size += keys.length;
    for (const id of keys) batch.keys.add(id);
    batch.asked.push(one);
  }
  return batches.map((batch) => batch.asked);
}

async function writeAlone(client: DynamoDBDocumentClient, table: string, group: Group): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.send(commandOf(table, [group]));
      return;
    } catch (error) {
      const reasons = reasonsOf(error);
      const refused = reasons.find(({ Code }) => Code === 'ConditionalCheckFailed');
      if (refused !== undefined) throw refusal(error, refused.Item);
      const isBusy = reasons.length > 0 && reasons.every(({ Code = 'None' }) => BUSY.has(Code));
      if (!isBusy || attempt >= TRIES_MAX) throw error;
      await sleep(pauseMs(attempt));
    }
  }
}

const BUSY = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

type Reason = { readonly Code?: string; readonly Item?: Record<string, unknown> };

function reasonsOf(error: unknown): readonly Reason[] {
  if (awsFailure(error).code !== 'TransactionCanceledException') return [];
  return (error as { readonly CancellationReasons?: readonly Reason[] }).CancellationReasons ?? [];
}

/** The error that the SDK throws for a single write that is refused. */
function refusal(cause: unknown, Item: Reason['Item']): Error {
  const { attempts } = awsFailure(cause);
  return Object.assign(new Error('The conditional request failed', { cause }), {
    name: 'ConditionalCheckFailedException',
    $fault: 'client',
    $metadata: { httpStatusCode: 400, attempts },
    ...(Item === undefined ? {} : { Item }),
  });
}

function commandOf(table: string, groups: readonly Group[]): TransactWriteCommand {
  const TransactItems = groups.flatMap(({ key, attributes, expected, beside }) => [
    { Put: { TableName: table, Item: { ...key, ...attributes }, ...condition(expected) } },
    ...beside.map((other) => ({ Put: { TableName: table, Item: { ...other.key, ...other.attributes } } })),
  ]);
  return new TransactWriteCommand({ TransactItems });
}
