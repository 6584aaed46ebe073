// The use cases of `import`, `explain`, `migrate`, `forget` and `ledger`. They load their modules when they run.
import type { HistoryAnswer } from '../../lib/history/query-history.ts';
import type { Imported } from '../../lib/import/import-hosted-zone.ts';
import type { ImportedFile } from '../../lib/import/import-zone-file.ts';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import type { MigrationReport } from '../../lib/inspect/migration-report.ts';
import type { LedgerCheck } from './check-ledger.ts';
import type { StandbyOutput } from './describe-standby.ts';
import type { ClusterList } from './list-clusters.ts';
import type {
  CheckLedgerRequest,
  ClustersRequest,
  DoctorRequest,
  ExplainRequest,
  ForgettingRequest,
  ForgettingResult,
  HistoryRequest,
  ImportFileRequest,
  ImportRequest,
  MigrateRequest,
  RebuiltRequest,
  RetireRequest,
  ReviewedResult,
  StandbyRequest,
} from './requests.ts';
import type { Diagnosis } from './run-doctor.ts';

/** Describes a hosted zone as objects. */
export async function importHostedZone(request: ImportRequest): Promise<Imported> {
  const { runImport } = await import('./run-import.ts');
  return runImport(request);
}

/** Describes a zone file as objects. */
export async function importZoneFile(request: ImportFileRequest): Promise<ImportedFile> {
  const { runImportFile } = await import('./run-import.ts');
  return runImportFile(request);
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

/** Forgets record sets, and gives them to an external-dns if one is named. */
export async function forget(request: ForgettingRequest): Promise<ForgettingResult> {
  const { runForgetting } = await import('./run-forgetting.ts');
  return runForgetting(request);
}

/** Answers a question about the history. */
export async function history(request: HistoryRequest): Promise<HistoryAnswer> {
  const { runHistory } = await import('./run-history.ts');
  return runHistory(request);
}

/** Checks what is deployed, and what it may reach. */
export async function doctor(request: DoctorRequest): Promise<Diagnosis> {
  const { runDoctor } = await import('./run-doctor.ts');
  return runDoctor(request);
}

/** Lists the clusters of the ledger and of the configuration. */
export async function clusters(request: ClustersRequest): Promise<ClusterList> {
  const { runClusters } = await import('./list-clusters.ts');
  return runClusters(request);
}

/** Makes a cluster standby, or active again. */
export async function standby(request: StandbyRequest): Promise<ReviewedResult<StandbyOutput>> {
  const { runStandby } = await import('./run-standby.ts');
  return runStandby(request);
}

/** Retires a cluster. */
export async function retire(request: RetireRequest): Promise<ReviewedResult<StandbyOutput>> {
  const { runRetire } = await import('./run-retire.ts');
  return runRetire(request);
}

/** Has the ledger take the cluster that is read next for the one of an id. */
export async function rebuilt(request: RebuiltRequest): Promise<void> {
  const { runRebuilt } = await import('./run-rebuilt.ts');
  return runRebuilt(request);
}

/** Lists the items of the ledger that cannot be read. */
export async function checkLedger(request: CheckLedgerRequest): Promise<LedgerCheck> {
  const { runCheckLedger } = await import('./check-ledger.ts');
  return runCheckLedger(request);
}
