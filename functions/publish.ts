// publish: from dirty names to Route 53. Needs the ledger, the queues and the configured hosted zones; no API server,
// no VPC.

import { handlePublish } from './handlers/handle-publish.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, openQueues, sqsClient, tag } from './runtime/wire.ts';
import {
  hintAliasesOfDeleted,
  openHostedZones,
  openLedger,
  openPublishing,
  openTakeover,
} from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('publish', process.env);
const { ZONE53_CONFIG: config } = environment;
const ledger = openLedger(environment.ZONE53_TABLE);
// Reports after publishing are sent without delay.
const queues = openQueues(environment, 0);

export const handler = atTheEdge(
  handlePublish({
    publishDeps: openPublishing({ ledger, queues, hostedZones: openHostedZones(ledger, config) }, config),
    takeover: openTakeover(config),
    hintAliases: hintAliasesOfDeleted(ledger, queues, config),
    comeBack: comeBack(sqsClient(), environment.ZONE53_PUBLISH_URL),
    meter,
    log,
    tag,
  }),
);
