// Whether two values are the same JSON: the order of an object's keys does not matter, and a field that is undefined is
// none. Without making text of either, as most comparisons of a sweep find that nothing moved.

/** True when both values have the same JSON but for the order of keys. */
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

/** What is undefined inside of a list, or alone, is null in JSON. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}
