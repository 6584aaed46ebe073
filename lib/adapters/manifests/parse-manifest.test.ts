import { expect, test } from 'vitest';
import { KINDS } from '../../sources/source.ts';
import { parseManifest } from './parse-manifest.ts';
import { splitDocuments } from './split-documents.ts';

const head = 'apiVersion: kubi.zone/v1alpha1\nkind: Record\n';
const record = (name: string, spec = 'spec: {}') => `${head}metadata: { name: ${name} }\n${spec}\n`;
const names = (text: string | Buffer) =>
  parseManifest(KINDS, Buffer.from(text), 'a.yaml').objects.map(({ ref }) => ref.name);
const problems = (text: string | Buffer) => parseManifest(KINDS, Buffer.from(text), 'a.yaml').problems;

test.each<[string, string, number[]]>([
  ['one document', 'a: 1\n', [1]],
  ['a marker first', '---\na: 1\n', [1]],
  ['two documents', 'a: 1\n---\nb: 2\n', [1, 2]],
  ['comments and directives stay with what follows', '# c\n%YAML 1.2\n---\na: 1\n---\nb: 1\n', [1, 5]],
  ['text that only begins with dashes is not a marker', 'a: |\n  ---\n----\n', [1]],
  ['a marker with content on its line', '--- {a: 1}\n--- {b: 1}\n', [1, 2]],
  ['Windows line ends', 'a: 1\r\n---\r\nb: 2\r\n', [1, 2]],
  ['no newline at the end', 'a: 1\n---', [1, 2]],
])('splitDocuments() tells apart %s', (_, text, lines) => {
  const chunks = [...splitDocuments(Buffer.from(text))];
  expect(chunks.map(({ line }) => line)).toEqual(lines);
  expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(text);
});

test('parseManifest() keeps the spec unchanged, with its types, and gives the namespace its default', () => {
  const spec = 'spec: { ttl: "60", n: 010, y: yes, day: 2001-01-01, t: !!binary aGk=, none: ~ }';
  const [object] = parseManifest(KINDS, Buffer.from(`# a comment\n\n${record('www', spec)}`), 'a.yaml').objects;
  expect(object).toEqual({
    ref: { kind: 'Record', namespace: 'default', name: 'www' },
    uid: null,
    creationTimestamp: null,
    order: '',
    version: '',
    generation: null,
    annotations: {},
    labels: {},
    spec: { ttl: '60', n: 10, y: 'yes', day: '2001-01-01', t: 'aGk=', none: null },
    origin: { file: 'a.yaml', line: 3 },
  });
});

test('parseManifest() reads metadata', () => {
  const metadata = `metadata:
  name: www
  namespace: team
  uid: u-1
  creationTimestamp: 2024-01-01T00:00:00Z
  generation: 4
  annotations: { zone53.dev/takeover: true, other: [] }
  labels: { a: b }
`;
  const [object] = parseManifest(KINDS, Buffer.from(head + metadata), 'a.yaml').objects;
  expect(object).toMatchObject({
    ref: { namespace: 'team' },
    uid: 'u-1',
    creationTimestamp: '2024-01-01T00:00:00Z',
    generation: 4,
    annotations: { 'zone53.dev/takeover': 'true' },
    labels: { a: 'b' },
    spec: undefined,
  });
});

test('parseManifest() follows anchors and merge keys', () => {
  const [object] = parseManifest(
    KINDS,
    Buffer.from(record('www', 'x: &x { ttl: 5 }\nspec: { <<: *x, type: A }')),
    'a',
  ).objects;
  expect(object?.spec).toEqual({ ttl: 5, type: 'A' });
});

const item = (name: string) => `{ apiVersion: kubi.zone/v1alpha1, kind: Record, metadata: { name: ${name} } }`;

