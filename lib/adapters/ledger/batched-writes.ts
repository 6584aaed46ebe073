// Combines writes of single items that are requested at the same moment into one request, as batched-reads.ts does for
// reads. Each write is its own compare-and-swap with its own result, and costs what it costs alone. If the answer says
// too little about a write, that write is sent again alone.
//
//   a statement answers                    what it means
//   nothing more, of INSERT and UPDATE     written
//   the old item, of DELETE                removed; without an old item there was none: refused
//   ConditionalCheckFailed, DuplicateItem  refused
//   throttled, TransactionConflict         nothing was written: again alone, with the pauses of the SDK
//   InternalServerError, no answer         may have been written
//   AccessDenied                           no right to PartiQL: again alone, and all later writes too
//   any other                              refused for a reason of its own
//
// Source: BatchExecuteStatement and BatchStatementError API pages: 25 statements, no item twice. Developer guide: "IAM
// security policies with PartiQL", one permission a verb; "Read and write operations", paid by item, double only in a
// transaction (DynamoDB Local reports no consumption of a batch). Last verified 2026-11-22.
import {
  BatchExecuteStatementCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';
import { awsFailure, nothingHappened } from '../aws/aws-failure.ts';
import { idOf, type TableKey } from './batched-reads.ts';
import { sentTogether } from './sent-together.ts';

const STATEMENTS_MAX = 25;
const DENIED = new Set(['AccessDenied', 'AccessDeniedException']);
const REFUSED = new Set(['ConditionalCheckFailed', 'DuplicateItem']);
const NOTHING_WRITTEN = new Set([
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);

/**
 * A write on condition that the item has the revision `expected` (null: it does not exist). `attributes`: without the
 * key; null removes the item.
 */
export type TableWrite = {
  readonly key: TableKey;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly expected: string | null;
};

/** Writes an item. Throws what the SDK throws; a ConditionalCheckFailedException has the current item as `Item`. */
export type WriteItem = (write: TableWrite) => Promise<void>;

type Asked = { readonly write: TableWrite; readonly resolve: () => void; readonly reject: (error: unknown) => void };

export function writesTogether(client: DynamoDBDocumentClient, table: string): WriteItem {
  const alone = writesAlone(client, table);
  let isDenied = false;
  const denied = () => {
    isDenied = true;
  };
  const send = sentTogether<Asked>({
    cut: batchesOfWrites,
    isFull: (batch) => batch.length === STATEMENTS_MAX,
    send: (batch) => writeBatch({ client, table, alone, denied }, batch),
  });
  return (write) =>
    new Promise((resolve, reject) => {
      if (isDenied) return void alone(write).then(resolve, reject);
      send({ write, resolve, reject });
    });
}

/** Each write in its own request. */
function writesAlone(client: DynamoDBDocumentClient, table: string): WriteItem {
  return async ({ key, attributes, expected }) => {
    if (attributes === null) {
      await client.send(new DeleteCommand({ TableName: table, Key: key, ...condition(expected) }));
    } else {
      await client.send(new PutCommand({ TableName: table, Item: { ...key, ...attributes }, ...condition(expected) }));
    }
  };
}

/** The condition of a write that expects this revision; null: no item. */
export function condition(expected: string | null) {
  const shown = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (expected === null) return { ConditionExpression: 'attribute_not_exists(pk)', ...shown };
  return { ConditionExpression: 'rev = :expected', ExpressionAttributeValues: { ':expected': expected }, ...shown };
}

/** If two writes are of one item, the later one goes into a later batch. */
function batchesOfWrites(all: readonly Asked[]): Asked[][] {
  const batches: Map<string, Asked>[] = [];
  const nextOf = new Map<string, number>();
  let open = 0;
  for (const one of all) {
    const id = idOf(one.write.key);
    let at = Math.max(open, nextOf.get(id) ?? 0);
    while ((batches[at]?.size ?? 0) >= STATEMENTS_MAX) at += 1;
    nextOf.set(id, at + 1);
    const batch = batches[at] ?? new Map<string, Asked>();
    batches[at] = batch.set(id, one);
    while (batches[open]?.size === STATEMENTS_MAX) open += 1;
  }
  return batches.map((batch) => [...batch.values()]);
}

type Writer = {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly alone: WriteItem;
  /** Called if there is no right to PartiQL. */
  readonly denied: () => void;
};

async function writeBatch({ client, table, alone, denied }: Writer, batch: readonly Asked[]): Promise<void> {
  const singly = (one: Asked) => alone(one.write).then(one.resolve, one.reject);
  const [only] = batch;
  if (only !== undefined && batch.length === 1) return singly(only);
  try {
    const command = new BatchExecuteStatementCommand({
      Statements: batch.map(({ write }) => statementOf(table, write)),
    });
    const { Responses, $metadata } = await client.send(command);
    for (const [index, one] of batch.entries()) {
      const { Error: said, Item } = Responses?.[index] ?? {
        Error: { Code: 'InternalServerError', Message: 'no answer' },
      };
      const { attempts = 1 } = $metadata;
      const isAbsent = said === undefined && one.write.attributes === null && Item === undefined;
      if (DENIED.has(said?.Code ?? '')) {
        denied();
        singly(one);
      } else if (said?.Code === 'DuplicateItem' && attempts > 1) singly(one);
      else if (NOTHING_WRITTEN.has(said?.Code ?? '')) singly(one);
      else if (isAbsent) one.reject(failure({ Code: 'ConditionalCheckFailed', Message: 'no such item' }, attempts));
      else if (said !== undefined) one.reject(failure(said, attempts));
      else one.resolve();
    }
  } catch (error) {
    const failed = awsFailure(error);
    const isDenied = DENIED.has(failed.code);
    if (isDenied) denied();
    // A statement that DynamoDB cannot parse fails the whole request.
    const isSpoilt = (isDenied || failed.code === 'ValidationException') && nothingHappened(failed);
    for (const one of batch) isSpoilt ? singly(one) : one.reject(error);
  }
}

type Said = {
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
  readonly Item?: Record<string, unknown> | undefined;
};

/** An error in the shape that the SDK throws for a single write, as dynamodb-ledger.ts and aws-failure.ts read it. */
function failure({ Code = 'InternalServerError', Message = '', Item }: Said, attempts: number): Error {
  const isLost = Code === 'InternalServerError';
  return Object.assign(new Error(Message), {
    name: REFUSED.has(Code) ? 'ConditionalCheckFailedException' : Code,
    $fault: isLost ? 'server' : 'client',
    $metadata: { httpStatusCode: isLost ? 500 : 400, attempts },
    ...(Item === undefined ? {} : { Item }),
  });
}

function statementOf(table: string, { key: { pk, sk }, attributes, expected }: TableWrite) {
  const at = 'WHERE "pk" = ? AND "sk" = ? AND "rev" = ?';
  const shown = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (attributes === null)
    return { Statement: `DELETE FROM "${table}" ${at} RETURNING ALL OLD *`, Parameters: [pk, sk, expected], ...shown };
  const { rev, body, zbody, ttl } = attributes;
  const [name, other, content] = body === undefined ? ['zbody', 'body', zbody] : ['body', 'zbody', body];
  if (expected === null) {
    const [expiry, more] = ttl === undefined ? ['', []] : [`, 'ttl': ?`, [ttl]];
    const Statement = `INSERT INTO "${table}" VALUE {'pk': ?, 'sk': ?, 'rev': ?, '${name}': ?${expiry}}`;
    return { Statement, Parameters: [pk, sk, rev, content, ...more], ...shown };
  }
  const Statement = `UPDATE "${table}" SET "rev" = ? SET "${name}" = ? REMOVE "${other}" ${at}`;
  return { Statement, Parameters: [rev, content, pk, sk, expected], ...shown };
}
