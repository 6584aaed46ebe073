// Whose fault it is that a change was refused, as far as Route 53's words alone tell. Pure.
import type { Change } from '../../dns/plan-changes.ts';
import type { RecordSetItem, Refusal } from '../../record-sets/record-set-item.ts';
import type { RefusalFact } from '../../route53/refusal-messages.ts';

export type BlameOf<C extends Change> = {
  readonly step: C;
  readonly reason: Refusal['reason'];
  readonly message: string;
  /** Somebody else's neighbour that does not let it stand. */
  readonly beside?: NonNullable<Refusal['beside']>;
};

/** What a look at the name may explain; whatever else is refused is a fault of the content. */
const LOOKED_FOR: readonly RefusalFact['kind'][] = ['exists', 'absent', 'differs', 'neighbour'];

/** What is refused is a change of these, which go together. */
type Refused<C extends Change> = {
  readonly unit: readonly C[];
  /** The item of the first; null: it is none of ours. */
  readonly item: RecordSetItem | null;
  readonly kinds: ReadonlySet<RefusalFact['kind']>;
  readonly words: string;
};

/**
 * What the words alone settle: a fault of the content; and a first CREATE that met somebody else's record set, unless
 * that is to be looked at, so that the message can say what stands there, or is to be taken over (`mayLook`).
 */
export function blameByWords<C extends Change>(
  { unit, item, kinds, words }: Refused<C>,
  mayLook: (item: RecordSetItem) => boolean,
): BlameOf<C> | null {
  const [step] = unit;
  if (step === undefined) return null;
  if (!LOOKED_FOR.some((kind) => kinds.has(kind))) return { step, reason: 'Rejected', message: words };
  const isFirst = unit.length === 1 && step.before === null && item !== null && item.late.length === 0;
  if (!isFirst || !kinds.has('exists') || mayLook(item)) return null;
  const message = `Route 53 already has ${step.type} ${step.name}, not created by zone53. Route 53: ${words}`;
  return { step, reason: 'ForeignRecord', message };
}
