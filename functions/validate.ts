// validate: refuses writes of objects that the rules refuse. Needs the senders' secret and the right to list the
// cluster's Zones; writes nothing.
import { JUDGE_MS_MAX } from '../events/admission-review.ts';
import { bySender } from './handlers/by-sender.ts';
import { refuseUnknown } from './handlers/handle-ingest.ts';
import { handleValidate } from './handlers/handle-validate.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { eachCluster, senderSecrets } from './runtime/clusters.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import type { HttpAnswer } from './runtime/http-event.ts';
import { clock, log, meter, openSecret } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openCluster } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('validate', process.env);
const { ZONE53_SENDER_SECRET: arn } = environment;
const secret = arn === null ? null : openSecret(arn);
const secrets = senderSecrets(async () => secret?.texts() ?? []);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, null), async (configuration) => {
    const common = { secrets, clock, meter };
    const handlers = await eachCluster(configuration, ({ config, access, log: toCluster }) =>
      handleValidate({
        cluster: openCluster(config, access, { timeoutMs: JUDGE_MS_MAX, triesMax: 1, log: toCluster }),
        ...{ ...common, config, log: toCluster },
      }),
    );
    const other = refuseUnknown({ ...common, log }, 'WritesUnjudged');
    return bySender<HttpAnswer | undefined>(handlers, other);
  }),
);
