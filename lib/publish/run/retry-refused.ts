// Judges units that Route 53 refused: changes that are only applied together (tied-changes.ts). Is the record set
// foreign, changed by hand, gone, or is its content wrong? Route 53's message says which; where it leaves that open,
// the name is read. If the change can be made from what Route 53 has there now, it is tried again, a few times. A
// record set that is not ours is never touched without a takeover.
import { type RecordSet, type RecordSetContent, sameContent } from '../../dns/record-set.ts';
import { judgeReading, mayTake, showObstacle, showStanding, type Taking } from '../../record-sets/judge-reading.ts';
import { type RecordSetItem, storedTexts } from '../../record-sets/record-set-item.ts';
import { takesOver } from '../../record-sets/state.ts';
import {
  isOurs,
  isTakenOver,
  objectsOf,
  refusedAlone,
  withoutClaim,
  withPublished,
  withRefusal,
} from '../../record-sets/transitions.ts';
import { batchChanges } from '../../route53/batch-changes.ts';
import { factKinds, isUnclear, parseRefusal } from '../../route53/refusal-messages.ts';
import {
  type BlameOf,
  blameByWords,
  blameNeighbours,
  guiltyOf,
  isBlame,
  splitByNames,
  splitUnit,
} from '../existing/blame.ts';
import {
  contentAt,
  deleteOfNeighbour,
  hasLanded,
  isTakeable,
  neighboursOf,
  sameChange,
  sharingNeighbours,
  startingFrom,
  type View,
  withoutTwins,
} from '../existing/neighbours.ts';
import { mayBeProtected, type ProtectedUnit, unitsProtected } from '../existing/protected.ts';
import { takingOf } from '../existing/takings.ts';
import { awaitTarget } from '../order/awaited-targets.ts';
import { noteRefused, wasRejected } from '../plan/names.ts';
import { OUTCOME_OF } from '../plan/outcome.ts';
import { countForeignLook, countRefused, hasRefusedEnough, leaveOver, runAgain } from '../plan/progress.ts';
import { refusalIn } from '../plan/withheld.ts';
import type { Next, RefusedUnit, Work } from './after-batch.ts';
import { shieldsBehind } from './protections.ts';
import { readNames, takingsIn } from './read-back.ts';
import { eachOf, isUnrefused, itemOf, momentOf, noteOutcome, type Run, saveItem } from './run.ts';
import { dropIntents, type Step, setApart, type Tried, trySteps } from './send-batch.ts';

/** A name may change while it is read. After so many readings the next run continues. */
const LOOKS_MAX = 3;
/** How many foreign record sets one run reads so that its messages can show their content. */
const FOREIGN_LOOKS_MAX = 10;

type Blame = BlameOf<Step>;

async function refuseUnit(run: Run, unit: readonly Step[], blame: Blame, isNamed: boolean): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  const ours = unit.filter((step) => itemOf(run, step) !== null);
  // As the next run plans it, whatever was read meanwhile.
  const planned = ours.map((step) => ({ ...step, before: itemOf(run, step)?.published ?? null }));
  const guilty = planned[ours.indexOf(blame.step)] ?? blame.step;
  for (const [index, step] of ours.entries()) {
    const refusal = refusalIn(planned, planned[index] ?? step, { ...blame, atMs: nowMs }, guilty);
    const isNews = isUnrefused(run, step);
    // This comes before the refusal is saved: if the run dies in between, the alias is tried again.
    if (blame.reason === 'Rejected') await awaitTarget({ ...run.deps, ...run.lease, items: run.items }, step);
    const refused = (now: RecordSetItem) => ({
      ...withRefusal(now, refusal),
      refused: refusedAlone(now.refused, nowMs, isNamed),
    });
    const { standing } = blame;
    const isRead = step === blame.step && standing !== undefined;
    await saveItem(run, step, refused, isRead ? { standing } : {});
    noteOutcome(run, [step], OUTCOME_OF[blame.reason], refusal.message, () => isNews);
    noteRefused(run.names, step, 'now');
  }
}

/** Refuses units that somebody protects. */
export async function refuseProtected(run: Run, units: readonly ProtectedUnit<Step>[]): Promise<readonly Work[]> {
  await eachOf(units, async ({ steps, shield: { message, ...shield } }) => {
    const [step] = steps;
    if (step !== undefined) await refuseUnit(run, steps, { step, reason: 'Protected', message, shield }, true);
  });
  return [];
}

