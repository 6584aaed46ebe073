// Saves the guard's decision before anything is deleted: which names are held, and which are released by which
// acknowledgement. A released name stays noted until its deletes are done, so a crash or a refusal never requires the
// same acknowledgement twice. Each digest can be used once: an annotation that is not removed releases nothing more.
import { recordSetId, sameContent } from '../../dns/record-set.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { heldItemKey } from '../../record-sets/held-name.ts';
import { acknowledgedDigests, type HostedZoneItem, withAcknowledgements } from '../../record-sets/hosted-zone-item.ts';
import { changeUnderLease } from '../../record-sets/lease.ts';
import { storedContent } from '../../record-sets/record-set-item.ts';
import { withRefusal } from '../../record-sets/transitions.ts';
import { wakeForNames } from '../order/waits.ts';
import { namesAnswered } from '../plan/answers.ts';
import { isDone, nameOf } from '../plan/names.ts';
import { digestsSpent, type HostedZonePlan } from '../plan/plan-hosted-zone.ts';
import { runAgain } from '../plan/progress.ts';
import type { Withheld } from '../plan/withheld.ts';
import { type HeldMarks, markHeld } from './dirty-names.ts';
import { eachOf, itemOf, noteOutcome, type Run, saveItem } from './run.ts';
import { askerOf } from './waiting.ts';

/** Saves the refusals of these changes. Deletes that the guard holds get none: no object is left to report it. */
export async function withholdChanges(run: Run, withheld: readonly Withheld[]): Promise<void> {
  await eachOf(withheld, async ({ change, refusal }) => {
    const item = itemOf(run, change);
    if (item === null) return;
    const before = item.refusal;
    const isKnown =
      before?.reason === refusal.reason &&
      before.message === refusal.message &&
      sameContent(before.content, refusal.content);
    if (!isKnown) await saveItem(run, change, (now) => withRefusal(now, refusal));
  });
}

/** Saves what the guard holds and what it releases. False if the lease was lost. */
export async function noteGuard(run: Run, plan: HostedZonePlan, marks: HeldMarks): Promise<boolean> {
  const { guard } = plan;
  const nowMs = run.deps.clock.nowMs();
  const known = new Set(marks.keys());
  const message = guard.reasons.join(' ');
  // Logged first: if this run dies after it saved the marks, the next one cannot say why these are held.
  if (guard.digest !== null && guard.digest !== run.hostedZone.held?.digest) {
    const count = guard.held.length === 1 ? '1 delete' : `${guard.held.length} deletes`;
    run.deps.log('warn', `The guard holds ${count}: ${message}`, { hostedZoneId: run.lease.hostedZoneId });
  }
  await markHeld(run, marks, [...guard.held.map((change) => [change, null] as const), ...guard.released]);
  const shown = [...guard.tied, ...guard.held.filter(({ after }) => after !== null)];
  const tied = shown.map((change) => {
    const content = storedContent(change.after);
    return { change, refusal: { reason: 'HeldByGuard' as const, message, content, atMs: nowMs } };
  });
  await withholdChanges(run, tied);
  noteOutcome(run, [...guard.held, ...guard.tied], 'held', message, ({ name }) => !known.has(name));
  const spent = digestsSpent(plan);
  if (!acknowledgedDigests(run.hostedZone).some((digest) => spent.includes(digest))) return true;
  const spend = (item: HostedZoneItem) => withAcknowledgements(item, spent, 'spent');
  return (await changeUnderLease(run.deps.ledger, run.lease, spend)) !== null;
}

/**
 * Removes the held marks of names whose deletes are done or no longer planned. Released names that were not reached, or
 * that failed, are marked dirty: a held mark alone starts no run, and nobody acknowledges these deletes again.
 */
export async function clearHeldMarks(run: Run, plan: HostedZonePlan, marks: HeldMarks): Promise<void> {
  const stillHeld = new Set(plan.guard.held.map((change) => change.name));
  const open = new Set<string>();
  for (const change of plan.changes) {
    const item = run.items.get(recordSetId(change))?.item;
    const isOpen =
      change.action === 'delete'
        ? (item?.published ?? null) !== null
        : item?.lost !== undefined || (marks.has(change.name) && !sameContent(item?.published ?? null, change.after));
    // A released delete that Route 53 refused keeps its mark, so that the next try needs no new acknowledgement.
    const refused = item?.refusal !== null && marks.get(change.name)?.item.released !== true;
    if (isOpen && !refused) open.add(change.name);
  }
  const answered = namesAnswered(run.items, plan.go, plan.guard.held);
  if (answered.size > 0) runAgain(run, 0);
  const isFreed = (name: string) => !stillHeld.has(name) && !open.has(name) && !nameOf(run.names, name).stays;
  await wakeForNames(askerOf(run), [...marks.keys()].filter(isFreed));
  await eachOf(marks, async ([name, mark]) => {
    const { ledger, clock } = run.deps;
    const { hostedZoneId } = run.lease;
    const known = nameOf(run.names, name);
    if (answered.has(name)) await markDirty(ledger, hostedZoneId, name, clock.nowMs());
    else if (isFreed(name)) await ledger.remove(heldItemKey(hostedZoneId, name), mark.revision);
    else if (!isDone(known) && mark.item.released && known.mark === null)
      await markDirty(ledger, hostedZoneId, name, clock.nowMs());
  });
}
