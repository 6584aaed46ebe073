// Specs, parsed once for as long as somebody holds them: a sweep and an update of a name come by the same spec several
// times. A spec is never changed once it was read; an edit is a new one.
import type { SpecResult } from './spec-fields.ts';

type Parse<Spec> = (spec: unknown, namespace: string) => SpecResult<Spec>;

export function once<Spec>(parse: Parse<Spec>): Parse<Spec> {
  const known = new WeakMap<object, SpecResult<Spec> & { readonly within: string }>();
  return (spec, namespace) => {
    if (typeof spec !== 'object' || spec === null) return parse(spec, namespace);
    const found = known.get(spec);
    if (found?.within === namespace) return found;
    const result = { ...parse(spec, namespace), within: namespace };
    known.set(spec, result);
    return result;
  };
}
