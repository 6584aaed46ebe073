// Compares values as JSON. The order of keys does not matter, and a field that is undefined counts as missing. It
// does not make JSON texts, which would be slow: a sweep compares very much, and most of it is equal.

/** True when both values are the same JSON, apart from the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isNothing(a) && isNothing(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((value, index) => sameJson(value, b[index]));
  }
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  let fields = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    if (right[key] === undefined || !sameJson(left[key], right[key])) return false;
    fields += 1;
  }
  for (const key in right) if (right[key] !== undefined) fields -= 1;
  return fields === 0;
}

/** undefined counts as null, as JSON has it in a list. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}
