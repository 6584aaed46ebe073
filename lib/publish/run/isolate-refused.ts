// Finds the record set because of which Route 53 refused a batch. If the refusal names record sets, the rest is sent
// again, and then these are judged (retry-refused.ts). If it names none, the batch is split (fair-order.ts). If the
// first part is then accepted, the fault is in the second, which is split at once. After a limited number of refused
// calls, the rest is left to the next run, which tries it apart from all others, in smaller batches. A denied call (an
// IAM condition may deny one name) is split in the same way, until it is clear that all calls are denied.
import { sameContent } from '../../dns/record-set.ts';
import { fullMessage } from '../../route53/refusal-messages.ts';
import { followersOf, unitsOf } from '../../route53/tied-changes.ts';
import { unitsNamed } from '../existing/blame.ts';
import { areOfOneName, groupsOf, isGrowth, splitGroups } from '../plan/fair-order.ts';
import { askAfterDenial, countRefused, hasRefusedEnough, isStopped, leaveOver, stopRun } from '../plan/progress.ts';
import { groupsWithoutRoom, noteRefusedGrowth, postponeForRoom, seeksRoom } from './full-hosted-zone.ts';
import { retryRefusedUnits } from './retry-refused.ts';
import { eachOf, itemOf, noteOutcome, type Run } from './run.ts';
import { dropIntents, type Step, setApart, type Tried, trySteps } from './send-batch.ts';

/** After so many denied calls in a row the cause is the credentials, not a record set. */
const DENIED_IN_A_ROW_MAX = 12;

const PUT_BACK = 'Route 53 refused the batch with this change; it is tried again in a smaller batch.';

type Group = readonly Step[];

/** Leaves these groups to the next run, which follows at once. Parts of one name are then not sent with all of it. */
async function putBack(run: Run, groups: readonly Group[], together: number): Promise<void> {
  await setApart(run, groups.flat(), areOfOneName(groups) ? 0 : together);
  noteOutcome(run, groups.flat(), 'failed', PUT_BACK);
  leaveOver(run);
}

/** Retries the record sets of one name that was refused alone, and that the message does not name: its units apart. */
async function splitName(run: Run, steps: readonly Step[], messages: readonly string[]): Promise<void> {
  const units = unitsOf(steps);
  if (units.length > 1) return splitAndSend(run, units);
  const followers = followersOf(steps);
  if (followers.length === 0) return retryRefusedUnits(run, [{ steps, words: messages, isNamed: false }]);
  return sendWithout(run, steps, followers, messages);
}

/** Sends a unit that was refused without its followers. If it is then accepted, the fault is in one of these. */
async function sendWithout(run: Run, unit: Group, followers: Group, messages: readonly string[]): Promise<void> {
  if (hasRefusedEnough(run)) return putBack(run, [unit], 1);
  const rest = unit.filter((step) => !followers.includes(step));
  const tried = await trySteps(run, rest);
  if (tried.kind === 'refused') {
    countRefused(run);
    return retryRefusedUnits(run, [{ steps: unit, words: tried.messages, isNamed: false }]);
  }
  if (tried.kind !== 'done') {
    await dropIntents(run, followers);
    return afterTry(run, [rest], tried);
  }
  if (!rest.every((step) => isPublished(run, step))) return putBack(run, [followers], 1);
  if (followers.length > 1) return splitAndSend(run, unitsOf(followers));
  return retryRefusedUnits(run, [{ steps: followers, words: messages, isNamed: false }]);
}

function isPublished(run: Run, step: Step): boolean {
  return sameContent(itemOf(run, step)?.published ?? null, step.after);
}

/**
 * Sends parts of a name of which many are refused: one, and after each that is accepted twice as many. So every run
 * finds some of those at fault, and the others go.
 */
async function sendGrowing(run: Run, groups: readonly Group[]): Promise<void> {
  for (let at = 0, size = 1; at < groups.length; ) {
    const { refused } = run.progress.calls;
    await applyGroups(run, groups.slice(at, at + size));
    at += size;
    size = run.progress.calls.refused === refused ? 2 * size : 1;
  }
}

/** Splits the groups and sends the parts. One of the groups is known to be refused. */
async function splitAndSend(run: Run, groups: readonly Group[]): Promise<void> {
  if (hasRefusedEnough(run)) return putBack(run, groups, Math.ceil(groupsOf(groups.flat()).length / 2));
  const { first, second } = splitGroups(groups);
  const tried = await trySteps(run, first.flat());
  if (tried.kind === 'done' && second.length > 1) return splitAndSend(run, second);
  await afterTry(run, first, tried);
  if (areOfOneName(first) && !first.flat().some((step) => isPublished(run, step))) await sendGrowing(run, second);
  else await applyGroups(run, second);
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
  const [only] = groups;
  const { named, others } = unitsNamed(groups, messages);
  if (named.length === 0)
    return only !== undefined && groups.length === 1 ? splitName(run, only, messages) : splitAndSend(run, groups);
  await applyGroups(run, groupsOf(others));
  if (!isStopped(run)) return retryRefusedUnits(run, named);
  await eachOf(named, (unit) => dropIntents(run, unit.steps));
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

/** True for a name that was refused by itself, and of which an earlier run did not come to all parts. */
function wasSplit(run: Run, ofName: Group): boolean {
  return ofName.some((step) => itemOf(run, step)?.refused?.together === 0);
}

/** Applies groups of steps, each of one name or part of one, in as few calls as Route 53's refusals allow. */
export async function applyGroups(run: Run, groups: readonly Group[]): Promise<void> {
  if (groups.length === 0) return;
  if (isStopped(run)) return afterTry(run, groups, { kind: 'stopped' });
  if (hasRefusedEnough(run)) return putBack(run, groups, groups.length);
  const [only] = groups;
  const parts = only !== undefined && groups.length === 1 && wasSplit(run, only) ? unitsOf(only) : [];
  if (parts.length > 1) return sendGrowing(run, parts);
  await afterTry(run, groups, await trySteps(run, groups.flat()));
}
