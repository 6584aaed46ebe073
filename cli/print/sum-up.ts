// Sums up a long plan: what may surprise is shown line by line, the rest is counted by namespace.
import type { ChangeOutput } from './output.ts';

/** A hosted zone with more changes than this is summed up. */
const LINES_MAX = 60;

type Summed<Of> = {
  /** The changes to show. */
  readonly shown: readonly Of[];
  /** A line for each namespace with the number of its changes; empty if all changes are shown. */
  readonly lines: readonly string[];
};

/** All changes if there are few, or if `all` is asked for. */
export function sumUp<Of extends ChangeOutput>(changes: readonly Of[], all: boolean): Summed<Of> {
  if (all || changes.length <= LINES_MAX) return { shown: changes, lines: [] };
  const shown = changes.filter(mayRise).slice(0, LINES_MAX);
  const byNamespace = Map.groupBy(changes, ({ objects: [first] }) => {
    const namespace = namespaceOf(first ?? '');
    return namespace === null ? 'of no object' : `namespace ${namespace}`;
  });
  const lines = [...byNamespace].map(([namespace, of]) => `${namespace}: ${countedActions(of)}`);
  const rest = changes.length - shown.length;
  return {
    shown,
    lines: [`${shown.length === 0 ? '' : 'and '}${rest} more; --all shows every line. In all:`, ...lines.toSorted()],
  };
}

/** True for a change that a reader looks for: all but creates and adoptions where nothing is in the way. */
export function mayRise({ action, standing = 'none', outcome = 'published', held = false }: ChangeOutput): boolean {
  const isPlain = action === 'adopt' || (action === 'create' && standing === 'none' && !held);
  return !isPlain || outcome !== 'published';
}

/** The namespace of "Kind ns/name"; null for any other text. */
function namespaceOf(object: string): string | null {
  return /^\S+ ([^/\s]+)\//.exec(object)?.[1] ?? null;
}

const VERBS = {
  create: 'to create',
  update: 'to update',
  delete: 'to delete',
  adopt: 'to adopt',
  forget: 'to forget',
} as const;

/** "12 to create, 3 to delete"; of what was applied, the outcomes. */
export function countedActions(changes: readonly ChangeOutput[]): string {
  const said = Map.groupBy(changes, ({ action, outcome }) =>
    outcome === undefined ? VERBS[action] : outcomeWord(action, outcome),
  );
  return [...said].map(([word, of]) => `${of.length} ${word}`).join(', ');
}

/** A delete that Route 53 accepted is deleted, not published, and what was forgotten is neither. */
export function outcomeWord(action: ChangeOutput['action'], outcome: NonNullable<ChangeOutput['outcome']>): string {
  if (outcome !== 'published') return outcome;
  return action === 'delete' ? 'deleted' : action === 'forget' ? 'forgotten' : outcome;
}
