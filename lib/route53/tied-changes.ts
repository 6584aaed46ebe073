// Which changes Route 53 takes together or not at all: whatever of a name would break a rule in between, were it applied
// one by one. In one batch the deletes come first, so that nothing stands in the way of what comes.
//
//   to or from CNAME                    | all changes of the name
//   to another policy, or to simple     | all changes of the name and type
//   a region, place or role moves       | all changes of the name and type
//   another TTL of weighted record sets | all changes of the name and type
import type { Change } from '../dns/plan-changes.ts';
import type { RecordSetContent } from '../dns/record-set.ts';
import { excludes } from '../dns/routing-policy.ts';

/** The changes in units that are tied, in the order of their names. */
export function unitsOf<C extends Change>(changes: readonly C[]): C[][] {
  return [...Map.groupBy(changes, (change) => change.name).values()].flatMap((ofName) => {
    const types = Map.groupBy(ofName, (change) => change.type);
    if (types.size > 1 && types.has('CNAME')) return [ofName];
    return [...types.values()].flatMap((ofType) => (isTied(ofType) ? [ofType] : ofType.map((change) => [change])));
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

function movesTtl({ before, after }: Change): boolean {
  if (before?.kind !== 'values' || after?.kind !== 'values' || after.routing?.policy.kind !== 'weight') return false;
  return before.ttlSeconds !== after.ttlSeconds;
}
