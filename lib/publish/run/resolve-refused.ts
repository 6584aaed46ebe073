// The record set that was refused alone (with what CNAME ties to it): is it foreign, edited, gone, or plainly wrong? Route
// 53's words say which, a look at the name confirms it, and where the answer is "try again from what really stands there"
// that is done here, a few times. What is not ours is never touched, unless its Zone takes over.
import { type RecordSet, type RecordSetContent, recordSetId, sameContent } from '../../dns/record-set.ts';
import { type Refusal, storedContent } from '../../record-sets/record-set-item.ts';
import { seen, showObstacle } from '../../record-sets/seen.ts';
import { takesOver } from '../../record-sets/state.ts';
import { isOurs, withPublished, withRefusal } from '../../record-sets/transitions.ts';
import { factKinds, parseRefusal, type RefusalFact } from '../../route53/refusal-messages.ts';
import { digestUnit } from '../plan/plan-hosted-zone.ts';
import { readNames } from './read-back.ts';
import {
  type ChangeOutcome,
  countForeignLook,
  itemOf,
  momentOf,
  noteOutcome,
  type Run,
  runAgain,
  settleItem,
  stopRun,
} from './run.ts';
import { dropIntents, type Step, trySteps } from './send-batch.ts';

/** What stands may move while we look; after so many looks the next run goes on. */
const LOOKS_MAX = 3;
/** Foreign record sets of one run that are looked at so that the message can say what stands there. */
const FOREIGN_LOOKS_MAX = 10;

const OUTCOMES: Readonly<Record<Refusal['reason'], ChangeOutcome['outcome']>> = {
  ForeignRecord: 'foreign',
  Drifted: 'drifted',
  Rejected: 'rejected',
  HeldByGuard: 'held',
};

type Blame = { readonly step: Step; readonly reason: Refusal['reason']; readonly message: string };

async function refuseUnit(run: Run, unit: readonly Step[], blame: Blame): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  const ours = unit.filter((step) => itemOf(run, step) !== null);
  const digest = digestUnit(ours);
  const together = digest === undefined ? {} : { unit: digest };
  for (const step of ours) {
    const waits = `Waits for ${blame.step.type} ${blame.step.name}, without which it cannot change: ${blame.message}`;
    const message = step === blame.step ? blame.message : waits;
    const content = storedContent(step.after);
    const refusal: Refusal = { reason: blame.reason, message, content, atMs: nowMs, ...together };
    await settleItem(run, step, (now) => withRefusal(now, refusal));
    noteOutcome(run, [step], OUTCOMES[blame.reason], message);
  }
}

/** What the words alone settle: a fault of the content, or a first CREATE that met somebody else's record set. */
function blameByWords(
  run: Run,
  unit: readonly Step[],
  kinds: ReadonlySet<RefusalFact['kind']>,
  words: string,
): Blame | null {
  const [step] = unit;
  if (step === undefined) return null;
  if (!['exists', 'absent', 'differs', 'neighbour'].some((kind) => kinds.has(kind as RefusalFact['kind']))) {
    return { step, reason: 'Rejected', message: words };
  }
  const item = itemOf(run, step);
  const first = unit.length === 1 && step.before === null && item !== null && item.late.length === 0;
  // The look would only tell what stands there: of many, the first few are worth a call each.
  const looked = run.progress.foreignLooks >= FOREIGN_LOOKS_MAX;
  if (first && looked && kinds.has('exists') && !takesOver(item, run.hostedZone)) {
    return { step, reason: 'ForeignRecord', message: `Somebody else's record set stands here. Route 53: ${words}` };
  }
  return null;
}

/** One step after a look: what to try next (null: nothing), or whose fault it is that it cannot go. */
async function stepAfterLook(
  run: Run,
  step: Step,
  actual: RecordSetContent | null,
  { words, sinceMs }: { readonly words: string; readonly sinceMs: number },
): Promise<Step | Blame | null> {
  const item = itemOf(run, step);
  if (item === null) return actual === null ? null : { ...step, before: actual };
  const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs, refused: true };
  const { standing, item: news } = seen(item, actual, sight);
  if (standing === 'foreign' || standing === 'drifted') {
    if (takesOver(item, run.hostedZone)) return { ...step, before: actual, tookOver: true };
    const reason = standing === 'foreign' ? 'ForeignRecord' : 'Drifted';
    if (standing === 'foreign') countForeignLook(run);
    return { step, reason, message: `${showObstacle(standing, actual, step.after)} Route 53: ${words}` };
  }
  if (news !== null) await settleItem(run, step, (now) => seen(now, actual, sight).item);
  if (sameContent(actual, step.after)) {
    noteOutcome(run, [step], 'published', actual === null ? 'It was already gone.' : 'It already stands as wanted.');
    return null;
  }
  return { ...step, before: actual };
}

/** True for what a late write of ours put there, of which nobody knew that it had landed. */
function hasLanded(run: Run, { name, type, setIdentifier, content }: RecordSet): boolean {
  const item = itemOf(run, { name, type, setIdentifier });
  return item !== null && isOurs(item, content);
}

/** Notes it as ours. The next run plans with it: what has to go is then counted by the guard, as whatever else we delete. */
async function noteLanded(run: Run, landed: readonly RecordSet[], unit: readonly Step[]): Promise<void> {
  for (const set of landed) {
    await settleItem(run, set, (now) => {
      const objects = now.objects.length > 0 ? now.objects : now.publishedObjects;
      return isOurs(now, set.content) ? withPublished(momentOf(run), now, set.content, { objects }) : null;
    });
  }
  await dropIntents(run, unit, false);
  const [first] = landed;
  const what = `${first?.type} ${first?.name}`;
  noteOutcome(
    run,
    unit,
    'failed',
    `${what} stands here, which we had given up and has landed since; its next run follows.`,
  );
  runAgain(run, 0);
}

