// ingest: turns events into hints. Needs the hints queue, and the senders' secret where there is a function URL.
import { randomUUID } from 'node:crypto';
import { handleIngest } from './handlers/handle-ingest.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { clock, log, meter, objectKinds, openHints, openSecret, tag } from './runtime/wire.ts';

const environment = parseEnvironment('ingest', process.env);
const { ZONE53_SENDER_SECRET: arn, ZONE53_CONFIG: config } = environment;
const secret = arn === null ? null : openSecret(arn);

export const handler = atTheEdge(
  handleIngest({
    objects: objectKinds(config),
    queues: openHints(environment.ZONE53_HINTS_URL),
    secrets: async () => secret?.texts() ?? [],
    clock,
    newId: randomUUID,
    meter,
    log,
    tag,
  }),
);
