// Which changes go together or not at all: whatever of a name would break a rule of Route 53 in between, were it
// applied one by one, and what one object asks for in place of what it asked for before, so that the old stays until
// the new is accepted. In one batch the deletes come first, so that nothing stands in the way of what comes.
//
//   to or from CNAME                    | all changes of the name
//   to another policy, or to simple     | all changes of the name and type
//   a region, place or role moves       | all changes of the name and type
//   another TTL of weighted record sets | all changes of the name and type
//   another set identifier of an object | the record sets that are its own, of the name and type
import type { Change } from '../dns/plan-changes.ts';
import type { RecordSetContent } from '../dns/record-set.ts';
import { excludes } from '../dns/routing-policy.ts';

/**
 * The changes in units that are tied, in the order of their names. `isStuck`: a delete that cannot be made, because
 * somebody changed the record set. What an object wants in place of it does not wait for it.
 */
export function unitsOf<C extends Change>(changes: readonly C[], isStuck: (change: C) => boolean = () => false): C[][] {
  return [...Map.groupBy(changes, (change) => change.name).values()].flatMap((ofName) => {
    const types = Map.groupBy(ofName, (change) => change.type);
    if (types.size > 1 && types.has('CNAME')) return [ofName];
    return [...types.values()].flatMap((ofType) => (isTied(ofType) ? [ofType] : withReplaced(ofType, isStuck)));
  });
}

/** True for changes of one name and type of which one could not go without the others. */
function isTied(changes: readonly Change[]): boolean {
  return changes.some(
    (change) =>
      movesTtl(change) ||
      changes.some((other) => other !== change && change.before !== null && isBarredBy(other.after, change.before)),
  );
}

/** True for what cannot come while that stands. */
function isBarredBy(after: RecordSetContent | null, before: RecordSetContent): boolean {
  return after !== null && excludes(after.routing, before.routing);
}

/** Of changes of one name and type, those by which an object has its record set under another identifier together. */
function withReplaced<C extends Change>(changes: readonly C[], isStuck: (change: C) => boolean): C[][] {
  let units = changes.map((change) => [change]);
  const creates = changes.filter(({ before }) => before === null);
  for (const gone of changes.filter((change) => change.after === null && !isStuck(change))) {
    const come = creates.filter(({ objects }) => objects.some((object) => gone.objects.includes(object)));
    const isTiedTo = (unit: readonly C[]) => unit.includes(gone) || come.some((change) => unit.includes(change));
    if (come.length > 0) units = [units.filter(isTiedTo).flat(), ...units.filter((unit) => !isTiedTo(unit))];
  }
  return units;
}

function movesTtl({ before, after }: Change): boolean {
  if (before?.kind !== 'values' || after?.kind !== 'values' || after.routing?.policy.kind !== 'weight') return false;
  return before.ttlSeconds !== after.ttlSeconds;
}
