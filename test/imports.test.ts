// Imports run one way: every folder is a room, and this table says what it may import (docs/architecture.md). The
// doubles under local/ import nothing of lib, so that they cannot share a misunderstanding with it. infra imports only
// the configuration, and the names of the functions' environment and metrics.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = ['lib', 'events', 'functions', 'cli', 'console', 'local', 'infra', 'action'];

/** The formatter breaks lines of code at this width, but none of comments. */
const COMMENT_CHARACTERS_MAX = 120;
/** Limit of the head of a file; tables and empty lines do not count. */
const HEAD_LINES_MAX = 6;

const RULES = ['lib/dns', 'lib/objects'];
const LEDGER = [...RULES, 'lib/ports', 'lib/ledger'];
const DIRECTORY = [...LEDGER, 'lib/record-sets', 'lib/zones', 'lib/directory'];
const OBSERVE = [...DIRECTORY, 'lib/sources', 'lib/observe'];
const RESOLVE = [...OBSERVE, 'lib/hosting', 'lib/resolve'];
const PUBLISH = [
  ...LEDGER,
  'lib/record-sets',
  'lib/history',
  'lib/directory',
  'lib/publish/plan',
  'lib/publish/order',
  'lib/publish/counts',
  'lib/publish/existing',
  'lib/publish/run',
  'lib/external-dns',
];
const INTENTS = [...LEDGER, 'lib/intents/model', 'lib/intents/manifests', 'lib/intents/state'];
const OUTSIDE = [...RULES, 'lib/route53', 'lib/ports'];

