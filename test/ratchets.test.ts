// Numbers about the inside of lib and about the documents that may fall and not rise. Each is held at what it was last.
// To lower one, make the code simpler and write the new number here; the test asks for that when a number fell by more
// than a twentieth. A commit that adds a capability may raise one, alone, and says what for. The formatter's layout is
// what the counts rely on: declarations at the left edge, one field on one line.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** The engine and DNSRecords. */
const ENGINE = [
  'record-sets',
  'ledger',
  'directory',
  'observe',
  'resolve',
  'hosting',
  'publish',
  'report',
  'sweep',
].concat(['apply', 'inspect', 'gardener', 'rehearse', 'health-checks']);

type Source = { readonly at: string; readonly text: string };
type Declared = { readonly name: string; readonly body: string };

function filesBelow(folder: string, end: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end) && !file.endsWith('.test.ts'))
    .map((file) => ({ at: join(folder, file), text: readFileSync(join(ROOT, folder, file), 'utf8') }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** The lines that are neither empty nor a comment. */
function codeOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line));
}

/** The functions at the left edge of a file, each with its text. */
function functionsOf(text: string): readonly Declared[] {
  const found = codeOf(text)
    .join('\n')
    .matchAll(
      /^(?:export )?(?:async )?function\*? (\w+)[\s\S]*?^}|^(?:export )?const (\w+) = (?:async )?\([\s\S]*?;$/gm,
    );
  return [...found].flatMap(([body, named, arrow]) =>
    named !== undefined || body.includes('=>') ? [{ name: named ?? arrow ?? '', body }] : [],
  );
}

/** The names that functions of several files have. */
function sharedNames(sources: readonly Source[]): readonly string[] {
  const at = sources.flatMap(({ at, text }) => functionsOf(text).map(({ name }) => ({ name, at })));
  const files = Map.groupBy(at, ({ name }) => name);
  return [...files].flatMap(([name, all]) => (new Set(all.map((one) => one.at)).size > 1 ? [name] : [])).toSorted();
}

/** The most functions of a file that lead to one another, in a circle; 0: there is none. */
function largestCircle(text: string): number {
  const functions = functionsOf(text);
  const names = new Set(functions.map(({ name }) => name));
  const bare = (body: string) => body.replaceAll(/'[^'\n]*'| \/\/ .*$/gm, '');
  const uses = new Map(
    functions.map(({ name, body }) => [
      name,
      new Set((bare(body).match(/(?<![.\w])\w+(?!\w|:)/g) ?? []).filter((word) => word !== name && names.has(word))),
    ]),
  );
  const reached = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const open = [...(uses.get(from) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(uses.get(next) ?? []));
    }
    return seen;
  };
  const all = new Map([...names].map((name) => [name, reached(name)]));
  const circles = [...names].map((name) => {
    const ring = [...(all.get(name) ?? [])].filter((other) => all.get(other)?.has(name) === true);
    return ring.length;
  });
  return Math.max(0, ...circles);
}

/** The partitions of the ledger: those with a name behind `#`, and two without. */
function partitionsOf(sources: readonly Source[]): ReadonlySet<string> {
  const named = sources.flatMap(({ text }) => [...text.matchAll(/`([a-z]+)#\$\{/g)].map(([, name = '']) => name));
  const whole = sources.flatMap(({ text }) => [...text.matchAll(/(?:partition: |PARTITION = )'([a-z]+)'/g)]);
  return new Set([...named, ...whole.map(([, name = '']) => name)]);
}

/** The fields of the schema of an item. */
function fieldsOf(text: string, schema: string): number {
  const body = new RegExp(`^const ${schema} = z.object\\(\\{$([\\s\\S]*?)^\\}\\);$`, 'm').exec(text)?.[1] ?? '';
  return codeOf(body).filter((line) => /^ {2}\w+[,:]/.test(line)).length;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

const LIB = filesBelow('lib', '.ts');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const documents = (): readonly string[] => [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map(read),
  ...filesBelow('docs', '.md').map(({ text }) => text),
];
const ofEngine = LIB.filter(({ at }) => ENGINE.some((room) => at.startsWith(`lib/${room}/`)));

/** What is counted, what it is held at, and what is wanted. */
const RATCHETS: readonly (readonly [what: string, count: () => number, held: number, wanted: number])[] = [
  ['function names of several files', () => sharedNames(LIB).length, 185, 80],
  ['lines of code of the engine', () => ofEngine.flatMap(({ text }) => codeOf(text)).length, 24_274, 12_500],
  ['partitions of the ledger', () => partitionsOf(LIB).size, 41, 22],
  ['fields of a record set', () => fieldsOf(read('lib/record-sets/record-set-item.ts'), 'recordSetBody'), 33, 16],
  ['fields of a hosted zone', () => fieldsOf(read('lib/record-sets/hosted-zone-item.ts'), 'hostedZoneBody'), 25, 16],
  ['fields of an object', () => fieldsOf(read('lib/observe/object-item.ts'), 'objectBody'), 27, 16],
  [
    'functions that take a whole run',
    () => LIB.flatMap(({ text }) => text.match(/\brun: Run\b/g) ?? []).length,
    100,
    35,
  ],
  ['functions in the largest circle', () => Math.max(...LIB.map(({ text }) => largestCircle(text))), 5, 0],
  ['words of the documents', () => documents().reduce((sum, text) => sum + wordsOf(text), 0), 79_429, 60_000],
];

test.each(RATCHETS)('%s do not become more', (what, count, held, wanted) => {
  const now = count();
  expect(now, `${what}: now ${now}, held at ${held}, wanted ${wanted}`).toBeLessThanOrEqual(held);
  expect(now, `${what}: now ${now}; write it here in place of ${held}`).toBeGreaterThanOrEqual(Math.floor(held * 0.95));
});

test('the counts find what they count', () => {
  const text = [
    '/** One. */',
    'export function one(): void {',
    '  two(); // three',
    '}',
    '',
    'async function two(): Promise<void> {',
    '  one();',
    '}',
    'const three = (one: number) =>',
    '  one + 1;',
    'const four = (1 + 2);',
  ].join('\n');
  expect(functionsOf(text).map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  expect(codeOf(text)).toHaveLength(9);
  expect(largestCircle(text)).toBe(2);
  expect(largestCircle(text.replace('  one();', ''))).toBe(0);
  expect(
    sharedNames([
      { at: 'a.ts', text },
      { at: 'b.ts', text: 'function two() {\n}\n' },
    ]),
  ).toEqual(['two']);
  expect(partitionsOf([{ at: 'a.ts', text: `\`names#\${id}\`; const key = { partition: 'budget' };` }])).toEqual(
    new Set(['names', 'budget']),
  );
  expect(fieldsOf('const body = z.object({\n  a: x,\n  b: z.object({\n    c: y,\n  }),\n  d,\n});', 'body')).toBe(3);
});