/** Judges one step by what was read: returns what to try next (null: nothing), or who prevents it. */
async function stepAfterLook(
  run: Run,
  step: Step,
  actual: RecordSetContent | null,
  { words, sinceMs, taking }: { readonly words: string; readonly sinceMs: number; readonly taking?: Taking },
): Promise<Step | Blame | null> {
  const item = itemOf(run, step);
  if (item === null) return actual === null ? null : { ...step, before: actual };
  const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs, refused: true, ...(taking && { taking }) };
  const { finding, item: news } = judgeReading(item, actual, sight);
  const also = taking?.texts ?? [];
  const sharedTexts = taking?.sharedTexts ?? [];
  if (finding === 'foreign' || finding === 'drifted') {
    if (mayTake(item, actual, sight))
      return { ...step, ...startingFrom(step, actual), also, sharedTexts, tookOver: true };
    const reason = finding === 'foreign' ? 'ForeignRecord' : 'Drifted';
    if (finding === 'foreign') countForeignLook(run);
    const obstacle = showObstacle(item, finding, { actual, wanted: step.after }, taking);
    return { step, reason, message: `${obstacle} Route 53: ${words}`, standing: actual };
  }
  if ((step.also ?? []).length > 0) {
    // Another instance of external-dns has claimed it since: it may no longer be taken over.
    if (taking?.note != null && !isTakenOver(item)) {
      await saveItem(run, step, withoutClaim);
      const message = `Route 53 has ${showStanding(step, actual)}. ${taking.note}`;
      return { step, reason: 'ForeignRecord', message, standing: actual };
    }
    if (also.length > 0) return { ...step, before: actual, also, sharedTexts };
    await saveItem(run, step, (now) => ({ ...now, texts: [], sharedTexts: storedTexts(sharedTexts) }));
  }
  if (news !== null) await saveItem(run, step, (now) => judgeReading(now, actual, sight).item, { isRefused: true });
  if (sameContent(actual, step.after)) {
    // This is also reached if only TXT records of external-dns were left to delete, and a run that died deleted them.
    await dropIntents(run, [step]);
    const message = actual === null ? 'It was already gone.' : 'Route 53 already has the desired content.';
    noteOutcome(run, [step], 'published', message);
    return null;
  }
  return { ...step, ...startingFrom(step, actual), also };
}

/** Saves these record sets as published by us. The next run plans with them, and the guard counts their deletes. */
async function noteLanded(run: Run, landed: readonly RecordSet[], unit: readonly Step[]): Promise<void> {
  for (const set of landed) {
    await saveItem(run, set, (now) =>
      isOurs(now, set.content) ? withPublished(momentOf(run), now, set.content, { objects: objectsOf(now) }) : null,
    );
  }
  await dropIntents(run, unit);
  const set = `${landed[0]?.type} ${landed[0]?.name}`;
  noteOutcome(run, unit, 'failed', `Waits for the next run: an earlier write of ${set} has arrived late.`);
  runAgain(run, 0);
}

type Looked =
  | { readonly kind: 'over' }
  | { readonly kind: 'blame'; readonly steps: readonly Step[]; readonly blame: Blame }
  | { readonly kind: 'next'; readonly steps: readonly Step[]; readonly moved: boolean };

/** Judges units whose names cannot be read: Route 53's words alone decide, or a later run does. */
async function judgeUnread(run: Run, units: readonly RefusedUnit[]): Promise<Next[]> {
  const { stop, denied } = run.progress.ending;
  await eachOf(units, async (unit) => {
    const { steps, words, isNamed } = unit;
    if (stop !== null) return dropIntents(run, steps);
    const mayTakeOver = (item: RecordSetItem) => takesOver(item, run.hostedZone);
    const blame = blameByWords(unit, (step) => itemOf(run, step), mayTakeOver);
    if (blame !== null) return refuseUnit(run, steps, blame, isNamed);
    await setApart(run, steps, 1);
    noteOutcome(run, steps, 'failed', `Route 53: ${words.join('; ')}. ${denied}`);
  });
  return [];
}

