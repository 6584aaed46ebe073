// Parses one manifest file from bytes into objects and problems. A problem affects only its own document (or list
// item). Objects are passed on untrusted. Kinds that are not read are skipped without a message; but a Zone or Record
// with an unknown apiVersion is a problem, because skipping it would look like a deletion.
import { isUtf8 } from 'node:buffer';
import { type Document, isAlias, isMap, isSeq, LineCounter, type Node, visit, type YAMLParseError } from 'yaml';
import { apiKindOf, apiVersionOf, type Kind, ZONE_KIND } from '../../objects/kind.ts';
import { isMapping, type Mapping } from '../../objects/plain.ts';
import type { ReadProblem } from '../../ports/cluster.ts';
import { checkSize, type SizeRefusal } from './check-size.ts';
import { composeYaml } from './compose-yaml.ts';
import { isOthersList, metadataMisses, nearMiss, noObject } from './near-miss.ts';
import { plainValue, wellFormed } from './plain-value.ts';
import { type ManifestObject, readManifestObject } from './read-object.ts';
import { refusedByServer, type ServerRefusal } from './refused-by-server.ts';
import { type ManifestChunk, splitDocuments } from './split-documents.ts';
import { type SplitList, splitList } from './split-list.ts';
import { yamlProblem } from './yaml-message.ts';

/** A kind that `key` switches on, and that is off: its objects are not read. `asks`: which of them ask for names. */
export type OffKind = {
  readonly kind: Kind;
  readonly key: string;
  readonly asks: (object: ManifestObject) => boolean;
};

/** An object that asks for names, of a kind that is switched off. */
type UnaskedObject = Pick<ManifestObject, 'ref' | 'origin'> & { readonly key: string };

/** An object of which an API server would refuse something. */
type RefusedObject = Pick<ServerRefusal, 'code' | 'message'> & Pick<ManifestObject, 'ref' | 'origin'>;

/** The content of one file. Problems have the file's name as given. */
export type ParsedManifest = {
  /** build-listing.ts replaces each object by the listed one. */
  readonly objects: ManifestObject[];
  readonly problems: readonly ReadProblem[];
  /** Objects that are probably meant for zone53 and misspelt. */
  readonly nearMisses: readonly ReadProblem[];
  readonly unasked: readonly UnaskedObject[];
  /** What an API server would refuse of these objects. */
  readonly refused: readonly RefusedObject[];
  /** True if it has objects of other kinds. */
  readonly hasOthers: boolean;
};

/** A longer list is parsed item by item, because a syntax tree takes a hundred times the memory of its text. */
const LIST_CHARACTERS_MIN = 256 * 1024;

/** After so many problems, the rest of a file is not read: it is no file of manifests. */
const PROBLEMS_MAX = 10_000;

/** A document without content. A file may have a million of them. */
const EMPTY = Buffer.from('---\n');
/** A control character that YAML never allows (YAML 1.2.2, 5.1), such as NUL: a lost disk write leaves a file of it. */
const CONTROL = /[^\P{Cc}\t\n\r\u007f-\u009f]/u;

/** The place of an item in a document. */
type Place = { readonly node: Node | null; readonly lineOf: (node: Node | null) => number };
type Sink = {
  readonly kinds: readonly Kind[];
  readonly off: readonly OffKind[];
  readonly file: string;
  readonly objects: ManifestObject[];
  readonly problems: ReadProblem[];
  readonly nearMisses: ReadProblem[];
  readonly unasked: UnaskedObject[];
  readonly refused: RefusedObject[];
  hasOthers: boolean;
};

/**
 * Parses YAML 1.2 (core schema, merge keys) or JSON, with several documents and nested lists of objects. Never throws.
 * A list of at least `listCharactersMin` is parsed item by item, with the same result.
 */
export function parseManifest(
  kinds: readonly Kind[],
  bytes: Buffer,
  file: string,
  listCharactersMin = LIST_CHARACTERS_MIN,
  off: readonly OffKind[] = [],
): ParsedManifest {
  const sink: Sink = {
    kinds,
    off,
    file,
    objects: [],
    problems: [],
    nearMisses: [],
    unasked: [],
    refused: [],
    hasOthers: false,
  };
  // The library's errors are values here: writing their stack traces would take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const chunk of splitDocuments(bytes)) {
      if (sink.problems.length + sink.nearMisses.length >= PROBLEMS_MAX) {
        sink.problems.push(tooManyProblems(chunk, file));
        break;
      }
      parseChunk(chunk, sink, listCharactersMin);
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return sink;
}

