// What is sent after a batch, as a list of work. Pure: the calls are made in apply-groups.ts.
//
//   outcome             one part of a name        parts of several, or of one name
//   accepted            -                         the fault is in the other part: that part is split, or sent if alone
//   refused, full       what adds waits for room; the others are sent again
//   refused, protected  the others are sent again; the protected ones are refused as such
//   refused, named      the others are sent again, then the named ones are judged
//   refused, unnamed    its units are split, or   split in two
//                       its followers sent apart,
//                       or it is judged
//   denied              left to a later run       split in two
//   throttled           its units are split,      split in two, what is new or small first
//                       or it is sent in parts
import { fullMessage } from '../../route53/refusal-messages.ts';
import { followersOf, unitsOf } from '../../route53/tied-changes.ts';
import { type RefusedUnit as Refused, unitsNamed } from '../existing/blame.ts';
import { type ProtectedUnit, type Shield, unitsProtected } from '../existing/protected.ts';
import { groupsOf, isGrowth, splitGroups } from '../plan/fair-order.ts';
import type { Step, Tried } from './send-batch.ts';

/** The changes of one name, or some of them. */
export type Group = readonly Step[];

export type RefusedUnit = Refused<Step>;

/** A refused unit to try again. `moved`: it differs from what was refused. */
export type Next = RefusedUnit & { readonly moved: boolean };

/** What is left to do for the changes of one batch. */
export type Work =
  /**
   * One call with these groups. `rest`: the other part of a refused batch; one of the two parts is at fault.
   * `wasThrottled`: they are a part of a batch that was too large for the account, and no part is at fault.
   */
  | {
      readonly kind: 'send';
      readonly groups: readonly Group[];
      readonly rest: readonly Group[];
      readonly wasThrottled?: true;
    }
  /** The other part, when what follows from the `first` is through. */
  | { readonly kind: 'rest'; readonly groups: readonly Group[]; readonly first: readonly Group[] }
  /** Parts of a name of which many are refused: `size` of them in a call, twice as many after each that is accepted. */
  | { readonly kind: 'grow'; readonly groups: readonly Group[]; readonly size: number; readonly refused: number | null }
  /** A refused unit without its followers (tied-changes.ts). If it is accepted, the fault is in one of these. */
  | { readonly kind: 'without'; readonly unit: Group; readonly followers: Group; readonly words: readonly string[] }
  /** It is noted that a full hosted zone has no room for these. */
  | { readonly kind: 'full'; readonly groups: readonly Group[]; readonly message: string }
  /** As many of these as fit into a full hosted zone after all. */
  | { readonly kind: 'room'; readonly groups: readonly Group[] }
  /** Refused units: why, and what of them can be tried again. */
  | { readonly kind: 'judge'; readonly units: readonly RefusedUnit[] }
  /** Refused units that somebody protects. */
  | { readonly kind: 'protect'; readonly units: readonly ProtectedUnit<Step>[] }
  /** Judged units of `all`, in one call if they fit. */
  | { readonly kind: 'retry'; readonly units: readonly Next[]; readonly all: readonly Next[] }
  /** One judged unit, after so many readings of its name. */
  | { readonly kind: 'alone'; readonly unit: Next; readonly looks: number }
  /** Tied changes that are more than Route 53 takes at once. */
  | { readonly kind: 'parts'; readonly unit: Group }
  /** Changes of denied calls that are left to a later run. */
  | { readonly kind: 'leave'; readonly steps: readonly Step[]; readonly message: string };

/** The work of sending these groups. */
export function sending(groups: readonly Group[]): readonly Work[] {
  return groups.length === 0 ? [] : [{ kind: 'send', groups, rest: [] }];
}

/** The work of groups one of which is known to be refused: a part first, then the other. */
function splitting(groups: readonly Group[]): Work {
  const { first, second } = splitGroups(groups);
  return { kind: 'send', groups: first, rest: second };
}

/**
 * The work after a call with `groups`. What was stopped is left out by the caller, with all other work. `shields`: what
 * somebody protects, if that may be why the call was refused.
 */
