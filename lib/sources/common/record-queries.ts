// What a source needs beside an object is what it looks up while it works: a run over what is known already tells it.
import { queryText, type RelatedObjects, type RelatedQuery } from '../../objects/related.ts';
import type { Source } from '../../objects/source.ts';

/** The `relatedOf` of a source: each lookup of its `endpointsOf`, once. */
export function queriesOf(endpointsOf: Source['endpointsOf']): NonNullable<Source['relatedOf']> {
  return (object, settings, known) => {
    const asked = new Map<string, RelatedQuery>();
    const note = (query: RelatedQuery) => asked.set(queryText(query), query);
    const recording: RelatedObjects = {
      get: (kind, namespace, name) => {
        note({ code: 'get', kind, namespace, name });
        return known.get(kind, namespace, name);
      },
      list: (kind, namespace, label) => {
        note({ code: 'list', kind, namespace, label });
        return known.list(kind, namespace, label);
      },
      typesAt: (fqdn) => {
        note({ code: 'types', fqdn });
        return known.typesAt(fqdn);
      },
      aliasesAt: (fqdn) => {
        note({ code: 'types', fqdn });
        return known.aliasesAt(fqdn);
      },
    };
    endpointsOf(object, settings, recording);
    return [...asked.values()];
  };
}
