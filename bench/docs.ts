// Writes docs/benchmarks.md. Every bench has its section between two marks; a run with --docs replaces the sections of
// the benches that ran, and their plots. The text outside of the marks is written by people.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Machine } from './machine.ts';
import { drawPlot } from './plot.ts';
import { type BenchResult, columnsOf, formatLimit } from './result.ts';

const DOCS = path.join(import.meta.dirname, '..', 'docs');

/** Where and when a bench was measured. */
export type Measured = {
  readonly machine: Machine;
  /** RFC 3339, to the minute. */
  readonly at: string;
  readonly seconds: number;
};

/** Writes the section of one bench into docs/benchmarks.md, and its plots beside it. */
export function writeDocs(bench: string, result: BenchResult, measured: Measured): void {
  const file = path.join(DOCS, 'benchmarks.md');
  mkdirSync(path.join(DOCS, 'benchmarks'), { recursive: true });
  for (const plot of result.plots ?? []) {
    writeFileSync(path.join(DOCS, 'benchmarks', `${plot.file}.svg`), drawPlot(plot));
  }
  writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), bench, section(bench, result, measured)));
}

/** The text with the section between its marks; throws when the marks are not there. */
export function replaceSection(text: string, bench: string, body: string): string {
  const [begin, end] = [`<!-- bench:${bench} -->`, `<!-- /bench:${bench} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no marks ${begin} and ${end}`);
  return `${text.slice(0, from)}${begin}\n${body}\n${text.slice(to)}`;
}

/** One bench as Markdown. */
export function section(bench: string, result: BenchResult, { machine, at, seconds }: Measured): string {
  const parts = [`\`npm run bench -- ${bench}\`: ${result.name}`, ...markdownTable(result.rows)];
  for (const table of result.tables ?? []) parts.push('', `**${table.title}**`, ...markdownTable(table.rows));
  for (const plot of result.plots ?? []) parts.push('', `![${plot.title}](benchmarks/${plot.file}.svg)`);
  if (result.limits.length > 0) parts.push('', ...result.limits.map((limit) => `- ${formatLimit(limit)}`));
  if ((result.notes ?? []).length > 0) parts.push('', ...(result.notes ?? []).map((note) => `- note: ${note}`));
  const where = Object.entries(machine).map(([what, value]) => `${what} ${value}`);
  parts.push('', `Measured ${at} in ${Math.round(seconds)} s; ${where.join('; ')}.`);
  return parts.join('\n');
}

function markdownTable(rows: BenchResult['rows']): string[] {
  if (rows.length === 0) return [];
  const columns = columnsOf(rows);
  const line = (cells: readonly unknown[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '',
    line(columns),
    line(columns.map((column) => (rows.every((row) => typeof (row[column] ?? 0) === 'number') ? '--:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
  ];
}
