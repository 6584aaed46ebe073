// `zone53 plan` and `zone53 apply` with the real adapters: objects, a ledger, and the Route 53 of an account.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { route53Accounts } from '../../lib/adapters/route53/account-hosted-zones.ts';
import { giveBack } from '../../lib/adapters/system/small-heap.ts';
import { sleepMs, systemClock } from '../../lib/adapters/system/system-time.ts';
import { applyCluster } from '../../lib/apply/apply-cluster.ts';
import type { ApplyOptions } from '../../lib/apply/apply-hosted-zone.ts';
import { handOver } from '../../lib/apply/hand-over.ts';
import { type ClusterPlan, type PlanOptions, planReading } from '../../lib/apply/plan-cluster.ts';
import { type WhyDeleted, whysOf } from '../../lib/apply/why-deleted.ts';
import { recordSetId } from '../../lib/dns/record-set.ts';
import { afterApply } from '../../lib/gardener/rehearse/after-apply.ts';
import { type PlannedDnsRecord, planDnsRecords } from '../../lib/gardener/rehearse/plan-dns-records.ts';
import { readCluster } from '../../lib/observe/read-cluster.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Seed } from '../../lib/ports/seed/seed.ts';
import { agreedIn } from '../../lib/publish/plan/agreed.ts';
import { noteReading } from '../../lib/record-sets/cluster-item.ts';
import { openDnsRecords } from '../../local/dns-records.ts';
import { describeApplied, describeDnsRecord, describePlan } from '../print/describe-plan.ts';
import { type UnknownLedger, unknownLedger } from '../print/ledger-unknown.ts';
import { type CallsOutput, NO_CALLS, type PlanOutput } from '../print/output.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState } from './open-ledger.ts';
import { EMBEDDED_HOLDER, publishDeps } from './publish-deps.ts';
import { withUnmanaged } from './read-unmanaged.ts';
import type { ApplyRequest, ApplyResult, PlanRequest } from './requests.ts';
import { matchReviewed } from './reviewed-plan.ts';
import { openRootsWatcher } from './warn-open-roots.ts';
import { withContext } from './with-context.ts';

/** Plans the changes from published to desired; writes nothing to Route 53. */
export async function runPlan(request: PlanRequest): Promise<PlanOutput> {
  return withContext(request, optionsOf(request, true), async (context, seed) => {
    request.progress('reading objects and planning');
    const planned = await planAll(context, request);
    await openRootsWatcher(context.cluster, request.source, request.config, request.log).look();
    refuseUnknown(request.acknowledged, planned);
    const output = { ...describePlan(planned), ledger: unknownLedger(planned, nameOfStore(request)) };
    const hostedZones = request.unmanaged === true ? await addUnmanaged(context, planned, output) : output.hostedZones;
    return withDnsRecords({ ...output, hostedZones }, await planSeed(context, seed, request));
  });
}

/** The hosted zones of the output, each with what nobody asks for. */
async function addUnmanaged(context: Context, planned: ClusterPlan, output: PlanOutput) {
  const hostedZones: PlanOutput['hostedZones'][number][] = [];
  for (const [at, one] of planned.hostedZones.entries()) {
    const described = output.hostedZones[at];
    if (described !== undefined) hostedZones.push(await withUnmanaged(context, one, described));
  }
  return hostedZones;
}

/** What a message calls the ledger. */
function nameOfStore({ store }: PlanRequest): string {
  return store.kind === 'folder' ? `in folder ${path.resolve(store.folder)}` : `in table ${store.table}`;
}

/** Reads the cluster and plans it. What reading it left behind is freed between the two. */
async function planAll(context: Context, request: PlanRequest, isFresh = false): Promise<ClusterPlan> {
  const reading = await readCluster(context);
  giveBack();
  return planReading(context, reading, { ...planOptions(request), isFresh });
}

