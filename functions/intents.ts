// intents: the intent API. Needs the ledger, the queue of hints, to make objects stand in the cluster, and to read tags
// of hosted zones.
import { handleIntents } from './handlers/handle-intents.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { log, openHints } from './runtime/wire.ts';
import { openIntentApi, openLedger } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('intents', process.env);
const { ZONE53_CONFIG: config, ZONE53_KUBERNETES: kubernetes } = environment;

export const handler = atTheEdge(
  handleIntents({
    intents: openIntentApi(
      config,
      kubernetes,
      openLedger(environment.ZONE53_TABLE),
      openHints(environment.ZONE53_HINTS_URL),
    ),
    log,
  }),
);
