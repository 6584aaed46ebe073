// reconcile: from hints to dirty names. Needs the API server, the ledger, all queues, and to read the configured hosted
// zones.

import { byCluster } from './handlers/by-cluster.ts';
import { handleReconcile } from './handlers/handle-reconcile.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster } from './runtime/clusters.ts';
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

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const deps = { comeBack: comeBack(sqsClient(), environment.ZONE53_HINTS_URL), meter };
    const handlers = await eachCluster(configuration, async (served) => {
      const { config, access, log, tag, mark } = served;
      const queues = openQueues(environment, mark);
      return handleReconcile({
        context: openContext({
          ledger,
          config,
          cluster: openCluster(config, access, { ...MESSAGE_PATIENCE, log, ledger }),
          account: openAccount(ledger, config),
          queues,
          log,
        }),
        dnsRecords: await loadDnsRecords(served, ledger, queues, MESSAGE_PATIENCE),
        ...{ ...deps, log, tag },
      });
    });
    return byCluster(handlers, { ...deps, log, tag });
  }),
);
