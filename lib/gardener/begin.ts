// The first steps of an operation on a DNSRecord: it is noted in the ledger, in the metadata and in the status. Their
// order lets another run continue wherever this one dies:
//
//   ledger    the operation is pending           the next run continues, even if the annotation is gone by then
//   metadata  annotation removed, finalizer set  the contract wants both before any write to Route 53
//   status    Processing
import { formatRef, type ObjectRef } from '../objects/object-ref.ts';
import { type DnsRecord, isServed, isShootFailed, readDnsRecord } from '../sources/gardener/dns-record.ts';
import { type Decision, decide } from '../sources/gardener/lifecycle.ts';
import { FINALIZER, OPERATION_ANNOTATION, processingStatus, publishes } from '../sources/gardener/status.ts';
import { type DnsRecordDeps, ownerOf, type Server, type Work } from './deps.ts';
import {
  changeDnsRecord,
  type DnsRecordItem,
  dnsRecordCodec,
  dnsRecordKey,
  ofObject,
  readDnsRecordItem,
} from './items/dns-record-item.ts';
import { forgetItems, forgetUnsent } from './items/forget-items.ts';
import { isRestacked } from './prepare.ts';
import { endTurn, isOurs, waitSeconds, withTurn } from './turn.ts';

type Run = Extract<Decision, { kind: 'run' }>;

export type BeginOptions = {
  /** Also checks records for which no operation is requested: do their record sets still exist? */
  readonly checks?: boolean;
  /** Sends a new hint for a record that waits for its next try, in case the queue lost the earlier one. */
  readonly remembers?: boolean;
  /** Tries failed operations at once, without their pause. */
  readonly isHurried?: boolean;
};

/** How often an object is read again if others write it meanwhile. */
const TRIES_MAX = 5;
/** The namespace of the garden's own DNSRecords. They belong to no shoot. */
const GARDEN = 'garden';

/** Begins the operation that an object needs. Null: it needs none, it waits, or nothing is left to do. */
export async function begin(deps: DnsRecordDeps, ref: ObjectRef, options: BeginOptions): Promise<Work | null> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const begun = await beginOnce(deps, ref, options);
    if (begun !== 'changed') return begun;
  }
  await deps.queues.hint([ref], 1);
  return null;
}

async function beginOnce(deps: DnsRecordDeps, ref: ObjectRef, options: BeginOptions): Promise<Work | 'changed' | null> {
  const { seed } = deps;
  const { settings } = deps.server;
  const object = await seed.get(ref);
  if (object === null) return forgetGone(deps, ref);
  const record = readDnsRecord(object);
  if (record === null) return null;
  const stored = await readDnsRecordItem(deps, ref);
  if (!isOursToServe(record, stored?.item ?? null, settings)) return null;
  const item = ofObject(stored?.item ?? null, record.uid);
  const decision = decide(record, settings, item.pending, item.failure?.isOfCheck, isRestacked(record, item));
  switch (decision.kind) {
    case 'none':
      await endNothing(deps, record, stored?.item ?? null);
      return options.checks === true && hasSucceeded(record) ? check(deps, record, item) : null;
    case 'check':
      return (await isPaused(deps, record, item.failure?.nextAtMs ?? 0, options)) ? null : check(deps, record, item);
    case 'drop': {
      if (await isLeftAlone(deps, ref)) return null;
      await endNothing(deps, record, stored?.item ?? null);
      const written = await seed.patchMetadata({ ...record }, { annotations: { [OPERATION_ANNOTATION]: null } });
      return written.kind === 'changed' ? 'changed' : null;
    }
    case 'run':
      return beginRun(deps, record, decision, item, options);
    default:
      return decision satisfies never;
  }
}

/**
 * True for a DNSRecord that zone53 serves. That includes one whose type was edited away while its record sets exist:
 * its status reports the error.
 */
export function isOursToServe(record: DnsRecord, item: DnsRecordItem | null, settings: Server['settings']): boolean {
  return isServed(record, settings) || (item !== null && item.uid === record.uid && item.places.length > 0);
}

/** Clears a pending operation that is no longer requested, or that belongs to an earlier object of this name. */
async function endNothing(deps: DnsRecordDeps, record: DnsRecord, item: DnsRecordItem | null): Promise<void> {
  const isOver = (now: DnsRecordItem) =>
    isOurs(deps, now) || (now.uid !== record.uid && waitSeconds(deps, now) === null);
  if (item === null || item.pending === null || !isOver(item)) return;
  await changeDnsRecord(deps, record, (now) =>
    waitSeconds(deps, now) === null ? { ...now, pending: null, turn: null } : now,
  );
}