test.each<[string, string, string[]]>([
  [
    'several documents, empty ones among them',
    `---\n${record('a')}---\n---\n# c\n---\n${record('b')}...\n`,
    ['a', 'b'],
  ],
  ['JSON', '{\n\t"apiVersion": "kubi.zone/v1alpha1", "kind": "Zone",\n\t"metadata": {"name": "z"}}', ['z']],
  ['a List', `apiVersion: v1\nkind: List\nitems:\n- ${item('a')}\n- ${item('b')}\n`, ['a', 'b']],
  ['a List in a List', `kind: List\nitems: [{ kind: List, items: [${item('a')}] }, ${item('b')}]`, ['a', 'b']],
  ['a typed list', 'apiVersion: kubi.zone/v1alpha1\nkind: ZoneList\nitems: [{ metadata: { name: z } }]', ['z']],
  ['a list of aliases', `a: &a ${item('a')}\nkind: List\nitems: [*a]`, ['a']],
  ['an empty List', 'kind: List\nitems:\n', []],
  ['other kinds: passed over', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {}\n', []],
  ['Zones of others: passed over', 'apiVersion: example.com/v1\nkind: Zone\nmetadata: { name: z }\n', []],
  [
    'lists of others: passed over',
    'apiVersion: example.com/v1\nkind: ZoneList\nitems: [{ metadata: { name: z } }]',
    [],
  ],
  ['no object at all: passed over', 'clusterId: x\n---\n- 1\n---\ntext\n---\n5\n', []],
  ['nothing', '', []],
  ['a byte order mark', `\ufeff${record('a')}`, ['a']],
])('parseManifest() reads %s', (_, text, expected) => {
  expect(problems(text)).toEqual([]);
  expect(names(text)).toEqual(expected);
});

const around = (bad: string) => `${record('before')}---\n${bad}\n---\n${record('after')}`;

test.each([
  ['lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ['mappings', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
])('parseManifest() reports %s that are nested too deeply, in words of its own', (_, deep) => {
  expect(problems(around(deep))).toMatchObject([
    { line: 6, message: 'Cannot parse YAML: lists and mappings are nested too deeply: write fewer levels' },
  ]);
  expect(names(around(deep))).toEqual(['before', 'after']);
});

test.each<[string, string, number, number | undefined, RegExp]>([
  [
    'an open quote',
    'x: 1\na: "b\nc: 1',
    7,
    4,
    /Cannot parse YAML: the quote that begins here is not closed: write " at the end/,
  ],
  ['an open bracket', 'a: [1,\nb: 2', 7, 1, /a \] is missing/],
  ['an open bracket at the end', 'a: [1,\n  2', 7, 4, /a \] is missing/],
  ['an open brace at the end', 'a: {b: 1', 6, 9, /a \} is missing/],
  ['a tab for indentation', 'a:\n\tb: 1', 7, 1, /a tab stands where the line is indented: write spaces/],
  ['a key twice', 'a: 1\na: 2', 7, 1, /keys must be unique/],
  ['an alias without an anchor', 'b: 1\na: *x', 7, 4, /alias "\*x" has no anchor "&x" before it/],
  ['an alias before its anchor', 'a: *x\nb: &x 1', 6, 4, /no anchor/],
  ['an alias of itself', 'a: &x [*x]', 6, 8, /contains itself/],
  ['a billion laughs', laughs(), 6, undefined, /stand for more than 10000 values/],
  ['no name', `${head}metadata: { namespace: x }`, 6, undefined, /^Record without a name: write metadata.name$/],
  ['no metadata', head, 6, undefined, /without a name/],
  ['an empty name', `${head}metadata: { name: "" }`, 6, undefined, /without a name/],
  ['generateName', `${head}metadata: { generateName: a- }`, 6, undefined, /generateName is for an API server only/],
  [
    'a name that is a number',
    `${head}metadata: { name: 5 }`,
    6,
    undefined,
    /name 5, which is a number: put it in quotes/,
  ],
  ['a name with a slash', `${head}metadata: { name: a/b }`, 6, undefined, /name "a\/b": slashes/],
  ['a name with a line break', `${head}metadata: { name: "a\\nb" }`, 6, undefined, /"a\\nb"/],
  ['a namespace that is a list', `${head}metadata: { name: a, namespace: [b] }`, 6, undefined, /namespace/],
  [
    'an unknown version',
    'apiVersion: kubi.zone/v1\nkind: Zone\nmetadata: { name: z }',
    6,
    undefined,
    /write "apiVersion: kubi.zone\/v1alpha1"/,
  ],
  ['no version', 'kind: Zone\nmetadata: { name: z }', 6, undefined, /without an apiVersion/],
  ['a List whose items are not a list', 'kind: List\nitems: 5', 6, undefined, /expected a list/],
  [
    'a typed list of something else',
    'apiVersion: kubi.zone/v1alpha1\nkind: ZoneList\nitems:\n- 5',
    9,
    undefined,
    /Expected a Zone/,
  ],
])('parseManifest() names the place, and keeps the other documents, with %s', (_, bad, line, column, message) => {
  const text = around(bad);
  expect(names(text)).toEqual(['before', 'after']);
  expect(problems(text)).toHaveLength(1);
  const [problem] = problems(text);
  expect(problem?.message).toMatch(message);
  expect(problem).toMatchObject({ file: 'a.yaml', line, ...(column === undefined ? {} : { column }) });
});

