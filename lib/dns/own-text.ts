// Saves memory for texts that are kept for long. V8 stores a concatenated text or a part of a text as a reference to
// the others: a name that was cut out of a file keeps the whole file in memory. So texts of objects are copied.

/** A copy of the text that refers to no other text. */
export function ownText(text: string): string {
  // `join` copies. V8 itself copies texts of fewer than 13 characters.
  return text.length < 13 ? text : [text.charAt(0), text.slice(1)].join('');
}

const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));

/** Parts joined into a text that is in memory once, however many equal texts are kept. For keys of many maps. */
export function keyText(parts: readonly string[]): string {
  // Not `join`, which takes a third more time than all else that is done here.
  let text = '';
  for (const part of parts) text += part;
  // To look up a field, V8 replaces the text by the one of its table of names, which keeps no text alive.
  void NO_FIELDS[text];
  return text;
}

export type Texts = Readonly<Record<string, string>>;

/** The labels or annotations of all objects that have none. */
export const NO_TEXTS: Texts = Object.freeze({});

/** A mapping of these entries. All empty mappings are the same object. */
export function textsOf(entries: readonly (readonly [string, string])[]): Texts {
  return entries.length === 0 ? NO_TEXTS : Object.fromEntries(entries);
}

/** Maximum number of shared texts, such as namespaces. Further texts are not shared. */
const SHARED_MAX = 1_000;
const SHARED = new Map<string, string>();

/** The same text object for each equal text. */
export function sharedText(text: string): string {
  const known = SHARED.get(text);
  if (known !== undefined) return known;
  const own = ownText(text);
  if (SHARED.size < SHARED_MAX) SHARED.set(own, own);
  return own;
}

/** Replaces all texts in lists and mappings by copies, in place. Only for values that nothing else refers to yet. */
export function ownTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return ownText(value) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const inner = fields[key];
    if (typeof inner === 'string') fields[key] = ownText(inner);
    else ownTexts(inner);
  }
  return value;
}
