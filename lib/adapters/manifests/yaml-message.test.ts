// The usual mistakes of people who write DNS in YAML, and what they are told to write.
import { expect, test } from 'vitest';
import { KINDS } from '../../sources/source.ts';
import { parseManifest } from './parse-manifest.ts';

const head = 'apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: a }\nspec:\n';

const alias = (text: string) => `write "${text}" in quotes: without them, YAML takes * for an alias`;
const start = (text: string) =>
  `write "${text}" in quotes: a text without quotes cannot begin with ${text.charAt(0)} in YAML`;
const field = (text: string) => `write "${text}" in quotes: without them, YAML takes what is before ": " for a field`;
const template = (text: string) =>
  `"${text}" is a template: render it before, as "helm template" does, or write the value itself`;
const DEEPER =
  'this line is indented deeper than the field above it, which has a value already: begin both in the same column';

/** The lines below `spec:`, in line 5 and those below it, then line and column of the problem, and the message. */
test.each<[string, number, number, string]>([
  ['  domainName: *.example.org.', 5, 15, alias('*.example.org.')],
  ['  domainName: *-dev.example.org. # all', 5, 15, alias('*-dev.example.org.')],
  ['  a: [{ pattern: *.x }]', 5, 18, alias('*.x')],
  ['  values:\n    - *.example.org.', 6, 7, alias('*.example.org.')],
  ['  pattern: *', 5, 12, start('*')],
  ['  a: { records: [{ pattern: * }] }', 5, 29, start('*')],
  [
    '  domainName: *base',
    5,
    15,
    'the alias "*base" has no anchor "&base" before it; if it is text, write it in quotes',
  ],
  ['  domainName: @', 5, 15, start('@')],
  ['  domainName: @ # the apex', 5, 15, start('@')],
  ['  a: { domainName: @, type: A }', 5, 20, start('@')],
  ['  rdata: %foo', 5, 10, start('%foo')],
  ['  rdata: `foo`', 5, 10, start('`foo`')],
  ['  rdata: v=DMARC1: p=none', 5, 10, field('v=DMARC1: p=none')],
  ['  rdata: a: b: c # d', 5, 10, field('a: b: c')],
  ['  domainName: w.\n   type: A', 6, 4, DEEPER],
  ['  domainName: w.\n\n  # here\n      type: A\n  rdata: x', 8, 7, DEEPER],
  [
    '  domainName: w.\n type: A',
    6,
    2,
    'this line begins in column 2, and the line above it in column 3: all fields of a mapping begin in the same column',
  ],
  ['\tdomainName: w.', 5, 1, 'a tab stands where the line is indented: write spaces'],
  ['  domainName: w.\n\ttype: A', 6, 1, 'a tab stands where the line is indented: write spaces'],
  ['  domainName:w.example.org.\n  type: A', 5, 3, 'write a space behind the colon: "domainName: w.example.org."'],
  [
    '  domainName w.\n  type: A',
    5,
    3,
    '"domainName w." is no field: write a name, a colon and a space before the value',
  ],
  ['  values:\n  - x\n  -192.0.2.2', 7, 3, 'write a space behind the dash: "- 192.0.2.2"'],
  ['  domainName: {{ .Values.host }}.example.org.', 5, 15, template('{{ .Values.host }}')],
  ['{{- if .Values.on }}\n  type: A\n{{- end }}', 5, 1, template('{{- if .Values.on }}')],
  ['  rdata: "v=spf1" "-all"', 5, 19, `text stands behind the closing quote: write '"v=spf1" "-all"'`],
  ["  rdata: 'a", 5, 10, "the quote that begins here is not closed: write ' at the end of the text"],
  ['  rdata: "a\\.b"', 5, 12, '\\. is no escape in double quotes: write \\\\ for a backslash, or use single quotes'],
  ['  a: [1,, 2]', 5, 9, 'a comma without a value before it: remove it'],
  ['  a: ["b" 1]', 5, 11, 'a comma is missing between two values'],
  [
    '  rdata: |v=spf1',
    5,
    11,
    'text stands behind | or >: write it on the next lines, indented, or in quotes on this line',
  ],
  [
    '<<<<<<< HEAD\n  type: A\n=======\n  type: AAAA\n>>>>>>> other',
    5,
    1,
    'a conflict of git is left here: keep one of the two sides, without the lines <<<<<<<, ======= and >>>>>>>',
  ],
])('a problem of YAML says what to write: %j', (spec, line, column, message) => {
  for (const end of ['\n', '\r\n']) {
    const text = `${head}${spec}\n`.replaceAll('\n', end);
    expect(parseManifest(KINDS, Buffer.from(text), 'a.yaml').problems).toEqual([
      { file: 'a.yaml', line, column, message: `Cannot parse YAML: ${message}` },
    ]);
  }
});

test('a problem of YAML has words of the library only where nothing better is known', () => {
  const [problem] = parseManifest(KINDS, Buffer.from(`${head}  a: &x &y 1\n`), 'a.yaml').problems;
  expect(problem?.message).toBe('Cannot parse YAML: A node can have at most one anchor');
});
