// The use cases about what stands in the account already. They write nothing, and load what they need when they run.
import type { Imported } from '../../lib/import/import-hosted-zone.ts';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import type { MigrationReport } from '../../lib/inspect/migration-report.ts';
import type { ExplainRequest, ImportRequest, MigrateRequest } from './requests.ts';

/** A hosted zone as objects. */
export async function importHostedZone(request: ImportRequest): Promise<Imported> {
  const { runImport } = await import('./run-import.ts');
  return runImport(request);
}

/** Everything that is known of a name. */
export async function explain(request: ExplainRequest): Promise<Explanation> {
  const { runExplain } = await import('./run-explain.ts');
  return runExplain(request);
}

/** What taking over from an external-dns would come to. */
export async function migrate(request: MigrateRequest): Promise<MigrationReport> {
  const { runMigrate } = await import('./run-explain.ts');
  return runMigrate(request);
}
