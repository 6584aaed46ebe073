// What publishing is given on this machine: the real clients, the budget, a lease holder's id that no other run has.
import { randomUUID } from 'node:crypto';
import { openRegistries } from '../../lib/adapters/external-dns/open-registries.ts';
import { timerOf } from '../../lib/adapters/system/system-time.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { intentWriters } from '../../lib/intents/serve/intent-writers.ts';
import { type Config, guardLimitsOf } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import { DEFAULT_PUBLISH_CONFIG } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { readSenderSecret } from './sender-secret.ts';

/** Who holds the lease where nobody else can: a folder's lock lets one process in, so what a dead one held is ours. */
export const EMBEDDED_HOLDER = 'embedded';

/** The publisher's dependencies out of a context. `holder`: null for an id that no other run has. */
export function publishDeps(context: Context, holder: string | null = null): PublishDeps {
  const { ledger, clock, queues, config, log } = context;
  const { hostedZones, externalDns = [] } = context.account;
  return {
    ledger,
    hostedZones,
    clock: timerOf(clock),
    queues,
    ...(config.intents !== null && { writers: intentWriters(ledger, config.clusterId) }),
    // One run sees the whole plan, as the guard did when it was shown.
    config: { ...DEFAULT_PUBLISH_CONFIG, guard: guardLimitsOf(config), namesMax: Number.MAX_SAFE_INTEGER, externalDns },
    newHolder: () => holder ?? randomUUID(),
    log: ({ level, message, ...fields }) => log(level, message, fields),
  };
}

/** Whose record sets a command may take over. Throws an Error that says which key cannot be had. */
export function openTakeover({ takeover }: Config): Promise<readonly ExternalDnsRegistry[]> {
  return openRegistries(takeover.externalDns, { environment: process.env, readSecret: readSenderSecret });
}
