// The whole pipeline in one process: the real use cases over the real adapters, with our own Route 53, a DNS server over
// its zones, an embedded ledger and in-process queues. Where the objects come from is passed in: a folder of manifests,
// or a cluster. It starts with one whole comparison, then follows hints; a comparison every few minutes heals the rest.
import { join } from 'node:path';
import type { Route53Client } from '@aws-sdk/client-route-53';
import { callBudget } from '../lib/adapters/call-budget.ts';
import { dynamodbLedger } from '../lib/adapters/dynamodb-ledger.ts';
import { createTable } from '../lib/adapters/dynamodb-ledger-table.ts';
import { inProcessQueues } from '../lib/adapters/in-process-queues.ts';
import { route53HostedZones } from '../lib/adapters/route53-hosted-zones.ts';
import { route53Client } from '../lib/adapters/route53-hosted-zones-client.ts';
import { sleepMs, systemClock } from '../lib/adapters/system-time.ts';
import { formatRef } from '../lib/kubizone/objects.ts';
import type { Config } from '../lib/reconcile/config.ts';
import type { Context, Log } from '../lib/reconcile/context.ts';
import type { Clock, Cluster, Hint } from '../lib/reconcile/ports.ts';
import { publish } from '../lib/reconcile/publish.ts';
import type { ChangeOutcome, PublishDeps } from '../lib/reconcile/publish-run.ts';
import { reconcile } from '../lib/reconcile/reconcile.ts';
import { report } from '../lib/reconcile/report.ts';
import { sweepCluster } from '../lib/reconcile/sweep-cluster.ts';
import { startDns } from './dns/server.ts';
import { startDynalite } from './dynalite.ts';
import { openLocalRoute53 } from './route53/open.ts';

/** The one table of the embedded ledger. */
const TABLE = 'zone53';
/** What is due later than this, a retry in some minutes, is not waited for. */
const QUIET_MS = 1_000;
/** Between two whole comparisons of the cluster with the ledger. */
const SWEEP_MS = 300_000;

/** A change as it went into Route 53; `elapsedMs` since the hint that led to it, null when there was none. */
export type LocalChange = {
  readonly outcome: ChangeOutcome;
  readonly hostedZone: string;
  readonly elapsedMs: number | null;
};

export type LocalStackOptions = {
  readonly config: Config;
  /** The folder that ledger and Route 53 are kept in. */
  readonly folder: string;
  readonly dnsPort: number;
  readonly route53Port: number;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly deps: (context: Context) => PublishDeps;
  readonly onChange: (change: LocalChange) => void;
};

export type LocalStack = {
  readonly dnsPort: number;
  readonly route53Url: string;
  /** Says that objects may have changed. */
  hint(hints: readonly Hint[]): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** Starts everything; what was started is ended again when a later part does not start. */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const ending: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of ending.splice(0).reverse()) await end();
  };
  try {
    const route53 = await openLocalRoute53(join(options.folder, 'route53.json'), options.route53Port);
    ending.push(route53.close);
    const dns = await startDns({ port: options.dnsPort, zones: () => route53.state.zones() });
    ending.push(dns.close);
    route53.state.onChange(() => dns.reload());
    const dynalite = await startDynalite({ path: join(options.folder, 'ledger') });
    ending.push(dynalite.close);
    await createTable(dynalite.client, TABLE);
    const client = route53Client({
      endpoint: route53.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    ending.push(async () => client.destroy());
    const pipeline = startPipeline(options, dynamodbLedger(dynalite.documentClient, TABLE), client);
    ending.push(pipeline.close);
    await pipeline.sweep();
    const timer = setInterval(
      () => void pipeline.sweep().catch((error: unknown) => options.log('error', `sweep failed: ${String(error)}`)),
      SWEEP_MS,
    );
    ending.push(async () => clearInterval(timer));
    return { dnsPort: dns.port, route53Url: route53.url, hint: pipeline.hint, idle: pipeline.idle, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startPipeline(options: LocalStackOptions, ledger: Context['ledger'], client: Route53Client) {
  const { config, cluster, clock, log } = options;
  const queues = inProcessQueues({ clock, log });
  const hostedZones = route53HostedZones(client, callBudget({ ...config.budget, clock: systemClock, sleep: sleepMs }));
  const context: Context = { ledger, cluster, hostedZones, queues, clock, config, log };
  const deps = options.deps(context);
  const hintedAt = new Map<string, number>();
  queues.attach({
    hint: (hints) => reconcile(context, hints),
    report: (refs) => report(context, refs),
    publish: async (id) => {
      const result = await publish(deps, id);
      if (result.kind === 'busy') throw new Error(`hosted zone ${id} is being published by another run`);
      if (result.kind === 'unknown') return;
      for (const outcome of result.outcomes) {
        options.onChange({
          outcome,
          hostedZone: id,
          elapsedMs: elapsedSince(hintedAt, outcome.change.objects, clock.nowMs()),
        });
      }
    },
  });
  return {
    hint: async (hints: readonly Hint[]) => {
      for (const { kind, namespace, name, atMs } of hints) {
        if (namespace === null || name === null || atMs === undefined) continue;
        hintedAt.set(formatRef({ kind, namespace, name }), atMs);
      }
      await queues.hint(hints);
    },
    sweep: async () => {
      await sweepCluster(context);
      await queues.idle(QUIET_MS);
    },
    idle: () => queues.idle(QUIET_MS),
    close: () => queues.close(),
  };
}

/** Since the latest hint for any of the objects; each hint is counted once. */
function elapsedSince(hintedAt: Map<string, number>, objects: readonly string[], nowMs: number): number | null {
  const at = objects.flatMap((object) => hintedAt.get(object) ?? []);
  for (const object of objects) hintedAt.delete(object);
  return at.length === 0 ? null : nowMs - Math.max(...at);
}