function tooManyProblems({ line }: ManifestChunk, file: string): ReadProblem {
  const message = `this file has ${PROBLEMS_MAX} problems before this line: the rest of it is not read. Mend or remove it`;
  return { file, line, message };
}

function parseChunk(chunk: ManifestChunk, sink: Sink, listCharactersMin: number): void {
  if (chunk.bytes.length <= EMPTY.length && EMPTY.subarray(0, chunk.bytes.length).equals(chunk.bytes)) return;
  const text = chunk.bytes.toString('utf8');
  if (!isUtf8(chunk.bytes) || CONTROL.test(text)) {
    sink.problems.push(badByte(chunk, sink.file));
    return;
  }
  const before = chunk.line - 1;
  const split = text.length < listCharactersMin ? null : splitList(text);
  if (split === null || !parseSplitList(split, before, sink)) parseText(text, before, sink, null);
}

/** Parses the items one by one. Returns false, without a result, if the document is not a list after all. */
function parseSplitList(split: SplitList, before: number, sink: Sink): boolean {
  const documents = [...composeYaml(split.header, new LineCounter())];
  const [document] = documents;
  if (document === undefined || documents.length > 1 || document.errors.length > 0) return false;
  const value = plainValue(document);
  if (!value.ok || !isMapping(value.value) || !isOurList(sink.kinds, value.value)) return false;
  const { kind, apiVersion, items } = value.value;
  if (items !== null && !(Array.isArray(items) && items.length === 0)) return false;
  const listed = listedKind(sink.kinds, kind, apiVersion);
  for (const item of split.items) parseText(item.text, before + item.line, sink, listed);
  return true;
}

/** Parses a text whose first line is line `before` + 1 of the file. `listed`: the kind of the items of a typed list. */
function parseText(text: string, before: number, sink: Sink, listed: Kind | null): void {
  const counter = new LineCounter();
  const end = text.trimEnd().length;
  const refusal = checkSize(text);
  if (refusal !== null) {
    refuseSize(text, before, refusal, sink, listed);
    return;
  }
  for (const document of composeYaml(text, counter))
    parseDocument(document, { text, counter, before, end }, sink, listed);
}

/** A text that is not parsed: a problem, save where it is JSON after all, or of another tool. */
function refuseSize(text: string, before: number, refusal: SizeRefusal, sink: Sink, listed: Kind | null): void {
  const { offset, message, isWide } = refusal;
  const json = isWide ? parseJson(text) : null;
  if (json !== null) {
    const line = before + 1 + lineEnds(text, text.search(/\S/));
    readDocument(wellFormed(json.value, text), { node: null, lineOf: () => line }, sink, listed, null);
  } else if (isWide && listed === null && !mayBeOurs(sink, text)) sink.hasOthers = true;
  else {
    const start = text.lastIndexOf('\n', offset - 1) + 1;
    const at = { line: before + 1 + lineEnds(text, start), column: offset - start + 1 };
    sink.problems.push({ ...at, file: sink.file, message: `Cannot parse ${formatOf(sink.file)}: ${message}` });
  }
}

