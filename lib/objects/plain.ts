// Reads untrusted values of objects without ever throwing. A value of another type than its API says counts as absent.

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a mapping; none for any other value. */
export function mapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** The items of a list as mappings; none for any other value. */
export function mappingsIn(value: unknown): readonly Mapping[] {
  return Array.isArray(value) ? value.map(mapping) : [];
}

/** The message of what was thrown; of anything but an Error, its text. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The value of a JSON text; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of fields; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    const fields = mapping(inner);
    return Object.hasOwn(fields, key) ? fields[key] : undefined;
  }, value);
}

/** The list at a path; empty if there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The non-empty string at a path; null if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
}

/** The non-empty strings of the list at a path. */
export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((item): item is string => typeof item === 'string' && item !== '');
}

/** The string values of a mapping, such as labels. */
export function textMap(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(mapping(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
