// reconcile: from hints to dirty names. Needs the API server, the ledger, all queues, and to read the configured hosted zones.
import { atTheEdge } from './at-the-edge.ts';
import { parseEnvironment } from './environment.ts';
import { handleReconcile } from './handle-reconcile.ts';
import { comeBack } from './visibility.ts';
import { log, meter, openQueues, sqsClient, tag } from './wire.ts';
import { openCluster, openContext, openHostedZones, openLedger } from './wire-pipeline.ts';

const environment = parseEnvironment('reconcile', process.env);
const { ZONE53_CONFIG: config } = environment;
const ledger = openLedger(environment.ZONE53_TABLE);

export const handler = atTheEdge(
  handleReconcile({
    context: openContext({
      ledger,
      config,
      cluster: openCluster(config.clusterId, environment.ZONE53_KUBERNETES),
      hostedZones: openHostedZones(ledger, config),
      queues: openQueues(environment),
    }),
    comeBack: comeBack(sqsClient(), environment.ZONE53_HINTS_URL),
    meter,
    log,
    tag,
  }),
);
