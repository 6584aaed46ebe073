import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Route53Client } from '@aws-sdk/client-route-53';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { unlogged } from './unlogged.ts';

const hasLog = (client: { middlewareStack: { identify(): string[] } }) =>
  client.middlewareStack.identify().some((one) => one.startsWith('loggerMiddleware'));

test.each([
  ['Route 53', () => new Route53Client({ region: 'us-east-1' })],
  ['DynamoDB', () => new DynamoDBClient({ region: 'us-east-1' })],
])('unlogged() takes the log from a client of %s', (_name, make) => {
  expect([hasLog(make()), hasLog(unlogged(make()))]).toEqual([true, false]);
});

test('unlogged() takes the log from a document client that is made of it', () => {
  expect(hasLog(DynamoDBDocumentClient.from(unlogged(new DynamoDBClient({ region: 'us-east-1' }))))).toBe(false);
});
