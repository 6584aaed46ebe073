// The use cases reconcile, publish and report, joined by in-process queues. The caller passes the cluster, the ledger
// and Route 53: those of the local stack, or those that a benchmark measures.

import { setTimeout as after } from 'node:timers/promises';
import type { Route53Client } from '@aws-sdk/client-route-53';
import { KubernetesError } from '../lib/adapters/kubernetes/http/kubernetes-error.ts';
import { inProcessQueues } from '../lib/adapters/queues/in-process-queues.ts';
import type { AccountClients } from '../lib/adapters/route53/account-clients.ts';
import { type CallBudget, callBudget } from '../lib/adapters/route53/call-budget.ts';
import { hostedZonesOfAccounts } from '../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { giveBack } from '../lib/adapters/system/small-heap.ts';
import { sleepMs, systemClock } from '../lib/adapters/system/system-time.ts';
import { describeAndReport, keptToDescribe } from '../lib/apply/describe-applied.ts';
import { handOver } from '../lib/apply/hand-over.ts';
import { planReading } from '../lib/apply/plan-cluster.ts';
import { saveCluster } from '../lib/apply/save-cluster.ts';
import { hostedZonesWithHealthChecks } from '../lib/health-checks/hosted-zones-with-health-checks.ts';
import { formatRef, type ObjectKind, type ObjectRef } from '../lib/objects/object-ref.ts';
import { errorMessage } from '../lib/objects/plain.ts';
import { hintTypesGone } from '../lib/observe/expand-hints.ts';
import { checked, clusterCheck } from '../lib/observe/known-cluster.ts';
import { readCluster } from '../lib/observe/read-cluster.ts';
import type { Clock } from '../lib/ports/clock.ts';
import type { Cluster } from '../lib/ports/cluster.ts';
import type { Config } from '../lib/ports/config.ts';
import type { Context } from '../lib/ports/context.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import type { Log } from '../lib/ports/log.ts';
import type { Hint, Queues } from '../lib/ports/queues.ts';
import type { Seed } from '../lib/ports/seed/seed.ts';
import type { ChangeOutcome } from '../lib/publish/plan/outcome.ts';
import { GROWING_NAMES_MAX, publish } from '../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../lib/publish/run/run.ts';
import { noteReading } from '../lib/record-sets/cluster-item.ts';
import { followChange } from '../lib/record-sets/follow-change.ts';
import { accountInLedger } from '../lib/record-sets/list-hosted-zones.ts';
import { wakeWhenDue } from '../lib/record-sets/wake-hosted-zones.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { isDnsRecordHint } from '../lib/sources/gardener/dns-record.ts';
import { sourcesOn } from '../lib/sources/source.ts';
import { type Polled, pollKinds } from '../lib/sweep/poll-kinds.ts';
import { sweepPiece } from '../lib/sweep/sweep-cluster.ts';
import { readSweep } from '../lib/sweep/sweep-cursor.ts';
import { sweepHostedZone } from '../lib/sweep/sweep-hosted-zone.ts';
import { startDnsRecords } from './dns-records.ts';

/** `idle()` does not wait for work that is due later than this, for example a retry in some minutes. */
const QUIET_MS = 1_000;
/**
 * The first load reports to the objects once everything is published, so that each is reported once. It waits no longer
 * when Route 53 has accepted no batch for so long.
 */
const STALLED_MS = 15_000;
const LOOK_MS = 250;
/** Each kind and each hosted zone that cannot be read ends two calls of a sweep. */
const SWEEP_CALLS_MAX = 100;
/** How long reports are collected: a Zone's report reads the whole zone, a Record's only its own name. Milliseconds. */
const REPORT_WINDOWS = { zones: 1_000, others: 100 };

/** From ten hints at once on, what can be done together is: one edit waits for nothing. */
const BURST = {
  ...{ hints: 10, batchMax: 1_000, quietMs: 150, waitMs: 2_000 },
  ...{ gatherMs: 250, publishMs: 1_000, reportMs: 10_000 },
};

