// Finds the record set because of which Route 53 refused a batch. If the refusal names record sets, the rest is sent
// again, and then these are judged (retry-refused.ts). If it names none, the batch is split (fair-order.ts). If the
// first part is then accepted, the fault is in the second, which is split at once. After a limited number of refused
// calls, the rest is left to the next run, which tries it apart from all others, in smaller batches. A denied call (an
// IAM condition may deny one name) is split in the same way, until it is clear that all calls are denied.
import type { Change } from '../../dns/plan-changes.ts';
import { accusedIn, fullMessage, type RefusalFact } from '../../route53/refusal-messages.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { groupsOf, isGrowth, splitGroups } from '../plan/fair-order.ts';
import { askAfterDenial, countRefused, hasRefusedEnough, isStopped, leaveOver, stopRun } from '../plan/progress.ts';
import { groupsWithoutRoom, noteRefusedGrowth, postponeForRoom, seeksRoom } from './full-hosted-zone.ts';
import { type RefusedUnit, retryRefusedUnits } from './retry-refused.ts';
import { eachOf, noteOutcome, type Run } from './run.ts';
import { dropIntents, type Step, setApart, type Tried, trySteps } from './send-batch.ts';

/** After so many denied calls in a row the cause is the credentials, not a record set. */
const DENIED_IN_A_ROW_MAX = 12;

const PUT_BACK = 'Route 53 refused the batch with this change; it is tried again in a smaller batch.';

type Group = readonly Step[];

function concerns(fact: RefusalFact, step: Change): boolean {
  const isText = step.also?.some(({ name }) => name === fact.name) === true && (fact.type ?? 'TXT') === 'TXT';
  if (isText) return true;
  if (fact.name !== step.name) return false;
  // The message may name the CNAME or the record set beside it: in both cases all changes of the name are concerned.
  if (fact.kind === 'neighbour' || fact.type === null) return true;
  return fact.type === step.type && (fact.setIdentifier ?? null) === step.setIdentifier;
}

/** The facts of the messages about these steps, by the name that each is about. */
function accused(messages: readonly string[], steps: Group): FactsByName {
  return Map.groupBy(accusedIn(messages, steps), ({ name }) => name);
}

type FactsByName = ReadonlyMap<string, readonly RefusalFact[]>;

function factsAbout(unit: Group, facts: FactsByName): readonly RefusalFact[] {
  const names = new Set(unit.flatMap(({ name, also = [] }) => [name, ...also.map((text) => text.name)]));
  const of = [...names].flatMap((name) => facts.get(name) ?? []);
  return of.filter((fact) => unit.some((step) => concerns(fact, step)));
}

/** The words of the refusal about a unit: its own facts, or all messages if there are none. */
function wordsAbout(unit: Group, facts: FactsByName, messages: readonly string[]): RefusedUnit {
  const about = factsAbout(unit, facts);
  const isNamed = about.length > 0;
  return { steps: unit, words: isNamed ? [...new Set(about.map(({ message }) => message))] : messages, isNamed };
}

/** Leaves these groups to the next run, which follows at once. */
async function putBack(run: Run, groups: readonly Group[], together: number): Promise<void> {
  await setApart(run, groups.flat(), together);
  noteOutcome(run, groups.flat(), 'failed', PUT_BACK);
  leaveOver(run);
}

/** Retries the record sets of one name that was refused alone, and that the message does not name: its units apart. */
async function splitName(run: Run, steps: readonly Step[], messages: readonly string[]): Promise<void> {
  const units = unitsOf(steps);
  if (units.length === 1) return retryRefusedUnits(run, [{ steps, words: messages, isNamed: false }]);
  return splitAndSend(run, units);
}

/** Splits the groups and sends the parts. One of the groups is known to be refused. */
async function splitAndSend(run: Run, groups: readonly Group[]): Promise<void> {
  if (hasRefusedEnough(run)) return putBack(run, groups, Math.ceil(groupsOf(groups.flat()).length / 2));
  const { first, second } = splitGroups(groups);
  const tried = await trySteps(run, first.flat());
  if (tried.kind === 'done' && second.length > 1) return splitAndSend(run, second);
  await afterTry(run, first, tried);
  await applyGroups(run, second);
}

async function denied(run: Run, groups: readonly Group[], message: string): Promise<void> {
  if (run.progress.calls.denied >= DENIED_IN_A_ROW_MAX) stopRun(run, 'denied', message);
  if (!isStopped(run) && groups.length > 1) return splitAndSend(run, groups);
  const steps = groups.flat();
  if (!isStopped(run)) await setApart(run, steps, 1);
  else await dropIntents(run, steps);
  noteOutcome(run, steps, 'failed', message);
  askAfterDenial(run);
}

/** Sends as many of these groups as a full hosted zone has room for. Returns those that it sent in no call. */
async function fillRoom(run: Run, groups: readonly Group[]): Promise<readonly Group[]> {
  let sent = seeksRoom(run) && !isStopped(run) && !hasRefusedEnough(run) ? groups : [];
  while (groupsWithoutRoom(run, sent).length > 0) sent = sent.slice(0, Math.floor(sent.length / 2));
  if (sent.length === 0) return groups;
  await applyGroups(run, sent);
  return fillRoom(run, groups.slice(sent.length));
}

async function refused(run: Run, groups: readonly Group[], messages: readonly string[]): Promise<void> {
  const steps = groups.flat();
  const full = fullMessage(messages, steps);
  const growing = full === null ? [] : groups.filter(isGrowth);
  if (full !== null && growing.length > 0) {
    await dropIntents(run, growing.flat());
    noteRefusedGrowth(run, full, growing.flat());
    await applyGroups(
      run,
      groups.filter((group) => !growing.includes(group)),
    );
    return postponeForRoom(run, (await fillRoom(run, growing)).flat());
  }
  const facts = accused(messages, steps);
  const [only] = groups;
  const units = groups.flatMap((group) => unitsOf(group) as Step[][]);
  const parts = Map.groupBy(units, (unit) => factsAbout(unit, facts).length > 0);
  const named = parts.get(true) ?? [];
  if (named.length === 0)
    return only !== undefined && groups.length === 1 ? splitName(run, only, messages) : splitAndSend(run, groups);
  await applyGroups(run, groupsOf((parts.get(false) ?? []).flat()));
  if (!isStopped(run))
    return retryRefusedUnits(
      run,
      named.map((unit) => wordsAbout(unit, facts, messages)),
    );
  await dropIntents(run, named.flat());
}

/** Continues after a call: if it was refused or denied, searches for the record set that caused it. */
async function afterTry(run: Run, groups: readonly Group[], tried: Tried): Promise<void> {
  if (tried.kind === 'done') return;
  if (tried.kind === 'stopped') {
    await eachOf(groups, (group) => dropIntents(run, group));
    return;
  }
  countRefused(run);
  const ready = new Set(tried.steps.map((step) => step.name));
  const open = groups.filter((group) => group.some((step) => ready.has(step.name)));
  if (tried.kind === 'refused') await refused(run, open, tried.messages);
  else await denied(run, open, tried.message);
}

/** Applies groups of steps, each of one name or part of one, in as few calls as Route 53's refusals allow. */
export async function applyGroups(run: Run, groups: readonly Group[]): Promise<void> {
  if (groups.length === 0) return;
  if (isStopped(run)) return afterTry(run, groups, { kind: 'stopped' });
  if (hasRefusedEnough(run)) return putBack(run, groups, groups.length);
  await afterTry(run, groups, await trySteps(run, groups.flat()));
}
