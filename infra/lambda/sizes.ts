// The timeout and the memory of each function.
import { Duration } from 'aws-cdk-lib';
import type { FunctionName } from '../../functions/runtime/environment.ts';

/** The longest that an invocation may take. */
export const TIMEOUTS = {
  // A log batch of 20,000 events takes 2,000 calls of SQS, eight at once: some 10 s.
  ingest: Duration.seconds(30),
  reconcile: Duration.seconds(60),
  publish: Duration.seconds(120),
  report: Duration.seconds(60),
  sweep: Duration.minutes(15),
  // Sixteen kinds at once take a second each, or 20 where the API server does not answer.
  poll: Duration.seconds(60),
  validate: Duration.seconds(5),
  // Its sweep, which begins every five minutes, takes about a minute with 10,000 services.
  intents: Duration.minutes(5),
  configure: Duration.seconds(30),
} as const satisfies Record<FunctionName, Duration>;

/** Lambda gives CPU in proportion to memory. */
export const MEMORY_MB = {
  ingest: 512,
  reconcile: 1_024,
  publish: 512,
  report: 1_024,
  sweep: 2_048,
  poll: 256,
  validate: 1_024,
  intents: 1_024,
  configure: 256,
} as const;
