// reconcile: from hints to dirty names. Needs the API server, the ledger, all queues, and to read the configured hosted
// zones.

import { handleReconcile } from './handlers/handle-reconcile.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { loadDnsRecords } from './runtime/load-dns-records.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, openQueues, sqsClient, tag } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { MESSAGE_PATIENCE, openAccount, openCluster, openContext } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('reconcile', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);
const queues = openQueues(environment);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const { config, access } = configuration;
    return handleReconcile({
      context: openContext({
        ledger,
        config,
        cluster: openCluster(config, access, MESSAGE_PATIENCE),
        account: openAccount(ledger, config),
        queues,
      }),
      dnsRecords: await loadDnsRecords(configuration, ledger, queues, MESSAGE_PATIENCE),
      comeBack: comeBack(sqsClient(), environment.ZONE53_HINTS_URL),
      meter,
      log,
      tag,
    });
  }),
);
