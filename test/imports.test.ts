// Imports run one way (design, section 3): dns <- kubizone, sources <- reconcile <- adapters <- functions, cli, local.
// The doubles under local/ know nothing of lib, so that they cannot share a misunderstanding with it; infra knows only
// the names of the functions' environment.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** For each folder, what its files may import besides their own folder and packages. The longest matching row holds. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'lib/dns': [],
  'lib/kubizone': ['lib/dns'],
  'lib/sources': ['lib/dns'],
  'lib/reconcile': ['lib/dns', 'lib/kubizone', 'lib/sources'],
  'lib/adapters': ['lib/dns', 'lib/kubizone', 'lib/sources', 'lib/reconcile'],
  events: ['lib/dns', 'lib/kubizone', 'lib/reconcile'],
  functions: ['lib', 'events'],
  cli: ['lib', 'events', 'local', 'functions'],
  local: ['lib', 'events', 'local'],
  'local/route53': [],
  'local/dns': ['local/route53'],
  infra: ['functions/environment.ts'],
};

/** Packages of the world outside: pure folders use none of them but these. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'lib/dns': ['node:crypto', 'node:url', 'node:buffer', 'ipaddr.js'],
  'lib/kubizone': ['node:crypto', 'zod'],
  'lib/sources': ['zod'],
};

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
}

function homeOf(file: string): string | undefined {
  return Object.keys(ALLOWED)
    .filter((folder) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function violations(): string[] {
  return ['lib', 'events', 'functions', 'cli', 'local', 'infra'].flatMap(existingFiles).flatMap((file) => {
    const home = homeOf(file);
    if (home === undefined) return [`${file}: no row says what it may import`];
    return importsOf(file).flatMap((target) => violation(file, home, target));
  });
}

function existingFiles(folder: string): string[] {
  return readdirSync(ROOT).includes(folder) ? sourceFiles(folder) : [];
}

function violation(file: string, home: string, target: string): string[] {
  if (!target.startsWith('.')) {
    const pure = PURE_PACKAGES[home];
    return pure === undefined || pure.includes(target) ? [] : [`${file} imports ${target}`];
  }
  const path = normalize(join(dirname(file), target));
  const allowed = ALLOWED[home] ?? [];
  const inside = path.startsWith(`${home}/`) && homeOf(path) === home;
  return inside || allowed.some((row) => path === row || path.startsWith(`${row}/`)) ? [] : [`${file} imports ${path}`];
}

test('every import goes the one way that the design allows', () => {
  expect(violations()).toEqual([]);
});

test('the check sees a violation where there is one', () => {
  expect(violation('lib/dns/name.ts', 'lib/dns', '../kubizone/objects.ts')).toHaveLength(1);
  expect(violation('lib/dns/name.ts', 'lib/dns', 'zod')).toHaveLength(1);
  expect(violation('local/route53/state.ts', 'local/route53', '../../lib/dns/name.ts')).toHaveLength(1);
  expect(violation('lib/kubizone/objects.ts', 'lib/kubizone', '../dns/name.ts')).toEqual([]);
});
