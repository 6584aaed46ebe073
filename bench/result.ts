// What a bench found: rows for the table, and the limits that it was held to.

export type Limit = { readonly what: string; readonly value: number; readonly limit: number; readonly kept: boolean };

export type BenchResult = {
  readonly name: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
  readonly limits: readonly Limit[];
};

/** A limit that a value must not exceed. */
export function atMost(what: string, value: number, limit: number): Limit {
  return { what, value: rounded(value), limit, kept: value <= limit };
}

/** A limit that a value must reach. */
export function atLeast(what: string, value: number, limit: number): Limit {
  return { what, value: rounded(value), limit, kept: value >= limit };
}

/** A result as an aligned table, the limits under it. */
export function formatResult({ name, rows, limits }: BenchResult): string {
  const columns = Object.keys(rows[0] ?? {});
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => String(row[column]).length)));
  const line = (cells: readonly unknown[]) =>
    cells.map((cell, at) => String(cell).padStart(widths[at] ?? 0)).join('  ');
  const verdicts = limits.map(
    ({ what, value, limit, kept }) => `${kept ? 'kept' : 'MISSED'}: ${what} ${value}, limit ${limit}`,
  );
  return `\n${[name, line(columns), ...rows.map((row) => line(columns.map((column) => row[column]))), ...verdicts].join('\n')}\n`;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
