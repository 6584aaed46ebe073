// reconcile: from hints to dirty names. Needs the API server, the ledger, all queues, and to read the configured hosted
// zones.

import { handleReconcile } from './handlers/handle-reconcile.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { loadDnsRecords } from './runtime/load-dns-records.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, openQueues, sqsClient, tag } from './runtime/wire.ts';
import { MESSAGE_PATIENCE, openAccount, openCluster, openContext, openLedger } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('reconcile', process.env);
const { ZONE53_CONFIG: config } = environment;
const ledger = openLedger(environment.ZONE53_TABLE);
const queues = openQueues(environment);

export const handler = atTheEdge(
  handleReconcile({
    context: openContext({
      ledger,
      config,
      cluster: openCluster(config, environment.ZONE53_KUBERNETES, MESSAGE_PATIENCE),
      account: openAccount(ledger, config),
      queues,
    }),
    dnsRecords: await loadDnsRecords(environment, ledger, queues, MESSAGE_PATIENCE),
    comeBack: comeBack(sqsClient(), environment.ZONE53_HINTS_URL),
    meter,
    log,
    tag,
  }),
);
