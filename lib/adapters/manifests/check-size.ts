// Refuses a text that would take seconds and hundreds of megabytes to parse, before it is parsed: the syntax tree of a
// YAML document takes a kilobyte and 20 microseconds for each value. Only its tokens are looked at, until one of the
// limits is reached. The limits are far above what an API server stores as an object.
import { CST, Lexer } from 'yaml';
import { ALIASES_MAX, TOO_MANY_ALIASES } from './plain-value.ts';
import { TOO_DEEP } from './yaml-message.ts';

/** A shorter text is parsed in no time, whatever it is. */
const CHARACTERS_MIN = 1_000;
/** The library's stack ends at some 700 levels. */
const LEVELS_MAX = 500;
/** Values, keys and the marks around them. */
const TOKENS_MAX = 200_000;
/** More than an object of an API server may have as a whole (1.5 MiB in etcd). Text in double quotes is read slowly. */
const QUOTED_CHARACTERS_MAX = 2 * 1024 * 1024;
const TEXT_CHARACTERS_MAX = 16 * 1024 * 1024;

/** `isWide`: there is much of it, and nothing else is wrong: it may be a file of another tool. */
export type SizeRefusal = { readonly offset: number; readonly message: string; readonly isWide: boolean };

const UNCOUNTED = new Set(['space', 'newline', 'comment']);
const OPENING = new Set(['flow-map-start', 'flow-seq-start']);
const CLOSING = new Set(['flow-map-end', 'flow-seq-end']);
const BLOCK_MARKS = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);

/** Why the text is too large or too deep to be parsed; null: it is not. */
export function checkSize(text: string): SizeRefusal | null {
  if (text.length < CHARACTERS_MIN) return null;
  const levels = newLevels();
  const counts = { tokens: 0, alias: 0, anchor: 0, tag: 0 };
  let offset = 0;
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    const type: string = isScalar ? 'text' : (CST.tokenType(source) ?? 'text');
    isScalar = type === 'scalar';
    if (type === 'scalar' || type === 'doc-mode' || type === 'flow-error-end') continue;
    if (levels.after(type, source) > LEVELS_MAX) return { offset, message: TOO_DEEP, isWide: false };
    if (!UNCOUNTED.has(type)) {
      const bomb = tooOften(counts, type);
      if (bomb !== null) return { offset, message: bomb, isWide: false };
      const much = tooMany(counts.tokens) ?? problemOfLength(source);
      if (much !== null) return { offset, message: much, isWide: true };
    }
    offset += source.length;
  }
  return null;
}

function tooOften(counts: { tokens: number; alias: number; anchor: number; tag: number }, type: string): string | null {
  counts.tokens += 1;
  if (type === 'alias' || type === 'anchor' || type === 'tag') counts[type] += 1;
  if (counts.alias > ALIASES_MAX) return TOO_MANY_ALIASES;
  if (counts.anchor > ALIASES_MAX) return `it has more than ${ALIASES_MAX} anchors`;
  return counts.tag > ALIASES_MAX ? `it has more than ${ALIASES_MAX} tags: leave out each "!"` : null;
}

function tooMany(tokens: number): string | null {
  return tokens > TOKENS_MAX
    ? `it has more than ${TOKENS_MAX} values, keys and marks in one document: write several documents, with a line "---" between two`
    : null;
}

function problemOfLength(source: string): string | null {
  const max = source.startsWith('"') ? QUOTED_CHARACTERS_MAX : TEXT_CHARACTERS_MAX;
  return source.length > max
    ? `a text of ${source.length} characters: ${max} are the most; no API server stores an object of that size`
    : null;
}

/** Counts how many lists and mappings are open: brackets, and in block style the deeper and deeper lines. */
function newLevels(): { after: (type: string, source: string) => number } {
  const columns: number[] = [];
  let [brackets, marks, column, begins] = [0, 0, 0, true];
  return {
    after: (type, source) => {
      // A block scalar has its last line end.
      if (source.endsWith('\n')) [column, marks, begins] = [0, 0, true];
      else {
        if (begins && type !== 'space' && type !== 'comment') {
          while ((columns.at(-1) ?? -1) >= column) columns.pop();
          columns.push(column);
          begins = false;
        }
        column = source.includes('\n') ? source.length - source.lastIndexOf('\n') - 1 : column + source.length;
        if (OPENING.has(type)) brackets += 1;
        if (CLOSING.has(type)) brackets = Math.max(0, brackets - 1);
        if (BLOCK_MARKS.has(type) && brackets === 0) marks += 1;
      }
      return columns.length + brackets + marks;
    },
  };
}
