import { expect, test } from 'vitest';
import { KINDS } from '../../sources/source.ts';
import { parseManifest } from './parse-manifest.ts';
import { splitList } from './split-list.ts';

const object = (name: string) => ({
  apiVersion: 'kubi.zone/v1alpha1',
  kind: 'Record',
  metadata: { name },
  spec: { n: ['- x', '],{"'] },
});
const head = 'apiVersion: kubi.zone/v1alpha1\n';
const flow = (name: string) => JSON.stringify(object(name));

/** Lists as people and tools write them. True: the list can be split. */
const lists: Record<string, [string, boolean]> = {
  'items at the left edge, as kubectl prints them': [
    `apiVersion: v1\nitems:\n- ${head}  kind: Record\n  metadata:\n    name: a\n  spec:\n    list:\n    - x\n    - y\n- ${head}  kind: Record\n  metadata: { name: b }\nkind: List\nmetadata:\n  resourceVersion: ""\n`,
    true,
  ],
  'items indented, with comments and empty lines': [
    `kind: List\nitems: # all\n  # first\n  - ${head}    kind: Record\n\n    metadata: { name: a }\n# left\n  -\n    ${head}    kind: Record\n    metadata: { name: b }\n`,
    true,
  ],
  'block scalars and open strings that look like items': [
    `kind: List\nitems:\n- ${head}  kind: Record\n  metadata: { name: a }\n  spec:\n    text: |\n      - no item\n    other: "line\n      - no item either"\n- ${flow('b')}\n`,
    true,
  ],
  'Windows line ends': [`kind: List\r\nitems:\r\n- ${flow('a')}\r\n- ${flow('b')}\r\n`, true],
  'a typed list': [`${head}kind: RecordList\nitems:\n- metadata: { name: a }\n- metadata: { name: b }\n`, true],
  'an item that is wrong': [
    `kind: List\nitems:\n- ${flow('a')}\n- kind: Record\n  metadata: { name: c }\n- 5\n- ${flow('b')}\n`,
    true,
  ],
  JSON: [JSON.stringify({ kind: 'List', items: [object('a'), object('b')], metadata: {} }, null, 2), true],
  'JSON on one line': [JSON.stringify({ items: [object('a'), object('b')], kind: 'List' }), true],
  'JSON with lists in a list': [
    JSON.stringify({ kind: 'List', items: [{ kind: 'List', items: [object('a')] }, object('b')] }),
    true,
  ],
  'JSON with items elsewhere': [
    JSON.stringify({ metadata: { items: [1] }, kind: 'List', items: [object('a'), object('b')] }),
    true,
  ],
  'JSON with no items': [JSON.stringify({ kind: 'List', items: [] }), true],
  'anchors and aliases': [`kind: List\nitems:\n- &a ${flow('a')}\n- *a\n- ${flow('b')}\n`, false],
  'items in braces': [`kind: List\nitems: [${flow('a')}, ${flow('b')}]\n`, false],
  'a single object': [flow('a'), false],
  'another kind with items': [`kind: ConfigMap\nitems:\n- ${flow('a')}\n`, true],
  'a list that does not parse': [`kind: List\nitems:\n- ${flow('a')}\nx: [\n`, true],
};

test.each(Object.entries(lists))('splitList() or not, parseManifest() makes the same of %s', (_, [text, taken]) => {
  const bytes = Buffer.from(`# above\n---\n${text}`);
  expect(parseManifest(KINDS, bytes, 'a.yaml', 0)).toEqual(
    parseManifest(KINDS, bytes, 'a.yaml', Number.MAX_SAFE_INTEGER),
  );
  expect(splitList(text) !== null).toBe(taken);
});

test('parseManifest() of a long list loses only the item that does not parse', () => {
  const bytes = Buffer.from(`kind: List\nitems:\n- ${flow('a')}\n- { a: 1, a: 2 }\n- ${flow('b')}\n`);
  const { objects, problems } = parseManifest(KINDS, bytes, 'a.yaml', 0);
  expect(objects.map(({ ref, origin: { line } }) => [ref.name, line])).toEqual([
    ['a', 3],
    ['b', 5],
  ]);
  expect(problems).toEqual([
    { file: 'a.yaml', line: 4, column: 11, message: expect.stringContaining('keys must be unique') },
  ]);
});
