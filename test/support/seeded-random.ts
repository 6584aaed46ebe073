// Random numbers from a seed (mulberry32), so that a failure can be repeated.

export type Random = {
  /** From 0 up to but not including 1. */
  next(): number;
  /** A whole number from 0 up to but not including `below`. */
  below(below: number): number;
  /** One of them. Throws an Error when there is none. */
  pick<T>(from: readonly T[]): T;
  /** One of them, each as often as its weight says. */
  weighted<T>(from: readonly T[], weightOf: (one: T) => number): T;
};

/** The same seed gives the same numbers. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(from: readonly T[]): T => {
    if (from.length === 0) throw new Error('Cannot pick from nothing');
    return from[below(from.length)] as T;
  };
  const weighted = <T>(from: readonly T[], weightOf: (one: T) => number): T => {
    let left = next() * from.reduce((sum, one) => sum + weightOf(one), 0);
    for (const one of from) {
      left -= weightOf(one);
      if (left < 0) return one;
    }
    return pick(from);
  };
  return { next, below, pick, weighted };
}
