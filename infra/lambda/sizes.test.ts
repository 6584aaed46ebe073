import { expect, test } from 'vitest';
import { REQUEST_LIMITS } from '../../functions/runtime/wire.ts';
import { TIMEOUTS } from './sizes.ts';

/** How often the SDK sends a request that is not answered. */
const TRIES = 3;

test.each(['ingest', 'reconcile', 'publish', 'report', 'sweep', 'intents'] as const)(
  '%s has time to say that a service does not answer',
  (name) => {
    const { connectionTimeout, requestTimeout } = REQUEST_LIMITS.requestHandler;
    expect(TIMEOUTS[name].toMilliseconds()).toBeGreaterThan(TRIES * (connectionTimeout + requestTimeout));
  },
);
