// Which changes must be in one batch. These are the changes of a name that would break a rule of Route 53 if they were
// applied one by one. They are also the changes by which an object replaces a record set, so that the old one stays
// until the new one is accepted. Within a batch the deletes come first, so they make room for the creates.
//
//   to or from CNAME                    | all changes of the name
//   to another policy, or to simple     | all changes of the name and type
//   a region, place or role moves       | all changes of the name and type
//   another TTL of weighted record sets | all changes of the name and type
//   another set identifier of an object | the record sets that are its own, of the name and type
//   given to external-dns               | all record sets of the name that are given
//   addresses that nobody here asked    | all addresses of the name, so that they are replaced and not deleted: they
//   for go                              | came from another cluster, or a view inherits them
//
// A new record set may be tied only because the others must make room for it: see followersOf().
import type { Change } from '../dns/plan-changes.ts';
import { type RecordSetContent, typesExclude } from '../dns/record-set.ts';
import { typeGroup } from '../dns/record-type.ts';
import { excludes } from '../dns/routing-policy.ts';

/**
 * The changes in units that are tied, in the order of their names. `isStuck`: a delete that cannot be made, because
 * somebody changed the record set. What is wanted in place of it, or with another policy than it had, does not wait for
 * it: Route 53 decides whether it can be beside what stands there now.
 */
export function unitsOf<C extends Change>(changes: readonly C[], isStuck: (change: C) => boolean = () => false): C[][] {
  return [...Map.groupBy(changes, (change) => change.name).values()].flatMap((ofName) => {
    if (ofName.length === 1) return [ofName];
    const given = ofName.filter(({ action }) => action === 'forget');
    if (given.length > 0)
      return [
        given,
        ...unitsOf(
          ofName.filter((change) => !given.includes(change)),
          isStuck,
        ),
      ];
    const types = Map.groupBy(ofName, (change) => change.type);
    if ([...types.keys()].some((type, _, all) => all.some((other) => typesExclude(type, other)))) return [ofName];
    const addresses = ofName.filter(({ type }) => typeGroup(type) === typeGroup('A'));
    if (addresses.length > 1 && addresses.some(isNobodys)) {
      const others = ofName.filter((change) => !addresses.includes(change));
      return [addresses, ...unitsOf(others, isStuck)];
    }
    return [...types.values()].flatMap((ofType) => {
      const movable = ofType.filter((change) => change.after !== null || !isStuck(change));
      if (!isTied(movable)) return withReplaced(ofType, isStuck);
      return [movable, ...ofType.filter((change) => !movable.includes(change)).map((change) => [change])];
    });
  });
}

/**
 * The creates of a unit that the others do not need: if one is refused, the others can be applied without it. None if
 * anything is deleted, since that may go only for what takes its place, and none if a CNAME is among them.
 */
export function followersOf<C extends Change>(unit: readonly C[]): readonly C[] {
  const creates = unit.filter(({ before }) => before === null);
  const isAll = creates.length === 0 || creates.length === unit.length;
  return isAll || unit.some(({ type, after }) => after === null || type !== unit[0]?.type) ? [] : creates;
}

/** True for a delete of what no object here asked for. */
function isNobodys({ after, objects }: Change): boolean {
  return after === null && objects.length === 0;
}

/** True when one of these changes of a name and type can only be applied together with the others. */
function isTied(changes: readonly Change[]): boolean {
  return changes.some(
    (change) =>
      movesTtl(change) ||
      changes.some((other) => other !== change && change.before !== null && isBarredBy(other.after, change.before)),
  );
}

/** True when `after` cannot be created while `before` exists. */
function isBarredBy(after: RecordSetContent | null, before: RecordSetContent): boolean {
  return after !== null && excludes(after.routing, before.routing);
}

/**
 * Units of changes of one name and type. The changes by which an object replaces its record set with one that has
 * another set identifier are in one unit.
 */
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