test.each([
  ['a list of texts', '- a\n- b', 6, /^a list is not read, .* write "kind: List"/],
  ['a list of objects', `- ${item('a')}`, 6, /^a list is not read/],
  ['an empty list', '[]', 6, /^a list is not read/],
  ['a text', 'Error: not found', 6, null],
  ['a sentence', 'not found', 6, /^a string is not read/],
  ['a number', '5', 6, /^a number is not read/],
  ['a text in a List', 'kind: List\nitems: [a]', 7, /^a string is not read/],
  ['a patch of kustomize', '- op: remove\n  path: /spec/ttl\n', 6, null],
  ['nothing', '~', 6, null],
])('parseManifest() warns of %s, unless it belongs to another tool', (_, text, line, message) => {
  expect(names(around(text))).toEqual(['before', 'after']);
  const { nearMisses } = parseManifest(KINDS, Buffer.from(around(text)), 'a.yaml');
  expect(nearMisses).toEqual(
    message === null ? [] : [{ file: 'a.yaml', line, message: expect.stringMatching(message) }],
  );
});

function laughs(): string {
  const tens = (name: string) => `[${Array(10).fill(`*${name}`).join(', ')}]`;
  return `{ a: &a [1], b: &b ${tens('a')}, c: &c ${tens('b')}, d: &d ${tens('c')}, e: &e ${tens('d')}, f: &f ${tens('e')}, g: ${tens('f')} }`;
}

test('parseManifest() names the line and column of the first byte that is not UTF-8, and loses only that document', () => {
  const bad = Buffer.concat([
    Buffer.from(`${record('a')}---\nä: b\nä`),
    Buffer.from([0xe4]),
    Buffer.from(`\n---\n${record('b')}`),
  ]);
  expect(names(bad)).toEqual(['a', 'b']);
  expect(problems(bad)).toEqual([
    { file: 'a.yaml', line: 7, column: 2, message: 'Byte 0xe4 is not UTF-8: save the file as UTF-8' },
  ]);
});

test.each([
  ['a file of NUL, as a lost write leaves it', '\0\0\0\0', 1, 1, '00'],
  ['a NUL in a kind', 'apiVersion: kubi.zone/v1alpha1\nkind: Record\0\nmetadata: { name: a }\n', 2, 13, '00'],
  ['an ESC in a comment', `\t# ä\u001b\n${record('a')}`, 1, 5, '1b'],
])('parseManifest() refuses control characters, as kubectl does: %s', (_, text, line, column, byte) => {
  expect(names(`${text}\n---\n${record('b')}`)).toEqual(['b']);
  const message = `Byte 0x${byte} is a control character: write it as an escape in double quotes`;
  expect(problems(text)).toEqual([{ file: 'a.yaml', line, column, message }]);
});

test('parseManifest() loses only the invalid item of a list', () => {
  const text = `kind: List\nitems:\n- ${item('a')}\n- ${item('""')}\n- ${item('b')}\n`;
  expect(names(text)).toEqual(['a', 'b']);
  expect(problems(text)).toEqual([{ file: 'a.yaml', line: 4, message: 'Record without a name: write metadata.name' }]);
});

test('parseManifest() does not make a prototype of a key', () => {
  const [object] = parseManifest(KINDS, Buffer.from(record('a', 'spec: { __proto__: { ttl: 5 } }')), 'a').objects;
  const spec = (object?.spec ?? {}) as { readonly ttl?: number };
  expect(spec.ttl).toBeUndefined();
  expect(Object.keys(spec)).toEqual(['__proto__']);
});

test('parseManifest() names the format by the ending of the file', () => {
  const messages = (file: string) =>
    parseManifest(KINDS, Buffer.from('{"a": 1'), file).problems.map(({ message }) => message.split(':')[0]);
  expect([messages('a.json'), messages('A.JSON'), messages('a.yaml')].flat()).toEqual([
    'Cannot parse JSON',
    'Cannot parse JSON',
    'Cannot parse YAML',
  ]);
});

test('parseManifest() replaces half of a surrogate pair, as an API server does, and keeps whole pairs', () => {
  const spec = 'spec: { "a\\ud800": "\\ud800x", b: ["\\ud83d\\ude00", "\\uDFFF"], __proto__: { c: "\\udead" } }';
  const [object] = parseManifest(KINDS, Buffer.from(record('a', spec)), 'a').objects;
  expect(Object.entries(object?.spec ?? {})).toEqual([
    ['a\ufffd', '\ufffdx'],
    ['b', ['😀', '\ufffd']],
    ['__proto__', { c: '\ufffd' }],
  ]);
});

test.each(['\u0085', '\u2028', '\u202e'])('parseManifest() refuses %j in a name', (character) => {
  const name = JSON.stringify(`a${character}`);
  expect(problems(`${record('before')}---\n${record(name)}---\n${record('after')}`)).toEqual([
    { file: 'a.yaml', line: 6, message: expect.stringMatching(/name "a\\u[0-9a-f]{4}": slashes/) },
  ]);
});
