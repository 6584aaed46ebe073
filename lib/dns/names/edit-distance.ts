// How much two words differ: for "did you mean" in messages.

/** The most letters that may be wrong in a word. */
const WRONG_MAX = 3;
/** A longer text is no word. */
const WORD_MAX = 64;
/** A shorter text is a part of too many words. */
const PART_MIN = 4;

/** The letters and digits of a text, in lower case: what differs in case or punctuation alone is the same word. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/**
 * The edit distance from `a` to `b`: letters inserted, removed, changed, or swapped with the next. Infinite where the
 * lengths alone show that the words are not alike, and for a long text.
 */
export function editDistance(a: string, b: string): number {
  if (a.length > WORD_MAX || Math.abs(a.length - b.length) > WRONG_MAX) return Number.POSITIVE_INFINITY;
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array.from({ length: b.length }, () => 0)]);
  const at = (i: number, j: number): number => (i === 0 ? j : (rows[i]?.[j] ?? 0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      (rows[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]),
        swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}

/** The end of a message about an unknown word: which of these was probably meant; empty if none was. */
export function didYouMean(text: string, known: readonly string[]): string {
  const word = lettersOf(text);
  const near = known
    .map((one) => ({ one, distance: editDistance(word, lettersOf(one)) }))
    .filter(({ one, distance }) => distance <= Math.min(WRONG_MAX, Math.floor(one.length / 3)))
    .toSorted((a, b) => a.distance - b.distance);
  // A part of a word, such as `name` of `domainName`.
  const whole = word.length < PART_MIN ? undefined : known.find((one) => lettersOf(one).includes(word));
  const meant = near[0]?.one ?? whole;
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
