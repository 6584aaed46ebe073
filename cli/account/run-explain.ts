// `zone53 explain` and `zone53 migrate` with the real adapters.

import { randomUUID } from 'node:crypto';
import { formatProblem } from '../../lib/adapters/manifests/format-problem.ts';
import { route53Accounts } from '../../lib/adapters/route53/account-hosted-zones.ts';
import { giveBack } from '../../lib/adapters/system/small-heap.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { type AskingDnsRecord, askingDnsRecords } from '../../lib/gardener/rehearse/explain-dns-records.ts';
import { queryHistory } from '../../lib/history/query-history.ts';
import { explainName } from '../../lib/inspect/explain-name.ts';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import { type MigrationReport, reportMigration } from '../../lib/inspect/migration-report.ts';
import { withDnsRecords } from '../../lib/inspect/with-dns-records.ts';
import { type ClusterReading, readCluster, readRemembered } from '../../lib/observe/read-cluster.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';
import { remarkLines } from '../print/print-errors.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState } from '../run/open-ledger.ts';
import { withContext } from '../run/with-context.ts';
import type { AccountRequest, ExplainRequest, MigrateRequest } from './requests.ts';

/** The settings of external-dns by default. */
const AS_BY_DEFAULT = { txtPrefix: '', txtSuffix: '', wildcardReplacement: '', decrypt: null, deleteUnwanted: false };

const NOTHING_REMEMBERED =
  'The ledger has no objects. Name the objects with -f or --context, or another ledger with --state or --table.';

/** How many of the last changes are shown. */
const CHANGES_SHOWN = 3;

const READ_ONLY = { readOnly: 'copy', readingMsMax: 0 } as const;

/** Reads the objects of -f or --context, or those that the ledger remembers. Logs what cannot be read. */
async function readAsked(context: Context, { source, store, progress }: AccountRequest): Promise<ClusterReading> {
  const doubt = doubtState(store);
  if (doubt !== null) context.log('warn', doubt);
  progress('reading objects and the ledger');
  const reading = await (source === null ? readRemembered(context) : readCluster(context));
  if (source === null && context.config.dnsRecords === null && reading.objects.size === 0)
    context.log('warn', NOTHING_REMEMBERED);
  const { problems, remarks = [] } = reading.listing;
  for (const problem of problems) context.log('error', formatProblem(problem));
  for (const { text } of remarkLines(remarks)) context.log('warn', text);
  giveBack();
  return reading;
}

/** Explains a name. */
export function runExplain(request: ExplainRequest): Promise<Explanation> {
  return withContext(request, READ_ONLY, async (context, seed) => {
    const reading = await readAsked(context, request);
    const explained = await explainName(withAnyExternalDns(context), reading, request.name, request.type, {
      onReleased: giveBack,
    });
    const whole = withDnsRecords(explained, await askingIn(context, seed, request));
    const { name, type } = request;
    const of = { name, ...(type !== null && { type }), sinceMs: null, untilMs: null, limit: CHANGES_SHOWN };
    return { ...whole, history: (await queryHistory(context, of)).entries };
  });
}

/** An empty owner id matches every owner, so owners that may not be taken over from are shown too. */
export function withAnyExternalDns(context: Context): Context {
  const externalDns = [...(context.account.externalDns ?? []), { ownerId: '', ...AS_BY_DEFAULT }];
  return { ...context, account: { ...context.account, externalDns } };
}

/** The DNSRecords that ask for the name; none if no DNSRecords are served. */
export async function askingIn(
  { config, ledger, clock }: Context,
  seed: Seed | null,
  { source, name, type }: Pick<ExplainRequest, 'source' | 'name' | 'type'>,
): Promise<readonly AskingDnsRecord[]> {
  const { dnsRecords: settings, clusterId } = config;
  // DNSRecords in files are not served.
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

/** Reports what a takeover from an external-dns would change. */
export function runMigrate(request: MigrateRequest): Promise<MigrationReport> {
  return withContext(request, READ_ONLY, async (context) => {
    const reading = await readAsked(context, request);
    const registry = registryOf(context.account.externalDns ?? [], request.ownerId);
    return reportMigration(context, reading, registry, request.progress);
  });
}

/**
 * The settings of this owner in the configuration, or the defaults of external-dns. Throws UsageError if there are two.
 */
function registryOf(registries: readonly ExternalDnsRegistry[], ownerId: string): ExternalDnsRegistry {
  const [found, more] = registries.filter((registry) => registry.ownerId === ownerId);
  if (more !== undefined)
    throw new UsageError(
      `takeover.externalDns has the owner "${ownerId}" twice: migrate reports on only one; remove the other`,
    );
  return found ?? { ownerId, ...AS_BY_DEFAULT };
}
