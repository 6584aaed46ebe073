// report: status, labels and Events back to the objects. Needs the API server and the ledger; no Route 53. It sends
// only to its own queue, to look again at what it has not told yet.

import { byCluster } from './handlers/by-cluster.ts';
import { handleReport } from './handlers/handle-report.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, openReports, sqsClient, tag } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { MESSAGE_PATIENCE, openCluster, openContext } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('report', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const deps = { comeBack: comeBack(sqsClient(), environment.ZONE53_REPORTS_URL), meter };
    const handlers = await eachCluster(configuration, ({ config, access, log, tag, mark }) =>
      handleReport({
        context: openContext({
          ledger,
          config,
          cluster: openCluster(config, access, { ...MESSAGE_PATIENCE, log, ledger }),
          queues: openReports(environment.ZONE53_REPORTS_URL, mark),
          log,
        }),
        ...{ ...deps, log, tag },
      }),
    );
    return byCluster(handlers, { ...deps, log, tag });
  }),
);
