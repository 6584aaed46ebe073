// Errors of manifests, one a line, `file:line:column: message`, as editors and people know them.
import type { ErrorOutput } from './output.ts';
import { type Paint, safeText } from './terminal-text.ts';

/** Lines for standard error; nothing when there are none. */
export function printErrors(errors: readonly ErrorOutput[], paint: Paint): string {
  return errors.map((error) => `${paint('red', 'error')} ${place(error)}: ${safeText(error.message)}\n`).join('');
}

/** The JSON contract has file, line and message; the column goes into the message. */
export function jsonErrors(errors: readonly ErrorOutput[]): readonly { file: string; line: number; message: string }[] {
  return errors.map(({ file, line, column, message }) => ({
    file,
    line,
    message: column === undefined ? message : `${message} (column ${column})`,
  }));
}

function place({ file, line, column }: ErrorOutput): string {
  const name = file === '-' ? 'standard input' : safeText(file);
  return column === undefined ? `${name}:${line}` : `${name}:${line}:${column}`;
}
