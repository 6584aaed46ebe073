// Finds the line of a field in the file of its object, for messages. Only the line of an object is kept, because a
// large folder has millions of fields; so the file is read again where an object has a problem. If it cannot be read,
// or has changed since, the line of the object stays.
import { readFileSync, statSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, visit } from 'yaml';
import type { FieldPath } from '../../objects/field-path.ts';
import type { Origin } from '../../ports/cluster.ts';
import { checkSize } from './check-size.ts';
import { composeYaml } from './compose-yaml.ts';
import { STANDARD_INPUT } from './find-manifests.ts';
import { splitDocuments } from './split-documents.ts';
import { splitList } from './split-list.ts';

/** A larger file is not read again for the sake of a line. */
const FILE_BYTES_MAX = 32n * 1024n * 1024n;
/** As in parse-manifest.ts: a longer list is parsed item by item. */
const LIST_CHARACTERS_MIN = 256 * 1024;

/** A text of one or more documents; `before`: how many lines are before it in its file. */
type Part = { readonly text: string; readonly before: number };

/** The parts of the file that was read last: the problems of one file are asked for together. */
let last: { readonly file: string; readonly state: string; readonly parts: readonly Part[] } | null = null;

/** The line of the field, or of the nearest field around it that exists; null: it is not known. */
export function fieldLine({ file, line }: Origin, path: FieldPath): number | null {
  try {
    const part = partsOfFile(file).findLast(({ before }) => before < line);
    return part === undefined ? null : lineIn(part, line, path);
  } catch {
    return null;
  }
}

function partsOfFile(file: string): readonly Part[] {
  if (file === STANDARD_INPUT) return [];
  const { size, mtimeNs } = statSync(file, { bigint: true });
  if (size > FILE_BYTES_MAX) return [];
  const state = `${size} ${mtimeNs}`;
  if (last?.file !== file || last.state !== state) {
    const parts = [...splitDocuments(readFileSync(file))].flatMap(({ bytes, line }) =>
      withItems({ text: bytes.toString('utf8'), before: line - 1 }),
    );
    last = { file, state, parts };
  }
  return last.parts;
}

function withItems(part: Part): readonly Part[] {
  const list = part.text.length < LIST_CHARACTERS_MIN ? null : splitList(part.text);
  return list === null ? [part] : list.items.map(({ text, line }) => ({ text, before: part.before + line }));
}

function lineIn({ text, before }: Part, line: number, path: FieldPath): number | null {
  if (checkSize(text) !== null) return null;
  const counter = new LineCounter();
  for (const document of composeYaml(text, counter)) {
    const lineOf = (node: Node): number => counter.linePos(node.range?.[0] ?? 0).line + before;
    const object = objectAt(document, (node) => lineOf(node) === line);
    if (object !== null) return lineAtPath(object, path, lineOf);
  }
  return null;
}

/** The outermost mapping for which this is true. */
function objectAt(document: Document.Parsed, isIt: (node: Node) => boolean): Node | null {
  let found: Node | null = null;
  visit(document, {
    Map(_key, node) {
      if (!isIt(node) || !node.has('metadata')) return undefined;
      found = node;
      return visit.BREAK;
    },
  });
  return found;
}

function lineAtPath(object: Node, path: FieldPath, lineOf: (node: Node) => number): number | null {
  let node: unknown = object;
  let line: number | null = null;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (!isNode(pair?.key)) break;
      line = lineOf(pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isNode(node)) break;
      line = lineOf(node);
    } else break;
  }
  return line;
}
