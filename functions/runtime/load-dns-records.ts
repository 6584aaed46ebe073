// Loads what serves the DNSRecords of a Gardener seed, only if the configuration asks for that: it has the engine of
// publish with it, which would make every start of reconcile and sweep slower.
import type { DeployedCluster } from '../../lib/adapters/config/deployed-config.ts';
import type { DnsRecordService } from '../../lib/gardener/service.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import type { Patience } from './wire-pipeline.ts';

/** The service for DNSRecords; null if the configuration does not ask for it. */
export async function loadDnsRecords(
  { config, access }: Pick<DeployedCluster, 'config' | 'access'>,
  ledger: Ledger,
  queues: Pick<Queues, 'hint' | 'publish'>,
  patience: Patience = {},
): Promise<DnsRecordService | null> {
  if (config.dnsRecords === null) return null;
  const { openDnsRecords } = await import('./wire-dns-records.ts');
  return openDnsRecords(config, config.dnsRecords, access, ledger, queues, patience);
}
