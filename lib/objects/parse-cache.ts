// Specs, parsed once for as long as somebody holds them: a sweep and an update of a name come by the same spec several times.
// A spec is never changed once it was read; an edit is a new one.
import type { SpecResult } from './spec-fields.ts';

type Parse<Spec> = (spec: unknown, namespace: string) => SpecResult<Spec>;

export function once<Spec>(parse: Parse<Spec>): Parse<Spec> {
  const known = new WeakMap<object, { readonly namespace: string; readonly result: SpecResult<Spec> }>();
  return (spec, namespace) => {
    if (typeof spec !== 'object' || spec === null) return parse(spec, namespace);
    const found = known.get(spec);
    if (found?.namespace === namespace) return found.result;
    const result = parse(spec, namespace);
    known.set(spec, { namespace, result });
    return result;
  };
}