/** A change of Route 53. `elapsedMs`: since the hint that led to it; null when there was none. */
export type LocalChange = {
  readonly outcome: ChangeOutcome;
  readonly hostedZone: string;
  readonly elapsedMs: number | null;
};

export type PipelineOptions = {
  readonly config: Config;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** The kinds of object that are read besides Zones; default: those that the configuration turns on. */
  readonly sources?: Context['sources'];
  /** Clients of Route 53 by the account of the configuration; default: none. */
  readonly accounts?: AccountClients;
  /** The external-dns whose record sets may be taken over; default: none. */
  readonly externalDns?: NonNullable<Context['account']['externalDns']>;
  readonly deps: (context: Context) => PublishDeps;
  readonly onChange: (change: LocalChange) => void;
  /** Is told what the first load does; default: nobody is. */
  readonly progress?: (text: string) => void;
  /** The cluster with the DNSRecords, if they are served. */
  readonly seed?: Seed | null;
  /** The Route 53 endpoint of the DNSRecords' accounts. Default: the AWS SDK's. */
  readonly route53Endpoint?: string;
  /** The budget of calls of Route 53, of each account; default: one of its own. */
  readonly budgetOf?: (account: string | undefined) => CallBudget;
  /** The pipeline of the cluster that a hosted zone of the ledger is of; default: each is of this one. */
  readonly pipelineOf?: (hostedZoneId: string) => Promise<Pick<Pipeline, 'publish'> | null>;
  /**
   * The first load reports once all is published, or when no batch was accepted for so long. Default: 15 s.
   */
  readonly stalledMs?: number;
};

