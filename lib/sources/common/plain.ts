// Untrusted values of objects, read without a throw: what has another shape than its API says counts as absent.

/** The fields of a mapping; none where it is something else. */
export function mapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** What stands at a path of fields; undefined where it leads nowhere. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    const fields = mapping(inner);
    return Object.hasOwn(fields, key) ? fields[key] : undefined;
  }, value);
}

/** A list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A text at a path that is not empty; null where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
}

/** The texts of a list at a path that are not empty. */
export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((item): item is string => typeof item === 'string' && item !== '');
}

/** The texts of a mapping, such as labels. */
export function textMap(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(mapping(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
