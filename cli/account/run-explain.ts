// `zone53 explain` and `zone53 migrate` over the real adapters.

import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { explainName } from '../../lib/inspect/explain-name.ts';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import { type MigrationReport, reportMigration } from '../../lib/inspect/migration-report.ts';
import { UsageError } from '../print/usage-error.ts';
import type { ExplainRequest, MigrateRequest } from './requests.ts';
import { withAccount } from './with-account.ts';

/** How external-dns writes its TXT records when it is told nothing. */
const AS_BY_DEFAULT = { txtPrefix: '', txtSuffix: '', wildcardReplacement: '', decrypt: null, deleteUnwanted: false };

/** Everything that is known of a name. */
export function runExplain(request: ExplainRequest): Promise<Explanation> {
  return withAccount(request, (context, reading) => {
    // Whoever it belongs to: also where nothing may be taken over.
    const externalDns = [...(context.externalDns ?? []), { ownerId: '', ...AS_BY_DEFAULT }];
    return explainName({ ...context, externalDns }, reading, request.name, request.type);
  });
}

/** What taking over from an external-dns would come to. */
export function runMigrate(request: MigrateRequest): Promise<MigrationReport> {
  return withAccount(request, (context, reading) => {
    const registry = registryOf(context.externalDns ?? [], request.ownerId);
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
