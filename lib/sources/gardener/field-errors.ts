// Messages about a field in the words of the Kubernetes API ("spec.name: Invalid value: …"), which Gardener's
// validation uses.

/** The most characters of a value in a message; the longest domain name fits. */
const VALUE_CHARACTERS_MAX = 256;

/** A required field is missing. */
export function required(path: string, detail: string): string {
  return said(path, 'Required value', detail);
}

export function invalid(path: string, value: unknown, detail: string): string {
  return said(path, `Invalid value: ${quotedValue(value)}`, detail);
}

/** A value is not one of those allowed. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): string {
  const list = supported.map((one) => JSON.stringify(one)).join(', ');
  return said(path, `Unsupported value: ${quotedValue(value)}`, `supported values: ${list}`);
}

/** A valid value is not allowed in this place. */
export function forbidden(path: string, detail: string): string {
  return said(path, 'Forbidden', detail);
}

/** A value has another JSON type than its field. */
export function wrongType(path: string, value: unknown, type: 'string' | 'integer' | 'array' | 'object'): string {
  return invalid(
    path,
    kindOfValue(value),
    `${path} in body must be of type ${type}: ${quotedValue(kindOfValue(value))}`,
  );
}

function said(path: string, what: string, detail: string): string {
  return detail === '' ? `${path}: ${what}` : `${path}: ${what}: ${detail}`;
}

function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function quotedValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length <= VALUE_CHARACTERS_MAX) return text.toWellFormed();
  return `${text.slice(0, VALUE_CHARACTERS_MAX).toWellFormed()}…`;
}
