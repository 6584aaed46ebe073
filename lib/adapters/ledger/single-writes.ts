// Conditional writes of single items of a DynamoDB table, each in its own request.
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { TableKey } from './batched-reads.ts';

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
