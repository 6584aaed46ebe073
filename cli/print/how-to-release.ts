// The guard ends its reasons with how to release what it holds, in one sentence. For people that becomes a command of
// its own line, which can be copied.

/** The beginning of the warning with which publish logs the same. */
export const GUARD_HOLDS = 'The guard holds ';

/** The end of such a sentence; what is held, one or several, is named before it. */
const HOW = / until (?:it is|they are) acknowledged: .*$/s;

/** A text of the guard without how to release it, if it names this digest. */
export function withoutHow(text: string, digest: string | null): string {
  return digest === null || !text.includes(digest) ? text : text.replace(HOW, ' until acknowledged.');
}

/** The digest that such a text asks to acknowledge with an annotation; null: none. */
export function digestIn(text: string): string | null {
  return HOW.test(text) ? (/acknowledge-plan: ([0-9a-f]{64})\b/.exec(text)?.[1] ?? null) : null;
}
