// Opens what `explain` and `migrate` work on, and closes it also after an error: the objects of a source, or those that
// the ledger remembers; the ledger, only to be read; and Route 53.
import { listOnce } from '../../lib/hosting/lookups.ts';
import { withIntentsOver } from '../../lib/intents/serve/intent-sources.ts';
import { type ClusterReading, readCluster, readRemembered } from '../../lib/observe/read-cluster.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';
import { sourcesOn } from '../../lib/sources/source.ts';
import { openLedger } from '../run/open-ledger.ts';
import { openSource } from '../run/open-source.ts';
import { openTakeover } from '../run/publish-deps.ts';
import type { AccountRequest } from './requests.ts';
import { withHostedZones } from './with-hosted-zones.ts';

/** Opens everything, calls `work`, and closes everything. */
export async function withAccount<Result>(
  request: AccountRequest,
  work: (context: Context, reading: ClusterReading, seed: Seed | null) => Promise<Result>,
): Promise<Result> {
  const { config, clock, log, store, source } = request;
  const sources = sourcesOn(config.sources);
  const dnsRecords = config.dnsRecords !== null;
  const options = { sources, dnsRecords, clusterId: config.clusterId, clock, readingMsMax: 0, pathsMustBe: true, log };
  const objects = source === null ? null : await openSource(source, options);
  try {
    const opened = await openLedger(store, true);
    try {
      return await withHostedZones(config, async (hostedZones) => {
        const cluster = objects?.cluster ?? nobody(config.clusterId);
        const context: Context = {
          ledger: opened.ledger,
          cluster,
          account: { hostedZones: listOnce(hostedZones), externalDns: await openTakeover(config) },
          queues: NO_QUEUES,
          clock,
          config,
          sources,
          log,
          ...(config.intents !== null && withIntentsOver(opened.ledger, cluster, sources)),
        };
        request.progress('reading objects and the ledger');
        const reading = objects === null ? await readRemembered(context) : await readCluster(context);
        return work(context, reading, objects?.seed ?? null);
      });
    } finally {
      await opened.close();
    }
  } finally {
    objects?.close();
  }
}

const NO_QUEUES: Queues = { hint: async () => {}, publish: async () => {}, report: async () => {} };

/** A cluster for commands without a source: every call throws. */
function nobody(clusterId: string): Cluster {
  const refuse = async (): Promise<never> => {
    throw new Error('no source was given, so no object can be read');
  };
  return { clusterId, list: refuse, listPage: refuse, get: refuse, report: refuse } as unknown as Cluster;
}
