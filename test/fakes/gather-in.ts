// The related objects of an object, taken from a list of all objects: the simple form of what lib/observe/related reads
// piece by piece.
import { compareText } from '../../lib/dns/names/compare-text.ts';
import { keyOf } from '../../lib/objects/object-ref.ts';
import { queryText, type RelatedObject, type RelatedObjects } from '../../lib/objects/related.ts';
import { isSelected, type Source, settingsOf } from '../../lib/objects/source.ts';
import { NOTHING_GATHERED, sourceOf } from '../../lib/observe/in-force/last-valid-spec.ts';
import type { Gathered } from '../../lib/observe/related/gather-related.ts';
import { factsOf } from '../../lib/observe/related/read-related.ts';
import type { ClusterObject } from '../../lib/ports/cluster.ts';

export type TypesAt = (fqdn: string) => readonly string[];

/** The related objects of each object. */
export function gatherIn(
  sources: readonly Source[],
  objects: readonly ClusterObject[],
  typesAt: TypesAt = () => [],
): (object: ClusterObject) => Gathered {
  const byKind = Map.groupBy(objects, ({ ref }) => ref.kind);
  const shown = (object: ClusterObject): RelatedObject => ({ ref: object.ref, facts: factsOf(sources, object) });
  const related: RelatedObjects = {
    get: (kind, namespace, name) => {
      const found = byKind.get(kind)?.find(({ ref }) => ref.namespace === namespace && ref.name === name);
      return found === undefined ? null : shown(found);
    },
    list: (kind, namespace, label) =>
      (byKind.get(kind) ?? [])
        .filter(({ ref }) => namespace === null || ref.namespace === namespace)
        .filter(({ labels }) => label === null || labels[label.key] === label.value)
        .toSorted((a, b) => compareText(keyOf(a.ref), keyOf(b.ref)))
        .map(shown),
    typesAt,
    aliasesAt: () => ({}),
  };
  return (object) => {
    const source = sourceOf(sources, object.ref);
    if (source?.relatedOf === undefined || !isSelected(object, settingsOf(source))) return NOTHING_GATHERED;
    const asked = source.relatedOf(object, settingsOf(source), related);
    const queries = [...new Map(asked.map((query) => [queryText(query), query])).values()];
    return { related, queries, problem: null, isWhole: true };
  };
}
