// Texts from outside for GitHub's Markdown. Each is a code span, so nothing in it is Markdown, HTML, a link or a
// mention.
import { octetsForUnsafe } from './terminal-text.ts';

/** A longer text is cut. */
const SPAN_CHARACTERS_MAX = 500;

/** A text as a code span on one line. Line ends, control and invisible characters are octets, as `\010`. */
export function codeSpan(text: string): string {
  return spanOf(octetsForUnsafe(text.slice(0, SPAN_CHARACTERS_MAX)), text.length);
}

/**
 * The same in a cell of a table, where a pipe is written `\|`. A backslash before a pipe is `\092`, because parsers
 * disagree about `\\|`.
 */
export function cellSpan(text: string): string {
  const safe = octetsForUnsafe(text.slice(0, SPAN_CHARACTERS_MAX)).replaceAll('\\|', '\\092|');
  return spanOf(safe, text.length).replaceAll('|', '\\|');
}

/** The beginning of a text, made safe, as a code span: its fence is longer than any row of backticks inside. */
function spanOf(safe: string, length: number): string {
  if (safe === '') return '(empty)';
  const shown = safe.slice(0, SPAN_CHARACTERS_MAX).toWellFormed();
  const fence = '`'.repeat(Math.max(0, ...(shown.match(/`+/g) ?? []).map((row) => row.length)) + 1);
  // A parser takes one space away at both ends.
  const pad = /^[ `]|[ `]$/.test(shown) ? ' ' : '';
  const isWhole = shown.length === safe.length && length <= SPAN_CHARACTERS_MAX;
  return `${fence}${pad}${shown}${pad}${fence}${isWhole ? '' : `… (${length} characters)`}`;
}

/** A part of a page: rows between what opens and what closes it. */
export type Block = {
  readonly open: string;
  readonly rows: readonly Row[];
  readonly close: string;
  /** How many rows it has in all; some may not be in `rows`, because they cannot fit. */
  readonly count: number;
};

/** `first`: where not all rows fit, this one is shown before others. */
type Row = { readonly text: string; readonly first: boolean };

/** The characters that are kept for the line that counts the rows left out. */
const MORE_CHARACTERS = 80;

/** The blocks in so many characters. Small blocks are whole; what remains is shared equally by the others. */
export function fitBlocks(blocks: readonly Block[], characters: number, what: string): string {
  let spare = characters - MORE_CHARACTERS;
  const fitting = blocks.findIndex((block) => {
    spare -= leastOf(block);
    return spare < 0;
  });
  const shown = fitting < 0 ? blocks : blocks.slice(0, fitting);
  spare = characters - MORE_CHARACTERS - shown.reduce((sum, block) => sum + leastOf(block), 0);
  const bySize = shown
    .map((block) => ({ block, least: leastOf(block), size: sizeOf(block) }))
    .toSorted((a, b) => a.size - a.least - (b.size - b.least));
  const texts = new Map<Block, string>();
  for (const [at, { block, least }] of bySize.entries()) {
    const text = fitBlock(block, least + Math.floor(spare / (bySize.length - at)));
    texts.set(block, text);
    spare -= text.length - least;
  }
  const left = blocks.slice(shown.length);
  const rows = left.reduce((sum, { count }) => sum + count, 0);
  const more = left.length === 0 ? '' : `… and ${left.length} more ${what} with ${rows} more lines.\n\n`;
  return shown.map((block) => texts.get(block) ?? '').join('') + more;
}

/** The characters of a block of which no row is shown. */
function leastOf({ open, close }: Block): number {
  return open.length + close.length + MORE_CHARACTERS;
}

function sizeOf({ open, rows, close, count }: Block): number {
  const missing = count > rows.length ? Number.POSITIVE_INFINITY : 0;
  return rows.reduce((sum, { text }) => sum + text.length, open.length + close.length + missing);
}

function fitBlock(block: Block, characters: number): string {
  const { open, rows, close, count } = block;
  if (sizeOf(block) <= characters) return `${open}${rows.map(({ text }) => text).join('')}${close}`;
  let remaining = characters - leastOf(block);
  const ordered = [...rows.filter(({ first }) => first), ...rows.filter(({ first }) => !first)];
  const fits = ordered.findIndex(({ text }) => {
    remaining -= text.length;
    return remaining < 0;
  });
  const shown = fits < 0 ? ordered : ordered.slice(0, fits);
  const more = `\n… and ${count - shown.length} more (\`zone53 plan -o json\` has all).\n`;
  return `${open}${shown.map(({ text }) => text).join('')}${more}${close}`;
}
