// Checks every batch that is sent to Route 53, and every batch that is accepted: invariants I1 to I6.

import type { RecordSet, RecordSetChange, RecordSetKey } from '../../lib/dns/record-set.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { recordSetItemKey } from '../../lib/record-sets/record-set-item.ts';
import { checkGuard, namespaceAt } from './audit-guard.ts';
import { noteOurs } from './audit-history.ts';
import { checkText, isOwnershipText, mayTouch } from './audit-takeover.ts';
import { checkTogether } from './audit-together.ts';
import { type RunFacts, standingAt } from './auditor.ts';
import { checkKept } from './crds.ts';
import { checkServices, countsAsOthers } from './discovery/audit.ts';
import { CLUSTER_HOSTED } from './discovery/world.ts';
import { checkMoved } from './moved-names.ts';
import { FORBIDDEN, KEPT, VALUES_OF_B } from './names.ts';
import { isOfType, standingKey, textOf } from './record-set-texts.ts';
import { isKept } from './routed-records.ts';
import { type FunctionRun, sawThat, type World } from './world.ts';

const ELEMENTS_MAX = 1_000;
const CHARACTERS_MAX = 32_000;
/** The longest time of a Route 53 call that the lease allows for, in milliseconds. */
const CALL_MS = 15_000;

function isSoa({ recordSet }: RecordSetChange): boolean {
  return recordSet.type === 'SOA';
}

/** Checks the lease at the moment at which a run asks the budget for a call. */
export function checkAsked({ auditor, time }: World, run: FunctionRun, facts: RunFacts, id: string): void {
  if (!facts.leaseHeld || facts.leaseSeenAtMs !== time.ms)
    auditor.fail(
      'I4',
      `${run.id} asks for a batch without having seen in the same instant that it holds the lease of ${id}`,
    );
}

/** Checks the limits, the time left of the lease, and the intents, at the moment of sending. */
export function checkBatch(
  world: World,
  run: FunctionRun,
  facts: RunFacts,
  id: string,
  changes: readonly RecordSetChange[],
): void {
  const { auditor, time } = world;
  const leftMs = facts.leaseUntilMs - time.ms;
  if (leftMs < CALL_MS)
    auditor.fail(
      'I4',
      `${run.id} sends a batch to ${id} with ${leftMs} ms left of its lease, and a call takes ${CALL_MS}`,
    );
  checkShape(world, id, changes);
  for (const change of changes) if (!isSoa(change)) checkIntent(world, id, change, changes);
  checkTogether(world, run, facts, id, changes);
}

function apexOf({ route53 }: World, id: string): string | undefined {
  return route53.recordSets(id).find(({ type }) => type === 'SOA')?.name;
}

function checkShape(world: World, id: string, changes: readonly RecordSetChange[]): void {
  const { auditor } = world;
  let elements = 0;
  let characters = 0;
  const apex = apexOf(world, id);
  for (const { action, recordSet } of changes) {
    const values = recordSet.content.kind === 'values' ? recordSet.content.values : [''];
    const times = action === 'UPSERT' ? 2 : 1;
    elements += times * values.length;
    characters += times * values.reduce((sum, value) => sum + value.length, 0);
    if (recordSet.type === 'NS' && recordSet.name === apex)
      auditor.fail('I3', `a batch touches the NS set of ${apex} itself`);
    if ((action === 'UPSERT') !== (recordSet.type === 'SOA'))
      auditor.fail('I3', `a batch has ${action} ${recordSet.name} ${recordSet.type}`);
  }
  if (elements > ELEMENTS_MAX || characters > CHARACTERS_MAX)
    auditor.fail('I3', `a batch has ${elements} elements, ${characters} characters`);
  if (changes.some(isSoa) && changes.length > 1) auditor.fail('I3', 'the SOA is not alone in its batch');
  const atApex = changes.filter(({ recordSet }) => recordSet.name === apex);
  if (atApex.length > 0 && atApex.length < changes.length) auditor.fail('I3', `a batch mixes ${apex} with other names`);
}

/** Every change has its intent in the ledger before it is sent. Deleted record sets of strangers may have no item. */
function checkIntent(world: World, id: string, change: RecordSetChange, changes: readonly RecordSetChange[]): void {
  const { recordSet } = change;
  const { partition, sort } = recordSetItemKey(id, recordSet);
  const item = world.auditor.shadow.items.get(`${partition} ${sort}`) as JsonObject | undefined;
  const { writer, strangerAtMs } = standingAt(world.auditor.shadow, id, recordSet);
  const isNeighbour = writer === 'stranger';
  // The stranger who wrote it may have deleted it since the run looked.
  if (item === undefined && change.action === 'DELETE' && strangerAtMs !== undefined) return;
  const made = changes.findLast(
    (one) => one.action === 'CREATE' && standingKey(id, one.recordSet) === standingKey(id, recordSet),
  );
  const wanted = textOf(made?.recordSet.content);
  const intent = item?.intent as { content: unknown } | null | undefined;
  if (intent == null) {
    if (!isNeighbour)
      world.auditor.fail('I5', `${recordSet.name} ${recordSet.type} is sent without an intent in the ledger`);
  } else if (textOf(intent.content) !== wanted && change.action === 'CREATE') {
    world.auditor.fail(
      'I5',
      `${recordSet.name} ${recordSet.type} is sent as ${wanted}, its intent says ${textOf(intent.content)}`,
    );
  }
}

