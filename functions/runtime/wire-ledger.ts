// The ledger over a real client, made once for each execution environment. Separate from wire-pipeline.ts because
// ingest and validate need it only while the newest version of the configuration is invalid.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unlogged } from '../../lib/adapters/aws/unlogged.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { once } from '../../lib/ports/once.ts';
import { REQUEST_LIMITS } from './wire.ts';

export const dynamodb = /* @__PURE__ */ once(() => unlogged(new DynamoDBClient(REQUEST_LIMITS)));

/** The ledger. */
export function openLedger(table: string): Ledger {
  return dynamodbLedger(DynamoDBDocumentClient.from(dynamodb()), table);
}
