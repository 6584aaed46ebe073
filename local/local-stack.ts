// The whole pipeline in one process: the real use cases over the real adapters, with our own Route 53, a DNS server
// over its zones, an embedded ledger and in-process queues. The caller passes what the objects are read from: a folder
// of manifests, or a cluster; several clusters may share the ledger and Route 53. The stack starts with a sweep and
// then follows hints. A sweep every few minutes repairs what the hints missed.
import { join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Route53Client } from '@aws-sdk/client-route-53';
import { openStateFolder } from '../lib/adapters/ledger/state-folder.ts';
import { type AccountClients, accountClients } from '../lib/adapters/route53/account-clients.ts';
import { localRoute53Client, route53Client } from '../lib/adapters/route53/route53-client.ts';
import { PUBLIC } from '../lib/dns/names/view.ts';
import type { ObjectKind } from '../lib/objects/object-ref.ts';
import { errorMessage } from '../lib/objects/plain.ts';
import type { Ledger } from '../lib/ports/ledger.ts';
import type { Log } from '../lib/ports/log.ts';
import type { Hint } from '../lib/ports/queues.ts';
import { readHostedZone } from '../lib/record-sets/lease.ts';
import { makeConfiguredZones, zonesOfView } from './configured-zones.ts';
import { startDns } from './dns/server.ts';
import { budgetsOf, type Pipeline, type PipelineOptions, startPipeline } from './pipeline.ts';
import { openLocalRoute53 } from './route53/api/open-local-route53.ts';
import type { Route53Limits } from './route53/model/token-bucket.ts';

/** What each cluster of a stack has of its own. */
export type ClusterOfStack = Pick<
  LocalStackOptions,
  'config' | 'cluster' | 'deps' | 'log' | 'onChange' | 'externalDns' | 'seed' | 'overLedger' | 'polling'
>;

/** The time between two sweeps. */
const SWEEP_MS = 300_000;

export type LocalStackOptions = PipelineOptions & {
  /** Further clusters, with the same ledger and Route 53. */
  readonly others?: readonly ClusterOfStack[];
  /**
   * Wraps the cluster once the ledger is open, and says which kinds of object are then read. Default: no change.
   */
  readonly overLedger?: (
    ledger: Ledger,
  ) => Pick<PipelineOptions, 'cluster'> & Required<Pick<PipelineOptions, 'sources'>>;
  /** Told the partition of each item that is written or removed. */
  readonly onWrite?: (partition: string) => void;
  /** The folder where the ledger and Route 53 are kept. */
  readonly folder: string;
  readonly dnsPort: number;
  /** The port of the DNS server of each other view that is to be served; 0 takes any free port. Default: none is. */
  readonly viewPorts?: ReadonlyMap<string, number>;
  readonly route53Port: number;
  /** How often the API server is asked for changes of these kinds. Default: never, since hints come from outside. */
  readonly polling?: { readonly kinds: readonly ObjectKind[]; readonly everyMs: number } | null;
  /** Our own Route 53 with a DNS server over it, or the one that the AWS SDK finds; default: our own. */
  readonly route53?: 'local' | 'aws';
  /** The limits of our own Route 53; default: those of AWS, as far as they are known. */
  readonly route53Limits?: Route53Limits;
};