/** Record sets at the name that are not ours and that the CNAME rule forbids beside what we want. */
function neighboursOf(run: Run, unit: readonly Step[], actual: ReadonlyMap<string, RecordSet>): RecordSet[] {
  const wanted = unit.filter((step) => step.after !== null);
  const planned = new Set(unit.map(recordSetId));
  return [...actual.values()].filter((set) => {
    const ours = planned.has(recordSetId(set)) || (run.items.get(recordSetId(set))?.item.published ?? null) !== null;
    return !ours && wanted.some((step) => step.name === set.name && (step.type === 'CNAME') !== (set.type === 'CNAME'));
  });
}

function blameNeighbours(run: Run, unit: readonly Step[], neighbours: readonly RecordSet[], words: string) {
  const step = unit.find((one) => one.after !== null);
  const [first] = neighbours;
  if (step === undefined || first === undefined) return null;
  const item = itemOf(run, step);
  if (item !== null && takesOver(item, run.hostedZone)) return null;
  const message = `${first.type} ${first.name} stands here and is not ours; a CNAME tolerates no neighbour. Route 53: ${words}`;
  return { step, reason: 'ForeignRecord' as const, message };
}

function sameStep(a: Step, b: Step): boolean {
  return recordSetId(a) === recordSetId(b) && sameContent(a.before, b.before) && sameContent(a.after, b.after);
}

function takenOver(step: Step, set: RecordSet): Step {
  const { name, type, setIdentifier, content } = set;
  const key = { name, type, setIdentifier };
  return { ...key, action: 'delete', before: content, after: null, objects: step.objects, tookOver: true };
}

type Looked =
  | { readonly kind: 'over' }
  | { readonly kind: 'blame'; readonly steps: readonly Step[]; readonly blame: Blame }
  | { readonly kind: 'next'; readonly steps: readonly Step[]; readonly moved: boolean };

function isBlame(next: Step | Blame | null): next is Blame {
  return next !== null && 'reason' in next;
}

/** Looks at the name of a unit: is it settled, is somebody to blame, or what is to be tried from what stands there? */
async function lookAtUnit(run: Run, steps: readonly Step[], first: Step, words: string): Promise<Looked> {
  const sinceMs = run.deps.clock.nowMs();
  const actual = await readNames(run, [first.name]);
  if (actual === null) {
    stopRun(run, 'gone', 'The hosted zone is gone.');
    await dropIntents(run, steps, false);
    return { kind: 'over' };
  }
  const left: Step[] = [];
  const next: (Step | Blame)[] = [];
  for (const step of steps) {
    const after = await stepAfterLook(run, step, actual.get(recordSetId(step))?.content ?? null, { words, sinceMs });
    if (after === null) continue;
    left.push(step);
    next.push(after);
  }
  const neighbours = neighboursOf(run, steps, actual);
  const landed = neighbours.filter((set) => hasLanded(run, set));
  if (landed.length > 0) {
    await noteLanded(run, landed, left);
    return { kind: 'over' };
  }
  const blame = next.find(isBlame) ?? blameNeighbours(run, steps, neighbours, words);
  if (blame !== null) return { kind: 'blame', steps: left, blame };
  const open = next.filter((one): one is Step => !isBlame(one));
  if (open.length === 0) return { kind: 'over' };
  const moved = neighbours.length > 0 || open.some((step) => !steps.some((old) => sameStep(old, step)));
  return { kind: 'next', steps: [...neighbours.map((set) => takenOver(first, set)), ...open], moved };
}

/** Settles a unit that Route 53 refused with these words, trying again where what stands there calls for it. */
export async function settleRefusedUnit(run: Run, unit: readonly Step[], messages: readonly string[]): Promise<void> {
  let steps = unit;
  let words = messages;
  let moved = false;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const text = words.join('; ');
    const [first] = steps;
    if (first === undefined) return;
    const byWords = blameByWords(run, steps, factKinds(parseRefusal(words), words), text);
    if (byWords !== null) return refuseUnit(run, steps, byWords);
    const looked = await lookAtUnit(run, steps, first, text);
    if (looked.kind === 'over') return;
    if (looked.kind === 'blame') return refuseUnit(run, looked.steps, looked.blame);
    ({ steps, moved } = looked);
    const tried = await trySteps(run, steps);
    if (tried.kind === 'settled') return;
    if (tried.kind !== 'refused') {
      await dropIntents(run, steps, false);
      if (tried.kind === 'denied') noteOutcome(run, steps, 'failed', tried.message);
      return;
    }
    words = tried.messages;
  }
  return giveUp(run, steps, words.join('; '), moved);
}

async function giveUp(run: Run, steps: readonly Step[], words: string, moved: boolean): Promise<void> {
  const [first] = steps;
  if (first === undefined) return;
  // What we see is what we said, and Route 53 still refuses: trying for ever would not help.
  if (!moved) return refuseUnit(run, steps, { step: first, reason: 'Rejected', message: words });
  await dropIntents(run, steps, false);
  noteOutcome(run, steps, 'failed', `What stands at ${first.name} keeps changing. Route 53: ${words}`);
  runAgain(run, 5);
}
