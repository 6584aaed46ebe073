// The last steps of an operation: first the status, then the annotation and finalizers that were to stay until then,
// then the ledger.

import type { Stored } from '../ledger/item-codec.ts';
import { formatRef } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { backoff } from '../ports/backoff.ts';
import type { SeedWrite } from '../ports/seed/seed.ts';
import { type DnsRecord, readDnsRecord } from '../sources/gardener/dns-record.ts';
import {
  FINALIZER,
  failedStatus,
  OPERATION_ANNOTATION,
  type StatusPatch,
  succeededStatus,
} from '../sources/gardener/status.ts';
import { type DnsRecordDeps, type Failure, isForLater, type Outcome, type Work } from './deps.ts';
import { changeDnsRecord, type DnsRecordItem, dnsRecordKey, readDnsRecordItem } from './items/dns-record-item.ts';
import { forgetItems } from './items/forget-items.ts';
import { endTurn, isOurs, isOurTurn } from './turn.ts';

/** Seconds until work with the outcome `later` is tried again. */
const LATER_SECONDS = 2;
const MINUTE_MS = 60_000;
/** The pauses before a failed operation is tried again. They double. */
const PAUSE_MS_MAX = 14 * MINUTE_MS;
const failedPauseMs = backoff(10_000, PAUSE_MS_MAX);
const throttledPauseMs = backoff(30_000, PAUSE_MS_MAX);
/** The longest delay of a message in the queue. */
const HINT_SECONDS_MAX = 900;
/** How often metadata is written again if others write it meanwhile. */
const TRIES_MAX = 10;

export async function finish(deps: DnsRecordDeps, work: Work, outcome: Outcome): Promise<void> {
  await write(deps, work, outcome);
  deps.server.ended?.(work.record.ref);
}

async function write(deps: DnsRecordDeps, work: Work, outcome: Outcome): Promise<void> {
  if (work.kind === 'check') return finishCheck(deps, work, outcome);
  if (!(await isOurTurn(deps, work.record))) return deps.queues.hint([work.record.ref], LATER_SECONDS);
  switch (outcome.kind) {
    case 'later':
      await endTurn(deps, work.record, (item) => item);
      return deps.queues.hint([work.record.ref], LATER_SECONDS);
    case 'failed':
      return fail(deps, work, outcome);
    case 'done':
      return succeed(deps, work, outcome);
    default:
      return outcome satisfies never;
  }
}

/**
 * Ends a check. Only a problem of the record itself goes into its status, for the generation that was served last. An
 * account that does not answer is logged.
 */
async function finishCheck(deps: DnsRecordDeps, work: Work, outcome: Outcome): Promise<void> {
  const { status, generation } = work.record;
  const record = { ...work.record, generation: status.observedGeneration ?? generation };
  if (outcome.kind === 'done' && status.lastOperation?.state === 'Error') {
    const over = succeededStatus(record, work.operation, null, deps.clock.nowMs());
    const written = await deps.seed.patchStatus(record, over, record.resourceVersion);
    if (written.kind === 'written')
      await changeDnsRecord(deps, record, (item) => (isUntouched(work, item) ? { ...item, failure: null } : item));
  }
  if (outcome.kind !== 'failed') return;
  const isDrift = outcome.codes.length === 1 && outcome.codes[0] === 'ERR_CONFIGURATION_PROBLEM';
  if (isDrift) return fail(deps, { ...work, record }, outcome);
  deps.log('warn', 'a DNSRecord could not be checked', {
    object: formatRef(work.record.ref),
    reason: outcome.message,
  });
}

/** True if the item is still as the check read it: no operation was begun since, of this object or of a newer one. */
function isUntouched({ item }: Work, now: DnsRecordItem): boolean {
  return sameJson(now, item);
}

/**
 * Writes the status of an operation, unless another process has begun one since: that wrote the object, after it took
 * the turn. `changed`: nothing is written, and a hint is sent.
 */
async function patchStatus(
  deps: DnsRecordDeps,
  work: Work,
  build: (record: DnsRecord) => StatusPatch,
): Promise<SeedWrite> {
  const { seed, queues } = deps;
  let { record } = work;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const written = await seed.patchStatus(record, build(record), record.resourceVersion);
    if (written.kind !== 'changed') return written;
    const now = readDnsRecord(await seed.get(record.ref));
    if (now === null || now.uid !== record.uid) return { kind: 'gone' };
    if (!(await isOurTurn(deps, record))) break;
    record = { ...record, status: now.status, resourceVersion: now.resourceVersion };
  }
  await queues.hint([record.ref], LATER_SECONDS);
  return { kind: 'changed' };
}

/** The item of the object; null if there is none, or if it is that of another object of this name. */
async function ownItem(deps: DnsRecordDeps, { record }: Work): Promise<Stored<DnsRecordItem> | null> {
  const stored = await readDnsRecordItem(deps, record.ref);
  return stored?.item.uid === record.uid ? stored : null;
}

