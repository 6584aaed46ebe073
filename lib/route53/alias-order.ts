// Orders the changes of aliases and their targets in the same hosted zone. Route 53 applies a batch change by change,
// and accepts an alias only when its target exists. So a target is created before its alias, and deleted after it.
import type { Change } from '../dns/plan-changes.ts';

type OfName = { readonly name: string; readonly changes: readonly Change[] };

/** Sorts names so that each comes after its predecessors. Names in a circle are not sorted; Route 53 refuses them. */
export function inAliasOrder(names: readonly OfName[]): readonly OfName[] {
  const first = predecessors(names);
  if (first.size === 0) return names;
  const byName = new Map(names.map((one) => [one.name, one]));
  const ordered = new Map<string, OfName>();
  const visiting = new Set<string>();
  const visit = (one: OfName): void => {
    if (ordered.has(one.name) || visiting.has(one.name)) return;
    visiting.add(one.name);
    for (const name of first.get(one.name) ?? []) {
      const before = byName.get(name);
      if (before !== undefined) visit(before);
    }
    ordered.set(one.name, one);
  };
  for (const one of names) visit(one);
  return [...ordered.values()];
}

/** For each name the names that must be changed before it. Names without any are left out. */
export function predecessors(names: readonly OfName[]): ReadonlyMap<string, ReadonlySet<string>> {
  const made = idsOf(names, ({ before, after }) => before === null && after !== null);
  const gone = idsOf(names, ({ before, after }) => before !== null && after === null);
  const first = new Map<string, Set<string>>();
  const put = (name: string, before: string) => first.set(name, (first.get(name) ?? new Set()).add(before));
  for (const { name, changes } of names) {
    for (const { type, before, after } of changes) {
      const to = targetOf(after);
      if (to !== null && to !== name && made.has(`${to} ${type}`)) put(name, to);
      const from = targetOf(before);
      if (from !== null && from !== name && gone.has(`${from} ${type}`)) put(from, name);
    }
  }
  return first;
}

function idsOf(names: readonly OfName[], isSuch: (change: Change) => boolean): ReadonlySet<string> {
  return new Set(names.flatMap(({ name, changes }) => changes.filter(isSuch).map(({ type }) => `${name} ${type}`)));
}

function targetOf(content: Change['after']): string | null {
  return content?.kind === 'alias' ? content.alias.dnsName : null;
}
