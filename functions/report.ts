// report: status, labels and Events back to the objects. Needs the API server and the ledger; no Route 53, sends
// nothing.

import { handleReport } from './handlers/handle-report.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { comeBack } from './runtime/visibility.ts';
import { log, meter, sqsClient, tag } from './runtime/wire.ts';
import { MESSAGE_PATIENCE, openCluster, openContext, openLedger } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('report', process.env);
const { ZONE53_CONFIG: config } = environment;

export const handler = atTheEdge(
  handleReport({
    context: openContext({
      ledger: openLedger(environment.ZONE53_TABLE),
      config,
      cluster: openCluster(config, environment.ZONE53_KUBERNETES, MESSAGE_PATIENCE),
    }),
    comeBack: comeBack(sqsClient(), environment.ZONE53_REPORTS_URL),
    meter,
    log,
    tag,
  }),
);
