// Runs the command in this process, with its real use cases, and returns what it prints. It changes no working folder:
// give paths as they are.
import * as accountUseCases from '../../cli/account/use-cases.ts';
import * as consoleUseCases from '../../cli/console/use-cases.ts';
import type { Terminal } from '../../cli/print/terminal.ts';
import { plainPaint } from '../../cli/print/terminal-text.ts';
import { runProgram } from '../../cli/program.ts';
import * as useCases from '../../cli/run/use-cases.ts';

/** The exit code, standard output and standard error of a command. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string };

export async function runHere(...argv: readonly string[]): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    write: (text) => out.push(text),
    writeError: (text) => err.push(text),
    paint: plainPaint,
    paintError: plainPaint,
    fit: (text) => text,
    fitError: (text) => text,
    columns: () => null,
    isTerminal: false,
    showsProgress: false,
    ask: null,
    untilStopped: () => new AbortController().signal,
  };
  const code = await runProgram(argv, terminal, { ...useCases, ...accountUseCases, ...consoleUseCases });
  return { code, out: out.join(''), err: err.join('') };
}
