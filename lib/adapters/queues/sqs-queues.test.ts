// Cases in which SQS does not accept messages of a batch.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { parseQueueMessage } from './queue-message.ts';
import { sqsQueues } from './sqs-queues.ts';

it('report() throws when SQS accepted only a part of the messages, and quotes its reason', async () => {
  const answer = {
    Successful: [],
    Failed: [{ Id: '1', Code: 'InternalError', Message: 'try again', SenderFault: false }],
  };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  const url = `${endpoint}/000000000000/reports`;
  const queues = sqsQueues(client, { hints: url, publish: url, reports: url });
  const refs = ['a', 'b'].map((name) => ({ kind: 'Zone', namespace: 'n', name }) as const);
  await expect(queues.report(refs)).rejects.toThrow(`Cannot send 2 of 2 messages to ${url}: InternalError: try again`);
  client.destroy();
  server.close();
});

it('report() delays Zones and other objects by the configured seconds', async () => {
  type Entry = { readonly MessageBody: string; readonly DelaySeconds?: number };
  const sent: Entry[] = [];
  const client = {
    send: async ({ input }: { input: { Entries: Entry[] } }) => {
      sent.push(...input.Entries);
      return { Successful: input.Entries };
    },
  } as unknown as SQSClient;
  const urls = { hints: 'hints', publish: 'publish', reports: 'reports' };
  const refs = (['Zone', 'Record'] as const).map((kind) => ({ kind, namespace: 'n', name: 'x' }));
  for (const otherSeconds of [0, 2]) {
    await sqsQueues(client, urls, { reportDelays: { zoneSeconds: 2, otherSeconds } }).report(refs);
  }
  await sqsQueues(client, urls).report(refs);
  expect(sent.map(({ DelaySeconds }) => DelaySeconds)).toEqual([2, undefined, 2, 2, undefined, undefined]);
});

it('hint() gives every message of a fair queue a group that SQS takes, also without a namespace', async () => {
  type Entry = { readonly MessageGroupId?: string };
  const sent: Entry[] = [];
  const client = {
    send: async ({ input }: { input: { Entries: Entry[] } }) => {
      sent.push(...input.Entries);
      return { Successful: input.Entries };
    },
  } as unknown as SQSClient;
  const queues = sqsQueues(
    client,
    { hints: 'hints', publish: 'publish', reports: 'reports' },
    { fairByNamespace: true },
  );
  await queues.hint([
    { kind: 'Service', namespace: 'team', name: 'x' },
    { kind: 'Service', namespace: null, name: null },
    { kind: 'Node', namespace: '', name: 'x' },
  ]);
  expect(sent.map(({ MessageGroupId }) => MessageGroupId)).toEqual(['team', '-', '-']);
});

it('hints, reports and what waits on their queues carry the cluster where there are several, and are its group', async () => {
  type Entry = { readonly MessageBody: string; readonly MessageGroupId?: string };
  const sent: Entry[] = [];
  const client = {
    send: async ({ input }: { input: { Entries: Entry[] } }) => {
      sent.push(...input.Entries);
      return { Successful: input.Entries };
    },
  } as unknown as SQSClient;
  const urls = { hints: 'hints', publish: 'publish', reports: 'reports' };
  const ref = { kind: 'Record', namespace: 'team', name: 'x' } as const;
  const sentBy = async (cluster: string | undefined) => {
    sent.length = 0;
    const queues = sqsQueues(client, urls, { fairByNamespace: true, ...(cluster !== undefined && { cluster }) });
    await queues.hint([ref]);
    await queues.report([ref]);
    await queues.publish('Z1', 5);
    await queues.follow({ hostedZoneId: 'Z1', changeId: 'C1', atMs: 0, names: [] }, 5);
    await queues.publish('Z1');
    return sent.map(({ MessageBody, MessageGroupId }) => [parseQueueMessage(MessageBody).cluster, MessageGroupId]);
  };
  const [group, none] = [['prod-us', 'prod-us'], undefined];
  // The group of the publish queue is the hosted zone.
  expect(await sentBy('prod-us')).toEqual([group, group, group, group, [none, 'Z1']]);
  expect(await sentBy(undefined)).toEqual([
    [none, 'team'],
    [none, 'team'],
    [none, '-'],
    [none, '-'],
    [none, 'Z1'],
  ]);
});

it('report() waits for its own delay, and its message says so', async () => {
  type Entry = { readonly MessageBody: string; readonly DelaySeconds?: number };
  const sent: Entry[] = [];
  const client = {
    send: async ({ input }: { input: { Entries: Entry[] } }) => {
      sent.push(...input.Entries);
      return { Successful: input.Entries };
    },
  } as unknown as SQSClient;
  const urls = { hints: 'hints', publish: 'publish', reports: 'reports' };
  const queues = sqsQueues(client, urls, { reportDelays: { zoneSeconds: 5, otherSeconds: 2 } });
  await queues.report([{ kind: 'Record', namespace: 'n', name: 'x' }], {}, 10);
  expect(sent.map(({ DelaySeconds, MessageBody }) => [DelaySeconds, JSON.parse(MessageBody).afterSeconds])).toEqual([
    [10, 10],
  ]);
});
