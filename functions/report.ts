// report: status, labels and Events back to the objects. Needs the API server and the ledger; no Route 53, sends nothing.
import { atTheEdge } from './at-the-edge.ts';
import { parseEnvironment } from './environment.ts';
import { handleReport } from './handle-report.ts';
import { comeBack } from './visibility.ts';
import { log, meter, sqsClient, tag } from './wire.ts';
import { openCluster, openContext, openLedger } from './wire-pipeline.ts';

const environment = parseEnvironment('report', process.env);
const { ZONE53_CONFIG: config } = environment;

export const handler = atTheEdge(
  handleReport({
    context: openContext({
      ledger: openLedger(environment.ZONE53_TABLE),
      config,
      cluster: openCluster(config.clusterId, environment.ZONE53_KUBERNETES),
    }),
    comeBack: comeBack(sqsClient(), environment.ZONE53_REPORTS_URL),
    meter,
    log,
    tag,
  }),
);
