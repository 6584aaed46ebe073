// Whether an EventBridge rule matches an event. It supports the part of event patterns that we write, and throws on any
// other instead of guessing. Every key of the pattern must match; of a list of values, one must match.
//
//   "text", number, true, false, null   the value itself; of a list in the event, one of its members
//   { "prefix": "text" }                a text that begins so
//   { "suffix": "text" }                a text that ends so
//   { "exists": false }                 no value
//   { "anything-but": ["text"] }        a text that is not among these
//
// Source: EventBridge User Guide, "Event patterns". Last verified 2026-11-28.

/** True when the pattern lets the event through. Throws an Error on a pattern that it does not know. */
export function matchEventPattern(pattern: unknown, event: unknown): boolean {
  // Every key is evaluated, even if the result is known already, so that an unknown one always throws.
  return keysOf(pattern)
    .map(([key, wanted]) => {
      const value = typeof event === 'object' && event !== null ? (event as Record<string, unknown>)[key] : undefined;
      return Array.isArray(wanted) ? matchesOne(wanted, value) : matchEventPattern(wanted, value);
    })
    .every(Boolean);
}

function keysOf(pattern: unknown): [string, unknown][] {
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern))
    throw new Error(`Cannot evaluate event pattern ${JSON.stringify(pattern)}: lists of values stand at its leaves`);
  const entries = Object.entries(pattern);
  if (entries.length === 0) throw new Error('Cannot evaluate an event pattern without keys');
  for (const [key] of entries) if (key.startsWith('$')) throw new Error(`Cannot evaluate event pattern "${key}"`);
  return entries;
}

function matchesOne(wanted: readonly unknown[], value: unknown): boolean {
  if (wanted.length === 0) throw new Error('Cannot evaluate an event pattern with an empty list');
  const values = Array.isArray(value) ? value : [value];
  return wanted.map((want) => values.some(testOf(want))).some(Boolean);
}

function testOf(want: unknown): (value: unknown) => boolean {
  if (typeof want !== 'object' || want === null) return (value) => value === want;
  const [[operator, operand] = [], ...more] = Object.entries(want);
  if (more.length === 0 && operator === 'prefix' && typeof operand === 'string')
    return (value) => typeof value === 'string' && value.startsWith(operand);
  if (more.length === 0 && operator === 'suffix' && typeof operand === 'string')
    return (value) => typeof value === 'string' && value.endsWith(operand);
  if (more.length === 0 && operator === 'exists' && operand === false) return (value) => value === undefined;
  if (more.length === 0 && operator === 'anything-but' && Array.isArray(operand))
    return (value) => typeof value === 'string' && !operand.includes(value);
  throw new Error(`Cannot evaluate event pattern ${JSON.stringify(want)}`);
}