/** Clears the pending operation of an object that has changed or is gone since it was read, and sends a hint for it. */
async function abandon(deps: DnsRecordDeps, record: DnsRecord): Promise<null> {
  await endTurn(deps, record, (now) => ({ ...now, pending: null }));
  await deps.queues.hint([record.ref], 1);
  return null;
}

function hasSucceeded({ status: { lastOperation } }: DnsRecord): boolean {
  return lastOperation?.state === 'Succeeded' && lastOperation.type !== 'Migrate';
}

/** The check of a record for which no operation is requested; null if it need not be checked. */
async function check(deps: DnsRecordDeps, record: DnsRecord, item: DnsRecordItem): Promise<Work | null> {
  if (waitSeconds(deps, item) !== null || item.pending !== null) return null;
  if (record.deletionTimestamp !== null || item.places.length === 0) return null;
  if (await isLeftAlone(deps, record.ref)) return null;
  return { kind: 'check', record, operation: 'Reconcile', owner: ownerOf(deps.server.clusterId, record), item };
}

/** True for an object of a shoot that failed: neither it nor its record sets are changed. */
async function isLeftAlone({ seed }: DnsRecordDeps, { namespace }: ObjectRef): Promise<boolean> {
  return namespace !== GARDEN && isShootFailed(await seed.readShoot(namespace));
}

async function beginRun(
  deps: DnsRecordDeps,
  record: DnsRecord,
  run: Run,
  item: DnsRecordItem,
  options: BeginOptions,
): Promise<Work | 'changed' | null> {
  const { ref } = record;
  const { seed, clock } = deps;
  if (await isPaused(deps, record, pauseEndMs(record, run, item), options)) return null;
  if (await isLeftAlone(deps, ref)) return null;
  const { operation } = run;
  if (operation === 'Delete' && item.pending !== 'Delete' && (await goesWithCrd(deps, record))) return null;
  const owner = ownerOf(deps.server.clusterId, record);
  const noted = await changeDnsRecord(deps, record, (now) =>
    waitSeconds(deps, now) === null ? withTurn(deps, begunBy(run, now)) : now,
  );
  const busySeconds = waitSeconds(deps, noted);
  if (busySeconds !== null) {
    await deps.queues.hint([ref], busySeconds);
    return null;
  }
  const metadata = firstPatch(record, run);
  let begun = record;
  if (metadata !== null) {
    const written = await seed.patchMetadata({ ...record }, metadata);
    if (written.kind === 'changed') return 'changed';
    const read = written.kind === 'gone' ? null : readDnsRecord(written.object);
    if (read === null) return abandon(deps, record);
    begun = { ...read, annotations: record.annotations };
  }
  const isForgotten = operation === 'Delete' && !run.calls && !(await hasTraces(deps, owner, noted));
  if (!isForgotten) {
    const status = processingStatus(operation, clock.nowMs());
    const written = await seed.patchStatus(begun, status, begun.resourceVersion);
    // What was read before the turn may be older than what an earlier turn served.
    if (written.kind === 'changed') return 'changed';
    const read = written.kind === 'gone' ? null : readDnsRecord(written.object);
    if (read === null) return abandon(deps, record);
    begun = { ...begun, resourceVersion: read.resourceVersion };
  }
  return { kind: 'run', record: begun, operation, owner, item: isForgotten ? { ...noted, places: [] } : noted };
}

/** Gardener sets it on whatever it deletes itself. */
const CONFIRMATION_ANNOTATION = 'confirmation.gardener.cloud/deletion';
/** A deletion that is kept is looked at again after so many seconds. */
const KEPT_SECONDS = 300;

/**
 * True for a DNSRecord that Kubernetes deletes together with its CRD, and whose deletion nobody has confirmed. Its
 * record sets stay, and so does the object, because of its finalizer.
 */
