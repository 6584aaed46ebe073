// Comments name what is there: files by their path, functions in backticks. A comment that names what was moved,
// renamed or never part of this repository sends its reader nowhere.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = globSync('{lib,cli,functions,events,infra,local,bench,test}/**/*.ts', { cwd: ROOT }).filter(
  (file) => !file.startsWith('test/engines/bin/'),
);
const BASENAMES = new Set(FILES.map((file) => path.basename(file)));
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
/** Of other projects. */
const ELSEWHERE = new Set(['docs/flags.md']);

function linesOf(file: string): readonly string[] {
  return readFileSync(path.join(ROOT, file), 'utf8').split('\n');
}

function isThere(file: string, named: string): boolean {
  if (!named.includes('/')) return BASENAMES.has(named) || existsSync(path.join(ROOT, 'docs', named));
  return [ROOT, path.dirname(path.join(ROOT, file))].some((folder) => existsSync(path.join(folder, named)));
}

/** What the comments of the files name that is not there. */
function strayIn(find: (line: string, file: string) => readonly string[]): readonly string[] {
  return FILES.flatMap((file) =>
    linesOf(file)
      .filter((line) => COMMENT.test(line))
      .flatMap((line) => find(line, file).map((named) => `${file}: ${named}`)),
  );
}

test('comments name files that are there', () => {
  const stray = strayIn((line, file) => {
    if (/https?:/.test(line)) return [];
    const named = [...line.matchAll(/(?<![\w.*<-])[\w.][\w./-]*\.(?:ts|md)\b/g)].map(([name]) => name);
    return named.filter((name) => !name.startsWith('.') && !ELSEWHERE.has(name) && !isThere(file, name));
  });
  expect(stray).toEqual([]);
});

test('comments name functions that are there', () => {
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

test('comments refer to no document that is not here', () => {
  expect(strayIn((line) => line.match(/\bdesign sections?\b|\breference\/\w+\.md/g) ?? [])).toEqual([]);
});