/**
 * What the files of each folder may import besides their own folder and packages. The longest row that matches holds.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'lib/dns/names': [],
  'lib/dns/rdata': ['lib/dns/names'],
  'lib/dns/master-file': ['lib/dns'],
  'lib/dns': ['lib/dns'],
  'lib/route53': ['lib/dns'],
  'lib/external-dns': ['lib/dns'],
  'lib/objects': ['lib/dns', 'lib/route53'],
  'lib/sources': [...RULES, 'lib/route53', 'lib/sources/gardener'],
  'lib/sources/external-dns/custom': [...RULES, 'lib/sources/common', 'lib/sources/external-dns'],
  'lib/sources/gardener': [...RULES, 'lib/route53', 'lib/sources/common'],
  'lib/zones': RULES,
  'lib/ports': [...RULES, 'lib/external-dns'],
  'lib/ledger': [...RULES, 'lib/ports'],
  'lib/record-sets': LEDGER,
  'lib/health-checks': [...LEDGER, 'lib/record-sets'],
  'lib/history': [...LEDGER, 'lib/record-sets'],
  'lib/directory': DIRECTORY,
  'lib/publish/plan': ['lib/dns', 'lib/route53', 'lib/ports', 'lib/record-sets'],
  'lib/publish/counts': [...LEDGER, 'lib/record-sets', 'lib/directory', 'lib/publish/plan'],
  'lib/publish/existing': ['lib/dns', 'lib/route53', 'lib/external-dns', ...LEDGER, 'lib/record-sets'],
  'lib/publish/order': [...LEDGER, 'lib/record-sets', 'lib/directory'],
  'lib/publish/run': [...PUBLISH, 'lib/route53'],
  'lib/observe': OBSERVE,
  'lib/hosting': OBSERVE,
  'lib/resolve': RESOLVE,
  'lib/report': RESOLVE,
  'lib/sweep': [...RESOLVE, 'lib/health-checks', 'lib/history', 'lib/route53', 'lib/external-dns', 'lib/report'],
  'lib/rehearse': ['lib/dns', 'lib/ports'],
  'lib/gardener': [...PUBLISH, 'lib/sources', 'lib/rehearse'],
  'lib/import': [...RULES, 'lib/external-dns', 'lib/ports', 'lib/publish/existing', 'lib/sources', 'lib/zones'],
  'lib/apply': [...RESOLVE, ...PUBLISH, 'lib/health-checks', 'lib/rehearse', 'lib/report', 'lib/route53'],
  'lib/intents/model': RULES,
  'lib/intents/manifests': [...RULES, 'lib/route53', 'lib/intents/model'],
  'lib/intents/state': INTENTS,
  'lib/intents/http': INTENTS,
  'lib/intents/serve': [...OBSERVE, ...INTENTS, 'lib/intents/http'],
  'lib/inspect': [...RESOLVE, ...PUBLISH, 'lib/report', 'lib/apply', 'lib/gardener/rehearse'],
  'lib/adapters/aws': OUTSIDE,
  'lib/adapters/central-cluster': [...OUTSIDE, 'lib/adapters/kubernetes'],
  'lib/adapters/config': [...OUTSIDE, 'lib/adapters/manifests', 'lib/sources/external-dns/custom'],
  'lib/adapters/external-dns': [...OUTSIDE, 'lib/external-dns'],
  'lib/adapters/kubernetes': OUTSIDE,
  'lib/adapters/ledger': [...OUTSIDE, 'lib/adapters/aws', 'lib/ledger'],
  'lib/adapters/manifests': OUTSIDE,
  'lib/adapters/queues': [...OUTSIDE, 'lib/adapters/aws'],
  'lib/adapters/route53': [...OUTSIDE, 'lib/adapters/aws', 'lib/ledger'],
  'lib/adapters/system': OUTSIDE,
  events: ['lib/objects', 'lib/ports', 'lib/report'],
  functions: ['functions/handlers', 'functions/runtime', 'events', 'lib/adapters/system'],
  'functions/handlers': ['functions/runtime', 'events', 'lib'],
  'functions/runtime': ['lib'],
  cli: ['cli/account', 'cli/commands', 'cli/console', 'cli/print', 'cli/run', 'lib'],
  'cli/account': ['cli/print', 'cli/run', 'lib'],
  'cli/commands': ['cli/account', 'cli/console', 'cli/print', 'cli/run', 'cli/setup', 'lib'],
  'cli/console': ['cli/account', 'cli/print', 'cli/run', 'lib'],
  'cli/print': ['lib', 'local'],
  'cli/run': ['cli/print', 'cli/setup', 'lib', 'local', 'infra/cloudformation-template.ts'],
  'cli/setup': ['cli/print', 'lib'],
  console: ['cli/console/answers.ts', 'lib/dns/names/view.ts'],
  local: ['lib', 'events', 'local'],
  'local/dns': [],
  'local/route53': [],
  'local/route53/api': ['local/route53/model', 'local/route53/records', 'local/route53/values'],
  'local/route53/model': ['local/route53/records', 'local/route53/values'],
  'local/route53/records': ['local/route53/values'],
  'local/route53/values': [],
  action: [],
  infra: [
    'functions/runtime/environment.ts',
    'functions/runtime/metric-names.ts',
    'lib/adapters/config',
    'lib/adapters/system/shipped-file.ts',
    'lib/ports/config.ts',
    'lib/route53',
  ],
};

const PURE = ['node:crypto', 'node:url', 'node:buffer', 'ipaddr.js'];

/** Packages that the pure folders may use. Everything else in packages belongs to the world outside. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'lib/dns/names': PURE,
  'lib/dns/rdata': PURE,
  'lib/dns/master-file': [],
  'lib/dns': PURE,
  'lib/route53': [],
  'lib/external-dns': [],
  'lib/objects': ['node:crypto', 'zod'],
  'lib/sources': ['zod'],
  'lib/sources/gardener': ['yaml'],
  'lib/sources/external-dns/custom': ['@marcbachmann/cel-js'],
  'lib/zones': ['node:crypto', 'zod'],
  'lib/intents/model': ['ipaddr.js', 'zod'],
  'lib/intents/manifests': ['node:crypto', 'node:path'],
  'lib/publish/plan': ['node:crypto'],
};

/** What pure code gets as arguments: time, randomness, the environment. */
const IMPURE =
  /\b(Date\.now\(|new Date\(\)|Math\.random\(|random(UUID|Bytes|Int)\b|performance\.|process\.|fetch\(|set(Timeout|Interval|Immediate)\()/;

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return file === 'test/engines/bin' ? [] : filesIn(file);
    return entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) ? [file] : [];
  });
}

function sourceFiles(folder: string): string[] {
  return filesIn(folder).filter((file) => !file.endsWith('.test.ts'));
}

/** Tests, in any folder, and all other code beside the source. */
function otherFiles(): string[] {
  return [...SOURCE, 'release', 'test', 'bench']
    .flatMap(filesIn)
    .filter((file) => /^(release|test|bench)\/|\.test\.ts$/.test(file));
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
  return SOURCE.flatMap(sourceFiles).flatMap((file) => {
    const home = homeOf(file);
    if (home === undefined) return [`${file}: no row says what it may import`];
    return importsOf(file).flatMap((target) => violation(file, home, target));
  });
}

function violation(file: string, home: string, target: string): string[] {
  if (!target.startsWith('.')) {
    const pure = PURE_PACKAGES[home];
    return pure === undefined || pure.includes(target) ? [] : [`${file} imports ${target}`];
  }
  const path = normalize(join(dirname(file), target));
  const allowed = ALLOWED[home] ?? [];
  const inside = path.startsWith(`${home}/`) && homeOf(path) === home;
  if (isOtherSource(file, path)) return [`${file} imports ${path}, another source`];
  const isAllowed = inside || allowed.some((row) => path === row || path.startsWith(`${row}/`));
  return isAllowed ? [] : [`${file} imports ${path}`];
}

