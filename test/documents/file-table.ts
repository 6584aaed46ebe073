// The table of files at the end of docs/architecture.md: each file of source with the first sentence of its head.
// `npm run reference` writes it; reference.test.ts fails when it is out of date.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ROOMS = '{cli,events,functions,infra,lib,local}';
const BEFORE = '<summary>All files</summary>\n\n';
const AFTER = '\n\n</details>';

/** The page that has the table. */
export const ARCHITECTURE = path.join(ROOT, 'docs', 'architecture.md');

/** The page with the table as it must be. Throws an Error if the page has no place for it. */
export function withFileTable(page: string): string {
  const from = page.indexOf(BEFORE);
  const to = page.indexOf(AFTER, from);
  if (from < 0 || to < 0) throw new Error('docs/architecture.md has no place for the table of files');
  return `${page.slice(0, from + BEFORE.length)}${fileTable()}${page.slice(to)}`;
}

function fileTable(): string {
  const files = globSync(`${ROOMS}/**/*.ts`, { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const rows = files.sort().map((file) => `| \`${file}\` | ${firstSentence(file).replaceAll('|', '\\|')} |`);
  return ['| file | what it has |', '|---|---|', ...rows].join('\n');
}

/** The first sentence of a file's head, without the table that may follow it. */
function firstSentence(file: string): string {
  const head = /^(?:#!.*\n)?((?:\/\/.*\n)+)/.exec(readFileSync(path.join(ROOT, file), 'utf8'))?.[1];
  if (head === undefined) throw new Error(`${file} has no head`);
  const lines = head.trimEnd().split('\n');
  const until = lines.findIndex((line) => /^\/\/($| {2})/.test(line));
  const text = (until < 0 ? lines : lines.slice(0, until)).map((line) => line.slice(3)).join(' ');
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.');
}
