import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { openHints, openReports, REQUEST_LIMITS, secretsManagerOf } from './wire.ts';

it('a call that is not answered is tried again within the limits of the functions', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked > 1) response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"Attributes":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requestHandler = { ...REQUEST_LIMITS.requestHandler, requestTimeout: 500 };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ ...REQUEST_LIMITS, requestHandler, endpoint, region: 'eu-west-1', credentials });
  try {
    await client.send(new GetQueueAttributesCommand({ QueueUrl: `${endpoint}/queue` }));
    expect(asked).toBe(2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('a secret is read in the region that its ARN names', async () => {
  const arn = 'arn:aws:secretsmanager:eu-north-1:111122223333:secret:token-AbCdEf';
  expect(await secretsManagerOf(arn).config.region()).toBe('eu-north-1');
  expect(secretsManagerOf(arn)).toBe(secretsManagerOf(arn.replace('token', 'other')));
});

it('the queues of a function that sends to two of them can be put together in any order', () => {
  const [hints, reports] = [openHints('https://sqs/hints', null), openReports('https://sqs/reports', null)];
  expect([Object.keys(hints), Object.keys(reports)]).toEqual([['hint'], ['report']]);
});