/** What serving each DNSRecord would do, with the account of its Secret; null if none are served. */
async function planSeed(
  context: Context,
  seed: Seed | null,
  { refresh, reads, progress }: PlanRequest,
): Promise<readonly PlannedDnsRecord[] | null> {
  const { dnsRecords: settings, clusterId } = context.config;
  if (seed === null || settings === null) return null;
  progress('reading DNSRecords and planning');
  const { requestsPerSecond } = settings;
  const accounts = route53Accounts({ clock: systemClock, sleep: sleepMs, requestsPerSecond });
  try {
    const { ledger, clock } = context;
    const deps = { ledger, clock, seed, accounts, server: { settings, clusterId }, newHolder: randomUUID };
    return await planDnsRecords(deps, { reads, checks: refresh });
  } finally {
    accounts.destroy();
  }
}

function withDnsRecords<Output extends object>(output: Output, of: readonly PlannedDnsRecord[] | null) {
  return of === null ? output : { ...output, dnsRecords: of.map(describeDnsRecord) };
}

/** Applies the plan that was reviewed, or that the user confirms. */
export async function runApply(request: ApplyRequest): Promise<ApplyResult> {
  return withContext(request, optionsOf(request, false), async (context, seed) => {
    const served = await planServed(context, seed, request);
    const agreed = await agreeOnPlan(request, context, served);
    if (agreed.kind !== 'agreed') return agreed;
    const signal = request.untilStopped();
    signal.addEventListener('abort', () =>
      request.log('warn', 'interrupted: the batch under way is finished first; interrupt again to end at once'),
    );
    const calls = new Map<string, CallsOutput>();
    const applied = await applyCluster(
      context,
      publishDeps(
        withProgress(context, agreed.changes, request.progress, calls),
        request.store.kind === 'folder' ? EMBEDDED_HOLDER : null,
      ),
      agreed.plan,
      {
        ...planOptions(request),
        acknowledged: request.acknowledged,
        only: agreed.only,
        progress: request.progress,
        timeoutMs: request.timeoutMs,
        signal,
        ...(request.wait !== undefined && { waiting: { ...request.wait, sleep: sleepMs } }),
      },
    );
    await noteReading(context);
    const ended = await applyDnsRecords(context, seed, served ?? [], request);
    const output = { ...describeApplied(applied, agreed.whyOf, calls), ledger: agreed.ledger };
    return { kind: 'applied', output: withDnsRecords(output, ended), unresolved: applied.waited?.text ?? null };
  });
}

type Agreed = {
  readonly kind: 'agreed';
  /** Returns the plan once, so that its memory is freed while it is published. */
  readonly plan: () => ClusterPlan;
  /** How many changes it has. */
  readonly changes: number;
  readonly only: ApplyOptions['only'];
  readonly ledger: UnknownLedger | null;
  /** Why the plan deletes what it deletes. */
  readonly whyOf: WhyDeleted;
};

/** Plans, shows the plan, and asks. A separate function, so that the memory of what was shown is freed. */
async function agreeOnPlan(
  request: ApplyRequest,
  context: Context,
  served: readonly PlannedDnsRecord[] | null,
): Promise<Agreed | Exclude<ApplyResult, { readonly kind: 'applied' }>> {
  request.progress('reading objects and planning');
  // What stands now is compared with what was reviewed, or shown: not what an earlier plan read.
  const planned = await planAll(context, request, true);
  await openRootsWatcher(context.cluster, request.source, request.config, request.log).look();
  refuseUnknown(request.acknowledged, planned);
  const ledger = unknownLedger(planned, nameOfStore(request));
  const output = withDnsRecords({ ...describePlan(planned), ledger }, served);
  const reviewed = request.reviewed === null ? null : matchReviewed(request.reviewed, output);
  if (reviewed !== null && !reviewed.ok) return { kind: 'stale', plan: output, problems: reviewed.problems };
  const changes = output.hostedZones.reduce((sum, hostedZone) => sum + hostedZone.changes.length, 0);
  const isOpen = changes > 0 || (served ?? []).length > 0;
  if (reviewed === null && isOpen && !(await request.confirm(output))) return { kind: 'declined', plan: output };
  const only = reviewed?.isChosen ?? (() => true);
  return { kind: 'agreed', plan: handOver(planned), changes, only, ledger, whyOf: whysOf(planned) };
}

/**
 * Plans the DNSRecords. Route 53 is read only to compare them with a reviewed plan: serving them reads it anyway, at
 * the rate of each account. A digest is of a hosted zone: with digests, no DNSRecord was reviewed, and none is served.
 */
