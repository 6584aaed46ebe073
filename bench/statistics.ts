// The figures that a table shows for many measurements: median, percentile, and spread.

/** The middle of sorted values, the lower of two; NaN of none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The smallest value that at least `share` (0 to 1) of all do not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** "median (least to most)", rounded to `digits` after the point; "-" for no values. */
export function withSpread(values: readonly number[], digits = 0): string {
  if (values.length === 0) return '-';
  const show = (value: number) => value.toFixed(digits);
  return `${show(median(values))} (${show(Math.min(...values))} to ${show(Math.max(...values))})`;
}

/** Rounded to so many digits after the point, as a number. */
export function rounded(value: number, digits = 0): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** Milliseconds as seconds with one digit after the point. */
export function inSeconds(ms: number): number {
  return rounded(ms / 1_000, 1);
}
