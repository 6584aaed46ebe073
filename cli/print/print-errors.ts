// Prints the errors of manifests, and remarks about them, one per line: `file:line:column: message`.
import { formatProblem } from '../../lib/adapters/manifests/format-problem.ts';
import type { ErrorOutput, RemarkOutput } from './output.ts';
import { type Paint, safeText } from './terminal-text.ts';

/** The lines for standard error; empty when there are no errors. */
export function printErrors(errors: readonly ErrorOutput[], paint: Paint): string {
  return errors.map((error) => `${paint('red', 'error:')} ${safeText(formatProblem(error))}\n`).join('');
}

/** The errors as the JSON contract has them. It has no column, so the column is part of the message. */
export function jsonErrors(errors: readonly ErrorOutput[]): readonly { file: string; line: number; message: string }[] {
  return errors.map(({ file, line, column, message }) => ({
    file,
    // The contract requires a line; a problem of a whole file or folder has none.
    line: Math.max(line, 1),
    message: column === undefined ? message : `${message} (column ${column})`,
  }));
}

/** Takes all current errors each time; prints those that are new, and the files that have none any more. */
export function errorTeller(print: (line: string) => void): (errors: readonly ErrorOutput[]) => void {
  let told: readonly ErrorOutput[] = [];
  return (errors) => {
    const said = new Set(told.map(formatProblem));
    const files = new Set(errors.map(({ file }) => file));
    for (const file of new Set(told.map((one) => one.file))) {
      if (!files.has(file)) print(safeText(`${file}: no errors any more`));
    }
    for (const line of errors.map(formatProblem)) if (!said.has(line)) print(safeText(line));
    told = errors;
  };
}

/** If there are more notes than this, one line counts them. */
const NOTES_MAX = 3;

/** The lines of all warnings, then those of the notes. */
export function printRemarks(remarks: readonly RemarkOutput[], paint: Paint): string {
  return remarkLines(remarks)
    .map(({ level, text }) => `${paint(level === 'warning' ? 'yellow' : 'cyan', `${level}:`)} ${safeText(text)}\n`)
    .join('');
}

/** The same as texts, which the caller must still make safe. */
export function remarkLines(
  remarks: readonly RemarkOutput[],
): readonly { readonly level: 'warning' | 'note'; readonly text: string }[] {
  const warnings = remarks.filter(({ level }) => level === 'warning');
  const notes = remarks.filter(({ level }) => level === 'note');
  const advice = remarks.filter(({ level }) => level === 'advice').map(formatProblem);
  const lines = notes.length <= NOTES_MAX ? notes.map(formatProblem) : [countNotes(notes)];
  return [
    ...warnings.map((warning) => ({ level: 'warning' as const, text: formatProblem(warning) })),
    ...[...lines, ...advice].map((text) => ({ level: 'note' as const, text })),
  ];
}

function countNotes(notes: readonly RemarkOutput[]): string {
  const first = notes.slice(0, NOTES_MAX).map(({ file }) => file);
  return `${notes.length} files have no Zone or Record: ${first.join(', ')} and ${notes.length - NOTES_MAX} more`;
}
