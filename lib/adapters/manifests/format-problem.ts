// Formats a problem of a manifest as one line: `file:line:column: message`.
import type { ReadProblem } from '../../ports/cluster.ts';

/** The place and the message; only the message if it concerns a whole file or folder. */
export function formatProblem(problem: ReadProblem): string {
  return problem.line === 0 ? problem.message : `${formatPlace(problem)}: ${problem.message}`;
}

/** `file:line`, with the column if there is one. */
export function formatPlace({ file, line, column }: Omit<ReadProblem, 'message'>): string {
  return `${file === '-' ? 'standard input' : file}:${line}${column === undefined ? '' : `:${column}`}`;
}
