// The composition root of the functions that work on the ledger: ports over real clients, made once for each execution
// environment. Each function takes only what it needs, so that the bundler leaves the other clients out.

import { randomUUID } from 'node:crypto';
import { eksAuthorities } from '../../lib/adapters/aws/eks-authority.ts';
import { eksTokens } from '../../lib/adapters/aws/eks-token.ts';
import type { AwsCredentials } from '../../lib/adapters/aws/sts.ts';
import { kubernetesCentralCluster } from '../../lib/adapters/central-cluster/kubernetes-central-cluster.ts';
import type { ClusterAccess } from '../../lib/adapters/config/access-schema.ts';
import { openRegistries } from '../../lib/adapters/external-dns/open-registries.ts';
import { bearerIdentity } from '../../lib/adapters/kubernetes/access/bearer-identity.ts';
import { ownKindsOf, servedKinds } from '../../lib/adapters/kubernetes/discover-kinds.ts';
import { kubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accountClients, roleTroubles } from '../../lib/adapters/route53/account-clients.ts';
import type { CallBudget } from '../../lib/adapters/route53/call-budget.ts';
import { hostedZoneTags } from '../../lib/adapters/route53/hosted-zone-tags.ts';
import { hostedZonesOfAccounts } from '../../lib/adapters/route53/hosted-zones-of-accounts.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { ledgerCallBudget } from '../../lib/adapters/route53/shared-call-budget.ts';
import { sleepMs, timerOf } from '../../lib/adapters/system/system-time.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { hostedZonesWithHealthChecks } from '../../lib/health-checks/hosted-zones-with-health-checks.ts';
import { withIntentsOver } from '../../lib/intents/serve/intent-sources.ts';
import { intentWriters } from '../../lib/intents/serve/intent-writers.ts';
import { type Intents, openIntents } from '../../lib/intents/serve/open-intents.ts';
import { hintTypesGone } from '../../lib/observe/expand-hints.ts';
import { checked, clusterCheck } from '../../lib/observe/known-cluster.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { type Config, guardLimitsOf, intentRoles } from '../../lib/ports/config.ts';
import type { Account, Context } from '../../lib/ports/context.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { Log } from '../../lib/ports/log.ts';
import { NO_QUEUES, type Queues } from '../../lib/ports/queues.ts';
import type { ChangeOutcome } from '../../lib/publish/plan/outcome.ts';
import { DEFAULT_PUBLISH_CONFIG, DELETES_QUIET_MS } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { isLeft } from '../../lib/record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../../lib/record-sets/lease.ts';
import { accountInLedger } from '../../lib/record-sets/list-hosted-zones.ts';
import { kindsRead, sourcesOn } from '../../lib/sources/source.ts';
import { countUnreadable } from './count-unreadable.ts';
import { clock, meter, openSecret, log as toAll } from './wire.ts';
import { dynamodb } from './wire-ledger.ts';

/** The configured hosted zones, within the budgets, one for each account, that all functions over this ledger share. */
export function openHostedZones(ledger: Ledger, config: Config): HostedZones {
  const own = route53Client();
  const options = { ...config.budget, config, ledger, clock, sleep: sleepMs };
  const ofAccounts = hostedZonesOfAccounts({
    ...{ config, own, clients: accountClients(config.accounts, own, clock) },
    budgetOf: (account) => metered(ledgerCallBudget({ ...options, ...(account === undefined ? {} : { account }) })),
    accountInLedger: accountInLedger(ledger),
  });
  const hostedZones = hostedZonesWithHealthChecks(ofAccounts, options);
  return {
    ...hostedZones,
    // Hosted zones that are not configured are not ours, and no policy lets the functions read them.
    list: async () => [],
    change: async (...asked) => {
      const outcome = await hostedZones.change(...asked);
      if (outcome.kind === 'accepted') meter('Batches', 1);
      if (outcome.kind === 'throttled' && outcome.unsent !== true) meter('Throttled', 1);
      return outcome;
    },
  };
}