/** Checks an accepted batch: no foreign record set was touched, every delete has a reason, the guard was obeyed. */
export function checkAccepted(world: World, facts: RunFacts, id: string, changes: readonly RecordSetChange[]): void {
  const { auditor, time } = world;
  const { shadow } = auditor;
  const item = shadow.items.get(`hostedzones ${id}`);
  if (facts.epoch !== item?.epoch) {
    sawThat(world, 'a batch of a stale epoch landed');
    if (time.ms - facts.sentAtMs <= CALL_MS && facts.sentAtMs > 0 && !world.direct)
      auditor.fail(
        'I4',
        `a batch of epoch ${facts.epoch} landed in epoch ${String(item?.epoch)}, within ${CALL_MS} ms`,
      );
  }
  const keys = new Map(changes.map((change) => [standingKey(id, change.recordSet), change.recordSet]));
  const deleted: RecordSet[] = [];
  const texts: { readonly text: RecordSet; readonly before: string | undefined }[] = [];
  for (const [key, set] of keys) {
    const { name, type } = set;
    const standing = standingAt(shadow, id, set);
    const made = changes.findLast((one) => one.action !== 'DELETE' && standingKey(id, one.recordSet) === key);
    const touchesStranger = standing.writer === 'stranger';
    if (touchesStranger && isOwnershipText(set)) texts.push({ text: set, before: standing.log.at(-1) });
    else if (touchesStranger && !mayTouch(world, id, standing))
      auditor.fail('I1', `${key} is a stranger's, and was changed`);
    if (type === 'SOA' && world.config.soa === 'created' && !id.startsWith('Zzone53:'))
      auditor.fail('I1', `the SOA of ${id} was changed, which zone53 did not make`);
    if (touchesStranger) sawThat(world, 'a record set was taken over');
    if (made === undefined && !touchesStranger && countsAsOthers(world, name, type, standing.log.at(-1)))
      deleted.push(set);
    const isParted = made === undefined && isSentInParts(world, id, set);
    if (made === undefined && !isParted && (name === KEPT || isKept(set)) && !hasMoved(world, id, set))
      auditor.fail('I2', `${key} was deleted, which was wanted all the time`);
    if (made === undefined && standing.writer === 'us') checkKept(world, key);
    if (made !== undefined) {
      checkMade(world, id, made);
      // The record set is back, so the deletion no longer counts. If it is gone later, somebody else may have deleted
      // it.
      shadow.deletions.splice(0, Number.POSITIVE_INFINITY, ...shadow.deletions.filter((one) => one.key !== key));
    }
    if (made !== undefined || facts.epoch === item?.epoch) noteOurs(standing, made);
    standing.log.push(made === undefined ? 'absent' : textOf(made.recordSet.content));
    if (made === undefined) standing.deletedAt = standing.log.length;
    standing.writer = made === undefined ? null : 'us';
  }
  for (const set of deleted) noteDelete(world, facts, id, set);
  for (const { text, before } of texts) checkText(world, facts, id, text, before, changes);
  checkGuard(world, id);
  checkServices(world, facts, id, [...keys.values()]);
  checkMoved(world);
}

/**
 * True for a record set of ours that now exists in another hosted zone of the same name. A Zone publishes into exactly
 * one. If a stranger and zone53 each made one, its record sets move from one to the other.
 */
function hasMoved(world: World, id: string, set: RecordSet): boolean {
  const place = standingKey('', set);
  return [...world.auditor.shadow.standing].some(([key, { writer }]) => {
    const other = key.slice(0, -place.length);
    return writer === 'us' && other !== id && key === other + place && apexOf(world, other) === apexOf(world, id);
  });
}

/** True for the delete of an update that the account does not take at once: it is under one intent with its create. */
export function isSentInParts({ auditor, changeBucket }: World, id: string, set: RecordSetKey): boolean {
  const { partition, sort } = recordSetItemKey(id, set);
  const intent = auditor.shadow.items.get(`${partition} ${sort}`)?.intent as { content: unknown } | null | undefined;
  return changeBucket !== null && intent != null && intent.content !== null;
}

function checkMade(world: World, id: string, { recordSet }: RecordSetChange): void {
  const { auditor, swarm, isOpen } = world;
  const apex = apexOf(world, id);
  if (apex === FORBIDDEN && isOpen) return;
  if (apex === FORBIDDEN)
    auditor.fail('I7', `${recordSet.name} ${recordSet.type} was written into ${apex}, which no operator allowed`);
  const values = recordSet.content.kind === 'values' ? recordSet.content.values : [];
  // The names of the cluster's own DNS need no delegation.
  if (id !== CLUSTER_HOSTED.id && swarm.denyB && values.some((value) => VALUES_OF_B.includes(value)))
    auditor.fail(
      'I7',
      `${recordSet.name} ${recordSet.type} ${values.join()} was written for namespace b, to which nothing was ever delegated`,
    );
}

/**
 * A delete counts if no other record set of its name and type is left or about to be published, now or when the run
 * read their items: while its batch waits for a turn, the others may be given up.
 */
function noteDelete(world: World, facts: RunFacts, id: string, set: RecordSet): void {
  const { standing, items, deletions } = world.auditor.shadow;
  const stands = [...standing].some(([key, { writer }]) => writer === 'us' && isOfType(key, id, set));
  const isSibling = (key: string, { name, type }: Partial<Record<'name' | 'type', unknown>>) =>
    key.startsWith(`recordsets#${id} `) && name === set.name && type === set.type;
  const isNoted = [...items].some(([key, body]) => {
    return isSibling(key, body) && body.desired != null && (body.published != null || body.intent != null);
  });
  const wasNoted = [...facts.staying].some(([key, other]) => isSibling(key, other));
  if (stands || isNoted || wasNoted) sawThat(world, 'a record set was deleted beside others of its name and type');
  else {
    const key = standingKey(id, set);
    const namespace = namespaceAt(world.auditor.shadow, id, key);
    deletions.push({ id, key, namespace, atMs: world.time.ms, ours: facts.ours });
  }
}
