// The tables at the end of docs/architecture.md: each file of source with the first sentence of its head, and each
// number that has a name. `npm run reference` writes them; reference.test.ts fails when they are out of date.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ROOMS = '{cli,events,functions,infra,lib,local}';
const AFTER = '\n\n</details>';
/** A constant of one line that is a number, a product of numbers, or a list of numbers. */
const NUMBER = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=]+)? = (-?[\d_.]+(?: \* [\d_]+)*|\[[\d, _]+\]);$/;

/** The page that has the tables. */
export const ARCHITECTURE = path.join(ROOT, 'docs', 'architecture.md');

/** The page with the tables as they must be. Throws an Error if the page has no place for them. */
export function withTables(page: string): string {
  return withTable(withTable(page, 'All files', fileTable()), 'All numbers', numberTable());
}

function withTable(page: string, summary: string, table: string): string {
  const before = `<summary>${summary}</summary>\n\n`;
  const from = page.indexOf(before);
  const to = page.indexOf(AFTER, from);
  if (from < 0 || to < 0) throw new Error(`docs/architecture.md has no place for the table "${summary}"`);
  return `${page.slice(0, from + before.length)}${table}${page.slice(to)}`;
}

function sourceFiles(): readonly string[] {
  return globSync(`${ROOMS}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

function fileTable(): string {
  const rows = sourceFiles().map((file) => `| \`${file}\` | ${cell(headOf(file))} |`);
  return ['| file | what it has |', '|---|---|', ...rows].join('\n');
}

function numberTable(): string {
  const rows = sourceFiles().flatMap((file) =>
    numbersOf(file).map(({ name, value, text }) => `| ${cell(text)} | \`${name}\` = ${value} | \`${file}\` |`),
  );
  return ['| what it is | name and value | file |', '|---|---|---|', ...rows].join('\n');
}

/** The numbers of a file, each with the first sentence of the comment above it or above its neighbours. */
function numbersOf(file: string) {
  const numbers: { readonly name: string; readonly value: string; readonly text: string }[] = [];
  let comment = '';
  for (const line of readFileSync(path.join(ROOT, file), 'utf8').split('\n')) {
    const [, name, value] = NUMBER.exec(line) ?? [];
    if (name !== undefined && value !== undefined) numbers.push({ name, value, text: firstSentence(comment) });
    else if (/^(?:\/\/|\/\*\*)/.test(line)) comment = withoutMarks(line);
    else if (line.startsWith(' *')) comment += ` ${withoutMarks(line)}`;
    else comment = '';
  }
  return numbers;
}

function withoutMarks(line: string): string {
  return line.replaceAll(/^(?:\/\/|\/\*\*| \*\/?)|\*\/$/g, '').trim();
}

/** The first sentence of a file's head, without the table that may follow it. */
function headOf(file: string): string {
  const head = /^(?:#!.*\n)?((?:\/\/.*\n)+)/.exec(readFileSync(path.join(ROOT, file), 'utf8'))?.[1];
  if (head === undefined) throw new Error(`${file} has no head`);
  const lines = head.trimEnd().split('\n');
  const until = lines.findIndex((line) => /^\/\/($| {2})/.test(line));
  const text = (until < 0 ? lines : lines.slice(0, until)).map((line) => line.slice(3)).join(' ');
  return firstSentence(text).replace(/:$/, '.');
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text.trim())?.[0] ?? text.trim();
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
