// Splits a long `List` into its items before it is parsed. `kubectl get records -A -o yaml` of a large cluster is one
// document of many megabytes, and a syntax tree of it takes a hundred times that. Only the outermost structure is
// examined; for anything unusual the result is null, and the document is parsed as a whole.

/** A part of the document. `line`: its line within the document, from 0. */
type ListItem = { readonly text: string; readonly line: number };
/** `header`: the document without its items, with the same line numbers. */
export type SplitList = { readonly header: string; readonly items: readonly ListItem[] };

/** The items of a list; null for anything else, and for aliases that may lead from one item to another. */
export function splitList(text: string): SplitList | null {
  if (/^(?:---)?\s*\{/.test(text)) return splitFlow(text);
  return hasAliases(text) ? null : splitBlock(text);
}

/** True for a text with an alias of one of its anchors. An `&` in a text of another tool is no anchor that counts. */
function hasAliases(text: string): boolean {
  const anchors = new Set(Array.from(text.matchAll(/(?:^|[\s[,{])&([^\s,[\]{}]+)/gm), ([, name]) => name));
  return anchors.size > 0 && text.matchAll(/(?:^|[\s[,{])\*([^\s,[\]{}]+)/gm).some(([, name]) => anchors.has(name));
}

/** Splits block style: `items:` at the left edge, then a `- ` for each item at one depth; deeper lines belong to it. */
function splitBlock(text: string): SplitList | null {
  const key = /^items:[ \t]*(?:#.*)?\r?\n/m.exec(text);
  if (key === null) return null;
  const start = key.index + key[0].length;
  const dash = /^( *)-(?=[ \r\n])/m.exec(text.slice(start, start + 4096));
  if (dash === null) return null;
  const mark = `${dash[1]}-`;
  const items: ListItem[] = [];
  let line = countLines(text, 0, start);
  let itemStart = -1;
  let itemLine = 0;
  let end = start;
  const finish = (): void => {
    // A space replaces the dash, so that lines and columns stay right.
    if (itemStart >= 0) items.push({ text: text.slice(itemStart, end).replace('-', ' '), line: itemLine });
  };
  while (end < text.length) {
    const newline = text.indexOf('\n', end);
    const next = newline === -1 ? text.length : newline + 1;
    const begins = text.startsWith(mark, end) && /[ \r\n]/.test(text[end + mark.length] ?? '\n');
    if (!begins && /[^\s#]/.test(text[end] ?? '')) break;
    if (begins) {
      finish();
      itemStart = end;
      itemLine = line;
    }
    line += 1;
    end = next;
  }
  finish();
  return { header: blank(text, start, end), items };
}

/** Splits flow style: `"items": [ … ]` of the outermost braces, as in JSON. */
function splitFlow(text: string): SplitList | null {
  const open = /"items"\s*:\s*\[/y;
  let depth = 0;
  for (const { character, at } of marksOf(text, 0)) {
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    open.lastIndex = at;
    if (depth === 1 && character === '"' && open.test(text)) return splitElements(text, open.lastIndex);
  }
  return null;
}

function splitElements(text: string, start: number): SplitList | null {
  const items: ListItem[] = [];
  let line = countLines(text, 0, start);
  let from = start;
  let closed = -1;
  walk(text, start, (character, at, depth) => {
    if (depth !== 0 || (character !== ',' && character !== ']')) return true;
    const element = text.slice(from, at);
    if (element.trim() !== '') items.push({ text: element, line });
    line += countLines(text, from, at);
    from = at + 1;
    if (character === ']') closed = at;
    return closed < 0;
  });
  return closed < 0 ? null : { header: blank(text, start, closed), items };
}

/** Visits brackets and commas outside of strings. `depth`: the number of open brackets since `start`. */
function walk(text: string, start: number, visit: (character: string, at: number, depth: number) => boolean): void {
  let depth = 0;
  for (const { character, at } of marksOf(text, start)) {
    if (character === '"') continue;
    if (!visit(character, at, depth)) return;
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
  }
}

/** The brackets and commas outside of strings, and the quote at the beginning of each string. */
function* marksOf(text: string, start: number): Generator<{ readonly character: string; readonly at: number }> {
  const mark = /["[\]{},]/g;
  mark.lastIndex = start;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const [character] = match;
    yield { character, at: match.index };
    if (character === '"') mark.lastIndex = endOfString(text, match.index);
  }
}

/**
 * Behind the quote that ends the string; the end of the text if none does. Not a regular expression: a string of some
 * megabytes would exceed its stack.
 */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** The text without a part, with the same line numbers. */
function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + '\n'.repeat(countLines(text, start, end)) + text.slice(end);
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
