// publish: from dirty names to Route 53. Needs the ledger, the queues and the configured hosted zones; no API server,
// no VPC.

import { byHostedZone } from './handlers/by-cluster.ts';
import { handlePublish } from './handlers/handle-publish.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster, type ServedCluster, withoutCluster } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, openQueues, sqsClient, tag } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import {
  clusterInLedger,
  hintAliasesOfDeleted,
  onlyPublishing,
  openHostedZones,
  openPublishing,
  openTakeover,
} from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('publish', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const deps = { comeBack: comeBack(sqsClient(), environment.ZONE53_PUBLISH_URL), meter };
    const publishing = (
      { config, log, tag }: Pick<ServedCluster, 'config' | 'log' | 'tag'>,
      queues: ReturnType<typeof openQueues>,
    ) =>
      handlePublish({
        publishDeps: openPublishing({ ledger, queues, hostedZones: openHostedZones(ledger, config), log }, config),
        takeover: openTakeover(config),
        hintAliases: hintAliasesOfDeleted(ledger, queues, config),
        ...{ ...deps, log, tag },
      });
    // Reports after publishing are sent without delay.
    const queuesOf = (mark: string | null) => openQueues(environment, mark, 0);
    const handlers = await eachCluster(configuration, (one) => publishing(one, queuesOf(one.mark)));
    const [{ config }] = configuration.clusters;
    const ofOther = (clusterId: string) =>
      publishing({ config: withoutCluster(config, clusterId), log, tag }, onlyPublishing(queuesOf(null)));
    return byHostedZone(handlers, ofOther, clusterInLedger(ledger));
  }),
);
