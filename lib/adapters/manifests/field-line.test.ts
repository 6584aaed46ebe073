import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { fieldPathIn } from '../../objects/field-path.ts';
import { KINDS } from '../../sources/source.ts';
import { fieldLine } from './field-line.ts';
import { parseManifest } from './parse-manifest.ts';

/** The line of the field that a problem names, for each object of a file in order. */
async function lines(text: string, problem: string, listCharactersMin?: number): Promise<readonly (number | null)[]> {
  const file = path.join(testFolder(), 'a.yaml');
  await writeFile(file, text);
  const { objects } = parseManifest(KINDS, Buffer.from(text), file, listCharactersMin);
  return objects.map(({ origin }) => fieldLine(origin, fieldPathIn(problem) ?? []));
}

const record = (name: string, more = '') =>
  `apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata:\n  name: ${name}\nspec:\n  domainName: a.\n${more}`;

test.each([
  ['spec.domainName: wrong', 6],
  ['its last valid spec stays in force: spec.values[1]: wrong; spec.domainName: wrong', 9],
  ['spec.routing.weight: wrong', 11],
  ['spec.routing.setIdentifier is required', 10],
  ['spec.type is required', 5],
  ['annotation zone53.dev/takeover is not read', 3],
  ['nothing of a field', null],
])('fieldLine() finds the field of "%s", or the nearest around it', async (problem, line) => {
  const more = '  values:\n    - x\n    - y\n  routing:\n    weight: 1\n';
  expect(await lines(record('a', more), problem)).toEqual([line]);
});

test('fieldLine() finds an annotation', async () => {
  const text = record('a').replace(
    '  name: a\n',
    '  name: a\n  annotations:\n    b: c\n    zone53.dev/takover: "true"\n',
  );
  expect(await lines(text, 'annotation zone53.dev/takover is not read: did you mean it?')).toEqual([7]);
});

test('fieldLine() tells apart the documents of a file, and the items of lists', async () => {
  const listed = (name: string) => `- ${record(name).trimEnd().replaceAll('\n', '\n  ')}\n`;
  const text = `# first\n${record('a')}---\n${record('b')}--- # list\nkind: List\nitems:\n${listed('c')}${listed('d')}`;
  expect(await lines(text, 'spec.domainName: wrong')).toEqual([7, 14, 23, 29]);
  const long = `kind: List\nitems:\n${listed('c')}${`# ${'x'.repeat(300 * 1024)}\n`}${listed('d')}`;
  expect(await lines(long, 'spec.domainName: wrong')).toEqual([8, 15]);
  const json = { apiVersion: 'kubi.zone/v1alpha1', kind: 'Record', metadata: { name: 'a' }, spec: { type: 5 } };
  expect(await lines(JSON.stringify(json, null, 2), 'spec.type: wrong')).toEqual([8]);
});

test('fieldLine() knows no line of a file that is gone, and none of standard input', async () => {
  const file = path.join(testFolder(), 'a.yaml');
  await writeFile(file, record('a'));
  expect(fieldLine({ file, line: 1 }, ['spec'])).toBe(5);
  await writeFile(file, `# longer\n${record('a')}`);
  expect(fieldLine({ file, line: 2 }, ['spec'])).toBe(6);
  await rm(file);
  expect(fieldLine({ file, line: 2 }, ['spec'])).toBeNull();
  expect(fieldLine({ file: '-', line: 1 }, ['spec'])).toBeNull();
});