export type Pipeline = {
  /** Call this when objects may have changed. */
  hint(hints: readonly Hint[]): Promise<void>;
  /** Sweeps; the first sweep loads the whole cluster. Resolves when the work that follows from it is done. */
  sweep(): Promise<void>;
  /** Has a hosted zone published. */
  publish(hostedZoneId: string): Promise<void>;
  /** Asks the API server once what has changed of these kinds. `begins`: as pollKinds() has it. */
  poll(kinds: readonly ObjectKind[], begins: boolean): Promise<Polled>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** Makes the budget of calls of each account. */
export function budgetsOf({ budget }: Pick<Config, 'budget'>): () => CallBudget {
  return () => callBudget({ ...budget, clock: systemClock, sleep: sleepMs });
}

/** Starts to deliver messages. Nothing happens before the first hint or sweep. */
export function startPipeline(options: PipelineOptions, ledger: Context['ledger'], client: Route53Client): Pipeline {
  const { config, clock, log, progress = () => {}, sources = sourcesOn(config.sources) } = options;
  const check = clusterCheck(options.cluster, { ledger, clock, log, isNoted: true });
  const cluster = checked(options.cluster, check);
  const queues = inProcessQueues({ clock, log, reportWindows: REPORT_WINDOWS, burst: BURST });
  const budgetOf = options.budgetOf ?? budgetsOf(config);
  let acceptedAtMs = 0;
  const { accounts: clients = new Map<string, Route53Client>() } = options;
  const world = { config, own: client, clients, budgetOf, accountInLedger: accountInLedger(ledger) };
  const made = hostedZonesWithHealthChecks(hostedZonesOfAccounts(world), { ledger, clock, config });
  const hostedZones = withListener(made, () => {
    acceptedAtMs = performance.now();
  });
  /** Reports held back during the first load, which reports to every object itself; null: none are held back. */
  let heldBack: ObjectRef[] | null = null;
  /** True until the first load has read the results of the publishing that runs now. */
  let yetToRead = false;
  const askReport: Queues['report'] = async (refs, cause, delaySeconds = 0) => {
    if (heldBack === null || delaySeconds > 0) await queues.report(refs, cause, delaySeconds);
    else heldBack.push(...refs);
  };
  const reportPublished: Queues['report'] = async (...asked) => {
    if (!yetToRead) await askReport(...asked);
  };
  const context: Context = {
    ledger,
    cluster,
    account: { hostedZones, externalDns: options.externalDns ?? [] },
    queues: { ...queues, report: askReport },
    clock,
    config,
    sources,
    log,
  };
  const deps = options.deps({ ...context, queues: { ...queues, report: reportPublished } });
  const { seed = null } = options;
  const dnsRecords = startDnsRecords(
    seed === null ? null : checked(seed, check),
    options.route53Endpoint,
    context,
    deps,
  );
  /** Hosted zones of the first load in which nothing is deleted. */
  const growing = new Set<string>();
  const hintedAt = new Map<string, number>();
  let loaded = false;
  /** The changes of the first load, and how many of them are done. */
  const first = { changes: 0, done: 0 };
  queues.attach({
    hint: async (hints) => {
      const [seed, others] = [hints.filter(isDnsRecordHint), hints.filter((hint) => !isDnsRecordHint(hint))];
      if (seed.length > 0) dnsRecords?.hint(seed);
      if (others.length > 0) await reconcile(context, others);
    },
    report: (refs) => report(context, refs),
    due: (message) => wakeWhenDue(context, message),
    follow: (change) => followChange(context, change),
    publish: async (id) => {
      const other = (await options.pipelineOf?.(id)) ?? null;
      if (other !== null && other !== pipeline) return other.publish(id);
      const result = await publish(deps, id, growing.has(id) ? { namesMax: GROWING_NAMES_MAX } : {});
      if (result.kind === 'busy') throw new Error(`hosted zone ${id} is being published by another run`);
      if (result.kind === 'unknown') return;
      await hintTypesGone(context, result.outcomes);
      if (!loaded) {
        first.done += result.outcomes.length;
        progress(`starting: published ${Math.min(first.done, first.changes)} of ${first.changes} changes`);
      }
      for (const outcome of result.outcomes) {
        options.onChange({
          outcome,
          hostedZone: id,
          elapsedMs: elapsedSince(hintedAt, outcome.change.objects, clock.nowMs()),
        });
      }
    },
  });
  const untilPublished = async () => {
    acceptedAtMs = performance.now();
    const idle = queues.idle(QUIET_MS).then(() => true);
    while (performance.now() - acceptedAtMs < (options.stalledMs ?? STALLED_MS))
      if (await Promise.race([idle, after(LOOK_MS, false, { ref: false })])) break;
    yetToRead = false;
  };
  const firstLoad = async () => {
    heldBack = [];
    yetToRead = true;
    try {
      const onPlanned = (changes: number) => {
        first.changes = changes;
      };
      await loadCluster(context, untilPublished, growing, { progress, onPlanned }).catch(async (refused: unknown) => {
        yetToRead = false;
        growing.clear();
        await sweepInstead(context, refused);
        await untilPublished();
      });
    } finally {
      yetToRead = false;
      growing.clear();
      const asked = heldBack;
      heldBack = null;
      await queues.report(asked);
    }
  };
  const pipeline: Pipeline = {
    publish: (id) => queues.publish(id),
    hint: async (hints: readonly Hint[]) => {
      for (const { kind, namespace, name, atMs } of hints) {
        if (namespace === null || name === null || atMs === undefined) continue;
        hintedAt.set(formatRef({ kind, namespace, name }), atMs);
      }
      await queues.hint(hints);
    },
    sweep: async () => {
      dnsRecords?.sweep();
      if (loaded) await sweepPiece(context, Number.POSITIVE_INFINITY);
      else await firstLoad();
      loaded = true;
      await noteReading(context);
      await queues.idle(QUIET_MS);
    },
    poll: (kinds, begins) => pollKinds(context, kinds, { begins }),
    idle: () => queues.idle(QUIET_MS),
    close: async () => {
      await queues.close();
      await dnsRecords?.close();
    },
  };
  return pipeline;
}

/** Who hears of the first load: what it does, and how many changes it plans. */
type Told = { readonly progress: (text: string) => void; readonly onPlanned: (changes: number) => void };

/**
 * Loads the whole cluster at once, as `apply` does, because it fits into the memory of one machine. No Record is
 * reported before its Zone is read, and no hosted zone is created before its Zone's name servers are read. Objects are
 * reported after `published` resolves. The id of each hosted zone in which nothing is deleted is added to `growing`.
 */
export async function loadCluster(
  context: Context,
  published: () => Promise<void>,
  growing = new Set<string>(),
  told: Partial<Told> = {},
): Promise<void> {
  const { progress = () => {}, onPlanned = () => {} } = told;
  const { toDescribe, grow, changes, overtaken } = await saveWhole(context, progress);
  onPlanned(changes);
  progress(`starting: publishing ${changes} changes`);
  giveBack();
  for (const id of grow) growing.add(id);
  for (const { hostedZone } of toDescribe.hostedZones) {
    await sweepHostedZone(context, hostedZone.id);
    await context.queues.publish(hostedZone.id);
  }
  await published();
  giveBack();
  progress(`starting: reporting to ${toDescribe.reading.objects.size} objects`);
  await describeAndReport(context, toDescribe);
  if (overtaken.length > 0) await context.queues.report(overtaken);
}

/**
 * Sweeps to the end after a first load that the API server refused. The first load needs all kinds; a sweep leaves out
 * what it cannot read, as later sweeps do. Throws any other error.
 */
async function sweepInstead(context: Context, refused: unknown): Promise<void> {
  if (!(refused instanceof KubernetesError) || refused.status === null || refused.status === 401) throw refused;
  const told = new Set<string>();
  const tell = (error: unknown) => {
    const message = errorMessage(error);
    if (!told.has(message)) context.log('error', `${message}; what cannot be read stays as it is`);
    told.add(message);
  };
  tell(refused);
  const beganMs = context.clock.nowMs();
  for (let calls = 0; calls < SWEEP_CALLS_MAX; calls += 1) {
    await sweepPiece(context, Number.POSITIVE_INFINITY).catch(tell);
    const { state } = await readSweep(context);
    // A sweep that an earlier process left has not listed all objects.
    if (state !== null && state.beganMs >= beganMs && state.at.phase === 'done') return;
  }
}

/** A separate function, so that the rest of the plan can be freed while all is published. */
async function saveWhole(context: Context, progress: Told['progress']) {
  const planned = await planToGive(context, progress);
  progress('starting: saving what is desired');
  const { plan, overtaken } = await saveCluster(context, planned, { onReleased: giveBack });
  const changes = plan.hostedZones.reduce((sum, one) => sum + one.plan.changes.length, 0);
  const grow = plan.hostedZones.flatMap(({ hostedZone, plan: { changes } }) =>
    changes.some(({ action }) => action === 'delete') ? [] : [hostedZone.id],
  );
  return { toDescribe: keptToDescribe(plan), grow, changes, overtaken };
}

async function planToGive(context: Context, progress: Told['progress']) {
  progress('starting: reading objects');
  const reading = await readCluster(context);
  giveBack();
  progress(`starting: planning ${reading.objects.size} objects`);
  return handOver(await planReading(context, reading, { onReleased: giveBack }));
}

function withListener(hostedZones: HostedZones, onAccepted: () => void): HostedZones {
  return {
    ...hostedZones,
    change: async (...call) => {
      const outcome = await hostedZones.change(...call);
      if (outcome.kind === 'accepted') onAccepted();
      return outcome;
    },
  };
}

/** Milliseconds since the latest hint for any of the objects; each hint is counted once. */
function elapsedSince(hintedAt: Map<string, number>, objects: readonly string[], nowMs: number): number | null {
  const at = objects.flatMap((object) => hintedAt.get(object) ?? []);
  for (const object of objects) hintedAt.delete(object);
  return at.length === 0 ? null : nowMs - Math.max(...at);
}
