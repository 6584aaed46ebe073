// Why a change was refused, as far as Route 53's words alone tell. Pure.
import type { Change } from '../../dns/plan-changes.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { type RecordSetItem, type Refusal, storedContent } from '../../record-sets/record-set-item.ts';
import { isUnclear, type RefusalFact } from '../../route53/refusal-messages.ts';
import { unitsOf } from '../../route53/tied-changes.ts';

export type BlameOf<C extends Change> = {
  readonly step: C;
  readonly reason: Refusal['reason'];
  readonly message: string;
  /** A foreign record set at the same name that excludes the change. */
  readonly beside?: NonNullable<Refusal['beside']>;
};

export function isBlame<C extends Change>(next: C | BlameOf<C> | null): next is BlameOf<C> {
  return next !== null && 'step' in next;
}

/** Refusals that reading the name explains. Any other refusal is the fault of the content, if its words are clear. */
const LOOKED_FOR: readonly RefusalFact['kind'][] = ['exists', 'absent', 'differs', 'neighbour'];

/** Changes that are applied together, and were refused. */
type Refused<C extends Change> = {
  readonly unit: readonly C[];
  /** The item of the first change; null: the record set is not ours. */
  readonly item: RecordSetItem | null;
  readonly kinds: ReadonlySet<RefusalFact['kind']>;
  readonly messages: readonly string[];
};

/**
 * Returns who is to blame if the words alone decide it: the content is wrong, or a first CREATE met a foreign record
 * set. In the second case, and if the words are unclear, it returns null if `mayLook` says to read the name first: for
 * a takeover, or so that the message can show the content.
 */
export function blameByWords<C extends Change>(
  { unit, item, kinds, messages }: Refused<C>,
  mayLook: (item: RecordSetItem) => boolean,
): BlameOf<C> | null {
  const [step] = unit;
  if (step === undefined) return null;
  const words = messages.join('; ');
  if (!LOOKED_FOR.some((kind) => kinds.has(kind)))
    return isUnclear(messages) && item !== null && mayLook(item) ? null : { step, reason: 'Rejected', message: words };
  const isFirst = unit.length === 1 && step.before === null && item !== null && item.late.length === 0;
  if (!isFirst || !kinds.has('exists') || mayLook(item)) return null;
  const message = `Route 53 already has ${step.type} ${step.name}, not created by zone53. Route 53: ${words}`;
  return { step, reason: 'ForeignRecord', message };
}

/** Blames the record set of somebody else that excludes the change, if there is one. */
export function blameBeside<C extends Change>(
  step: C,
  obstacle: { readonly set: RecordSet; readonly message: string } | null,
  words: string,
): BlameOf<C> | null {
  if (obstacle === null) return null;
  const { type, setIdentifier, content } = obstacle.set;
  const beside = { type, setIdentifier, content: storedContent(content) };
  return { step, reason: 'ForeignRecord', message: `${obstacle.message} Route 53: ${words}`, beside };
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
