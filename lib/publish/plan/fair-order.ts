// The order in which changes are sent, so that a refusal for one tenant delays no other tenant. Pure.
//
//   never refused   first, batches of any namespaces; those with a namespace of few changes go before the others
//   refused before  then: namespace after namespace, the one whose last refusal is longest ago first; in batches of at
//                   most as many names as each of them allows (`together` in transitions.ts)
//
// A refused batch is split between namespaces if it has several: the fault is most often in one of them.
import { type Change, compareChanges } from '../../dns/plan-changes.ts';
import type { RecordSetKey } from '../../dns/record-set.ts';
import type { RecordSetItem, Refused } from '../../record-sets/record-set-item.ts';
import { predecessors } from '../../route53/alias-order.ts';

/**
 * How many batches of changes that were never refused one run sends: five seconds at the default budget. A change that
 * arrives meanwhile is among the first of the next run, however many others there are.
 */
export const BATCHES_MAX = 20;
/** The same, of changes that were refused before. */
export const SUSPECT_BATCHES_MAX = 8;

/** The changes of one name. */
type Group = readonly Change[];

type Suspect = Refused & { readonly group: Group };

/** The namespace of the first object of a change; '' if it has none. */
export function namespaceOf(change: Pick<Change, 'objects'> | undefined): string {
  return /^\S+ ([^/]+)\//.exec(change?.objects[0] ?? '')?.[1] ?? '';
}

export function groupsOf<C extends Change>(changes: readonly C[]): C[][] {
  return [...Map.groupBy(changes, (change) => change.name).values()];
}

/** True for several groups that are parts of one name. */
export function areOfOneName(groups: readonly Group[]): boolean {
  return groups.length > 1 && groupsOf(groups.flat()).length === 1;
}

/** Separates names that were never refused from names that were. The latter come in batches, in the order to try. */
export function inFairOrder(
  changes: readonly Change[],
  itemOf: (key: RecordSetKey) => RecordSetItem | null,
): { readonly fresh: readonly Change[]; readonly suspects: readonly (readonly Group[])[] } {
  const fresh: Change[] = [];
  const suspects: Suspect[] = [];
  for (const group of groupsOf(changes)) {
    const refused = group.flatMap((change) => itemOf(change)?.refused ?? []);
    if (refused.length === 0) fresh.push(...group);
    else suspects.push(refused.reduce<Suspect>(mostRefused, { times: 0, together: Infinity, atMs: 0, group }));
  }
  return { fresh, suspects: inTurns(suspects) };
}

function mostRefused(all: Suspect, one: Refused): Suspect {
  return {
    times: Math.max(all.times, one.times),
    together: Math.max(1, Math.min(all.together, one.together)),
    atMs: Math.max(all.atMs, one.atMs),
    group: all.group,
  };
}

/** Batches of names that were refused before. A namespace that does not fit into the open batch begins a new one. */
function inTurns(suspects: readonly Suspect[]): Group[][] {
  const batches: Group[][] = [];
  let open: Group[] = [];
  let room = 0;
  for (const ofNamespace of byTurn(suspects)) {
    const together = Math.min(...ofNamespace.map((one) => one.together));
    if (open.length + ofNamespace.length > Math.min(room, together)) room = 0;
    for (const { group, together: most } of ofNamespace) {
      room = Math.min(room, most);
      if (open.length + 1 > room) {
        open = [];
        batches.push(open);
        room = most;
      }
      open.push(group);
    }
  }
  return batches;
}

function byTurn(suspects: readonly Suspect[]): Suspect[][] {
  const lastMs = (all: readonly Suspect[]) => all.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
  return [...Map.groupBy(suspects, ({ group }) => namespaceOf(group[0])).values()]
    .map((ofNamespace) => ofNamespace.toSorted((a, b) => a.atMs - b.atMs || compareGroups(a.group, b.group)))
    .sort((a, b) => lastMs(a) - lastMs(b) || a.length - b.length || compareGroups(a[0]?.group, b[0]?.group));
}

function compareGroups(a: Group = [], b: Group = []): number {
  const [first] = a;
  const [second] = b;
  return first === undefined || second === undefined ? a.length - b.length : compareChanges(first, second);
}

/**
 * Batches with a namespace of few changes come first: if they are refused, that namespace is quickly separated. A batch
 * with the target of an alias stays before the batch with the alias.
 */
export function fewestFirst<B extends { readonly changes: readonly Change[] }>(batches: readonly B[]): readonly B[] {
  const all = batches.flatMap(({ changes }) => changes);
  const counts = countsOf(all);
  if (counts.size === 1) return batches;
  const ranks = batches.map(({ changes }) =>
    Math.min(...changes.map((change) => counts.get(namespaceOf(change)) ?? 0)),
  );
  // Most plans have no alias, and may have very many names.
  if (all.some(({ before, after }) => before?.kind === 'alias' || after?.kind === 'alias'))
    lowerTargets(ranks, batches);
  const ranked = batches.map((batch, index) => ({ batch, rank: ranks[index] ?? 0 }));
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ batch }) => batch);
}

/** Gives each batch with the target of an alias at most the rank of the batch with the alias. */
function lowerTargets(ranks: number[], batches: readonly { readonly changes: readonly Change[] }[]): void {
  const batchOf = new Map(batches.flatMap(({ changes }, index) => changes.map(({ name }) => [name, index] as const)));
  const byName = Map.groupBy(
    batches.flatMap(({ changes }) => changes),
    ({ name }) => name,
  );
  const first = predecessors([...byName].map(([name, changes]) => ({ name, changes })));
  // From the last batch on, so that a target of a target is before both.
  for (const [name, index] of [...batchOf].toSorted(([, a], [, b]) => b - a)) {
    for (const before of [...(first.get(name) ?? [])].flatMap((one) => batchOf.get(one) ?? []))
      ranks[before] = Math.min(ranks[before] ?? 0, ranks[index] ?? 0);
  }
}

function countsOf(changes: readonly Change[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const change of changes) counts.set(namespaceOf(change), (counts.get(namespaceOf(change)) ?? 0) + 1);
  return counts;
}

/** Splits the names of a refused batch in two: between namespaces, the smaller ones first; a single one in halves. */
export function splitGroups<G extends Group>(groups: readonly G[]): { readonly first: G[]; readonly second: G[] } {
  const namespaces = [...Map.groupBy(groups, (group) => namespaceOf(group[0])).values()].sort(
    (a, b) => a.length - b.length,
  );
  const ordered = namespaces.flat();
  const middle = Math.floor(ordered.length / 2);
  let cut = 0;
  let at = 0;
  for (const ofNamespace of namespaces.slice(0, -1)) {
    at += ofNamespace.length;
    if (cut === 0 || Math.abs(at - middle) < Math.abs(cut - middle)) cut = at;
  }
  if (cut === 0) cut = middle;
  return { first: ordered.slice(0, cut), second: ordered.slice(cut) };
}

/** How many record sets these changes add; negative if they remove more than they add. */
export function growthOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { action }) => sum + Number(action === 'create') - Number(action === 'delete'), 0);
}

/** True for changes that add more record sets than they remove. */
export function isGrowth(changes: readonly Change[]): boolean {
  return growthOf(changes) > 0;
}
