// A zone53 that has long since published everything: the code of `zone53 apply` over the real objects and past the proxy, with a
// ledger in memory that is then copied into the peer's table. For zones in which a first publish through the proxy takes
// longer than a case may.
import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { EMBEDDED_HOLDER, publishDeps } from '../../cli/publish-deps.ts';
import { ledgerAttributes } from '../../lib/adapters/dynamodb-ledger.ts';
import { createTable } from '../../lib/adapters/dynamodb-ledger-table.ts';
import { kubeconfigContext } from '../../lib/adapters/kubernetes-access.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes-cluster.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes-transport.ts';
import { memoryLedger } from '../../lib/adapters/memory-ledger.ts';
import { route53HostedZones } from '../../lib/adapters/route53-hosted-zones.ts';
import { route53Client } from '../../lib/adapters/route53-hosted-zones-client.ts';
import { systemClock } from '../../lib/adapters/system-time.ts';
import { applyCluster } from '../../lib/reconcile/apply-cluster.ts';
import { commitCluster } from '../../lib/reconcile/commit-cluster.ts';
import { DEFAULT_CONFIG } from '../../lib/reconcile/config.ts';
import type { Context } from '../../lib/reconcile/context.ts';
import { inParallel } from '../../lib/reconcile/in-parallel.ts';
import { planCluster } from '../../lib/reconcile/plan-cluster.ts';
import { type MeasuredLedger, measuredLedger } from '../measured-ledger.ts';
import type { Wanted } from './objects.ts';
import type { PeerPlace } from './peer.ts';

const BATCH_ITEMS_MAX = 25;
const BATCHES_AT_ONCE = 4;

/** Publishes all objects into the account's double and fills the table. Throws when the place has no table. */
export async function prefill({ engine, account, ledger }: PeerPlace, wanted: readonly Wanted[]): Promise<void> {
  if (ledger === null) throw new Error('a large zone needs DynamoDB Local: npm run engines gets it');
  const transport = kubernetesTransport({ access: kubeconfigContext('zone53', engine.kubeconfig) });
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
  const route53 = route53Client({ endpoint: account.url, region: 'us-east-1', credentials });
  const dynamodb = new DynamoDBClient({ endpoint: ledger.url, region: 'us-east-1', credentials });
  try {
    const memory = measuredLedger(memoryLedger({ trusting: true }), { keep: true, weigh: false });
    const context: Context = {
      ledger: memory.port,
      cluster: kubernetesCluster({ clusterId: DEFAULT_CONFIG.clusterId, transport, clock: systemClock }),
      hostedZones: route53HostedZones(route53, { take: async () => {} }),
      queues: { hint: async () => {}, publish: async () => {}, report: async () => {} },
      clock: systemClock,
      config: DEFAULT_CONFIG,
      log: () => {},
    };
    const options = { acknowledged: [], only: () => true, progress: () => {} };
    await applyCluster(context, publishDeps(context, EMBEDDED_HOLDER), await planCluster(context), options);
    // The objects have moved on by the statuses that were written to them.
    await commitCluster(context, await planCluster(context));
    await createTable(dynamodb, ledger.table);
    await loadItems(DynamoDBDocumentClient.from(dynamodb), ledger.table, memory);
    for (const { label, zone, address } of wanted) account.proxy.standing.set(`${label}.${zone}`, address);
  } finally {
    dynamodb.destroy();
    route53.destroy();
    transport.close();
  }
}

/** Puts the items into a table. */
async function loadItems(client: DynamoDBDocumentClient, table: string, ledger: MeasuredLedger): Promise<void> {
  await inParallel(batchesOf(ledger), BATCHES_AT_ONCE, async (batch) => {
    let requests = { [table]: batch.map((Item) => ({ PutRequest: { Item } })) } as Record<string, object[]>;
    while (Object.keys(requests).length > 0) {
      const answer = await client.send(new BatchWriteCommand({ RequestItems: requests as never }));
      requests = (answer.UnprocessedItems ?? {}) as Record<string, object[]>;
    }
  });
}

function* batchesOf(ledger: MeasuredLedger): Generator<Record<string, unknown>[]> {
  let batch: Record<string, unknown>[] = [];
  for (const { key, body } of ledger.items()) {
    batch.push(ledgerAttributes(key, randomUUID(), body));
    if (batch.length < BATCH_ITEMS_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
