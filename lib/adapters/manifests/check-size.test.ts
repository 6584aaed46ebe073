// Texts of a megabyte and more that are made to be expensive. Each is refused at once, or read at once.
import { expect, test } from 'vitest';
import { KINDS } from '../../sources/source.ts';
import { checkSize } from './check-size.ts';
import { parseManifest } from './parse-manifest.ts';

const MANY = 1_000_000;
const DEEP = /nested too deeply/;
const WIDE = /more than 200000 values, keys and marks/;
const head = 'apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: a }\n';
const good = `${head}spec: {}\n`;

/** How long any of them may take, in milliseconds of CPU, on a machine of which others use a part. */
const CPU_MS_MAX = 3_000;

function parsed(text: string, file: string) {
  const before = process.cpuUsage();
  const result = parseManifest(KINDS, Buffer.from(text), file);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(CPU_MS_MAX);
  return result;
}

test.each<[string, string, number, number, RegExp]>([
  ['brackets', '['.repeat(MANY), 1, 500, DEEP],
  ['brackets that are closed', '['.repeat(MANY) + ']'.repeat(MANY), 1, 500, DEEP],
  ['braces', '{'.repeat(MANY), 1, 500, DEEP],
  ['mappings', '{"a":'.repeat(MANY), 1, 2496, DEEP],
  ['flow mappings of YAML', '{a: '.repeat(MANY), 1, 1997, DEEP],
  ['block sequences', '- '.repeat(MANY), 1, 999, DEEP],
  ['explicit keys', '? '.repeat(MANY), 1, 999, DEEP],
  ['mappings in one line', 'a: '.repeat(MANY), 1, 1499, DEEP],
  [
    'deeper and deeper lines',
    Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
    500,
    501,
    DEEP,
  ],
  ['brackets in a field', `${head}spec: ${'['.repeat(MANY)}`, 4, 505, DEEP],
  ['brackets in a list', `kind: List\nitems: ${'['.repeat(MANY)}`, 2, 506, DEEP],
  ['aliases', `a: &x 1\nb: [${'*x, '.repeat(MANY)}]`, 2, 40_005, /aliases stand for more than 10000 values/],
  ['anchors', `a: [${'&x 1, '.repeat(MANY)}]`, 1, 60_005, /more than 10000 anchors/],
  ['tags', `a: ${'!!binary '.repeat(MANY)}`, 1, 90_004, /more than 10000 tags/],
  ['merges', `${head}spec: &a {}\nc: {${'<<: *a, '.repeat(MANY)}}`, 5, 80_009, /aliases stand for more/],
  ['commas', `[${','.repeat(MANY)}`, 1, 200_000, WIDE],
  ['keys of an object of ours', `${head}${'a:\n'.repeat(MANY)}`, 99_997, 1, WIDE],
])('parseManifest() refuses a million %s at once, and keeps the other documents', (_, text, line, column, message) => {
  const { objects, problems } = parsed(`${good}---\n${text}\n---\n${good.replace('name: a', 'name: b')}`, 'a.yaml');
  expect(objects.map(({ ref }) => ref.name)).toEqual(['a', 'b']);
  expect(problems).toEqual([{ file: 'a.yaml', line: line + 5, column, message: expect.stringMatching(message) }]);
});

test('parseManifest() says JSON of a JSON file', () => {
  const [problem] = parsed('['.repeat(MANY), 'a.json').problems;
  expect(problem).toMatchObject({ line: 1, column: 500, message: expect.stringMatching(/^Cannot parse JSON: lists/) });
});

const large = (spec: string) =>
  `{"apiVersion":"kubi.zone/v1alpha1","kind":"Record","metadata":{"name":"a"},"spec":${spec}}`;

test.each([
  ['one long line', large(JSON.stringify({ rdata: 'x'.repeat(20 * MANY) })), ['a']],
  ['one long line of escapes', large(`{"rdata":"${'\\n\\"\\\\'.repeat(MANY)}"}`), ['a']],
  ['many values', large(`{"values":[${'1,'.repeat(MANY)}1]}`), ['a']],
  ['many lists of items', `[${'{"items":[]},'.repeat(100_000)}{}]`, []],
  ['empty documents', '---\n'.repeat(MANY), []],
  ['document ends', '...\n'.repeat(MANY), []],
  ['directives', '%A\n'.repeat(MANY), []],
  ['lines of another tool', 'a:\n'.repeat(MANY), []],
  ['quotes', '"'.repeat(MANY), []],
  ['a long comment', `# ${'x'.repeat(20 * MANY)}\n${good}`, ['a']],
])('parseManifest() reads %s at once', (_, text, names) => {
  const { objects, problems } = parsed(text, 'a.json');
  expect([objects.map(({ ref }) => ref.name), problems]).toEqual([names, []]);
});

test('checkSize() allows what manifests have', () => {
  expect(checkSize('['.repeat(999))).toBeNull();
  const block = `a: |\n${'  - [{ deep: "text" }]\n'.repeat(50_000)}`;
  expect(checkSize(`${block}b:\n${'  - c: { d: [1] }\n'.repeat(2_000)}`)).toBeNull();
  expect(checkSize(`${'['.repeat(400)}${']'.repeat(400)}${' '.repeat(1_000)}`)).toBeNull();
});

test('parseManifest() reads no more of a file after ten thousand problems, and says so', () => {
  const { objects, problems } = parsed(`${good}${'--- ]\n'.repeat(166_666)}---\n${good}`, 'a.yaml');
  expect(objects).toHaveLength(1);
  expect(problems).toHaveLength(10_001);
  expect(problems.at(-1)).toMatchObject({
    line: 10_005,
    message: 'this file has 10000 problems before this line: the rest of it is not read. Mend or remove it',
  });
});

test('parseManifest() leaves the stack traces of other errors as they are', () => {
  parseManifest(KINDS, Buffer.from('a: "\\q"'), 'a.yaml');
  expect(new Error('x').stack).toContain('check-size.test.ts');
});
