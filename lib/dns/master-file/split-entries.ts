// Splits a master file into entries (RFC 1035 §5.1): the words of a line, or of several lines within parentheses,
// without comments. A character is an octet of the file. Quotes and escapes stay in the words. As in BIND, a quoted
// string ends on its line. After a quote or a parenthesis that stays open nothing more is read, because nobody knows
// where the next entry begins.

export type Word = {
  /** As written, with the escapes and without the quotes. */
  readonly text: string;
  readonly quoted: boolean;
  /** Nothing stands between it and the word before. */
  readonly glued: boolean;
};

export type FileEntry = {
  /** The line of the first word. */
  readonly line: number;
  /** Its line begins with a blank, so it has no owner of its own. */
  readonly indented: boolean;
  readonly words: readonly Word[];
  /** Why nothing can be read from it, and on which line; null if all is well. */
  readonly fault: { readonly line: number; readonly message: string } | null;
};

type Open = { line: number; indented: boolean; words: Word[]; fault: FileEntry['fault'] };

/** The entries of `text` in their order. The last one has a fault if a quote or a parenthesis stays open. */
export function* splitEntries(text: string): Generator<FileEntry> {
  let [at, line] = [0, 1];
  let entry: Open = beginEntry(text, at, line);
  let parentheses: number[] = [];
  let glued = false;
  while (at < text.length) {
    const character = text[at] as string;
    if (character === '\n') {
      at += 1;
      line += 1;
      glued = false;
      if (parentheses.length > 0) continue;
      if (!isEmptyEntry(entry)) yield entry;
      entry = beginEntry(text, at, line);
    } else if (isLineBlank(character)) {
      at += 1;
      glued = false;
    } else if (character === ';') {
      at = lineEnd(text, at);
    } else if (character === '(' || character === ')') {
      at += 1;
      glued = false;
      if (isEmptyEntry(entry)) entry.line = line;
      if (character === '(') parentheses.push(line);
      else if (parentheses.pop() === undefined) entry.fault ??= { line, message: 'there is a ")" without a "("' };
    } else {
      if (isEmptyEntry(entry)) entry.line = line;
      const end = character === '"' ? quoteEnd(text, at) : wordEnd(text, at);
      if (end === null) {
        const message = 'a quote is not closed on its line; nothing more of the file is read';
        yield { ...entry, fault: { line, message } };
        return;
      }
      const quoted = character === '"';
      entry.words.push({ text: quoted ? text.slice(at + 1, end - 1) : text.slice(at, end), quoted, glued });
      glued = true;
      at = end;
    }
  }
  const opened = parentheses[0];
  parentheses = [];
  if (opened !== undefined) {
    const message = 'a parenthesis is not closed; nothing more of the file is read';
    yield { ...entry, fault: { line: opened, message } };
  } else if (!isEmptyEntry(entry)) yield entry;
}

function beginEntry(text: string, at: number, line: number): Open {
  return { line, indented: isLineBlank(text[at] ?? ''), words: [], fault: null };
}

function isEmptyEntry({ words, fault }: Open): boolean {
  return words.length === 0 && fault === null;
}

function isLineBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Where a quoted string ends, behind its last quote; null if its line ends before. */
function quoteEnd(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
    if (text[at] === '\n') return null;
  }
  return null;
}

const ENDS_WORD: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n', ';', '(', ')', '"']);

function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !ENDS_WORD.has(text[at] as string)) {
    at += text[at] === '\\' && at + 1 < text.length && text[at + 1] !== '\n' ? 2 : 1;
  }
  return at;
}