/** The account, of which a deployment uses the configured hosted zones only: no policy lets it read any other. */
export function openAccount(ledger: Ledger, config: Config): Account {
  return {
    hostedZones: openHostedZones(ledger, config),
    onlyHostedZones: new Set(config.hostedZones.map(({ id }) => id)),
  };
}

function metered(budget: CallBudget): CallBudget {
  return {
    ...budget,
    take: async (waitMsMax, call) => {
      const beganMs = clock.nowMs();
      await budget.take(waitMsMax, call);
      meter('BudgetCalls', 1);
      meter('BudgetWait', clock.nowMs() - beganMs);
    },
  };
}

export type Patience = { readonly timeoutMs?: number; readonly triesMax?: number };

/**
 * How long one message of a queue waits for the API server: a batch that fails is tried again one by one within the
 * same invocation (functions/handlers/handle-batch.ts), and the queue repeats what still fails.
 */
export const MESSAGE_PATIENCE: Patience = { timeoutMs: 15_000, triesMax: 3 };

/**
 * The API server. `patience`: a shorter timeout and fewer tries where somebody waits for the answer. With a ledger, it
 * must be the cluster that the ledger knows.
 */
export function openCluster(
  { clusterId, sources, dnsRecords, roots, region }: Config,
  settings: ClusterAccess,
  { log = toAll, ledger, ...patience }: Patience & { readonly log?: Log; readonly ledger?: Ledger } = {},
): Cluster {
  const transport = kubernetesTransport({ access: accessOf(settings, region), ...patience });
  const served = servedKinds(transport, clock, ownKindsOf({ dnsRecords, roots }));
  const kinds = kindsRead(sourcesOn(sources));
  const cluster = kubernetesCluster({ clusterId, kinds, transport, clock, log, served });
  const check = ledger === undefined ? null : clusterCheck(cluster, { ledger, clock, log, isNoted: true });
  return countUnreadable(checked(cluster, check), meter);
}

/** How a function signs in at the API server. `region`: that of the cluster; null: that of the function. */
export function accessOf(settings: ClusterAccess, region: string | null) {
  return settings.kind === 'eks' ? eksAccess(settings, region) : tokenAccess(settings);
}

/** The intent API. It answers once the cluster is changed, as nothing runs after a function has answered. */
export function openIntentApi(
  config: Config,
  settings: ClusterAccess,
  ledger: Ledger,
  queues: Pick<Queues, 'hint'>,
): Intents {
  const own = route53Client();
  const clients = accountClients(config.accounts, own, clock);
  const { clusterId } = config;
  return openIntents(
    {
      ledger,
      clusterId,
      clock,
      log: toAll,
      limits: { assumeRoles: intentRoles(config) },
      central: kubernetesCentralCluster(kubernetesTransport({ access: accessOf(settings, config.region) })),
      account: {
        tagsOf: hostedZoneTags(config, own, clients, clock),
        roleTrouble: roleTroubles(config, clients, clock),
      },
      hint: (hints) => queues.hint(hints),
    },
    { waits: true },
  );
}

function eksAccess(settings: Extract<ClusterAccess, { kind: 'eks' }>, ofCluster: string | null) {
  const { clusterName, endpoint, certificateAuthority } = settings;
  // Lambda sets its own region.
  const region = ofCluster ?? process.env.AWS_REGION ?? '';
  const credentials = () => dynamodb().config.credentials() as Promise<AwsCredentials>;
  const { AWS_ENDPOINT_URL_EKS, AWS_ENDPOINT_URL } = process.env;
  const configured = Buffer.from(certificateAuthority, 'base64').toString('utf8');
  const cluster = { region, clusterName, endpoint: AWS_ENDPOINT_URL_EKS ?? AWS_ENDPOINT_URL, configured, credentials };
  return bearerIdentity({
    server: endpoint,
    certificateAuthority: configured,
    renewedAuthority: eksAuthorities(cluster, clock, toAll),
    token: eksTokens({ region, clusterName }, credentials, clock),
  });
}