export type LocalStack = {
  readonly ledger: Ledger;
  /** The clients that write to Route 53: that of our own account, and those of the configuration's accounts. */
  readonly clients: { readonly own: Route53Client; readonly accounts: AccountClients };
  /** Our own Route 53 and its DNS server; null if AWS's is used. */
  readonly served: {
    readonly dnsPort: number;
    readonly viewPorts: ReadonlyMap<string, number>;
    readonly route53Url: string;
  } | null;
  /** Call this when objects of a cluster may have changed. Default: the first one. */
  hint(hints: readonly Hint[], clusterId?: string): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** Starts everything. If one part does not start, the parts that were started are ended again. */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const ending: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of ending.splice(0).reverse()) await end();
  };
  // Absolute, because a relative path is invalid once the working folder is gone, and creating the folder then hangs.
  const folder = resolve(options.folder);
  try {
    // The ledger is opened first: only one process can open it, and a second process must not touch the other files.
    const state = await openStateFolder(folder);
    ending.push(state.close);
    const ledger = toldWrites(state.ledger, options.onWrite);
    const served = options.route53 === 'aws' ? null : await startRoute53(options, folder, ending);
    if (served !== null) state.noteRoute53(served.route53Url);
    const client = clientOf(served);
    const { config, clock } = options;
    // Our own Route 53 checks no identity: every account is the same client.
    const accounts =
      served === null
        ? accountClients(config.accounts, client, clock)
        : new Map(Object.keys(config.accounts).map((id) => [id, client]));
    ending.push(async () => {
      for (const one of [client, ...accounts.values()]) one.destroy();
    });
    const endpoint = served === null ? {} : { route53Endpoint: served.route53Url };
    const shared = { ...options, ...endpoint, accounts, budgetOf: sharedBudgets(config) };
    const pipelines = new Map<string, Pipeline>();
    const pipelineOf = clusterFinder(ledger, pipelines);
    const start = async (own: LocalStackOptions) => {
      const pipeline = startPipeline({ ...own, ...own.overLedger?.(ledger), pipelineOf }, ledger, client);
      pipelines.set(own.config.clusterId, pipeline);
      ending.push(pipeline.close);
      const { polling = null, log } = own;
      // What changes during the first load is found by the first poll after it.
      if (polling !== null) await pipeline.poll(polling.kinds, true);
      await pipeline.sweep();
      if (polling !== null) ending.push(pollEvery(pipeline, polling, log));
      const timer = setInterval(
        () => void pipeline.sweep().catch((error: unknown) => log('error', `sweep failed: ${String(error)}`)),
        SWEEP_MS,
      );
      ending.push(async () => clearInterval(timer));
    };
    for (const own of [options, ...(options.others ?? [])]) await start({ ...shared, ...own });
    return {
      ledger,
      clients: { own: client, accounts },
      served,
      hint: async (hints, clusterId = config.clusterId) => pipelines.get(clusterId)?.hint(hints),
      idle: async () => {
        // One that is idle may be given work by another.
        for (const pipeline of [...pipelines.values(), ...pipelines.values()]) await pipeline.idle();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One budget of calls for each account, whichever cluster asks. */
function sharedBudgets(config: LocalStackOptions['config']): NonNullable<PipelineOptions['budgetOf']> {
  const budgetOf = budgetsOf(config);
  const made = new Map<string | undefined, ReturnType<typeof budgetOf>>();
  return (account) => {
    const budget = made.get(account) ?? budgetOf();
    made.set(account, budget);
    return budget;
  };
}

/** Finds the pipeline of the cluster that a hosted zone of the ledger is of; null: no pipeline is. */
function clusterFinder(
  ledger: Ledger,
  pipelines: ReadonlyMap<string, Pipeline>,
): NonNullable<PipelineOptions['pipelineOf']> {
  const known = new Map<string, string>();
  return async (id) => {
    if (pipelines.size < 2) return null;
    const cluster = known.get(id) ?? (await readHostedZone(ledger, id))?.item.cluster;
    if (cluster !== undefined) known.set(id, cluster);
    return pipelines.get(cluster ?? '') ?? null;
  };
}

/**
 * Polls again and again, each time so long after the one before. The returned function ends it. A problem is told once,
 * until a poll works again.
 */
function pollEvery(
  pipeline: Pick<Pipeline, 'poll'>,
  { kinds, everyMs }: NonNullable<LocalStackOptions['polling']>,
  log: Log,
): () => Promise<void> {
  const ended = new AbortController();
  let told = '';
  const pollOnce = async () => {
    const { failed } = await pipeline.poll(kinds, false);
    return [...new Set(failed.map(({ error }) => errorMessage(error)))].join('\n');
  };
  const loop = async () => {
    while (!ended.signal.aborted) {
      await after(everyMs, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      const problem = await pollOnce().catch(errorMessage);
      if (problem !== '' && problem !== told) log('warn', problem);
      if (problem === '' && told !== '') log('info', 'polling again');
      told = problem;
    }
  };
  const running = loop();
  return async () => {
    ended.abort();
    await running;
  };
}

/** The same ledger, which also tells of each write. */
function toldWrites(ledger: Ledger, onWrite: LocalStackOptions['onWrite']): Ledger {
  if (onWrite === undefined) return ledger;
  const told = async <T>(partition: string, writing: Promise<T>): Promise<T> => {
    const result = await writing;
    onWrite(partition);
    return result;
  };
  return {
    ...ledger,
    put: (key, ...rest) => told(key.partition, ledger.put(key, ...rest)),
    remove: (key, expected) => told(key.partition, ledger.remove(key, expected)),
  };
}

/** A client of the Route 53 to which this stack publishes. */
function clientOf(served: LocalStack['served']): Route53Client {
  if (served === null) return route53Client();
  return localRoute53Client(served.route53Url);
}

async function startRoute53(
  options: LocalStackOptions,
  folder: string,
  ending: (() => Promise<void>)[],
): Promise<NonNullable<LocalStack['served']>> {
  const route53 = await openLocalRoute53(join(folder, 'route53.json'), options.route53Port, options.route53Limits);
  ending.push(route53.close);
  const { hostedZones } = options.config;
  makeConfiguredZones(route53.state, hostedZones);
  const serve = async (view: string, port: number) => {
    const dns = await startDns({
      port,
      zones: () => zonesOfView(route53.state.zones(), hostedZones, view),
      failing: route53.state.failing,
    });
    ending.push(dns.close);
    route53.state.onChange(() => dns.reload());
    return dns.port;
  };
  const dnsPort = await serve(PUBLIC, options.dnsPort);
  const viewPorts = new Map<string, number>();
  for (const [view, port] of options.viewPorts ?? []) viewPorts.set(view, await serve(view, port));
  return { dnsPort, viewPorts, route53Url: route53.url };
}
