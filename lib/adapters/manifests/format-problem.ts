// A problem of a manifest as one line, `file:line:column: message`, as editors and people know it.
import type { ReadProblem } from '../../ports/cluster.ts';

/** The place and the message; the message alone where that names the file or folder as a whole. */
export function formatProblem(problem: ReadProblem): string {
  return problem.line === 0 ? problem.message : `${formatPlace(problem)}: ${problem.message}`;
}

/** `file:line`, or with the column. */
export function formatPlace({ file, line, column }: Omit<ReadProblem, 'message'>): string {
  return `${file === '-' ? 'standard input' : file}:${line}${column === undefined ? '' : `:${column}`}`;
}
