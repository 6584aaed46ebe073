// Separates hints for objects that sources read from hints for related objects. If all objects of a related kind may
// have changed, the objects of all kinds that may ask for it are compared. That finds every change, and lists no kind
// that nobody asked for.
import type { RelatedKind } from '../../objects/related.ts';
import { relatedKindsOf, settingsOf } from '../../objects/source.ts';
import type { Context } from '../../ports/context.ts';
import type { Hint } from '../../ports/queues.ts';

export type HintsByRole = {
  readonly own: readonly Hint[];
  readonly related: readonly { readonly hint: Hint; readonly kind: RelatedKind }[];
};

export function byRole({ sources }: Pick<Context, 'sources'>, hints: readonly Hint[]): HintsByRole {
  const kinds = new Map(relatedKindsOf(sources).map((kind) => [kind.kind, kind]));
  if (kinds.size === 0) return { own: hints, related: [] };
  const ofSources = new Set(sources.map(({ kind }) => kind));
  const own: Hint[] = [];
  const related: HintsByRole['related'][number][] = [];
  const spread = new Set<string>();
  for (const hint of hints) {
    const kind = kinds.get(hint.kind);
    const isNamed = hint.name !== null && hint.namespace !== null;
    if (kind === undefined) own.push(hint);
    else if (ofSources.has(kind.kind)) {
      // A kind may have both roles: one source reads it, and another asks for it. A hint with a cursor has only one.
      const goesOn = hint.cursor !== undefined;
      if (!isNamed || !goesOn) own.push(hint);
      if (!isNamed && goesOn) continue;
    }
    if (kind === undefined) continue;
    if (isNamed) related.push({ hint, kind });
    else for (const one of kindsAsking(sources, kind)) spread.add(one);
  }
  // The namespace of a related object is not used: its dependents may be in other namespaces.
  const wide = [...spread].map((kind) => ({ kind, namespace: null, name: null }));
  const isThere = ({ kind }: Hint) =>
    own.some((hint) => hint.kind === kind && hint.namespace === null && hint.cursor === undefined);
  return { own: [...own, ...wide.filter((hint) => !isThere(hint))], related };
}

function kindsAsking(sources: Context['sources'], { kind }: RelatedKind): readonly string[] {
  return sources
    .filter((source) => source.relatedKinds?.(settingsOf(source)).some((one) => one.kind === kind) === true)
    .map((source) => source.kind);
}
