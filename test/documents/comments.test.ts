// Comments name only what exists: files by their path, and functions in backticks. A comment that names something
// moved, renamed or never part of this repository misleads its reader.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = globSync('{lib,cli,functions,events,infra,local,bench,test}/**/*.ts', { cwd: ROOT }).filter(
  (file) => !file.startsWith('test/engines/bin/'),
);
const BASENAMES = new Set(FILES.map((file) => path.basename(file)));
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
/** Files of other projects. */
const ELSEWHERE = new Set(['docs/flags.md']);

function linesOf(file: string): readonly string[] {
  return readFileSync(path.join(ROOT, file), 'utf8').split('\n');
}

function isThere(file: string, named: string): boolean {
  if (!named.includes('/')) return BASENAMES.has(named) || existsSync(path.join(ROOT, 'docs', named));
  return [ROOT, path.dirname(path.join(ROOT, file))].some((folder) => existsSync(path.join(folder, named)));
}

/** The names in comments of the files that do not exist. */
function strayIn(find: (line: string, file: string) => readonly string[]): readonly string[] {
  return FILES.flatMap((file) =>
    linesOf(file)
      .filter((line) => COMMENT.test(line))
      .flatMap((line) => find(line, file).map((named) => `${file}: ${named}`)),
  );
}

test('comments name only files that exist', () => {
  const stray = strayIn((line, file) => {
    if (/https?:/.test(line)) return [];
    const named = [...line.matchAll(/(?<![\w.*<-])[\w.][\w./-]*\.(?:ts|md)\b/g)].map(([name]) => name);
    return named.filter((name) => !name.startsWith('.') && !ELSEWHERE.has(name) && !isThere(file, name));
  });
  expect(stray).toEqual([]);
});

test('comments name only functions that exist', () => {
  const code = FILES.map((file) =>
    linesOf(file)
      .filter((line) => !COMMENT.test(line))
      .join('\n'),
  ).join('\n');
  const known = new Set(code.match(/\b[A-Za-z_]\w*\b/g));
  const stray = strayIn((line) =>
    [...line.matchAll(/`(\w+)\(\)`/g)].flatMap(([, name = '']) => (known.has(name) ? [] : [name])),
  );
  expect(stray).toEqual([]);
});

test('comments refer to no document outside this repository', () => {
  expect(strayIn((line) => line.match(/\bdesign sections?\b|\breference\/\w+\.md/g) ?? [])).toEqual([]);
});
