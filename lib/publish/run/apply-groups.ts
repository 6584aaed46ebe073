// Applies changes in as few calls of Route 53 as its refusals allow: a list of work, of which the first is done and
// replaced by what follows from it (after-batch.ts). So the record set because of which a batch is refused is found,
// and the others go. After a limited number of refused calls, the rest is left to the next run, which tries it apart
// from all others, in smaller batches. A denied call (an IAM condition may deny one name) is split in the same way,
// until it is clear that all calls are denied.
import { sameContent } from '../../dns/record-set.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { areOfOneName, groupsOf } from '../plan/fair-order.ts';
import { askAfterDenial, countRefused, hasRefusedEnough, isStopped, leaveOver, stopRun } from '../plan/progress.ts';
import { afterBatch, afterWithout, type Group, joined, judging, sending, stepsOf, type Work } from './after-batch.ts';
import { groupsWithoutRoom, noteRefusedGrowth, postponeForRoom, seeksRoom } from './full-hosted-zone.ts';
import { shieldsBehind } from './protections.ts';
import { judgeRefused, refuseProtected, retryAlone, retryTogether } from './retry-refused.ts';
import { itemOf, noteOutcome, type Run } from './run.ts';
import { changeCount, changesTaken, dropIntents, type Step, setApart, type Tried, trySteps } from './send-batch.ts';
import { sendInParts } from './send-in-parts.ts';

/** After so many denied calls in a row the cause is the credentials, not a record set. */
const DENIED_IN_A_ROW_MAX = 12;

const PUT_BACK = 'Route 53 refused the batch with this change; it is tried again in a smaller batch.';

/** Applies groups of steps, each of one name or part of one. */
export async function applyGroups(run: Run, groups: readonly Group[]): Promise<void> {
  run.progress.noteProtections(null);
  let queue = sending(groups);
  for (let work = queue[0]; work !== undefined; work = queue[0]) {
    const next = await carryOut(run, work);
    const others = queue.slice(1);
    // When a part was accepted, the account may take more at once than half of what it did not take.
    queue = next.length > 0 || run.deps.hostedZones.changesAtOnce === undefined ? [...next, ...others] : joined(others);
  }
}

/** Does one piece of work, with at most one call. Returns the work that follows from it. */
async function carryOut(run: Run, work: Work): Promise<readonly Work[]> {
  if (work.kind === 'room') return fillRoom(run, work.groups);
  if (isStopped(run) && work.kind !== 'leave') {
    await dropIntents(run, stepsOf(work));
    return [];
  }
  switch (work.kind) {
    case 'send':
      return send(run, work);
    case 'rest': {
      const { first, groups } = work;
      const isStuck = areOfOneName(first) && !first.flat().some((step) => isPublished(run, step));
      return isStuck ? [{ kind: 'grow', groups, size: 1, refused: null }] : sending(groups);
    }
    case 'grow':
      return grow(run, work);
    case 'without':
      return sendWithout(run, work);
    case 'full':
      return noteNoRoom(run, work.groups.flat(), work.message);
    case 'judge':
      return judgeRefused(run, work.units);
    case 'protect':
      return refuseProtected(run, work.units);
    case 'retry':
      return retryTogether(run, work.units, work.all);
    case 'alone':
      return retryAlone(run, work.unit, work.looks);
    case 'parts':
      return sendParts(run, work.unit);
    case 'leave':
      return leaveDenied(run, work.steps, work.message);
    default:
      return work satisfies never;
  }
}

async function send(run: Run, batch: Extract<Work, { kind: 'send' }>): Promise<readonly Work[]> {
  const { groups, rest } = batch;
  const all = [...groups, ...rest];
  if (hasRefusedEnough(run)) {
    return putBack(run, all, rest.length === 0 ? all.length : Math.ceil(groupsOf(all.flat()).length / 2));
  }
  const [only] = groups;
  const isOne = only !== undefined && all.length === 1;
  const parts = isOne && wasSplit(run, only) ? unitsOf(only) : [];
  if (parts.length > 1) return [{ kind: 'grow', groups: parts, size: 1, refused: null }];
  const fitting = await groupsThatFit(run, groups);
  if (fitting.length < groups.length) return [...sending(fitting), { ...batch, groups: groups.slice(fitting.length) }];
  return follow(run, batch, await trySteps(run, groups.flat()));
}

/** The work after a call: it is counted, and who protects the record sets is asked for if that may be the reason. */
async function follow(run: Run, batch: Parameters<typeof afterBatch>[0], tried: Tried): Promise<readonly Work[]> {
  countedIn(run, tried);
  const isRefused = tried.kind === 'refused';
  return afterBatch(batch, tried, isRefused ? await shieldsBehind(run, tried.steps, tried.messages, tried.isCut) : []);
}

