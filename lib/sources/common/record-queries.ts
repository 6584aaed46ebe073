// Finds the related objects that a source needs: it runs `endpointsOf` with what is known, and notes each lookup. A
// name that no object can have, such as `..`, is not looked up: the API server would refuse it, or read another path.
import { isNamespace, isObjectName } from '../../objects/object-ref.ts';
import { queryText, type RelatedObjects, type RelatedQuery } from '../../objects/related.ts';
import type { Source } from '../../objects/source.ts';

/** The label with which an EndpointSlice names its Service. */
export const SERVICE_LABEL = 'kubernetes.io/service-name';

/** The `relatedOf` for a source: each lookup of its `endpointsOf`, once. */
export function queriesOf(endpointsOf: Source['endpointsOf']): NonNullable<Source['relatedOf']> {
  return (object, settings, known) => {
    const asked = new Map<string, RelatedQuery>();
    const note = (query: RelatedQuery) => asked.set(queryText(query), query);
    const recording: RelatedObjects = {
      get: (kind, namespace, name) => {
        if (!isNamespace(namespace) || !isObjectName(name)) return null;
        note({ code: 'get', kind, namespace, name });
        return known.get(kind, namespace, name);
      },
      list: (kind, namespace, label) => {
        if (namespace !== null && !isNamespace(namespace)) return [];
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
