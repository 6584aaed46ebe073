// The result of a bench: rows of a table, the limits, and, where one table is not enough, more tables and
// notes. All results have this shape, so that every bench is printed and written as JSON in the same way.
import { rounded } from './statistics.ts';

export type Limit = { readonly what: string; readonly value: number; readonly limit: number; readonly kept: boolean };

type Row = Readonly<Record<string, string | number>>;

type Table = { readonly title: string; readonly rows: readonly Row[] };

export type BenchResult = {
  /** What was measured; begins with the name of the bench. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly limits: readonly Limit[];
  readonly tables?: readonly Table[];
  /** What a reader must know to judge the figures. */
  readonly notes?: readonly string[];
};

/** A limit that a value must not exceed. */
export function atMost(what: string, value: number, limit: number): Limit {
  return { what, value: rounded(value, 3), limit, kept: value <= limit };
}

/** A limit that a value must reach. */
export function atLeast(what: string, value: number, limit: number): Limit {
  return { what, value: rounded(value, 3), limit, kept: value >= limit };
}

/** A result as aligned tables, the limits under them. */
export function formatResult({ name, rows, limits, tables = [], notes = [] }: BenchResult): string {
  const parts = [name, ...formatRows(rows)];
  for (const table of tables) parts.push('', table.title, ...formatRows(table.rows));
  if (notes.length > 0) parts.push('', ...notes.map((note) => `note: ${note}`));
  return `\n${[...parts, ...limits.map(formatLimit)].join('\n')}\n`;
}

/** "kept: WHAT VALUE, limit LIMIT". A missed limit also says by what factor or, for a limit of 0, by how much. */
export function formatLimit({ what, value, limit, kept }: Limit): string {
  if (kept) return `kept: ${what} ${value}, limit ${limit}`;
  const factor = value > limit ? value / limit : limit / value;
  const by = limit === 0 ? `by ${value}` : `by a factor of ${rounded(factor, 3)}`;
  return `MISSED: ${what} ${value}, limit ${limit}, ${by}`;
}

/** The columns of all rows, in the order in which they first appear. */
function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function formatRows(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const columns = columnsOf(rows);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)));
  return cells.map((line) => line.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '));
}
