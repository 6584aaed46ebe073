// The pages name only what exists: files, folders, functions, links and headings, and every reason of a condition. A
// page that names something moved or renamed fails here.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { headingAnchor } from '../../release/site/build-site.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OUTSIDE = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'];
const PAGES = [...OUTSIDE, ...globSync('docs/*.md', { cwd: ROOT }).sort()];
const DECISIONS = globSync('docs/adr/*.md', { cwd: ROOT }).sort();
const SOURCES = globSync('{lib,cli,functions,events,infra,local,test,bench,bin,crds,examples}/**/*.*', { cwd: ROOT });
const BASENAMES = new Set(SOURCES.map((file) => path.basename(file)));
const CODE = SOURCES.filter((file) => file.endsWith('.ts')).map((file) => read(file));
const CALLED = wordsOf(/\b\w+(?=\()/g);
const CONSTANTS = wordsOf(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g);

/** Files that a user writes or gets, and files that a build writes. */
const MADE = new Set([
  'zone53.yaml',
  'zone53.template.yaml',
  'plan.json',
  'outputs.json',
  'extra.yaml',
  'webhook.yaml',
  'route53.json',
  'audit-webhook.kubeconfig',
  'ledger.sqlite',
]);
/** Constants of others. */
const FOREIGN = new Set(['INSUFFICIENT_DATA']);
const NAMES_A_FILE = /^[\w.*/-]+\.(?:ts|mjs|json|ya?ml|md|sh)$/;
const NAMES_A_FOLDER = /^(?:lib|cli|functions|events|infra|local|test|bench|crds|examples|docs)(?:\/[\w.-]+)*\/?$/;

function wordsOf(pattern: RegExp): ReadonlySet<string> {
  return new Set(CODE.flatMap((code) => code.match(pattern) ?? []));
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** A page without its code blocks. */
function prose(file: string): string {
  return read(file).replace(/^```[\s\S]*?^```$/gm, '');
}

function quoted(file: string): readonly string[] {
  return [...prose(file).matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? '');
}

function isThere(page: string, name: string): boolean {
  if (MADE.has(name)) return true;
  if (name.includes('*')) return globSync(name, { cwd: ROOT }).length > 0;
  if (!name.includes('/')) return BASENAMES.has(name) || existsSync(path.join(ROOT, name));
  return [ROOT, path.dirname(path.join(ROOT, page))].some((folder) => existsSync(path.join(folder, name)));
}

function anchorsOf(file: string): readonly string[] {
  return [...prose(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => headingAnchor(heading ?? ''));
}

function brokenLinks(page: string): readonly string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [target = '', anchor] = link.split('#');
    const file = target === '' ? page : path.relative(ROOT, path.resolve(ROOT, path.dirname(page), target));
    if (!existsSync(path.join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
}

function longLines(page: string): readonly string[] {
  return prose(page)
    .split('\n')
    .filter((line) => line.length > 120 && !/^(\||>? {4}|.*\]\()/.test(line));
}

describe.each(PAGES)('%s', (page) => {
  test('names only files and folders that exist', () => {
    const named = quoted(page).filter((text) => NAMES_A_FILE.test(text) || NAMES_A_FOLDER.test(text));
    expect(named.filter((name) => !isThere(page, name))).toEqual([]);
  });

  test('names only functions that exist', () => {
    const named = quoted(page).flatMap((text) => /^(\w+)\(\)$/.exec(text)?.[1] ?? []);
    expect(named.filter((name) => !CALLED.has(name))).toEqual([]);
  });

  test('names only constants that exist', () => {
    const named = quoted(page).filter((text) => /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(text) && !FOREIGN.has(text));
    expect(named.filter((name) => !CONSTANTS.has(name))).toEqual([]);
  });

  test('has no broken link', () => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test('has lines of 120 columns at most, but for tables, code and links', () => {
    expect(longLines(page)).toEqual([]);
  });
});

test('the diffs of CONTRIBUTING.md change files that exist, and add files that do not', () => {
  const diffs = [...read('CONTRIBUTING.md').matchAll(/^```diff\n([\s\S]*?)^```$/gm)].map(([, diff]) => diff ?? '');
  const headings = diffs.join('').match(/^ \S+\/\S+\.\w+.*$/gm) ?? [];
  expect(headings.length).toBeGreaterThanOrEqual(8);
  const isNew = (heading: string) => heading.endsWith('(new)');
  const fileOf = (heading: string) => path.join(ROOT, /\S+/.exec(heading)?.[0] ?? '');
  expect(headings.filter((heading) => existsSync(fileOf(heading)) === isNew(heading))).toEqual([]);
});

// A decision names what existed when it was made, so only its links and its lines are checked.
test.each(DECISIONS)('%s has no broken link, and lines of 120 columns at most', (page) => {
  expect(brokenLinks(page)).toEqual([]);
  expect(longLines(page)).toEqual([]);
});

test('docs/kubernetes.md explains every reason of a condition, and no other', () => {
  const unions = read('lib/objects/conditions.ts').matchAll(/^export type \w+Reason =((?:\s+\|? ?'\w+';?)+)/gm);
  const reasons = [...unions].flatMap(([, union]) => [...(union ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name));
  const section = read('docs/kubernetes.md').split('## Conditions and reasons\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (?:True|False|Unknown) \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(reasons.toSorted());
});

test('docs/architecture.md lists every partition of the ledger that the code writes, and no other', () => {
  const written = globSync('lib/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/`(\w+)#\$\{|(?:partition: |_PARTITION = )'(\w+)'/g)])
    .map(([, prefix, whole]) => prefix ?? whole ?? '');
  const rows = read('docs/architecture.md').split('\n| partition |')[1]?.split('\n\n')[0] ?? '';
  const listed = [...rows.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [...(cell ?? '').matchAll(/`(\w+)/g)]);
  expect(listed.map(([, name]) => name).toSorted()).toEqual([...new Set(written)].toSorted());
});

test('docs/README.md has a line for each page of docs', () => {
  const listed = [...read('docs/README.md').matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \| \S/gm)].map(([, page]) => page);
  const pages = globSync('*.md', { cwd: path.join(ROOT, 'docs') }).filter((page) => page !== 'README.md');
  expect(listed.toSorted()).toEqual(pages.toSorted());
});
