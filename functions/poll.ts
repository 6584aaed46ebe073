// poll: asks the API servers what has changed since the last poll, and turns that into hints. Needs the API server, the
// ledger, and the queues of hints and reports; no Route 53.
import { handlePoll, pollEach } from './handlers/handle-poll.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { clock, meter, objectKinds, openHints, openReports } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { openCluster, openContext } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('poll', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const polls = await eachCluster(configuration, ({ config, access, events, log, tag, mark }) => {
      const hints = openHints(environment.ZONE53_HINTS_URL, mark);
      const queues = { ...hints, ...openReports(environment.ZONE53_REPORTS_URL, mark) };
      const poll = handlePoll({
        context: openContext({ ledger, config, cluster: openCluster(config, access, { log, ledger }), queues, log }),
        kinds: objectKinds(config).map(({ kind }) => kind),
        meter,
        tag,
      });
      return { id: config.clusterId, everySeconds: events.poll, poll };
    });
    return pollEach([...polls.values()], clock);
  }),
);
