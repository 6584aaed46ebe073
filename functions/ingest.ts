// ingest: turns events into hints. Needs the hints queue, and the senders' secret where there is a webhook.
import { randomUUID } from 'node:crypto';
import { bySender } from './handlers/by-sender.ts';
import { handleIngest, refuseUnknown } from './handlers/handle-ingest.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster, senderSecrets } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { clock, log, meter, objectKinds, openHints, openSecret } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';

const environment = parseEnvironment('ingest', process.env);
const { ZONE53_SENDER_SECRET: arn } = environment;
const secret = arn === null ? null : openSecret(arn);
const secrets = senderSecrets(async () => secret?.texts() ?? []);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, null), async (configuration) => {
    const common = { secrets, clock, newId: randomUUID, meter };
    const handlers = await eachCluster(configuration, ({ config, mark, log, tag }) =>
      handleIngest({
        objects: objectKinds(config),
        users: config.history.users,
        queues: openHints(environment.ZONE53_HINTS_URL, mark),
        ...{ ...common, log, tag },
      }),
    );
    const eks = configuration.clusters.flatMap(({ config, access }) =>
      access.kind === 'eks' ? [[access.clusterName, config.clusterId] as const] : [],
    );
    return bySender(handlers, refuseUnknown({ ...common, log }), new Map(eks));
  }),
);
