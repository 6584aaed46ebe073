// Breaks lines at the width of a terminal, between words, with a hanging indent. A command to copy, an annotation with
// its value, and anything without spaces, such as a digest, stay whole: the terminal shows them over several rows, and
// copying them gives one line.
import { stripVTControlCharacters } from 'node:util';

/** The narrowest width at which lines are broken; below it, the indents would take most of the room. */
const WIDTH_MIN = 24;

/** What must not be broken although it has a space. */
const TOGETHER = /zone53\.dev\/[a-z-]+: \S+|--[a-z-]+ \S+|\b-f \S+/g;
/** Lines that are to be copied. */
const COMMAND = /^\s+(?:kubectl|zone53|npx|aws|dig) /;
/** A command behind other text, three spaces away. */
const COMMAND_BEHIND = /^(.*?\S) {3}((?:kubectl|zone53|npx|aws|dig|curl) .*)$/;
/** The start of a line, below which the rest is indented: spaces, and a sign or a bullet. */
const START = /^(\s*)((?:[-+~=!✗•]|note|warning|error:?)\s+)?/;
const HANGING = '  ';
/** Stands for a space that is no place to break; nothing that is printed has it, because safeText() escapes it. */
const KEPT_SPACE = '\u0000';

/** The text with each line at most so wide. `width`: null for no terminal; then the text is as it was. */
export function wrapText(text: string, width: number | null): string {
  if (width === null || width < WIDTH_MIN) return text;
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
}

/** How many columns a text takes, without its colours. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const plain = stripVTControlCharacters(line);
  if (widthOf(plain) <= width || COMMAND.test(plain)) return line;
  const [, before, command] = COMMAND_BEHIND.exec(line) ?? [];
  if (before !== undefined && command !== undefined) return `${wrapLine(before, width)}\n    ${command}`;
  const [, indent = '', sign = ''] = START.exec(plain) ?? [];
  const hanging = indent + (sign === '' ? HANGING : ' '.repeat(widthOf(sign)));
  const lines: string[] = [];
  let row = '';
  for (const word of wordsOf(line)) {
    const isFirst = stripVTControlCharacters(row).trim() === '';
    if (isFirst || widthOf(row) + widthOf(word) <= width) row += word;
    else {
      lines.push(row.trimEnd());
      row = hanging + word.trimStart();
    }
  }
  return [...lines, row].join('\n').replaceAll(KEPT_SPACE, ' ');
}

/** The words of a line, each with the spaces before it. */
function wordsOf(line: string): readonly string[] {
  const kept = line.replaceAll(TOGETHER, (found) => found.replaceAll(' ', KEPT_SPACE));
  return kept.match(/\s*[^\s]+|\s+$/g) ?? [];
}