function planServed(context: Context, seed: Seed | null, request: ApplyRequest) {
  if (request.reviewed?.kind === 'digests') return null;
  return planSeed(context, seed, request.reviewed === null ? { ...request, reads: false, refresh: false } : request);
}

/**
 * Serves the DNSRecords that wait, and returns how each ended; null if none are served. Of a reviewed plan those that
 * it has, and nothing is destroyed that it did not show.
 */
async function applyDnsRecords(
  context: Context,
  seed: Seed | null,
  planned: readonly PlannedDnsRecord[],
  { reviewed, refresh }: Pick<ApplyRequest, 'reviewed' | 'refresh'>,
): Promise<readonly PlannedDnsRecord[] | null> {
  const { dnsRecords: settings } = context.config;
  if (reviewed?.kind === 'digests' || seed === null || settings === null) return null;
  const byHostedZone = Map.groupBy(
    planned.flatMap(({ changes }) => changes),
    (change) => change.hostedZoneId,
  );
  const agreed = (hostedZoneId: string) => agreedIn(byHostedZone.get(hostedZoneId) ?? [], []);
  const deps = { ...publishDeps(context, null), ...(reviewed !== null && { agreed }) };
  const opened = openDnsRecords(seed, undefined, context, deps);
  if (opened === null) return null;
  try {
    if (reviewed === null) await opened.service.sweep();
    else
      await opened.service.planned(
        planned.map(({ record }) => record.ref),
        refresh,
      );
    return await afterApply(seed, settings, planned);
  } finally {
    opened.destroy();
  }
}

/** Throws for a digest that no plan has now: it is mistyped, or the plan has changed. */
function refuseUnknown(acknowledged: readonly string[], { hostedZones }: ClusterPlan): void {
  const known = new Set(hostedZones.flatMap(({ plan }) => plan.guard.releasedBy));
  const unknown = acknowledged.find((digest) => !known.has(digest));
  if (unknown !== undefined)
    throw new UsageError(
      `Cannot acknowledge ${unknown}: the guard holds no deletes with this digest now. "zone53 plan" shows what it holds. Nothing was done.`,
    );
}

/** True for a batch that a limit of the account refused: no other says `Throttling`. */
function isOfAccount(outcome: Awaited<ReturnType<HostedZones['change']>>): boolean {
  return outcome.kind === 'throttled' && outcome.isOfAccount === true;
}

/** A context that counts the changes that Route 53 accepts, for the progress line, and the calls by hosted zone. */
function withProgress(
  context: Context,
  total: number,
  progress: (text: string) => void,
  calls: Map<string, CallsOutput>,
): Context {
  const { hostedZones } = context.account;
  let published = 0;
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    const outcome = await hostedZones.change(id, changes, ...rest);
    const { sent, throttled } = calls.get(id) ?? NO_CALLS;
    // One for which the budget had no room was not sent.
    if (outcome.kind !== 'throttled' || outcome.unsent !== true)
      calls.set(id, { sent: sent + 1, throttled: throttled + Number(isOfAccount(outcome)) });
    // An update is sent as a DELETE and a CREATE of one record set.
    if (outcome.kind === 'accepted') published += new Set(changes.map((one) => recordSetId(one.recordSet))).size;
    progress(`published ${published} of ${total} changes`);
    return outcome;
  };
  return {
    ...context,
    account: { ...context.account, hostedZones: { ...hostedZones, change } },
  };
}

function planOptions({ acknowledged, refresh, reads, progress }: PlanRequest): PlanOptions {
  return { acknowledged, reads, onReleased: giveBack, ...(refresh ? { refresh: progress } : {}) };
}

/** For so long after a reading of files, further questions of the command are answered from it. */
const READING_MS_MAX = 2_000;

/** How to open what `plan` and `apply` work on. Warns of a state folder that looks wrong. */
function optionsOf({ store, refresh, log }: PlanRequest, readOnly: boolean) {
  const doubt = doubtState(store);
  if (doubt !== null) log('warn', doubt);
  const keeps = { remembersLookups: !refresh, keepsReadings: store.kind === 'folder' };
  return { readOnly, readingMsMax: READING_MS_MAX, keeps };
}