async function goesWithCrd({ seed, queues, log }: DnsRecordDeps, record: DnsRecord): Promise<boolean> {
  if (seed.crd === undefined || record.annotations[CONFIRMATION_ANNOTATION] === 'true') return false;
  const state = await seed.crd();
  if (state.kind === 'since' || state.kind === 'none') return false;
  const why = state.kind === 'unread' ? state.message : 'the CRD of DNSRecords is being deleted';
  const message = `What it published stays: ${why}. To delete it, annotate it with ${CONFIRMATION_ANNOTATION}: "true".`;
  log('warn', 'a DNSRecord is deleted, and what it published stays', { object: formatRef(record.ref), reason: why });
  await seed.recordEvent(record, { type: 'Warning', reason: 'HeldByGuard', message });
  await queues.hint([record.ref], KEPT_SECONDS);
  return true;
}

/** The item when an operation is begun. If it was requested, an earlier error of a check no longer counts. */
function begunBy({ operation, asked }: Run, item: DnsRecordItem): DnsRecordItem {
  const { failure } = item;
  const isForgotten = asked && failure?.isOfCheck === true;
  return { ...item, pending: operation, failure: isForgotten ? { ...failure, isOfCheck: false } : failure };
}

/** True until `endMs`. If the run remembers, a hint is sent for that time. */
async function isPaused(
  { queues, clock }: DnsRecordDeps,
  { ref }: DnsRecord,
  endMs: number,
  { isHurried, remembers }: BeginOptions,
): Promise<boolean> {
  const waitMs = isHurried === true ? 0 : endMs - clock.nowMs();
  if (waitMs <= 0) return false;
  if (remembers === true) await queues.hint([ref], Math.ceil(waitMs / 1_000));
  return true;
}

/**
 * The end of the pause before a failed operation is tried again; 0: there is none. A new annotation, a new spec or a
 * pending operation ends the pause.
 */
function pauseEndMs(record: DnsRecord, run: Run, { failure, pending }: DnsRecordItem): number {
  const isSame = failure?.operation === run.operation && failure.generation === record.generation;
  return failure === null || !isSame || pending !== null || run.removesFirst ? 0 : failure.nextAtMs;
}

function firstPatch({ finalizers }: DnsRecord, { operation, removesFirst }: Run) {
  const adds = publishes(operation) && !finalizers.includes(FINALIZER);
  if (!removesFirst && !adds) return null;
  return {
    ...(removesFirst ? { annotations: { [OPERATION_ANNOTATION]: null } } : {}),
    ...(adds ? { finalizers: [...finalizers, FINALIZER] } : {}),
  };
}

/**
 * True if record sets of a deleted DNSRecord exist in Route 53, or may exist: a first creation that was reported as
 * failed may have landed. What was only desired is forgotten here, before the finalizer is removed. Otherwise the run
 * of another DNSRecord would still send it.
 */
async function hasTraces({ ledger }: DnsRecordDeps, owner: string, { places }: DnsRecordItem): Promise<boolean> {
  for (const { hostedZoneId, name, types } of places)
    if (!(await forgetUnsent(ledger, hostedZoneId, { owner, name, types }))) return true;
  return false;
}

/**
 * Forgets an object that is gone. If it was not deleted by an operation, its record sets stay in Route 53, and a log
 * line says so. An object that is created under its name meanwhile waits for this turn.
 */
async function forgetGone(deps: DnsRecordDeps, ref: ObjectRef): Promise<'changed' | null> {
  const { ledger, seed, log } = deps;
  const { clusterId } = deps.server;
  const key = dnsRecordKey(clusterId, ref);
  const stored = await readDnsRecordItem(deps, ref);
  if (stored === null || waitSeconds(deps, stored.item) !== null) return null;
  // The item may be that of a new object already. One that comes later changes the item before it is published.
  if ((await seed.get(ref)) !== null) return 'changed';
  const revision = await ledger.put(key, dnsRecordCodec.encode(withTurn(deps, stored.item)), stored.revision);
  if (revision === null) return 'changed';
  const { places, pending } = stored.item;
  const owner = ownerOf(clusterId, { ref });
  if (places.length > 0 && pending !== 'Delete')
    log('warn', 'a DNSRecord is gone without having been deleted; what it published stays', {
      object: formatRef(ref),
    });
  const isOurTurn = async () => (await readDnsRecordItem(deps, ref))?.revision === revision;
  for (const { hostedZoneId, name, types } of places)
    await forgetItems(ledger, hostedZoneId, { owner, name, types }, isOurTurn);
  await ledger.remove(key, revision);
  return null;
}
