// The contract of the queues on moto's SQS. The consumer below does what Lambda does for a function: it receives
// messages, calls the handler, deletes what succeeded and returns what failed. It also sends a publish on whose delay
// is over.
import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Handlers } from '../../lib/adapters/queues/in-process-queues.ts';
import { parseQueueMessage, type QueueMessage } from '../../lib/adapters/queues/queue-message.ts';
import { type QueueUrls, sqsQueues } from '../../lib/adapters/queues/sqs-queues.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { queuesContract } from '../contract/queues/queues-contract.ts';
import { describeWithEngine, type RunningEngine, startMoto } from '../engines/engines.ts';

async function createQueues(client: SQSClient): Promise<QueueUrls> {
  const create = async (name: string, fifo: boolean) => {
    const QueueName = `${name}-${randomUUID()}${fifo ? '.fifo' : ''}`;
    const Attributes: Record<string, string> = { VisibilityTimeout: '30', ...(fifo ? { FifoQueue: 'true' } : {}) };
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
    if (QueueUrl === undefined) throw new Error('SQS gave no queue URL');
    return QueueUrl;
  };
  return {
    hints: await create('hints', false),
    publish: await create('publish', true),
    reports: await create('reports', false),
  };
}

async function call(handlers: Handlers, message: QueueMessage): Promise<void> {
  if (message.kind === 'hint') await handlers.hint([message.hint]);
  else if (message.kind === 'report') await handlers.report([message.ref]);
  else if (message.kind === 'publish') await handlers.publish(message.hostedZoneId);
  else await handlers.follow?.(message.change);
}

type Consumer = { attach(handlers: Handlers): void; close(): Promise<void> };

function consume(client: SQSClient, urls: QueueUrls, queues: Queues): Consumer {
  let open = true;
  const handle = async (url: string, handlers: Handlers, message: Message) => {
    const receipt = { QueueUrl: url, ReceiptHandle: message.ReceiptHandle };
    try {
      const content = parseQueueMessage(message.Body ?? '');
      if (content.kind === 'publish' && url === urls.hints) await queues.publish(content.hostedZoneId);
      else await call(handlers, content);
      await client.send(new DeleteMessageCommand(receipt));
    } catch {
      await client.send(new ChangeMessageVisibilityCommand({ ...receipt, VisibilityTimeout: 0 }));
    }
  };
  const poll = async (url: string, handlers: Handlers) => {
    while (open) {
      const input = { QueueUrl: url, MaxNumberOfMessages: url === urls.publish ? 1 : 10, WaitTimeSeconds: 0 };
      const { Messages = [] } = await client.send(new ReceiveMessageCommand(input));
      await Promise.all(Messages.map((message) => handle(url, handlers, message)));
      if (Messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  let polling: Promise<void>[] = [];
  return {
    // The FIFO queue has two pollers, so that only SQS prevents two publishes of one hosted zone at the same time.
    attach: (handlers) => {
      polling = [urls.hints, urls.reports, urls.publish, urls.publish].map((url) => poll(url, handlers));
    },
    close: async () => {
      open = false;
      await Promise.all(polling);
    },
  };
}

describeWithEngine('moto', 'queues on SQS', () => {
  let moto: RunningEngine;
  let client: SQSClient;
  beforeAll(async () => {
    moto = await startMoto();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new SQSClient({ endpoint: moto.url, region: 'us-east-1', credentials });
  });
  afterAll(async () => {
    client?.destroy();
    await moto?.close();
  });

  queuesContract('SQS on moto', async () => {
    const urls = await createQueues(client);
    const queues = sqsQueues(client, urls);
    const consumer = consume(client, urls, queues);
    return { queues, ...consumer };
  });

  it('throws an Error that names a queue that does not exist', async () => {
    const urls = await createQueues(client);
    const queues = sqsQueues(client, { ...urls, hints: `${urls.hints}-gone` });
    const hint = { kind: 'Zone', namespace: null, name: null } as const;
    await expect(queues.hint([hint])).rejects.toThrow(/Cannot send 1 messages to .*-gone: .*NonExistent/);
  });

  it('sends hints with a namespace as group to a standard queue', async () => {
    const urls = await createQueues(client);
    const queues = sqsQueues(client, urls, { fairByNamespace: true });
    await queues.hint([{ kind: 'Zone', namespace: 'team-a', name: 'z' }]);
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: urls.hints }));
    expect(Messages).toHaveLength(1);
  });
});
