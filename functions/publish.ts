// publish: from dirty names to Route 53. Needs the ledger, the queues and the configured hosted zones; no API server,
// no VPC.

import { handlePublish } from './handlers/handle-publish.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, openQueues, sqsClient, tag } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { hintAliasesOfDeleted, openHostedZones, openPublishing, openTakeover } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('publish', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);
// Reports after publishing are sent without delay.
const queues = openQueues(environment, 0);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const { config } = configuration;
    return handlePublish({
      publishDeps: openPublishing({ ledger, queues, hostedZones: openHostedZones(ledger, config) }, config),
      takeover: openTakeover(config),
      hintAliases: hintAliasesOfDeleted(ledger, queues, config),
      comeBack: comeBack(sqsClient(), environment.ZONE53_PUBLISH_URL),
      meter,
      log,
      tag,
    });
  }),
);
