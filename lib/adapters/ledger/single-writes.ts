// Conditional writes of single items of a DynamoDB table, each a request of its own.
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { TableKey } from './batched-reads.ts';

/** One write, if the item stands at `expected` (null: does not exist). `attributes` without the key; null removes. */
export type TableWrite = {
  readonly key: TableKey;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly expected: string | null;
};

/** Throws what the SDK throws; a ConditionalCheckFailedException carries as `Item` what stands there. */
export type WriteItem = (write: TableWrite) => Promise<void>;

/** Writes of one table. */
export function writesAlone(client: DynamoDBDocumentClient, table: string): WriteItem {
  return async ({ key, attributes, expected }) => {
    if (attributes === null) {
      await client.send(new DeleteCommand({ TableName: table, Key: key, ...condition(expected) }));
    } else {
      await client.send(new PutCommand({ TableName: table, Item: { ...key, ...attributes }, ...condition(expected) }));
    }
  };
}

function condition(expected: string | null) {
  const shown = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (expected === null) return { ConditionExpression: 'attribute_not_exists(pk)', ...shown };
  return { ConditionExpression: 'rev = :expected', ExpressionAttributeValues: { ':expected': expected }, ...shown };
}
