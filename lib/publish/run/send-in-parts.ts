// Sends changes that must be applied together, but are more than Route 53 takes at once: in several calls, under one
// write intent for each record set.
//
//   deletes   first; from now on the record sets are absent
//   texts     the TXT record sets of external-dns, which would say that it owns what is created next
//   creates   last; if the run dies before them, the next run begins with them (isAbsent)
import { type RecordSetItem, storedTexts } from '../../record-sets/record-set-item.ts';
import { typesAnswered } from '../plan/answers.ts';
import { eachOf, itemOf, noteOutcome, type Run, saveItem } from './run.ts';
import { changeCount, changesTaken, dropIntents, type Part, type Step, type Tried, trySteps } from './send-batch.ts';

const PARTS = ['deletes', 'texts', 'creates'] as const satisfies readonly Part[];

const NOTE =
  'Published in two batches, because Route 53 takes one record change at a time now: it was absent for a moment.';

/** True for a record set of which the delete was sent, and not the create: nothing answers for it now. */
export function isAbsent(item: RecordSetItem | null): boolean {
  return item?.inTwoBatches === true && item.published === null && item.desired !== null;
}

/** What became of the changes; never `throttled`. `left`: those that are not through, if the run goes on. */
type InParts = { readonly tried: Tried; readonly left: readonly Step[] };

/** Applies these changes in as many calls as it takes. @throws any error of the ledger. The intents stay then. */
export async function sendInParts(run: Run, unit: readonly Step[]): Promise<InParts> {
  const answered = typesAnswered(run.items, unit);
  let left = await withTextsOfOthers(run, unit);
  let most = Math.max(1, Math.floor(unit.reduce((sum, step) => sum + changeCount(step), 0) / 2));
  for (const part of PARTS) {
    for (let here = left.filter(isIn(part)); here.length > 0; here = left.filter(isIn(part))) {
      const atOnce =
        part === 'texts' ? 1 : Math.min(most, await changesTaken(run.deps.hostedZones, here.length, run.hostedZone.id));
      const some = here.slice(0, atOnce);
      const tried = await trySteps(run, part === 'creates' ? some : some.map(sendingPart(part)), { part, answered });
      if (tried.kind === 'throttled') most = Math.max(1, Math.floor(some.length / 2));
      else if (tried.kind !== 'done') return { tried, left };
      else if (!some.every((step) => isThrough(itemOf(run, step), part, step))) {
        // Somebody has asked for the next run, which finds out.
        const open = left.filter((step) => itemOf(run, step)?.refusal == null);
        await dropIntents(run, open);
        noteOutcome(run, open, 'failed', 'Waits for the next run: it is not known whether a part of it is through.');
        return { tried, left: [] };
      } else left = left.flatMap((step) => (some.includes(step) ? restOf(step, part) : [step]));
    }
    if (part === 'deletes' && unit.some(({ after }) => after === null)) left = await noteAbsent(run, left);
  }
  return { tried: { kind: 'done' }, left: [] };
}

/**
 * Moves the TXT record sets of what is not ours, and goes because it is in the way, to what is created instead: its
 * item remembers them if the run dies in between.
 */
async function withTextsOfOthers(run: Run, unit: readonly Step[]): Promise<readonly Step[]> {
  const texts = unit.flatMap((step) => (itemOf(run, step) === null ? (step.also ?? []) : []));
  const heir = unit.find((step) => itemOf(run, step) !== null && step.after !== null);
  if (heir === undefined || texts.length === 0) return unit;
  const also = [...(heir.also ?? []), ...texts];
  await saveItem(run, heir, (item) => ({ ...item, texts: storedTexts(also) }));
  return unit.map((step) =>
    step === heir ? { ...step, also } : itemOf(run, step) === null ? { ...step, also: [] } : step,
  );
}

/** True for a change of which this part is still to be sent. */
function isIn(part: Part): (step: Step) => boolean {
  return ({ action, before, after, also = [] }) => {
    if (part === 'texts') return also.length > 0;
    if (action === 'adopt' || action === 'forget') return false;
    return part === 'deletes' ? before !== null : before === null && after !== null;
  };
}

/** The change with the TXT record set of external-dns that is sent now, if any, and those that are left. */
function sendingPart(part: Part): (step: Step) => Step {
  const count = part === 'texts' ? 1 : 0;
  return (step) => ({ ...step, also: step.also?.slice(0, count) ?? [], textsLeft: step.also?.slice(count) ?? [] });
}

/** What is left of a change after this part of it. */
function restOf(step: Step, part: Part): readonly Step[] {
  const also = part === 'texts' ? (step.also ?? []).slice(1) : (step.also ?? []);
  if (part === 'deletes' && step.after !== null) return [{ ...step, action: 'create', before: null, note: NOTE }];
  if (part === 'creates' || (also.length === 0 && step.action !== 'create')) return [];
  return [{ ...step, also, ...(part === 'deletes' && { action: 'adopt', before: null }) }];
}

/** False if the outcome of a part is not known, or another run has the record set. */
function isThrough(item: RecordSetItem | null, part: Part, { action, after }: Step): boolean {
  if (item === null) return true;
  if (part === 'deletes') return item.published === null && (after === null || item.intent !== null);
  return part === 'creates' ? item.published !== null : action !== 'create' || item.intent !== null;
}

/** Notes of what takes the place of deleted record sets that nothing answers now. */
async function noteAbsent(run: Run, left: readonly Step[]): Promise<readonly Step[]> {
  const creates = left.filter(isIn('creates'));
  await eachOf(creates, (step) => saveItem(run, step, (item) => ({ ...item, inTwoBatches: true })));
  return left.map((step) => (creates.includes(step) ? { ...step, note: NOTE } : step));
}
