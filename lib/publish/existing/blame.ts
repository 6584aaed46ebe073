// Why a change was refused, as far as Route 53's words alone tell. Pure.
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, showRecordSet } from '../../dns/record-set.ts';
import { type RecordSetItem, type Refusal, storedContent } from '../../record-sets/record-set-item.ts';
import { accusedIn, factKinds, isUnclear, parseRefusal, type RefusalFact } from '../../route53/refusal-messages.ts';
import { followersOf, unitsOf } from '../../route53/tied-changes.ts';
import { obstacleBeside, type View } from './neighbours.ts';

export type BlameOf<C extends Change> = {
  readonly step: C;
  readonly reason: Refusal['reason'];
  readonly message: string;
  /** A foreign record set at the same name that excludes the change. */
  readonly beside?: NonNullable<Refusal['beside']>;
  /** What is protected, if that is the reason. */
  readonly shield?: NonNullable<Refusal['shield']>;
  /** What Route 53 has in place of the step, if it was read. */
  readonly standing?: RecordSetContent | null;
};

export function isBlame<C extends Change>(next: C | BlameOf<C> | null): next is BlameOf<C> {
  return next !== null && 'step' in next;
}

/** Refusals that reading the name explains. Any other refusal is the fault of the content, if its words are clear. */
const LOOKED_FOR: readonly RefusalFact['kind'][] = ['exists', 'absent', 'differs', 'neighbour'];

/** Changes that are only applied together and that Route 53 refused, with its words about them. */
export type RefusedUnit<C extends Change> = {
  readonly steps: readonly C[];
  readonly words: readonly string[];
  readonly isNamed: boolean;
};

/**
 * The units of a refused batch that the messages name, with the changes that they name first; and all other changes. A
 * follower (tied-changes.ts) is judged apart if no other change of its unit is named.
 */
export function unitsNamed<C extends Change>(
  groups: readonly (readonly C[])[],
  messages: readonly string[],
): { readonly named: readonly RefusedUnit<C>[]; readonly others: readonly C[] } {
  const facts = Map.groupBy(accusedIn(messages, groups.flat()), ({ name }) => name);
  const factsAbout = (change: C) => {
    const names = new Set([change.name, ...(change.also ?? []).map(({ name }) => name)]);
    return [...names].flatMap((name) => facts.get(name) ?? []).filter((fact) => concerns(fact, change));
  };
  return unitsAccused(groups, (change) => factsAbout(change).map(({ message }) => message));
}

/** The same for any words about a change that accuse it; none: they do not. */
export function unitsAccused<C extends Change>(
  groups: readonly (readonly C[])[],
  wordsAbout: (change: C) => readonly string[],
): { readonly named: readonly RefusedUnit<C>[]; readonly others: readonly C[] } {
  const named: RefusedUnit<C>[] = [];
  const others: C[] = [];
  for (const unit of groups.flatMap((group) => unitsOf(group))) {
    const accused = unit.filter((change) => wordsAbout(change).length > 0);
    const rest = unit.filter((change) => !accused.includes(change));
    const followers = followersOf(unit);
    const areApart = accused.every((change) => followers.includes(change));
    if (areApart) others.push(...rest);
    for (const steps of areApart ? accused.map((change) => [change]) : [[...accused, ...rest]]) {
      named.push({ steps, words: [...new Set(steps.flatMap(wordsAbout))], isNamed: true });
    }
  }
  return { named, others };
}

/** Units of a refused batch: those that the messages do not name, then the others; or all together. */
export function splitByNames<U extends { readonly steps: readonly Change[] }>(
  units: readonly U[],
  messages: readonly string[],
): readonly (readonly U[])[] {
  const steps = units.flatMap((unit) => unit.steps);
  const facts = accusedIn(messages, steps);
  const isNamed = (unit: U) => unit.steps.some((step) => facts.some((fact) => concerns(fact, step)));
  const named = units.filter(isNamed);
  const others = units.filter((unit) => !named.includes(unit));
  return named.length > 0 && others.length > 1 ? [others, named] : [units];
}

function concerns(fact: RefusalFact, change: Change): boolean {
  const isText = change.also?.some(({ name }) => name === fact.name) === true && (fact.type ?? 'TXT') === 'TXT';
  if (isText) return true;
  if (fact.name !== change.name) return false;
  // The message may name the CNAME or the record set beside it: in both cases all changes of the name are concerned.
  if (fact.kind === 'neighbour' || fact.type === null) return true;
  return fact.type === change.type && (fact.setIdentifier ?? null) === change.setIdentifier;
}

/** The change whose content is at fault, as far as is known: the first of them that has one. */
export function guiltyOf<C extends Change>(unit: readonly C[]): C | undefined {
  return unit.find(({ after }) => after !== null) ?? unit[0];
}

/**
 * Returns who is to blame if the words alone decide it: the content is wrong, or a first CREATE met a foreign record
 * set. In the second case, and if the words are unclear, it returns null if `mayLook` says to read the name first: for
 * a takeover, or so that the message can show the content.
 */
export function blameByWords<C extends Change>(
  { steps, words }: RefusedUnit<C>,
  itemOf: (change: C) => RecordSetItem | null,
  mayLook: (item: RecordSetItem) => boolean,
): BlameOf<C> | null {
  const [first] = steps;
  const step = guiltyOf(steps);
  if (first === undefined || step === undefined) return null;
  const item = itemOf(first);
  const kinds = factKinds(parseRefusal(words), words);
  const text = words.join('; ');
  if (!LOOKED_FOR.some((kind) => kinds.has(kind)))
    return isUnclear(words) && item !== null && mayLook(item) ? null : { step, reason: 'Rejected', message: text };
  const isFirst = steps.length === 1 && step.before === null && item !== null && item.late.length === 0;
  if (!isFirst || !kinds.has('exists') || mayLook(item)) return null;
  const message = `Route 53 already has ${showRecordSet(step)}, not created by zone53. Route 53: ${text}`;
  return { step, reason: 'ForeignRecord', message };
}

/** Blames the record set of somebody else that excludes a change of the unit, if there is one. `text`: the refusal. */
export function blameNeighbours<C extends Change>(
  unit: readonly C[],
  look: { readonly inTheWay: readonly RecordSet[]; readonly takings: View['takings']; readonly text: string },
  itemOf: (change: C) => RecordSetItem | null,
  mayReplace: (item: RecordSetItem) => boolean,
): BlameOf<C> | null {
  const step = unit.find(({ after }) => after !== null);
  if (step === undefined) return null;
  const item = itemOf(step);
  const obstacle = obstacleBeside(step, look.inTheWay, look.takings, item !== null && mayReplace(item));
  if (obstacle === null) return null;
  const { type, setIdentifier, content } = obstacle.set;
  const beside = { type, setIdentifier, content: storedContent(content) };
  return { step, reason: 'ForeignRecord', message: `${obstacle.message} Route 53: ${look.text}`, beside };
}

/**
 * The changes of a unit that are refused because of `step`, and those that go without it: what an object wants in place
 * of a record set does not wait for the delete of that one, if somebody changed it.
 */
export function splitUnit<C extends Change>(
  unit: readonly C[],
  { step, reason }: BlameOf<C>,
): { readonly held: readonly C[]; readonly free: readonly C[] } {
  const units = unitsOf(unit, (change) => change === step && reason === 'Drifted');
  const held = units.find((one) => one.includes(step)) ?? unit;
  return { held, free: unit.filter((change) => !held.includes(change)) };
}
