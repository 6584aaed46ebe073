// A refused batch is split until the bad record set stands alone, and the others go through. Where Route 53's words name
// it, it is taken out at once; where they do not, the batch is halved: the smaller half first, and the other not tried
// whole when the first was accepted, since the fault must then be in it. One bad name among 1,000 costs at most 20 calls.
// A call that is denied (an IAM condition may deny one name) is split the same way, until it is plain that all are.
import type { Change } from '../../dns/plan-changes.ts';
import { parseRefusal, type RefusalFact } from '../../route53/refusal-messages.ts';
import { unitsOf } from '../plan/plan-hosted-zone.ts';
import { settleRefusedUnit } from './resolve-refused.ts';
import { eachOf, noteOutcome, type Run, runAgain, stopRun } from './run.ts';
import { dropIntents, type Part, type Step, type Tried, trySteps } from './send-batch.ts';

/** Denied calls in a row after which it is the credentials, not a record set. */
const DENIED_IN_A_ROW_MAX = 12;
/** A denied call is for people to mend: there is no hurry to try again. */
const DENIED_RETRY_SECONDS = 300;

type Group = readonly Step[];

function concerns(fact: RefusalFact, step: Change): boolean {
  if (fact.name !== step.name) return false;
  // A neighbour may be named by the CNAME or by the other side: either way the whole name is concerned.
  if (fact.kind === 'neighbour' || fact.type === null) return true;
  return fact.type === step.type && (fact.setIdentifier ?? null) === step.setIdentifier;
}

function factsAbout(facts: readonly RefusalFact[], steps: readonly Step[]): RefusalFact[] {
  return facts.filter((fact) => steps.some((step) => concerns(fact, step)));
}

async function refuseUnit(run: Run, unit: readonly Step[], facts: readonly RefusalFact[], messages: readonly string[]) {
  const about = factsAbout(facts, unit);
  const words = about.length > 0 ? about.map((fact) => fact.message) : messages;
  await settleRefusedUnit(run, unit, words);
}

/** One name was refused alone, or by name: its record sets, one by one unless CNAME ties them. */
async function splitName(run: Run, steps: readonly Step[], messages: readonly string[]): Promise<void> {
  const facts = parseRefusal(messages);
  const units = unitsOf(steps) as Step[][];
  const [only] = units;
  if (units.length === 1 && only !== undefined) return refuseUnit(run, only, facts, messages);
  const named = units.filter((unit) => factsAbout(facts, unit).length > 0);
  if (named.length > 0 && named.length < units.length) {
    for (const unit of named) await refuseUnit(run, unit, facts, messages);
    const rest = units.filter((unit) => !named.includes(unit)).flat();
    return afterTry(run, [rest], await trySteps(run, rest));
  }
  for (const unit of units) {
    const tried = await trySteps(run, unit);
    if (tried.kind === 'refused') await refuseUnit(run, unit, parseRefusal(tried.messages), tried.messages);
    else await afterTry(run, [unit], tried);
  }
}

/** Halves the groups. `bad`: it is known that one of them is refused. */
async function halve(run: Run, groups: readonly Group[]): Promise<void> {
  const middle = Math.floor(groups.length / 2);
  const first = groups.slice(0, middle);
  const second = groups.slice(middle);
  const tried = await trySteps(run, first.flat());
  if (tried.kind === 'settled' && second.length > 1) return halve(run, second);
  await afterTry(run, first, tried);
  await applyGroups(run, second);
}

async function denied(run: Run, groups: readonly Group[], message: string): Promise<void> {
  if (run.progress.denied >= DENIED_IN_A_ROW_MAX) stopRun(run, 'denied', message);
  if (run.progress.stop === null && groups.length > 1) return halve(run, groups);
  const steps = groups.flat();
  await dropIntents(run, steps, false);
  noteOutcome(run, steps, 'failed', message);
  runAgain(run, DENIED_RETRY_SECONDS);
}

async function refused(run: Run, groups: readonly Group[], messages: readonly string[]): Promise<void> {
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return splitName(run, only, messages);
  const facts = parseRefusal(messages);
  const named = groups.filter((group) => factsAbout(facts, group).length > 0);
  if (named.length === 0 || named.length === groups.length) return halve(run, groups);
  const names = new Set(named);
  await applyGroups(
    run,
    groups.filter((group) => !names.has(group)),
  );
  for (const group of named) {
    if (run.progress.stop === null) await splitName(run, group, messages);
    else await dropIntents(run, group, false);
  }
}

/** What follows from a call: nothing more, or the search for the record set that is to blame. */
async function afterTry(run: Run, groups: readonly Group[], tried: Tried): Promise<void> {
  if (tried.kind === 'settled') return;
  if (tried.kind === 'stopped') {
    await eachOf(groups, (group) => dropIntents(run, group, false));
    return;
  }
  const ready = new Set(tried.steps.map((step) => step.name));
  const open = groups.filter((group) => group.some((step) => ready.has(step.name)));
  if (tried.kind === 'refused') await refused(run, open, tried.messages);
  else await denied(run, open, tried.message);
}

/** Applies groups of steps, each of one name, in as few calls as Route 53's refusals allow. */
export async function applyGroups(run: Run, groups: readonly Group[], part: Part = 'whole'): Promise<void> {
  if (groups.length === 0) return;
  if (run.progress.stop !== null) return afterTry(run, groups, { kind: 'stopped' });
  await afterTry(run, groups, await trySteps(run, groups.flat(), part));
}