function lineEnds(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The value of a JSON text; null if it is none. */
function parseJson(text: string): { readonly value: unknown } | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** True for a text that names a kind that is read, and for brackets of which nobody knows what they are. */
function mayBeOurs({ kinds }: Sink, text: string): boolean {
  if (/^(?:---)?\s*[[{]/.test(text)) return true;
  const named = text.matchAll(/(?:^|[\s,{"'])kind["']?[ \t]*:[ \t]*["']?(\w+)/g);
  return named.some(
    ([, name = '']) => name === 'List' || kinds.map(apiKindOf).some((kind) => name === kind || name === `${kind}List`),
  );
}

/** `end`: the offset behind the last character that is not blank. A bracket left open is reported at the very end. */
type Position = {
  readonly text: string;
  readonly counter: LineCounter;
  readonly before: number;
  readonly end: number;
};

function parseDocument(document: Document.Parsed, position: Position, sink: Sink, listed: Kind | null): void {
  const first = document.errors[0];
  if (first !== undefined) {
    const { message, offset } = yamlProblem(first, position.text, openedAt(first, document));
    const at = placeOf(offset, position);
    sink.problems.push({ ...at, file: sink.file, message: `Cannot parse ${formatOf(sink.file)}: ${message}` });
    return;
  }
  const lineOf = (node: Node | null): number => placeOf(node?.range?.[0] ?? document.range[0], position).line;
  const value = plainValue(document);
  if (value.ok) {
    readDocument(wellFormed(value.value, position.text), { node: document.contents, lineOf }, sink, listed, document);
    return;
  }
  const at = placeOf(value.offset ?? document.contents?.range?.[0] ?? document.range[0], position);
  sink.problems.push({ ...at, file: sink.file, message: `Cannot parse ${formatOf(sink.file)}: ${value.message}` });
}

/** The position of an error. For a quote left open, it is where it opens, not where the text ends. */
function openedAt(error: YAMLParseError, document: Document.Parsed): number {
  let offset = error.pos[0];
  if (error.code !== 'MISSING_CHAR') return offset;
  visit(document, {
    Scalar(_key, { type, range }) {
      const quoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
      if (quoted && range && range[0] < error.pos[0] && error.pos[0] <= range[2]) offset = range[0];
    },
  });
  return offset;
}

function placeOf(offset: number, position: Position): { readonly line: number; readonly column: number } {
  const { line, col } = position.counter.linePos(Math.min(offset, position.end));
  return { line: Math.max(line, 1) + position.before, column: Math.max(col, 1) };
}

/** Reads a document or an item of a list. `listed`: the kind of the items of a typed list. */
function readDocument(
  value: unknown,
  place: Place,
  sink: Sink,
  listed: Kind | null,
  document: Document.Parsed | null,
): void {
  const line = place.lineOf(place.node);
  if (!isMapping(value)) {
    if (listed !== null)
      sink.problems.push({ file: sink.file, line, message: `Expected a ${apiKindOf(listed)}, got ${typeof value}` });
    else if (isOthersList(value)) sink.hasOthers = true;
    else if (value !== null) sink.nearMisses.push({ file: sink.file, line, message: noObject(value) });
    return;
  }
  const kind = value.kind ?? (listed === null ? undefined : apiKindOf(listed));
  const apiVersion = value.apiVersion ?? (listed === null ? undefined : apiVersionOf(listed));
  if (isOurList(sink.kinds, value)) {
    readList(value, place, sink, document);
    return;
  }
  const fitting = (kinds: readonly Kind[]) =>
    kinds.flatMap((one) => {
      const refusal = apiKindOf(one) === kind ? refuseVersion(one, apiVersion) : 'ignore';
      return refusal === 'ignore' ? [] : [{ known: one, refusal }];
    });
  // Several sources may read one kind, each as a kind of its own.
  const read = fitting(sink.kinds);
  const off = read.length > 0 ? undefined : sink.off.find((one) => fitting([one.kind]).length > 0);
  for (const { known, refusal } of read) readAs(known, refusal, value, place, sink);
  if (off !== undefined) noteOff(off, value, { file: sink.file, line }, sink);
  else if (read.length === 0) {
    const message = nearMiss(sink.kinds, kind, apiVersion);
    if (message !== null) sink.nearMisses.push({ file: sink.file, line, message });
    else if (typeof kind === 'string' && typeof apiVersion === 'string') sink.hasOthers = true;
  }
}

/** Reads an object of a kind that is switched off, to see whether it asks for names. */
function noteOff(off: OffKind, value: Mapping, origin: ManifestObject['origin'], sink: Sink): void {
  sink.hasOthers = true;
  const read = readManifestObject(off.kind, value, origin);
  if (read.ok && off.asks(read.object))
    sink.unasked.push({ ref: read.object.ref, origin: read.object.origin, key: off.key });
}

/** Reads an object of a kind that is read. `refusal`: why it is not ours after all. */
function readAs(known: Kind, refusal: string | null, value: Mapping, place: Place, sink: Sink): void {
  const line = place.lineOf(place.node);
  const read =
    refusal === null
      ? readManifestObject(known, value, { file: sink.file, line })
      : { ok: false as const, message: refusal };
  if (read.ok) {
    sink.objects.push(read.object);
    for (const { code, node, message } of refusedByServer(value, place.node)) {
      const origin = { file: sink.file, line: place.lineOf(node) };
      sink.refused.push({ code, ref: read.object.ref, origin, message });
    }
    for (const message of metadataMisses(known.kind, value.metadata))
      sink.nearMisses.push({ file: sink.file, line, message });
  }
  // An object of a related kind may be anything. Without a name, nothing can refer to it, so it is skipped.
  else if (known.status === 'none') sink.hasOthers = true;
  else sink.problems.push({ file: sink.file, line, message: read.message });
}

type ListValue = Mapping & { readonly kind: string };

function isOurList(kinds: readonly Kind[], value: Mapping): value is ListValue {
  const { kind, apiVersion } = value;
  if (kind === 'List') return true;
  return typeof apiVersion === 'string' && listedKind(kinds, kind, apiVersion) !== null;
}

/** The kind of the items of a typed list: Zone for a `ZoneList`. */
function listedKind(kinds: readonly Kind[], kind: unknown, apiVersion: unknown): Kind | null {
  if (typeof apiVersion !== 'string') return null;
  return kinds.find((one) => `${apiKindOf(one)}List` === kind && one.group === groupOf(apiVersion)) ?? null;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** Null: it is ours. `ignore`: a kind of another group with the same name. Else the problem. */
function refuseVersion(known: Kind, apiVersion: unknown): string | null {
  const { kind, group } = known;
  const right = apiVersionOf(known);
  if (apiVersion === right) return null;
  const isOurs = group === ZONE_KIND.group;
  if (typeof apiVersion !== 'string')
    return isOurs ? `${kind} without an apiVersion: write "apiVersion: ${right}"` : 'ignore';
  if (groupOf(apiVersion) !== group) return 'ignore';
  // For kinds of others, any version is accepted: a manifest may be older or newer than the cluster.
  if (!isOurs) return null;
  return `${kind} of apiVersion ${JSON.stringify(apiVersion.slice(0, 80))}, which is not known: write "apiVersion: ${right}"`;
}

function readList(
  { items, kind, apiVersion }: ListValue,
  place: Place,
  sink: Sink,
  document: Document.Parsed | null,
): void {
  if (items === undefined || items === null) return;
  if (!Array.isArray(items)) {
    sink.problems.push({ file: sink.file, line: place.lineOf(place.node), message: `${kind}.items: expected a list` });
    return;
  }
  const nodes = itemNodes(place.node, document);
  const listed = listedKind(sink.kinds, kind, apiVersion);
  items.forEach((item, index) => {
    readDocument(item, { node: nodes[index] ?? place.node, lineOf: place.lineOf }, sink, listed, document);
  });
}

function itemNodes(node: Node | null, document: Document.Parsed | null): readonly (Node | null)[] {
  const list = isMap(node) ? resolved(node.get('items', true), document) : undefined;
  return isSeq(list) ? list.items.map((item) => resolved(item, document) ?? null) : [];
}

function resolved(node: unknown, document: Document.Parsed | null): Node | undefined {
  return isAlias(node) && document !== null ? node.resolve(document) : (node as Node | undefined);
}

/** The line of the first byte that is a control character or not UTF-8. A longer character has no newline byte. */
function badByte(chunk: ManifestChunk, file: string): ReadProblem {
  let line = chunk.line;
  for (let start = 0; start < chunk.bytes.length; line += 1) {
    const newline = chunk.bytes.indexOf(0x0a, start);
    const end = newline === -1 ? chunk.bytes.length : newline + 1;
    const bytes = chunk.bytes.subarray(start, end);
    if (!isUtf8(bytes) || CONTROL.test(bytes.toString('utf8'))) return { file, line, ...describeByte(bytes) };
    start = end;
  }
  throw new Error('Cannot find the byte that is not allowed');
}

function describeByte(line: Buffer): { readonly column: number; readonly message: string } {
  const again = Buffer.from(line.toString('utf8'), 'utf8');
  const isControl = (at: number) => CONTROL.test(String.fromCharCode(line[at] ?? 0));
  let at = 0;
  while (at < line.length && line[at] === again[at] && !isControl(at)) at += 1;
  const byte = (line[at] ?? 0).toString(16).padStart(2, '0');
  const wrong = isControl(at)
    ? 'is a control character: write it as an escape in double quotes'
    : 'is not UTF-8: save the file as UTF-8';
  return { column: line.subarray(0, at).toString('utf8').length + 1, message: `Byte 0x${byte} ${wrong}` };
}

/** The format that the author of a file means. JSON is read as YAML, which it is part of. */
function formatOf(file: string): string {
  return file.toLowerCase().endsWith('.json') ? 'JSON' : 'YAML';
}
