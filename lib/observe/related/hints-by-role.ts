// Separates hints for objects that sources read from hints for related objects. If any object of a related kind may
// have changed, the objects of all kinds that may ask for it are compared. That finds every change, and lists no kind
// that nobody asked for. It is usual: an audit event about a new EndpointSlice or Pod has no name, as their names are
// generated. So where only objects of the same namespace may ask, no others are compared.
import type { RelatedKind } from '../../objects/related.ts';
import { relatedKindsOf, settingsOf } from '../../objects/source.ts';
import type { Context } from '../../ports/context.ts';
import { causeOf, type Hint } from '../../ports/queues.ts';

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
  const spread = new Map<string, Hint>();
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
    else {
      const namespace = kind.isLocal === true ? hint.namespace : null;
      for (const one of kindsAsking(sources, kind))
        spread.set(`${one} ${namespace}`, { ...causeOf(hint), kind: one, namespace, name: null });
    }
  }
  const wide = [...own, ...spread.values()].filter(({ name, cursor }) => name === null && cursor === undefined);
  const isThere = (one: Hint) =>
    wide.some((hint) => {
      if (hint === one || hint.kind !== one.kind) return false;
      return hint.namespace === null || hint.namespace === one.namespace;
    });
  return { own: [...own, ...[...spread.values()].filter((hint) => !isThere(hint))], related };
}

function kindsAsking(sources: Context['sources'], { kind }: RelatedKind): readonly string[] {
  return sources
    .filter((source) => source.relatedKinds?.(settingsOf(source)).some((one) => one.kind === kind) === true)
    .map((source) => source.kind);
}
