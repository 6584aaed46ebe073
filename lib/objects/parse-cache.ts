// Remembers parsed specs for as long as the unparsed spec is in memory, because a sweep and an update of a name meet
// the same spec several times. It relies on specs never being changed in place.
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
