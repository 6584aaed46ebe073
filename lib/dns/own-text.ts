// Texts that are kept for long. V8 makes a text of parts that are put together, or a part of a longer one, into a node
// that holds on to the others: a name that was cut out of a file keeps the whole file alive. What is kept of 100,000
// objects is made flat.

/** The same text, which holds on to no other. */
export function ownText(text: string): string {
  // `join` copies; of fewer than 13 characters V8 copies by itself.
  return text.length < 13 ? text : [text.charAt(0), text.slice(1)].join('');
}

export type Texts = Readonly<Record<string, string>>;

/** What an object without any has, all of them the same. */
export const NO_TEXTS: Texts = Object.freeze({});

/** The texts of these entries. */
export function textsOf(entries: readonly (readonly [string, string])[]): Texts {
  return entries.length === 0 ? NO_TEXTS : Object.fromEntries(entries);
}

/** Texts that many objects share, such as a namespace; more than that are not shared. */
const SHARED_MAX = 1_000;
const SHARED = new Map<string, string>();

/** The same text, one for all who ask. */
export function sharedText(text: string): string {
  const known = SHARED.get(text);
  if (known !== undefined) return known;
  const own = ownText(text);
  if (SHARED.size < SHARED_MAX) SHARED.set(own, own);
  return own;
}

/** Makes all texts in lists and mappings their own, in place: for a value that is new and not shared yet. */
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
