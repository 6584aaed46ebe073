// Finds the record set because of which Route 53 refused a batch. What the refusal names is settled without another
// call, and the rest is sent again. If it names nothing, the batch is parted (fair-order.ts); when the first part is
// accepted, the fault is in the second, which is parted at once. A run makes a limited number of refused calls. It
// leaves the rest to the next run, which tries it apart from all others, in smaller batches. A denied call (an IAM
// condition may deny one name) is parted in the same way, until it is plain that all calls are denied.
import type { Change } from '../../dns/plan-changes.ts';
import { accusedIn, fullMessage, type RefusalFact } from '../../route53/refusal-messages.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { groupsOf, isGrowth, partGroups } from '../plan/fair-order.ts';
import { askAfterDenial, countRefused, hasRefusedEnough, isStopped, leaveOver, stopRun } from '../plan/progress.ts';
import { noteRefusedGrowth } from './full-hosted-zone.ts';
import { type RefusedUnit, retryRefusedUnits } from './retry-refused.ts';
import { eachOf, noteOutcome, type Run } from './run.ts';
import { dropIntents, type Part, type Step, setApart, type Tried, trySteps } from './send-batch.ts';

/** Denied calls in a row after which it is the credentials, not a record set. */
const DENIED_IN_A_ROW_MAX = 12;

const PUT_BACK = 'Route 53 refused a batch that this was part of; it is tried again in a smaller one.';

type Group = readonly Step[];

function concerns(fact: RefusalFact, step: Change): boolean {
  const isText = step.also?.some(({ name }) => name === fact.name) === true && (fact.type ?? 'TXT') === 'TXT';
  if (isText) return true;
  if (fact.name !== step.name) return false;
  // A neighbour may be named by the CNAME or by the other side: either way the whole name is concerned.
  if (fact.kind === 'neighbour' || fact.type === null) return true;
  return fact.type === step.type && (fact.setIdentifier ?? null) === step.setIdentifier;
}

/** What is said of a unit: the facts about it, else all that was said. */
function wordsAbout(unit: readonly Step[], facts: readonly RefusalFact[], messages: readonly string[]): RefusedUnit {
  const about = facts.filter((fact) => unit.some((step) => concerns(fact, step)));
  const isNamed = about.length > 0;
  return { steps: unit, words: isNamed ? [...new Set(about.map(({ message }) => message))] : messages, isNamed };
}

/** Leaves them to the next run, at once. */
async function putBack(run: Run, groups: readonly Group[], together: number): Promise<void> {
  await setApart(run, groups.flat(), together);
  noteOutcome(run, groups.flat(), 'failed', PUT_BACK);
  leaveOver(run);
}

/** One name was refused alone, or by name: its record sets, one by one unless CNAME ties them. */
async function splitName(run: Run, steps: readonly Step[], messages: readonly string[]): Promise<void> {
  const units = unitsOf(steps);
  if (units.length === 1)
    return retryRefusedUnits(
      run,
      units.map((unit) => wordsAbout(unit, accusedIn(messages, steps), messages)),
    );
  for (const unit of units) {
    if (hasRefusedEnough(run)) {
      await putBack(run, [unit], 1);
      continue;
    }
    const tried = await trySteps(run, unit);
    if (tried.kind === 'refused') {
      countRefused(run);
      await retryRefusedUnits(run, [wordsAbout(unit, accusedIn(tried.messages, unit), tried.messages)]);
    } else await afterTry(run, [unit], tried);
  }
}

/** Parts the groups. It is known that one of them is refused. */
async function part(run: Run, groups: readonly Group[]): Promise<void> {
  if (hasRefusedEnough(run)) return putBack(run, groups, Math.ceil(groups.length / 2));
  const { first, second } = partGroups(groups);
  const tried = await trySteps(run, first.flat());
  if (tried.kind === 'done' && second.length > 1) return part(run, second);
  await afterTry(run, first, tried);
  await applyGroups(run, second);
}

async function denied(run: Run, groups: readonly Group[], message: string): Promise<void> {
  if (run.progress.calls.denied >= DENIED_IN_A_ROW_MAX) stopRun(run, 'denied', message);
  if (!isStopped(run) && groups.length > 1) return part(run, groups);
  const steps = groups.flat();
  if (!isStopped(run)) await setApart(run, steps, 1);
  else await dropIntents(run, steps, false);
  noteOutcome(run, steps, 'failed', message);
  askAfterDenial(run);
}

async function refused(run: Run, groups: readonly Group[], messages: readonly string[]): Promise<void> {
  const steps = groups.flat();
  const full = fullMessage(messages, steps);
  const growing = full === null ? [] : groups.filter(isGrowth);
  if (full !== null && growing.length > 0) {
    await dropIntents(run, growing.flat(), false);
    noteRefusedGrowth(run, full, growing.flat());
    return applyGroups(
      run,
      groups.filter((group) => !growing.includes(group)),
    );
  }
  const facts = accusedIn(messages, steps);
  const [only] = groups;
  const units = groups.flatMap((group) => unitsOf(group) as Step[][]);
  const isNamed = (unit: Group) => facts.some((fact) => unit.some((step) => concerns(fact, step)));
  const named = units.filter(isNamed);
  if (named.length === 0)
    return only !== undefined && groups.length === 1 ? splitName(run, only, messages) : part(run, groups);
  await applyGroups(run, groupsOf(units.filter((unit) => !named.includes(unit)).flat()));
  if (!isStopped(run))
    return retryRefusedUnits(
      run,
      named.map((unit) => wordsAbout(unit, facts, messages)),
    );
  await dropIntents(run, named.flat(), false);
}

/** What follows from a call: nothing more, or the search for the record set that is to blame. */
async function afterTry(run: Run, groups: readonly Group[], tried: Tried): Promise<void> {
  if (tried.kind === 'done') return;
  if (tried.kind === 'stopped') {
    await eachOf(groups, (group) => dropIntents(run, group, false));
    return;
  }
  countRefused(run);
  const ready = new Set(tried.steps.map((step) => step.name));
  const open = groups.filter((group) => group.some((step) => ready.has(step.name)));
  if (tried.kind === 'refused') await refused(run, open, tried.messages);
  else await denied(run, open, tried.message);
}

/** Applies groups of steps, each of one name, in as few calls as Route 53's refusals allow. */
export async function applyGroups(run: Run, groups: readonly Group[], carries: Part = 'whole'): Promise<void> {
  if (groups.length === 0) return;
  if (isStopped(run)) return afterTry(run, groups, { kind: 'stopped' });
  if (hasRefusedEnough(run)) return putBack(run, groups, groups.length);
  await afterTry(run, groups, await trySteps(run, groups.flat(), carries));
}
