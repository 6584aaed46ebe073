import { expect, test } from 'vitest';
import { KINDS } from '../../sources/source.ts';
import { findRemarks } from './find-remarks.ts';
import { parseManifest } from './parse-manifest.ts';

function remarks(text: string): readonly string[] {
  const parsed = parseManifest(KINDS, Buffer.from(text), 'a.yaml');
  expect(parsed.problems).toEqual([]);
  const found = findRemarks(
    [{ name: 'a.yaml', isFolder: false, filesFound: 1 }],
    [{ name: 'a.yaml', given: 0, parsed }],
  );
  return found.map(({ level, line, message }) => `${level} ${line} ${message}`);
}

const record = (metadata: string, spec = '  domainName: a.\n') =>
  `apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: ${metadata}\nspec:\n${spec}`;

test.each([
  [
    record('{ name: Up_Case }'),
    'advice 1 Record default/Up_Case: an API server refuses the name "Up_Case": it takes lower case letters, digits, "-" and "."',
  ],
  [
    record('{ name: a, namespace: a.b }'),
    'advice 1 Record a.b/a: an API server refuses the namespace "a.b": it takes lower case letters, digits and "-"',
  ],
  [
    record('{ name: a, annotations: { zone53.dev/takeover: true } }'),
    'advice 1 Record default/a: an API server refuses annotation "zone53.dev/takeover": it is a boolean; write "true" in quotes',
  ],
  [
    record('{ name: a, labels: { b: 5 } }'),
    'advice 1 Record default/a: an API server refuses label "b": it is a number; write "5" in quotes',
  ],
  [
    record('{ name: a }', '  type: TXT\n  rdata: yes\n'),
    'advice 6 Record default/a: kubectl reads yes as true, and an API server refuses that: write "yes" in quotes',
  ],
  [
    record('{ name: a }', '  values: [a, Off]\n'),
    'advice 5 Record default/a: kubectl reads Off as false, and an API server refuses that: write "Off" in quotes',
  ],
])('findRemarks() tells what an API server would refuse: %j', (text, remark) => {
  expect(remarks(text)).toEqual([remark]);
});

test('findRemarks() tells each reason once, and nothing of what an API server takes', () => {
  const many = ['A', 'B', 'C'].map((name) => record(`{ name: ${name} }`)).join('---\n');
  expect(remarks(many)).toEqual([expect.stringMatching(/^advice 1 Record default\/A: .*\(and 2 more of this kind\)$/)]);
  const quoted = `  rdata: "yes"\n  values: ['no', "on", nobody]\n  no: 1\n`;
  expect(remarks(record('{ name: a.b-c, namespace: d, annotations: { e: "true" } }', quoted))).toEqual([]);
});
