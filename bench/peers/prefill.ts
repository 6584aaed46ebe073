// A zone53 that has long since published everything: the code of `zone53 apply` over the real objects and past the proxy, with a
// ledger in memory that is then copied into the peer's table. For zones in which a first publish through the proxy takes
// longer than a case may.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { EMBEDDED_HOLDER, publishDeps } from '../../cli/publish-deps.ts';
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
import { planCluster } from '../../lib/reconcile/plan-cluster.ts';
import { loadItems } from '../growth-world.ts';
import { measuredLedger } from '../measured-ledger.ts';
import type { Wanted } from './objects.ts';
import type { PeerPlace } from './peer.ts';

/** Publishes all objects into the account's double and fills the table. Throws when the place has no table. */
export async function prefill({ engine, account, ledger }: PeerPlace, wanted: readonly Wanted[]): Promise<void> {
  if (ledger === null) throw new Error('a large zone needs DynamoDB Local: npm run engines gets it');
  const transport = kubernetesTransport({ access: kubeconfigContext('zone53', engine.kubeconfig) });
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
  const route53 = route53Client({ endpoint: account.url, region: 'us-east-1', credentials });
  const dynamodb = new DynamoDBClient({ endpoint: ledger.url, region: 'us-east-1', credentials });
  try {
    const memory = measuredLedger(memoryLedger(), true);
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
    await loadItems(DynamoDBDocumentClient.from(dynamodb), ledger.table, memory, [0]);
    for (const { label, zone, address } of wanted) account.proxy.standing.set(`${label}.${zone}`, address);
  } finally {
    dynamodb.destroy();
    route53.destroy();
    transport.close();
  }
}