function tokenAccess({ endpoint, certificateAuthority, tokenSecret }: Extract<ClusterAccess, { kind: 'token' }>) {
  const secret = openSecret(tokenSecret);
  return bearerIdentity({
    server: endpoint,
    certificateAuthority:
      certificateAuthority === null ? null : Buffer.from(certificateAuthority, 'base64').toString('utf8'),
    token: (isRefused) => secret.current(isRefused),
  });
}

/**
 * The ExternalDNS registries whose record sets may be taken over, read when they are first needed. Throws an Error with
 * the key that cannot be read; the next call tries again.
 */
export function openTakeover({ takeover }: Config): () => Promise<readonly ExternalDnsRegistry[]> {
  const readSecret = (id: string) => openSecret(id).current();
  let opened: readonly ExternalDnsRegistry[] | null = null;
  return async () => {
    opened ??= await openRegistries(takeover.externalDns, { environment: process.env, readSecret });
    return opened;
  };
}

/** What publishing needs, with a lease holder's id that no other run has. */
export function openPublishing(
  ports: Pick<PublishDeps, 'ledger' | 'hostedZones' | 'queues' | 'log'>,
  config: Config,
): PublishDeps {
  return {
    ...ports,
    clock: timerOf(clock),
    config: {
      ...DEFAULT_PUBLISH_CONFIG,
      guard: guardLimitsOf(config),
      deletesQuietMs: DELETES_QUIET_MS,
      history: config.history,
      propagation: config.propagation,
      standby: config.standby,
      extendedViews: config.extendedViews,
    },
    leaves: (hostedZone) => isLeft(config, hostedZone),
    newHolder: randomUUID,
    ...(config.intents !== null && { writers: intentWriters(ports.ledger, config.clusterId) }),
  };
}

/** Says of which cluster a hosted zone of the ledger is; null: the ledger does not have it. */
export function clusterInLedger(ledger: Ledger): (hostedZoneId: string) => Promise<string | null> {
  return async (id) => (await readHostedZone(ledger, id))?.item.cluster ?? null;
}

/** The queues for what a cluster published that nobody reads any more: other hosted zones may be woken. */
export function onlyPublishing({ publish }: Queues): Queues {
  return { ...NO_QUEUES, publish };
}

/** Sends hints for objects with an alias that has the types of a name, once record sets of the name are deleted. */
export function hintAliasesOfDeleted(
  ledger: Ledger,
  queues: Queues,
  config: Config,
): (outcomes: readonly ChangeOutcome[]) => Promise<void> {
  const telling = { ledger, queues, config, clock, log: toAll, sources: sourcesOn(config.sources) };
  return (outcomes) => hintTypesGone(telling, outcomes);
}

/** A context. Using a port that the function has no right to throws. */
export function openContext(
  parts: Pick<Context, 'ledger' | 'cluster' | 'config'> &
    Partial<Pick<Context, 'account' | 'log'>> & { readonly queues?: Partial<Queues> },
): Context {
  const on = sourcesOn(parts.config.sources);
  return {
    account: { hostedZones: forbidden<HostedZones>('hosted zones') },
    sources: on,
    log: toAll,
    ...parts,
    queues: allowed<Queues>('queues', parts.queues),
    ...(parts.config.intents !== null && withIntentsOver(parts.ledger, parts.cluster, on)),
    clock,
  };
}

function forbidden<Port extends object>(what: string): Port {
  return allowed<Port>(what, {});
}

/** The port of which only these methods may be used. */
function allowed<Port extends object>(what: string, methods: Partial<Port> = {}): Port {
  const get = (_: object, key: string | symbol): unknown =>
    Reflect.get(methods, key) ??
    (() => {
      throw new Error(`Cannot use ${what}.${String(key)}: this function has no right to it`);
    });
  return new Proxy({}, { get }) as Port;
}
