// validate: refuses writes of objects that the rules refuse. Needs the senders' secret and the right to list the
// cluster's Zones; writes nothing.
import { JUDGE_MS_MAX } from '../events/admission-review.ts';
import { handleValidate } from './handlers/handle-validate.ts';
import { atTheEdge } from './runtime/at-the-edge.ts';
import { perConfiguration } from './runtime/configuration.ts';
import { parseEnvironment } from './runtime/environment.ts';
import { clock, log, meter, openSecret } from './runtime/wire.ts';
import { openConfiguration } from './runtime/wire-configuration.ts';
import { openCluster } from './runtime/wire-pipeline.ts';

const environment = parseEnvironment('validate', process.env);
const { ZONE53_SENDER_SECRET: arn } = environment;
const secret = arn === null ? null : openSecret(arn);

export const handler = atTheEdge(
  perConfiguration(openConfiguration(environment, null), async (configuration) => {
    const { config, access } = configuration;
    return handleValidate({
      cluster: openCluster(config, access, { timeoutMs: JUDGE_MS_MAX, triesMax: 1 }),
      config,
      secrets: async () => secret?.texts() ?? [],
      clock,
      meter,
      log,
    });
  }),
);
