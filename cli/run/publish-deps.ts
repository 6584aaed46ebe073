// The dependencies of the publisher on this machine: real clients, the budget, and an id for the holder of leases.
import { randomUUID } from 'node:crypto';
import { openRegistries } from '../../lib/adapters/external-dns/open-registries.ts';
import { timerOf } from '../../lib/adapters/system/system-time.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { intentWriters } from '../../lib/intents/serve/intent-writers.ts';
import { type Config, guardLimitsOf } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import { DEFAULT_PUBLISH_CONFIG } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { isLeft } from '../../lib/record-sets/hosted-zone-item.ts';
import { readSenderSecret } from '../setup/sender-secret.ts';

/** The lease holder for a state folder. Its lock admits one process, so a lease that a dead process left is ours. */
export const EMBEDDED_HOLDER = 'embedded';

/** The publisher's dependencies from a context. `holder`: null for an id that no other run has. */
export function publishDeps(context: Context, holder: string | null = null): PublishDeps {
  const { ledger, clock, queues, config, log } = context;
  const { hostedZones, externalDns = [] } = context.account;
  return {
    ledger,
    hostedZones,
    clock: timerOf(clock),
    queues,
    ...(config.intents !== null && { writers: intentWriters(ledger, config.clusterId) }),
    // One run publishes the whole plan, so that the guard judges what was shown.
    config: {
      ...{ ...DEFAULT_PUBLISH_CONFIG, guard: guardLimitsOf(config), namesMax: Number.MAX_SAFE_INTEGER, externalDns },
      history: { days: config.history.days, via: 'command' },
      propagation: config.propagation,
      standby: config.standby,
      extendedViews: config.extendedViews,
    },
    leaves: (hostedZone) => isLeft(config, hostedZone),
    newHolder: () => holder ?? randomUUID(),
    log,
  };
}

/**
 * Opens the registries of external-dns that may be taken over. Throws an Error that names a key that cannot be read.
 */
export function openTakeover({ takeover }: Config): Promise<readonly ExternalDnsRegistry[]> {
  return openRegistries(takeover.externalDns, { environment: process.env, readSecret: readSenderSecret });
}