async function fail(deps: DnsRecordDeps, work: Work, failure: Failure): Promise<void> {
  const { record, operation } = work;
  const { seed, clock, queues, log } = deps;
  const { message: reason, codes } = failure;
  log('warn', 'a DNSRecord failed', { object: formatRef(record.ref), operation, codes, reason });
  const nowMs = clock.nowMs();
  const before = (await ownItem(deps, work))?.item.failure ?? null;
  const isSame = before?.operation === operation && before.generation === record.generation;
  const times = isSame ? before.times + 1 : 1;
  const pauseMs = pauseOf(failure, times);
  const isOfCheck = work.kind === 'check' || (isSame && before.isOfCheck);
  const next = { operation, generation: record.generation, times, nextAtMs: nowMs + pauseMs, isOfCheck };
  const noted = (item: DnsRecordItem): DnsRecordItem => ({ ...item, pending: null, failure: next });
  // Without this note, an error in the status is that of an operation, and a plain edit would be served.
  if (work.kind === 'check') {
    const written = await changeDnsRecord(deps, record, (item) => (isUntouched(work, item) ? noted(item) : item));
    if (written.failure !== next) return;
  }
  const build = (read: DnsRecord) => failedStatus(read, operation, failure, nowMs);
  const written =
    work.kind === 'check'
      ? await seed.patchStatus(record, build(record), record.resourceVersion)
      : await patchStatus(deps, work, build);
  if (written.kind === 'changed') return;
  // The hint comes first: once the pause is saved, a message that is delivered again does nothing until it is over.
  await queues.hint([record.ref], Math.min(HINT_SECONDS_MAX, Math.ceil(pauseMs / 1_000) + 1));
  if (work.kind !== 'check') await endTurn(deps, record, noted);
}

function pauseOf(failure: Failure, times: number): number {
  return (isForLater(failure) ? throttledPauseMs : failedPauseMs)(times);
}

async function succeed(
  deps: DnsRecordDeps,
  work: Work,
  { zone, left }: Extract<Outcome, { kind: 'done' }>,
): Promise<void> {
  const { seed, clock } = deps;
  const { record, operation } = work;
  deps.log('info', 'a DNSRecord is done', { object: formatRef(record.ref), operation });
  const isOver = operation === 'Delete' || operation === 'Migrate';
  // Otherwise the run of another DNSRecord might still publish what this one wanted, after nobody is responsible for
  // it.
  if (operation === 'Migrate') await forgetPlaces(deps, work);
  if (left !== null) await seed.recordEvent(record, { type: 'Warning', reason: 'RecordLeft', message: left });
  const build = (read: DnsRecord) => succeededStatus(read, operation, zone, clock.nowMs());
  const written = await patchStatus(deps, work, build);
  if (written.kind === 'changed') return;
  if (written.kind === 'written') await patchLast(deps, work, written);
  if (!isOver) {
    await endTurn(deps, record, (item) => ({ ...item, pending: null, failure: null }));
    return;
  }
  await forget(deps, work);
}

/** Removes the finalizer of a record that was never published, without writing a status. */
export async function releaseUnpublished(deps: DnsRecordDeps, work: Work): Promise<void> {
  const { seed } = deps;
  const object = await seed.get(work.record.ref);
  if (object !== null) await patchLast(deps, work, { kind: 'written', object });
  await forget(deps, work);
}

/** Removes the annotation and the finalizers that had to stay until the work was done. */
async function patchLast(deps: DnsRecordDeps, { record: begun, operation }: Work, first: SeedWrite): Promise<void> {
  const { seed } = deps;
  let written = first;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    if (written.kind === 'gone') return;
    const object = written.kind === 'written' ? written.object : await seed.get(begun.ref);
    const record = object === null ? null : readDnsRecord(object);
    if (record === null || record.uid !== begun.uid) return;
    // Another operation was begun since.
    const { type, state } = record.status.lastOperation ?? {};
    if (operation !== 'Delete' && (type !== operation || state !== 'Succeeded')) return;
    const patch = lastPatch(record, operation);
    if (patch === null) return;
    written = await seed.patchMetadata(record, patch);
    if (written.kind === 'written') return;
  }
  await deps.queues.hint([begun.ref], LATER_SECONDS);
}

/**
 * The last change of the metadata; null if there is none. An annotation is removed only if it asked for this operation:
 * somebody may have set another one since.
 */
function lastPatch({ finalizers, annotations }: DnsRecord, operation: Work['operation']) {
  const asked = operation === 'Restore' ? 'restore' : operation === 'Migrate' ? 'migrate' : null;
  const removes = asked !== null && annotations[OPERATION_ANNOTATION] === asked;
  const kept = operation === 'Migrate' ? [] : finalizers.filter((one) => one !== FINALIZER);
  const lets = (operation === 'Delete' || operation === 'Migrate') && kept.length < finalizers.length;
  if (!removes && !lets) return null;
  return {
    ...(removes ? { annotations: { [OPERATION_ANNOTATION]: null } } : {}),
    ...(lets ? { finalizers: kept } : {}),
  };
}

/** Removes all that the ledger has of the object. What it left in Route 53 stays there. */
async function forget(deps: DnsRecordDeps, work: Work): Promise<void> {
  const revision = await forgetPlaces(deps, work);
  if (revision !== null) await deps.ledger.remove(dnsRecordKey(deps.server.clusterId, work.record.ref), revision);
}

/** Forgets the object's record sets. Returns its item's revision; null if that is another object's or process's. */
async function forgetPlaces(deps: DnsRecordDeps, work: Work): Promise<string | null> {
  const stored = await ownItem(deps, work);
  if (stored === null || !isOurs(deps, stored.item)) return null;
  for (const { hostedZoneId, name, types } of stored.item.places)
    await forgetItems(deps.ledger, hostedZoneId, { owner: work.owner, name, types }, () =>
      isOurTurn(deps, work.record),
    );
  return stored.revision;
}
