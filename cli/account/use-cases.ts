// The use cases of `import`, `explain` and `migrate`. They change nothing in Route 53, and load their modules when they
// run.
import type { Imported } from '../../lib/import/import-hosted-zone.ts';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import type { MigrationReport } from '../../lib/inspect/migration-report.ts';
import type { ExplainRequest, ImportRequest, MigrateRequest } from './requests.ts';

/** Describes a hosted zone as objects. */
export async function importHostedZone(request: ImportRequest): Promise<Imported> {
  const { runImport } = await import('./run-import.ts');
  return runImport(request);
}

/** Explains a name. */
export async function explain(request: ExplainRequest): Promise<Explanation> {
  const { runExplain } = await import('./run-explain.ts');
  return runExplain(request);
}

/** Reports what a takeover from an external-dns would change. */
export async function migrate(request: MigrateRequest): Promise<MigrationReport> {
  const { runMigrate } = await import('./run-explain.ts');
  return runMigrate(request);
}