/** Judges a unit by what Route 53 has at its name: is it over, does somebody prevent it, or what is tried next? */
async function lookAtUnit(run: Run, { steps, words }: RefusedUnit, view: View): Promise<Looked> {
  const { actual, sinceMs, takings } = view;
  const at = { words: words.join('; '), sinceMs };
  const neighbours = neighboursOf(steps, actual, run.items, takings);
  const left: Step[] = [];
  const next: (Step | Blame)[] = [];
  for (const step of steps) {
    const after = await stepAfterLook(run, step, contentAt(actual, step), { ...at, ...takingOf(takings, step) });
    if (after === null) continue;
    left.push(step);
    next.push(after);
  }
  const landed = neighbours.filter((set) => hasLanded(run.items, set));
  if (landed.length > 0) {
    await noteLanded(run, landed, left);
    return { kind: 'over' };
  }
  const inTheWay = neighbours.filter((set) => !isTakeable(takings, set));
  const mayReplace = (item: RecordSetItem) => takesOver(item, run.hostedZone);
  const beside = blameNeighbours(steps, { inTheWay, takings, text: at.words }, (step) => itemOf(run, step), mayReplace);
  const blame = next.find(isBlame) ?? beside;
  if (blame !== null) return { kind: 'blame', steps: left, blame };
  const open = next.filter((one): one is Step => !isBlame(one));
  const step = guiltyOf(left);
  if (step === undefined) return { kind: 'over' };
  const moved = neighbours.length > 0 || open.some((one) => !steps.some((old) => sameChange(old, one)));
  if (!moved && isUnclear(words))
    return { kind: 'blame', steps: left, blame: { step, reason: 'Rejected', message: at.words } };
  const taken = neighbours.map((set) => deleteOfNeighbour(set, steps[0]?.objects ?? [], takings));
  return { kind: 'next', steps: [...taken, ...open], moved };
}

/** Refuses the units that somebody protects, and returns the others. */
async function withoutProtected(run: Run, units: readonly RefusedUnit[]): Promise<readonly RefusedUnit[]> {
  const asked = units.filter(({ words }) => mayBeProtected(words));
  if (asked.length === 0) return units;
  const [steps, words] = [asked.flatMap((unit) => unit.steps), asked.flatMap((unit) => unit.words)];
  const shields = await shieldsBehind(run, steps, words);
  const left: RefusedUnit[] = [];
  for (const unit of units) {
    const found = unitsProtected([unit.steps], asked.includes(unit) ? shields : []);
    await refuseProtected(run, found.units);
    if (found.others.length > 0) left.push({ ...unit, steps: found.others });
  }
  return left;
}

/** Judges units by Route 53's words, and the others by one reading of their names. Returns the units to try again. */
async function judgeUnits(run: Run, refused: readonly RefusedUnit[]): Promise<Next[]> {
  const units = await withoutProtected(run, refused);
  const open: RefusedUnit[] = [];
  const blamed: (Pick<RefusedUnit, 'steps' | 'isNamed'> & { readonly blame: Blame })[] = [];
  let looks = run.progress.calls.foreignLooks;
  for (const unit of units) {
    const kinds = factKinds(parseRefusal(unit.words), unit.words);
    // What reading a foreign record set adds to the message, or to unclear words, is worth a call for the first few.
    const mayLook = (one: RecordSetItem) =>
      takesOver(one, run.hostedZone) ||
      one.takesEqual === true ||
      (looks < FOREIGN_LOOKS_MAX && (kinds.has('exists') || !wasRejected(run.names, one)));
    const blame = blameByWords(unit, (step) => itemOf(run, step), mayLook);
    if (blame !== null) blamed.push({ ...unit, blame });
    else open.push(unit);
    if (blame === null && (kinds.has('exists') || kinds.has('other'))) looks += 1;
  }
  await eachOf(blamed, ({ steps, blame, isNamed }) => refuseUnit(run, steps, blame, isNamed));
  const sinceMs = run.deps.clock.nowMs();
  const steps = open.flatMap((unit) => unit.steps);
  const actual = await readNames(run, steps);
  if (actual === null) return judgeUnread(run, open);
  const takings = await takingsIn(run, actual, steps, neighboursOf(steps, actual, run.items));
  const next: Next[] = [];
  for (const unit of open) {
    const judged = await lookAtUnit(run, unit, { actual, sinceMs, takings });
    if (judged.kind === 'blame') {
      const { held, free } = splitUnit(judged.steps, judged.blame);
      await refuseUnit(run, held, judged.blame, unit.isNamed);
      if (free.length > 0) next.push({ ...unit, steps: free, moved: true });
    }
    if (judged.kind === 'next') next.push({ ...unit, steps: judged.steps, moved: judged.moved });
  }
  return next;
}

/** Leaves with us what could not be given away: nothing is wrong with what is published. Returns the other units. */
async function withoutForgets(run: Run, units: readonly RefusedUnit[]): Promise<readonly RefusedUnit[]> {
  const forgets = units.filter(({ steps }) => steps.some(({ action }) => action === 'forget'));
  await eachOf(forgets, async ({ steps, words }) => {
    await dropIntents(run, steps);
    noteOutcome(run, steps, 'rejected', `Route 53: ${words.join('; ')}. It stays with zone53.`);
  });
  return units.filter((unit) => !forgets.includes(unit));
}

/**
 * Judges units that Route 53 refused. Returns the work of trying again those that can be applied to what Route 53 has
 * there now: all in one call, apart from units that were refused in earlier runs.
 */
