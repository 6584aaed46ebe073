// The order of texts that is the same on every machine, in every language.

/** Compares by code units. For ASCII, and so for all keys, that is bytewise order. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
