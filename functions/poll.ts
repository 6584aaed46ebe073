// poll: asks the API server what has changed since the last poll, and turns that into hints. Needs the API server, the
// ledger, and the queues of hints and reports; no Route 53.
import { handlePoll } from './handlers/handle-poll.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { meter, objectKinds, openHints, openReports, tag } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { openCluster, openContext } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('poll', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);
const queues = { ...openHints(environment.ZONE53_HINTS_URL), ...openReports(environment.ZONE53_REPORTS_URL) };

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const { config, access } = configuration;
    return handlePoll({
      context: openContext({ ledger, config, cluster: openCluster(config, access), queues }),
      kinds: objectKinds(config).map(({ kind }) => kind),
      meter,
      tag,
    });
  }),
);