export function afterBatch(
  { groups, rest }: { readonly groups: readonly Group[]; readonly rest: readonly Group[] },
  tried: Tried,
  shields: readonly Shield[] = [],
): readonly Work[] {
  if (tried.kind === 'done') return rest.length > 1 ? [splitting(rest)] : sending(rest);
  const then: readonly Work[] = rest.length === 0 ? [] : [{ kind: 'rest', groups: rest, first: groups }];
  if (tried.kind === 'stopped') return [{ kind: 'send', groups, rest: [] }, ...then];
  const ready = new Set(tried.steps.map((step) => step.name));
  const open = groups.filter((group) => group.some((step) => ready.has(step.name)));
  if (tried.kind === 'throttled') return [...afterThrottling(open), ...then];
  return [
    ...(tried.kind === 'refused' ? afterRefusal(open, tried.messages, shields) : afterDenial(open, tried.message)),
    ...then,
  ];
}

/** Both halves go, each by itself: no part is at fault. */
function afterThrottling(groups: readonly Group[]): readonly Work[] {
  const [only = []] = groups;
  const parts = groups.length > 1 ? groups : unitsOf(only);
  if (parts.length < 2) return [{ kind: 'parts', unit: only }];
  const { first, second } = splitGroups(parts);
  return [first, second].map((some) => ({ kind: 'send', groups: some, rest: [], wasThrottled: true }));
}

/** The same work, where parts of throttled batches that follow each other are one: of it, as much is sent as fits. */
export function joined(queue: readonly Work[]): readonly Work[] {
  const [first, second, ...others] = queue;
  if (first?.kind !== 'send' || second?.kind !== 'send' || !first.wasThrottled || !second.wasThrottled) return queue;
  return joined([{ ...first, groups: [...first.groups, ...second.groups] }, ...others]);
}

function afterDenial(groups: readonly Group[], message: string): readonly Work[] {
  return groups.length > 1 ? [splitting(groups)] : [{ kind: 'leave', steps: groups.flat(), message }];
}

function afterRefusal(
  groups: readonly Group[],
  messages: readonly string[],
  shields: readonly Shield[],
): readonly Work[] {
  const { units, others: free } = unitsProtected(groups, shields);
  if (units.length === 0) return afterOtherRefusal(groups, messages);
  const rest = groupsOf(free);
  const isOther = unitsNamed(rest, messages).named.length > 0;
  return [{ kind: 'protect', units }, ...(isOther ? afterOtherRefusal(rest, messages) : sending(rest))];
}

function afterOtherRefusal(groups: readonly Group[], messages: readonly string[]): readonly Work[] {
  const message = fullMessage(messages, groups.flat());
  const growing = groups.filter(isGrowth);
  if (message !== null && growing.length > 0) {
    const others = groups.filter((group) => !growing.includes(group));
    return [{ kind: 'full', groups: growing, message }, ...sending(others), { kind: 'room', groups: growing }];
  }
  const { named, others } = unitsNamed(groups, messages);
  if (named.length > 0) return [...sending(groupsOf(others)), { kind: 'judge', units: named }];
  const [only] = groups;
  return only !== undefined && groups.length === 1 ? [afterRefusalOf(only, messages)] : [splitting(groups)];
}

/** The work after the refusal of one name, or of a part of it, that the message does not name. */
function afterRefusalOf(group: Group, words: readonly string[]): Work {
  const units = unitsOf(group);
  if (units.length > 1) return splitting(units);
  const followers = followersOf(group);
  return followers.length === 0 ? judging(group, words) : { kind: 'without', unit: group, followers, words };
}

/** The work after a unit was sent without its followers, and accepted. */
export function afterWithout(followers: Group, words: readonly string[]): Work {
  return followers.length > 1 ? splitting(unitsOf(followers)) : judging(followers, words);
}

/** The work of judging changes that were refused alone, by these words. */
export function judging(steps: Group, words: readonly string[]): Work {
  return { kind: 'judge', units: [{ steps, words, isNamed: false }] };
}

/** All changes of the work. */
export function stepsOf(work: Work): readonly Step[] {
  switch (work.kind) {
    case 'send':
      return [...work.groups, ...work.rest].flat();
    case 'rest':
    case 'grow':
    case 'full':
    case 'room':
      return work.groups.flat();
    case 'without':
    case 'parts':
      return work.unit;
    case 'judge':
    case 'protect':
    case 'retry':
      return work.units.flatMap(({ steps }) => steps);
    case 'alone':
      return work.unit.steps;
    case 'leave':
      return work.steps;
    default:
      return work satisfies never;
  }
}
