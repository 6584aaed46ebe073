// intents: the intent API. Needs the ledger, the hints queue, the right to write objects in the cluster, and the right
// to read tags of hosted zones.
import { handleIntents } from './handlers/handle-intents.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { openHints } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openLedger } from './runtime/wire-ledger.ts';
import { openIntentApi } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('intents', process.env);
const ledger = openLedger(environment.ZONE53_TABLE);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, ledger), async (configuration) => {
    const served = await eachCluster(configuration, (cluster) => cluster);
    const [first] = served.values();
    const cluster = [...served.values()].find(({ config }) => config.intents !== null) ?? first;
    if (cluster === undefined) throw new Error('the configuration has no cluster');
    const { config, access, mark } = cluster;
    return handleIntents({
      intents: openIntentApi(config, access, ledger, openHints(environment.ZONE53_HINTS_URL, mark)),
      log: cluster.log,
    });
  }),
);