export async function judgeRefused(run: Run, units: readonly RefusedUnit[]): Promise<readonly Work[]> {
  const next = await judgeUnits(run, await withoutForgets(run, units));
  const wasRefused = ({ steps }: Next) => steps.some((step) => itemOf(run, step)?.refused != null);
  const groups = Map.groupBy(sharingNeighbours(next), (sharing) => sharing.some(wasRefused));
  return [groups.get(false), groups.get(true)].flatMap((some) => retrying((some ?? []).flat(), next));
}

function retrying(units: readonly Next[], all: readonly Next[]): readonly Work[] {
  return units.length === 0 ? [] : [{ kind: 'retry', units, all }];
}

/** Judges `some` once more if they are sent apart: a TXT record that speaks for several must go with the last one. */
async function judgedApart(run: Run, some: readonly Next[], all: readonly Next[]): Promise<readonly Next[]> {
  const isApart = some.length > 0 && some.length < all.length;
  const takesTexts = all.some(({ steps }) => steps.some(({ also = [] }) => also.length > 0));
  return isApart && takesTexts ? judgeUnits(run, some) : some;
}

/**
 * Tries judged units of `all` in one call. If that call is refused, or too large, each unit is tried alone, but those
 * that Route 53 does not name, or that replace the same record sets, together first.
 */
export async function retryTogether(run: Run, units: readonly Next[], all: readonly Next[]): Promise<readonly Work[]> {
  const next = await judgedApart(run, units, all);
  if (next.length < 2) return next.map((unit) => ({ kind: 'alone', unit, looks: 1 }));
  const steps = withoutTwins(next.flatMap((unit) => unit.steps));
  let parts: readonly (readonly Next[])[] = [];
  if (batchChanges(steps, { apex: run.hostedZone.name }).length === 1) {
    const tried = await trySteps(run, steps);
    if (tried.kind === 'done') return [];
    if (tried.kind !== 'refused' && tried.kind !== 'throttled') return takeBackIntents(run, next, tried);
    if (tried.kind === 'refused') {
      countRefused(run);
      if (!hasRefusedEnough(run)) parts = splitByNames(next, tried.messages);
    }
  }
  const groups = parts.length > 1 ? parts : sharingNeighbours(next);
  return (groups.length > 1 ? groups : next.map((unit) => [unit])).flatMap((group) => retrying(group, next));
}

/** Tries one unit. If it is refused, its name is read again, a few times. `looks`: how often it has been tried. */
export async function retryAlone(run: Run, unit: Next, looks: number): Promise<readonly Work[]> {
  if (hasRefusedEnough(run)) {
    await setApart(run, unit.steps, 1);
    noteOutcome(run, unit.steps, 'failed', `Not tried again yet. Route 53: ${unit.words.join('; ')}`);
    leaveOver(run);
    return [];
  }
  const tried = await trySteps(run, unit.steps);
  if (tried.kind === 'done') return [];
  if (tried.kind === 'throttled') return [{ kind: 'parts', unit: unit.steps }];
  if (tried.kind !== 'refused') return takeBackIntents(run, [unit], tried);
  countRefused(run);
  if (looks === LOOKS_MAX) return giveUp(run, unit, tried.messages.join('; '));
  const [again] = await judgeUnits(run, [{ ...unit, words: tried.messages }]);
  if (again === undefined) return [];
  // Two readings showed the same: the next try would be refused again.
  if (!unit.moved && !again.moved) return giveUp(run, again, tried.messages.join('; '));
  return [{ kind: 'alone', unit: again, looks: looks + 1 }];
}

/** Removes the intents of units that were not tried to the end. Their names stay dirty. */
async function takeBackIntents(run: Run, units: readonly RefusedUnit[], tried: Tried): Promise<readonly Work[]> {
  for (const { steps } of units) {
    await dropIntents(run, steps);
    if (tried.kind === 'denied') noteOutcome(run, steps, 'failed', tried.message);
  }
  return [];
}

async function giveUp(run: Run, { steps, moved, isNamed }: Next, words: string): Promise<readonly Work[]> {
  const first = guiltyOf(steps);
  if (first === undefined) return [];
  if (moved) {
    await dropIntents(run, steps);
    noteOutcome(run, steps, 'failed', `The record sets at ${first.name} keep changing. Route 53: ${words}`);
    runAgain(run, 5);
  } else {
    // Route 53 has what the call said, and still refuses: the content is at fault, so it is not tried for ever.
    await refuseUnit(run, steps, { step: first, reason: 'Rejected', message: words }, isNamed);
  }
  return [];
}
