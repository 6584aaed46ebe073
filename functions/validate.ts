// validate: refuses at the door what the rules refuse. Needs the senders' secret, and to list the cluster's Zones; writes nothing.
import { JUDGE_MS_MAX } from '../events/admission-review.ts';
import { atTheEdge } from './at-the-edge.ts';
import { parseEnvironment } from './environment.ts';
import { handleValidate } from './handle-validate.ts';
import { clock, log, meter, openSecret } from './wire.ts';
import { openCluster } from './wire-pipeline.ts';

const environment = parseEnvironment('validate', process.env);
const { ZONE53_CONFIG: config, ZONE53_SENDER_SECRET: arn } = environment;
const secret = arn === null ? null : openSecret(arn);

export const handler = atTheEdge(
  handleValidate({
    cluster: openCluster(config.clusterId, environment.ZONE53_KUBERNETES, { timeoutMs: JUDGE_MS_MAX, triesMax: 1 }),
    config,
    secrets: async () => secret?.texts() ?? [],
    clock,
    meter,
    log,
  }),
);
