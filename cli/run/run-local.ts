// `zone53 local`: runs the local stack over files or a cluster that are watched, and prints what it serves, each change
// with the answer of Route 53 and the time since the edit, each object with a problem, and each error.

import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownKindsOf } from '../../lib/adapters/kubernetes/discover-kinds.ts';
import { callBudget } from '../../lib/adapters/route53/call-budget.ts';
import { hostedZonesOfAccounts } from '../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { hostedZonesWithHealthChecks } from '../../lib/health-checks/hosted-zones-with-health-checks.ts';
import { intentWriters } from '../../lib/intents/serve/intent-writers.ts';
import { ACKNOWLEDGE_ANNOTATION } from '../../lib/objects/annotations.ts';
import { ZONE_KIND } from '../../lib/objects/kind.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { CentralCluster } from '../../lib/ports/central-cluster.ts';
import type { Cluster, ObjectStatus } from '../../lib/ports/cluster.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import { ZONE_IS_GONE } from '../../lib/ports/guard-limits.ts';
import type { Log } from '../../lib/ports/log.ts';
import { type Hint, NO_QUEUES, withoutUser } from '../../lib/ports/queues.ts';
import { DELETES_QUIET_MS } from '../../lib/publish/run/publish-hosted-zone.ts';
import { accountInLedger } from '../../lib/record-sets/list-hosted-zones.ts';
import { type AdmissionSubject, judgeWrite } from '../../lib/report/validate-admission.ts';
import { kindsHinted, sourcesOff, sourcesOn } from '../../lib/sources/source.ts';
import { startWebhook, type Webhook } from '../../local/admission-webhook.ts';
import { type ClusterOfStack, type LocalStack, startLocalStack } from '../../local/local-stack.ts';
import { intentsOver, type ServedIntents, serveIntents } from '../../local/serve-intents.ts';
import { GUARD_HOLDS } from '../print/how-to-release.ts';
import { changeTeller } from '../print/print-changes.ts';
import { errorTeller, remarkLines } from '../print/print-errors.ts';
import { type Release, type StatusBefore, statusTeller } from '../print/print-statuses.ts';
import { safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import type { OpenSource } from './open-objects.ts';
import { openSource } from './open-source.ts';
import { EMBEDDED_HOLDER, openTakeover, publishDeps } from './publish-deps.ts';
import type { LocalRequest, ServedConsole } from './requests.ts';
import { openRootsWatcher } from './warn-open-roots.ts';

/** For so long after a reading of files, the questions that follow a hint are answered from it. */
const READING_MS_MAX = 20;
/** After this time a file that was moved away or emptied counts as gone; editors take less. */
const GONE_MS = 150;
/** The API server stores a write after the webhook has answered, so the object is read this much later. */
const LOOK_AFTER_MS = 25;

/** Runs until the signal is aborted. Throws when a port or the folder is taken. */
export async function runLocal(request: LocalRequest): Promise<void> {
  const { log, print, signal, pollMs = null } = request;
  let hasStarted = false;
  const onAbort = () => {
    if (!hasStarted)
      log('warn', 'interrupted: zone53 local starts first, then it ends; interrupt again to end at once');
  };
  signal.addEventListener('abort', onAbort, { once: true });
  request.progress('starting');
  const ending: (() => Promise<void>)[] = [];
  try {
    const [first, ...others] = await openClusters(request, ending);
    const webhook = await openWebhook(
      request,
      first.source.cluster,
      (hints) => void setTimeout(() => first.take(hints), LOOK_AFTER_MS),
    );
    if (webhook !== null) ending.push(webhook.close);
    const { folder, dnsPort, viewPorts, route53Port, route53Limits, clock } = request;
    const changed = new Set<LocalCluster>();
    const onWrite = (partition: string) => {
      if (UNSEEN.test(partition)) return;
      for (const one of [first, ...others]) changed.add(one);
    };
    const options = {
      ...{ folder, dnsPort, route53Port, clock, progress: request.progress },
      ...(viewPorts !== undefined && { viewPorts }),
      route53: request.route53 ?? ('local' as const),
      ...(route53Limits !== undefined && { route53Limits }),
      ...(request.console != null && { onWrite }),
      ...first.own,
      others: others.map(({ own }) => own),
    };
    await Promise.all(
      [first, ...others].map(({ source, own }) => source.ready(signal, (message) => own.log('warn', message))),
    );
    const stack = await startLocalStack(options).catch((error: unknown) => {
      throw portAdvice(error);
    });
    ending.push(stack.close);
    const openRoots = [first, ...others].map((one) => {
      const watcher = openRootsWatcher(one.source.cluster, one.from, one.own.config, one.own.log);
      one.follow(async (hints) => {
        await Promise.all([stack.hint(hints, one.own.config.clusterId), watcher.follow(hints)]);
      });
      return watcher;
    });
    await stack.idle();
    const served = await openIntents(request, stack, first.source.central);
    if (served !== null) ending.push(served.close);
    const pages: (ServedConsole & { readonly of: string })[] = [];
    for (const one of [first, ...others]) {
      const page = await openConsole(request, one, stack, () => changed.delete(one), pages.length > 0);
      if (page === null) continue;
      ending.push(page.close);
      pages.push({ ...page, of: others.length === 0 ? '' : `   ${one.own.config.clusterId}` });
    }
    if (webhook !== null) {
      // Only now: a process that fails to start must not overwrite the file of one that serves.
      // Only for the owner: the URL in the file may contain a secret.
      await writeFile(join(folder, WEBHOOK_FILE), webhook.configuration, { mode: 0o600 });
      printWebhook(print, webhook, folder);
    }
    for (const one of openRoots) await one.look();
    request.progress('');
    hasStarted = true;
    if (served !== null) print(`Intents   ${served.url}   curl ${served.url}/openapi.json`);
    const described = [first, ...others].map(({ source, own }) =>
      others.length === 0 ? source.described : `${source.described} (${own.config.clusterId})`,
    );
    const asked = pollMs === null ? '' : `, asked every ${pollMs / 1_000} s`;
    printServing(print, { served: stack.served, pages }, `${described.join(', ')}${asked}`);
    await Promise.race([aborted(signal), folderGone(folder, signal)]);
  } finally {
    for (const end of ending.reverse()) await end();
  }
}

/** One cluster of the stack. */
type LocalCluster = {
  readonly from: LocalRequest['source'];
  readonly source: OpenSource;
  readonly own: ClusterOfStack & { readonly externalDns: readonly ExternalDnsRegistry[] };
  /** Takes hints: they wait until the cluster is followed. */
  readonly take: (hints: readonly Hint[]) => void;
  /** Follows the hints from now on, and those that wait. */
  readonly follow: (onHints: (hints: readonly Hint[]) => Promise<void>) => void;
};

/** Opens every cluster, with what ends it. With several, each line that is printed names its cluster. */
async function openClusters(request: LocalRequest, ending: (() => Promise<void>)[]) {
  const { others = [] } = request;
  const named = (config: Config): Told => {
    if (others.length === 0) return request;
    const mark = `[${config.clusterId}] `;
    return {
      print: (line) => request.print(`${mark}${line}`),
      log: (level, message, fields) => request.log(level, `${mark}${message}`, fields),
    };
  };
  const first = await openCluster(request, named(request.config), ending);
  const further: LocalCluster[] = [];
  for (const one of others) further.push(await openCluster({ ...request, ...one }, named(one.config), ending));
  return [first, ...further] as const;
}

/** Whom a cluster tells. */
type Told = Pick<LocalRequest, 'print' | 'log'>;

async function openCluster(
  request: LocalRequest,
  { print, log }: Told,
  ending: (() => Promise<void>)[],
): Promise<LocalCluster> {
  // Only one process can use the state folder.
  const config: Config = { ...request.config, guard: { ...request.config.guard, keepsLedger: true } };
  const { pollMs = null, clock } = request;
  const sources = sourcesOn(config.sources);
  const source = await openSource(request.source, {
    clusterId: config.clusterId,
    sources,
    sourcesOff: sourcesOff(config.sources, config.sourceDefaults),
    dnsRecords: config.dnsRecords !== null,
    own: ownKindsOf(config),
    clock,
    readingMsMax: READING_MS_MAX,
    goneMs: GONE_MS,
    pathsMustBe: true,
    log,
  });
  ending.push(async () => source.close());
  const cluster = toldReports(
    source.cluster,
    statusTeller(print, source.placeOf, request.paint, releaseFor(request.source)),
  );
  const waiting: Hint[] = [];
  let take = (hints: readonly Hint[]): void => {
    waiting.push(...hints);
  };
  const seenBy = request.source.kind === 'manifests' ? ('file' as const) : ('watch' as const);
  if (pollMs === null) {
    const watch = await source.watch({
      onHints: (hints) => take(hints.map((hint) => ({ ...hint, via: seenBy }))),
      onProblems: errorTeller(print),
      onRemarks: (remarks) => {
        for (const line of remarkLines(remarks)) log('warn', line.text);
      },
      onTrouble: (message) => (message === null ? print('Watching again') : log('warn', message)),
    });
    ending.push(watch.close);
  }
  const intents = request.intentsPort !== null || config.intents !== null;
  const deps = (context: Context) => {
    const { config: apply, ...rest } = publishDeps(context, EMBEDDED_HOLDER);
    const writers = intents ? { writers: intentWriters(context.ledger, config.clusterId) } : {};
    return {
      ...rest,
      ...writers,
      config: { ...apply, deletesQuietMs: DELETES_QUIET_MS, history: config.history },
    };
  };
  const own = {
    ...(intents && { overLedger: intentsOver(cluster, sources) }),
    config,
    // Only an apply deletes what no object asks for.
    externalDns: (await openTakeover(config)).map((one) => ({ ...one, deleteUnwanted: false })),
    seed: source.seed,
    polling: pollMs === null ? null : { kinds: kindsHinted(config).map(({ kind }) => kind), everyMs: pollMs },
    cluster,
    // The status of the Zone says it, with what to do; where no Zone is left, nobody else does.
    log: ((level, message, fields) => {
      if (!message.startsWith(GUARD_HOLDS) || message.includes(ZONE_IS_GONE)) log(level, message, fields);
    }) satisfies Log,
    deps,
    onChange: changeTeller(print, request.paint),
  };
  return {
    ...{ from: request.source, source, own },
    take: (hints) => take(hints),
    follow: (onHints) => {
      take = (hints) =>
        void onHints(hints).catch((error: unknown) => log('error', `cannot take hints: ${String(error)}`));
      take(waiting.splice(0));
    },
  };
}

/** How a Zone releases held deletes while `local` runs: only by its annotation. */
function releaseFor(source: LocalRequest['source']): Release {
  return ({ kind, namespace, name }, digest) => {
    if (kind !== ZONE_KIND.kind) return [];
    const annotation = `${ACKNOWLEDGE_ANNOTATION}: ${digest}`;
    if (source.kind === 'manifests') return ['To release them, give the Zone this annotation:', annotation];
    const at = `kubectl --context ${source.name} annotate --overwrite zone -n ${namespace} ${name}`;
    return [`${at} ${ACKNOWLEDGE_ANNOTATION}=${digest}`];
  };
}

/** The webhook's configuration for `kubectl apply -f`, in the state folder. */
const WEBHOOK_FILE = 'webhook.yaml';

async function openIntents(
  request: LocalRequest,
  stack: LocalStack,
  central: CentralCluster | null,
): Promise<ServedIntents | null> {
  if (request.intentsPort === null) return null;
  return serveIntents(request.intentsPort, request, stack, central).catch((error: unknown) => {
    throw portAdvice(error);
  });
}

/** Partitions of which no list of the console shows anything. */
const UNSEEN = /^(?:history#|batches#|statuses#|sweep|polls#|lookups#|rechecks#|healthcheck|budget$)/;

/** The console of a cluster over the ledger and the Route 53 of this process. `isFurther`: on any free port. */
async function openConsole(
  request: LocalRequest,
  { from: source, source: { cluster }, own: { config, externalDns } }: LocalCluster,
  stack: LocalStack,
  hasChanged: () => boolean,
  isFurther: boolean,
): Promise<ServedConsole | null> {
  const { console: asked = null, clock, log, folder } = request;
  if (asked === null) return null;
  const options = { ...config.budget, clock: systemClock, sleep: sleepMs };
  const { own, accounts: clients } = stack.clients;
  const world = { config, own, clients, budgetOf: () => callBudget(options) };
  const { ledger } = stack;
  const ofAccounts = hostedZonesOfAccounts({ ...world, accountInLedger: accountInLedger(ledger) });
  const hostedZones = hostedZonesWithHealthChecks(ofAccounts, { ledger, clock, config });
  const context: Context = {
    ...{ ledger, cluster, sources: sourcesOn(config.sources) },
    ...{ account: { hostedZones, externalDns }, queues: NO_QUEUES, clock, config, log },
  };
  const at = isFurther ? { ...asked, port: 0 } : asked;
  return asked.serve(at, context, { source, folder, hasChanged });
}

async function openWebhook(
  { webhook, clock, config }: LocalRequest,
  cluster: Cluster,
  onHints: (hints: readonly Hint[]) => void,
): Promise<Webhook | null> {
  if (webhook === null) return null;
  const { port, host, validate } = webhook;
  const sources = sourcesOn(config.sources);
  const { users } = config.history;
  const caused = (hint: Hint): Hint => ({ ...(users ? hint : withoutUser(hint)), via: 'webhook' });
  const judge = async (subject: AdmissionSubject, isLate: () => boolean) => {
    const verdict = await judgeWrite(cluster, { sources, config }, subject, isLate);
    return verdict.kind === 'refuse' ? verdict.message : null;
  };
  return startWebhook({
    port,
    host,
    clock,
    objects: kindsHinted(config),
    onHints: (hints) => onHints(hints.map(caused)),
    judge: validate ? judge : null,
  });
}

function printWebhook(print: (line: string) => void, { url }: Webhook, folder: string): void {
  print(`Webhook   ${safeText(new URL(url).origin)}   kubectl apply -f ${safeText(join(folder, WEBHOOK_FILE))}`);
}

/** The same cluster, which also tells a listener about every report. */
export function toldReports(
  cluster: Cluster,
  onReport: (ref: ObjectRef, status: ObjectStatus, before: StatusBefore) => void,
): Cluster {
  return {
    ...cluster,
    report: async (ref, status, before, ...rest) => {
      await cluster.report(ref, status, before, ...rest);
      onReport(ref, status, before);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const FOLDER_LOOK_MS = 1_000;

/** Throws when the folder was removed or replaced: the ledger would be lost from then on. */
async function folderGone(folder: string, signal: AbortSignal): Promise<void> {
  const inodeOf = async () => (await stat(folder, { bigint: true }).catch(() => null))?.ino;
  const first = await inodeOf();
  while (!signal.aborted) {
    await sleep(FOLDER_LOOK_MS, undefined, { signal }).catch(() => {});
    if (!signal.aborted && (await inodeOf()) !== first)
      throw new UsageError(
        `State folder "${folder}" was removed while zone53 local ran, so it ends. Start it again to begin with an empty state.`,
      );
  }
}

function printServing(
  print: (line: string) => void,
  {
    served,
    pages,
  }: Pick<LocalStack, 'served'> & {
    readonly pages: readonly (ServedConsole & { readonly of: string })[];
  },
  described: string,
): void {
  if (served === null) print('Route 53  the endpoint that the AWS SDK finds');
  else {
    const { dnsPort, viewPorts, route53Url } = served;
    print(`DNS       127.0.0.1:${dnsPort}   dig @127.0.0.1 -p ${dnsPort} NAME`);
    for (const [view, port] of viewPorts)
      print(`View      127.0.0.1:${port}   ${view}: dig @127.0.0.1 -p ${port} NAME`);
    print(`Route 53  ${route53Url}   aws --no-sign-request --endpoint-url ${route53Url} route53 list-hosted-zones`);
  }
  for (const { url, of } of pages) print(`Console   ${url}${of}`);
  print(`Watching  ${safeText(described)}   Ctrl-C ends it`);
}

/** Turns the error of a port in use into advice; returns any other error as it is. */
function portAdvice(error: unknown): unknown {
  const { message, cause } = error instanceof Error ? error : {};
  if ((cause as { readonly code?: unknown } | undefined)?.code !== 'EADDRINUSE') return error;
  return new UsageError(
    `${message}. Is another zone53 local running? Other ports: --dns-port, --view, --route53-port and --intents-port`,
  );
}
