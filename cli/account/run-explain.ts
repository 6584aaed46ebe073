// `zone53 explain` and `zone53 migrate` over the real adapters.

import { randomUUID } from 'node:crypto';
import { route53Accounts } from '../../lib/adapters/route53/account-hosted-zones.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { type AskingDnsRecord, askingDnsRecords } from '../../lib/gardener/rehearse/explain-dns-records.ts';
import { explainName } from '../../lib/inspect/explain-name.ts';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import { type MigrationReport, reportMigration } from '../../lib/inspect/migration-report.ts';
import { withDnsRecords } from '../../lib/inspect/with-dns-records.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';
import { UsageError } from '../print/usage-error.ts';
import type { ExplainRequest, MigrateRequest } from './requests.ts';
import { withAccount } from './with-account.ts';

/** How external-dns writes its TXT records when it is told nothing. */
const AS_BY_DEFAULT = { txtPrefix: '', txtSuffix: '', wildcardReplacement: '', decrypt: null, deleteUnwanted: false };

/** Everything that is known of a name. */
export function runExplain(request: ExplainRequest): Promise<Explanation> {
  return withAccount(request, async (context, reading, seed) => {
    // Whoever it belongs to: also where nothing may be taken over.
    const externalDns = [...(context.account.externalDns ?? []), { ownerId: '', ...AS_BY_DEFAULT }];
    const account = { ...context.account, externalDns };
    const explained = await explainName({ ...context, account }, reading, request.name, request.type);
    return withDnsRecords(explained, await askingIn(context, seed, request));
  });
}

/** The DNSRecords that ask for the name; none where none are served. */
async function askingIn(
  { config, ledger, clock }: Context,
  seed: Seed | null,
  { source, name, type }: ExplainRequest,
): Promise<readonly AskingDnsRecord[]> {
  const { dnsRecords: settings, clusterId } = config;
  // Files have no DNSRecords that are served.
  if (settings === null || (seed === null && source !== null)) return [];
  const { requestsPerSecond } = settings;
  const accounts = route53Accounts({ clock: systemClock, sleep: sleepMs, requestsPerSecond });
  try {
    const deps = { ledger, clock, server: { clusterId, settings }, newHolder: randomUUID };
    return await askingDnsRecords({ ...deps, seed: seed === null ? null : { seed, accounts } }, name, type);
  } finally {
    accounts.destroy();
  }
}

/** What taking over from an external-dns would come to. */
export function runMigrate(request: MigrateRequest): Promise<MigrationReport> {
  return withAccount(request, (context, reading) => {
    const registry = registryOf(context.account.externalDns ?? [], request.ownerId);
    return reportMigration(context, reading, registry, request.progress);
  });
}

/** As the configuration has it; of an owner that it does not name, as external-dns does by default. */
function registryOf(registries: readonly ExternalDnsRegistry[], ownerId: string): ExternalDnsRegistry {
  const [found, more] = registries.filter((registry) => registry.ownerId === ownerId);
  if (more !== undefined)
    throw new UsageError(
      `takeover.externalDns has the owner "${ownerId}" twice: migrate reports on one; leave one of them`,
    );
  return found ?? { ownerId, ...AS_BY_DEFAULT };
}