/** The first of these groups, as many as Route 53 is believed to take in one batch; one at least. */
async function groupsThatFit(
  { deps: { hostedZones }, hostedZone }: Run,
  groups: readonly Group[],
): Promise<readonly Group[]> {
  if (groups.length < 2) return groups;
  const sizes = groups.map((group) => group.reduce((sum, step) => sum + changeCount(step), 0));
  const most = await changesTaken(
    hostedZones,
    sizes.reduce((sum, size) => sum + size, 0),
    hostedZone.id,
  );
  let count = 0;
  for (let size = 0; count < groups.length && size + (sizes[count] ?? 0) <= most; count += 1) size += sizes[count] ?? 0;
  return groups.slice(0, Math.max(1, count));
}

async function sendParts(run: Run, unit: Group): Promise<readonly Work[]> {
  if (hasRefusedEnough(run)) return putBack(run, [unit], 1);
  const { tried, left } = await sendInParts(run, unit);
  return tried.kind === 'done' ? [] : follow(run, { groups: [left], rest: [] }, tried);
}

/** Counts a call that was refused or denied. */
function countedIn(run: Run, tried: Tried): Tried {
  if (tried.kind === 'refused' || tried.kind === 'denied') countRefused(run);
  if (tried.kind === 'denied' && run.progress.calls.denied >= DENIED_IN_A_ROW_MAX) {
    stopRun(run, 'denied', tried.message);
    askAfterDenial(run);
  }
  return tried;
}

function grow(run: Run, { groups, size: most, refused: before }: Extract<Work, { kind: 'grow' }>): readonly Work[] {
  if (groups.length === 0) return [];
  const { refused } = run.progress.calls;
  const size = before === null || before === refused ? most : 1;
  return [...sending(groups.slice(0, size)), { kind: 'grow', groups: groups.slice(size), size: 2 * size, refused }];
}

async function sendWithout(
  run: Run,
  { unit, followers, words }: Extract<Work, { kind: 'without' }>,
): Promise<readonly Work[]> {
  if (hasRefusedEnough(run)) return putBack(run, [unit], 1);
  const rest = unit.filter((step) => !followers.includes(step));
  const tried = countedIn(run, await trySteps(run, rest));
  if (tried.kind === 'refused') return [judging(unit, tried.messages)];
  if (tried.kind === 'throttled') return putBack(run, [unit], 1);
  if (tried.kind !== 'done') {
    await dropIntents(run, followers);
    return afterBatch({ groups: [rest], rest: [] }, tried);
  }
  if (!rest.every((step) => isPublished(run, step))) return putBack(run, [followers], 1);
  return [afterWithout(followers, words)];
}

async function noteNoRoom(run: Run, steps: readonly Step[], message: string): Promise<readonly Work[]> {
  await dropIntents(run, steps);
  noteRefusedGrowth(run, message, steps);
  return [];
}

/** Sends as many of these groups as a full hosted zone has room for, and postpones the others. */
function fillRoom(run: Run, groups: readonly Group[]): readonly Work[] {
  let sent = seeksRoom(run) && !isStopped(run) && !hasRefusedEnough(run) ? groups : [];
  while (groupsWithoutRoom(run, sent).length > 0) sent = sent.slice(0, Math.floor(sent.length / 2));
  if (sent.length > 0) return [...sending(sent), { kind: 'room', groups: groups.slice(sent.length) }];
  postponeForRoom(run, groups.flat());
  return [];
}

async function leaveDenied(run: Run, steps: readonly Step[], message: string): Promise<readonly Work[]> {
  if (isStopped(run)) await dropIntents(run, steps);
  else await setApart(run, steps, 1);
  noteOutcome(run, steps, 'failed', message);
  askAfterDenial(run);
  return [];
}

/** Leaves these groups to the next run, which follows at once. Parts of one name are then not sent with all of it. */
async function putBack(run: Run, groups: readonly Group[], together: number): Promise<readonly Work[]> {
  await setApart(run, groups.flat(), areOfOneName(groups) ? 0 : together);
  noteOutcome(run, groups.flat(), 'failed', PUT_BACK);
  leaveOver(run);
  return [];
}

function isPublished(run: Run, step: Step): boolean {
  return sameContent(itemOf(run, step)?.published ?? null, step.after);
}

/** True for a name that was refused by itself, and of which an earlier run did not come to all parts. */
function wasSplit(run: Run, ofName: Group): boolean {
  return ofName.some((step) => itemOf(run, step)?.refused?.together === 0);
}
