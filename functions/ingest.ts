// ingest: turns events into hints. Needs the hints queue, and the senders' secret where there is a webhook.
import { randomUUID } from 'node:crypto';
import { handleIngest } from './handlers/handle-ingest.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { clock, log, meter, objectKinds, openHints, openSecret, tag } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';

const environment = parseEnvironment('ingest', process.env);
const { ZONE53_SENDER_SECRET: arn } = environment;
const secret = arn === null ? null : openSecret(arn);
const queues = openHints(environment.ZONE53_HINTS_URL);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, null), async ({ config }) =>
    handleIngest({
      objects: objectKinds(config),
      users: config.history.users,
      queues,
      secrets: async () => secret?.texts() ?? [],
      clock,
      newId: randomUUID,
      meter,
      log,
      tag,
    }),
  ),
);
