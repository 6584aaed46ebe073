// Compares docs/invariants.md with the auditor and the sabotages: every number that a check fails with has a line,
// every line names what fails without it, and the files and sabotages that it names exist.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SABOTAGES } from './sabotages.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const PAGE = readFileSync(`${ROOT}docs/invariants.md`, 'utf8');
const LINES = PAGE.split('\n').flatMap((line) => {
  const [, number] = /^\| ([IQ]\d+) \|/.exec(line) ?? [];
  return number === undefined ? [] : [{ number, line }];
});
const FILES = new Set(globSync('{lib,test}/**/*.ts', { cwd: ROOT }).map((file) => basename(file)));

/** The numbers that a check of the simulation fails with. */
function checkedNumbers(): string[] {
  const sources = globSync('test/simulation/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const text = sources.map((file) => readFileSync(`${ROOT}${file}`, 'utf8')).join('\n');
  const numbers = [...text.matchAll(/fail\(\s*(?:world,\s*)?'([IQ]\d+)'/g)].map(([, number]) => number ?? '');
  return [...new Set(numbers)].sort();
}

describe('docs/invariants.md', () => {
  test('has one line for every number that the simulation checks, and no other', () => {
    expect(LINES.map(({ number }) => number).sort()).toEqual(checkedNumbers());
  });

  test('names every sabotage, and no others', () => {
    const named = LINES.flatMap(({ line }) => [...line.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, name]) => name));
    expect([...new Set(named)].sort()).toEqual(SABOTAGES.map(({ name }) => name).sort());
  });

  test.each(LINES)('$number: the files that it names are there, and something fails without it', ({ line }) => {
    const files = [...line.matchAll(/`([a-z0-9-]+(?:\.test)?\.ts)`/g)].map(([, file]) => file ?? '');
    expect(files.filter((file) => !FILES.has(file))).toEqual([]);
    expect(/(?<!\*)\*[^*]+\*(?!\*)|\.test\.ts|every seed/.test(line)).toBe(true);
  });
});
