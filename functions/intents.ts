// intents: the intent API. Needs the ledger, the hints queue, the right to write objects in the cluster, and the right
// to read tags of hosted zones.
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