/**
 * True for an import of one source by another. Sources may import only what they have in common; only files beside
 * their folders may import all of them.
 */
function isOtherSource(file: string, path: string): boolean {
  const [own, other] = [file, path].map((one) => /^lib\/sources\/([^/]+)\//.exec(one)?.[1]);
  return own !== undefined && other !== undefined && own !== other && other !== 'common';
}

/** The imports among source files, as a graph whose nodes are the names that `nameOf` gives the files. */
function importsBetween(nameOf: (file: string) => string): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of SOURCE.flatMap(sourceFiles)) {
    for (const target of importsOf(file).filter((one) => one.startsWith('.'))) {
      const [from, to] = [nameOf(file), nameOf(normalize(join(dirname(file), target)))];
      if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

/**
 * The edges on circles. What imports nothing, and what nothing imports, is removed again and again; the rest is
 * returned.
 */
function circlesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let edges = [...graph].flatMap(([from, all]) => [...all].map((to) => ({ from, to })));
  for (let before = Number.POSITIVE_INFINITY; edges.length < before; ) {
    before = edges.length;
    const importing = new Set(edges.map(({ from }) => from));
    const imported = new Set(edges.map(({ to }) => to));
    edges = edges.filter(({ from, to }) => importing.has(to) && imported.has(from));
  }
  return edges.map(({ from, to }) => `${from} imports ${to}`);
}

/** A file without its comments. */
function codeOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
}

function wideComments(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    line.length > COMMENT_CHARACTERS_MAX && /^\s*(\/\/|\/?\*)/.test(line) ? [`${file}:${index + 1}`] : [],
  );
}

function headLines(file: string): number {
  const lines = readFileSync(join(ROOT, file), 'utf8')
    .replace(/^#!.*\n/, '')
    .split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end).filter((line) => /^\/\/ \S/.test(line)).length;
}

test('every import follows the table of rooms', () => {
  expect(violations()).toEqual([]);
});

test('no pure room reads the clock, draws random numbers or knows its process', () => {
  const pure = SOURCE.flatMap(sourceFiles).filter((file) => PURE_PACKAGES[homeOf(file) ?? ''] !== undefined);
  expect(pure.filter((file) => IMPURE.test(codeOf(file)))).toEqual([]);
});

test('no files and no folders import one another in a circle', () => {
  expect(circlesIn(importsBetween((file) => file))).toEqual([]);
  expect(circlesIn(importsBetween(dirname))).toEqual([]);
});

test('no line of a comment is wider than a line of code', () => {
  expect([...SOURCE.flatMap(sourceFiles), ...otherFiles()].flatMap(wideComments)).toEqual([]);
});

test('the head of a source file has six lines at most', () => {
  expect(SOURCE.flatMap(sourceFiles).filter((file) => headLines(file) > HEAD_LINES_MAX)).toEqual([]);
});

test('the checks find a violation where there is one', () => {
  expect(violation('lib/dns/names/name.ts', 'lib/dns/names', '../../objects/object-ref.ts')).toHaveLength(1);
  expect(violation('lib/dns/names/name.ts', 'lib/dns/names', 'zod')).toHaveLength(1);
  expect(
    violation('local/route53/model/state.ts', 'local/route53/model', '../../../lib/dns/names/name.ts'),
  ).toHaveLength(1);
  expect(violation('lib/objects/object-ref.ts', 'lib/objects', '../dns/names/name.ts')).toEqual([]);
  expect(violation('lib/record-sets/lease.ts', 'lib/record-sets', '../observe/object-item.ts')).toHaveLength(1);
  expect(violation('lib/publish/plan/guard.ts', 'lib/publish/plan', '../../zones/delegation.ts')).toHaveLength(1);
  expect(violation('lib/sources/gardener/a.ts', 'lib/sources', '../kubizone/parse-record.ts')).toHaveLength(1);
  expect(violation('lib/sources/source.ts', 'lib/sources', './kubizone/parse-record.ts')).toEqual([]);
  expect(homeOf('lib/new-room/a.ts')).toBeUndefined();
  expect(violation('local/route53/a.ts', homeOf('local/route53/a.ts') ?? '', '../../lib/dns/hash.ts')).toHaveLength(1);
  expect(IMPURE.test('const id = randomUUID();') && IMPURE.test('return Date.now() + 1')).toBe(true);
  const graph = new Map([
    ['a', new Set(['b', 'd'])],
    ['b', new Set(['c'])],
    ['c', new Set(['b'])],
  ]);
  expect(circlesIn(graph)).toEqual(['b imports c', 'c imports b']);
});
