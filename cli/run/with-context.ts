// Opens what a command works on, and closes it also after an error: the objects, the ledger, and Route 53.
import { ownKindsOf } from '../../lib/adapters/kubernetes/discover-kinds.ts';
import { listOnce } from '../../lib/hosting/lookups.ts';
import { withIntentsOver } from '../../lib/intents/serve/intent-sources.ts';
import { checked, clusterCheck } from '../../lib/observe/known-cluster.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Account, Context } from '../../lib/ports/context.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Log } from '../../lib/ports/log.ts';
import { NO_QUEUES } from '../../lib/ports/queues.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';
import { sourcesOff, sourcesOn } from '../../lib/sources/source.ts';
import { type LedgerToRead, openLedger, openLedgerToRead } from './open-ledger.ts';
import { openSource } from './open-source.ts';
import { openTakeover } from './publish-deps.ts';
import type { Common, Source, Store } from './requests.ts';
import { withHostedZones } from './with-hosted-zones.ts';

/** A request to open; `source` null: the command reads no objects but those that the ledger remembers. */
type Asked = Omit<Common, 'progress'> & { readonly source: Source | null; readonly store: Store };

type Options = {
  /**
   * Whether nothing is created in the ledger. `copy`: nothing is written either, so another process may have it open,
   * and if that is a `zone53 local`, its Route 53 is read.
   */
  readonly readOnly: boolean | 'copy';
  /** For so long after a reading of files, further questions of the command are answered from it, in milliseconds. */
  readonly readingMsMax: number;
  /** A ledger that is open already and stays open, for a command that runs for long: it lists hosted zones anew. */
  readonly opened?: LedgerToRead;
  /** What of the account's lookups and readings is kept. */
  readonly keeps?: Pick<Account, 'remembersLookups' | 'keepsReadings'>;
};

/** Opens everything, calls `work`, and closes everything. */
export async function withContext<Result>(
  { config, clock, log, store, source }: Asked,
  { readOnly, readingMsMax, opened: given, keeps = {} }: Options,
  work: (context: Context, seed: Seed | null) => Promise<Result>,
): Promise<Result> {
  const { clusterId } = config;
  const sources = sourcesOn(config.sources);
  const dnsRecords = config.dnsRecords !== null;
  const off = sourcesOff(config.sources, config.sourceDefaults);
  const own = ownKindsOf(config);
  const options = { sources, sourcesOff: off, dnsRecords, own, clusterId, clock, readingMsMax, pathsMustBe: true, log };
  const objects = source === null ? null : await openSource(source, options);
  try {
    const opened =
      given ??
      (readOnly === 'copy'
        ? await openLedgerToRead(store)
        : { ...(await openLedger(store, readOnly)), route53Url: null });
    try {
      // Functions may work on the same table. A command that writes nothing needs no right to write there.
      const shared = store.kind === 'table' && readOnly === false ? opened.ledger : null;
      const withAccount = async (hostedZones: HostedZones): Promise<Result> => {
        const { ledger } = opened;
        const knowing = { ledger, clock, log, isNoted: readOnly === false };
        const check = objects === null ? null : clusterCheck(objects.cluster, knowing);
        const cluster = objects === null ? nobody(clusterId) : checked(objects.cluster, check);
        const seed = objects?.seed ?? null;
        const context: Context = {
          ledger,
          cluster,
          sources,
          account: {
            hostedZones: given === undefined ? listOnce(hostedZones) : hostedZones,
            externalDns: await openTakeover(config),
            ...keeps,
          },
          // A command does all its work itself, so nothing reads a queue.
          queues: NO_QUEUES,
          clock,
          config,
          log: saidOnce(log),
          ...(config.intents !== null && withIntentsOver(opened.ledger, cluster, sources)),
        };
        return work(context, seed === null ? null : checked(seed, check));
      };
      return await withHostedZones(config, withAccount, shared, opened.route53Url, opened.ledger);
    } finally {
      if (given === undefined) await opened.close();
    }
  } finally {
    objects?.close();
  }
}

/** A log without repetitions: a command finds the same when it plans, when it writes and when it reports. */
function saidOnce(log: Log): Log {
  const said = new Set<string>();
  return (level, message, fields) => {
    const line = JSON.stringify([level, message, fields]);
    if (said.has(line)) return;
    if (level === 'warn' || level === 'error') said.add(line);
    log(level, message, fields);
  };
}

/** A cluster for commands without -f and --context: every call throws. */
function nobody(clusterId: string): Cluster {
  const refuse = async (): Promise<never> => {
    throw new Error('neither -f nor --context was given, so no object can be read');
  };
  return { clusterId, list: refuse, listPage: refuse, get: refuse, report: refuse } as unknown as Cluster;
}
