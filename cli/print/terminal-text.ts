// Makes text from outside safe for a terminal. Names, TXT values and messages may contain control characters, which
// could hide a line or repaint the screen. Colours are added only by us, and only if they are wanted.
import { styleText } from 'node:util';
import { withViewsInWords } from '../../lib/dns/names/view.ts';

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';
/** Colours a text, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string;

// DEL and C1; line and paragraph separators; marks that change the writing direction; invisible characters; unpaired
// surrogates.
const UNSAFE_ABOVE =
  /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const UNSAFE = new RegExp(`[\\u0000-\\u001f]|${UNSAFE_ABOVE.source}`, 'g');

/** The text on one line, with views in words. Characters that a terminal might act on are written as `\u{1b}`. */
export function safeText(text: string): string {
  return withViewsInWords(text).replaceAll(UNSAFE, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}

/** The text on one line, with the octets of the same characters as decimal numbers: `\\027`. */
export function octetsForUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, (character) =>
    [...Buffer.from(character)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join(''),
  );
}

/** Makes each line of a text safe. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

/** JSON that is also safe on a terminal. Parsing it gives the same value. */
export function formatJson(value: unknown): string {
  return [...jsonPieces(value)].join('');
}

/** A list whose items are made only when they are written. */
type LazyList = Iterable<unknown> & { readonly toJSON: () => readonly unknown[] };

/** Like `map`, but each item is made when it is written: the whole list would take more memory than its items. */
export function lazily<Item>(items: readonly Item[], of: (item: Item) => unknown): LazyList {
  return { [Symbol.iterator]: () => items.values().map(of), toJSON: () => items.map(of) };
}

/** The smallest size of a piece in characters, except for the last. */
const PIECE_CHARACTERS = 64 * 1024;

/** The same text as `formatJson`, in pieces, so that a long text is never in memory as a whole. */
export function* jsonPieces(value: unknown): Generator<string> {
  for (const piece of inPieces(partsOf(value, ''))) yield safeJson(piece);
  yield '\n';
}

/** The same text in pieces of some size. */
export function* inPieces(parts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Mappings and lists with a lazy list inside are written part by part, anything else at once. */
function* partsOf(value: unknown, indent: string): Generator<string> {
  const inner = `${indent}  `;
  const holds = Array.isArray(value) ? value.some(holdsLazy) : holdsLazy(value);
  if (!holds) {
    yield (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${indent}`);
    return;
  }
  const isList = Array.isArray(value) || isLazy(value);
  let before = isList ? '[' : '{';
  for (const [name, one] of isList ? listed(value as Iterable<unknown>) : fieldsOf(value as object)) {
    yield `${before}\n${inner}${name}`;
    yield* partsOf(one, inner);
    before = ',';
  }
  if (before === ',') yield `\n${indent}${isList ? ']' : '}'}`;
  else yield isList ? '[]' : '{}';
}

function isLazy(value: unknown): value is LazyList {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

/** True for a lazy list, and for a mapping with one among its fields or in a list among them. */
function holdsLazy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return (
    isLazy(value) ||
    Object.values(value).some((field) => (Array.isArray(field) ? field.some(holdsLazy) : isLazy(field)))
  );
}

function* listed(items: Iterable<unknown>): Generator<readonly [string, unknown]> {
  for (const item of items) yield ['', item];
}

function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => [`${JSON.stringify(key)}: `, field]);
}

/** What is below a space JSON.stringify has escaped already, save the line breaks between its lines. */
function safeJson(json: string): string {
  return json.replaceAll(UNSAFE_ABOVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether to paint what goes to a stream. FORCE_COLOR wins over NO_COLOR (no-color.org), as in Node itself. */
export function wantsColour(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean {
  const forced = environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== '') return false;
  return isTerminal && environment.TERM !== 'dumb';
}

export const plainPaint: Paint = (_colour, text) => text;

export const colourPaint: Paint = (colour, text) => styleText(colour, text, { validateStream: false });

/** "1 record set", "2 record sets". */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** Rows as columns, two spaces apart; the last column is not padded. `paint` sees the padded cell. */
export function formatColumns(
  rows: readonly (readonly string[])[],
  indent: string,
  paintCell: (text: string, column: number, row: number) => string = (text) => text,
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row, rowIndex) => {
    const cells = row.map((cell, column) => {
      const last = column === row.length - 1;
      return paintCell(last ? cell : cell.padEnd(widths[column] ?? 0), column, rowIndex);
    });
    return indent + cells.join('  ');
  });
}
