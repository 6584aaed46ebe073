// Text that is not ours, on its way to a terminal: names, TXT values and messages may hold anything, and a control
// character there could hide a line or repaint the screen. Colours are ours alone, and only where they are wanted.
import { styleText } from 'node:util';

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';
/** Paints a text, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

// DEL and C1; line and paragraph separators; marks that turn the direction of writing; what is invisible; halves of
// surrogate pairs.
const UNSAFE_ABOVE =
  /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const UNSAFE = new RegExp(`[\\u0000-\\u001f]|${UNSAFE_ABOVE.source}`, 'g');

/** The text on one line, with what could act on a terminal written as `\u{1b}`. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}

/** Several lines, each safe. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

/** JSON that is safe on a terminal too; the same value to whoever parses it. */
export function formatJson(value: unknown): string {
  // What is below a space JSON.stringify has escaped already, save the line breaks between its lines.
  const json = JSON.stringify(value, null, 2);
  return `${json.replaceAll(UNSAFE_ABOVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
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
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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
