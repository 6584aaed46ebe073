// What every command is run with, and what they do alike: the clock and the log from the flags, progress on standard
// error, errors after the results.
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type * as accountUseCasesModule from '../account/use-cases.ts';
import type { ExitCode } from '../print/exit-code.ts';
import type { ErrorOutput, RemarkOutput } from '../print/output.ts';
import { printErrors, printRemarks } from '../print/print-errors.ts';
import { type Progress, startProgress } from '../print/progress.ts';
import type { Terminal } from '../print/terminal.ts';
import { safeText } from '../print/terminal-text.ts';
import type * as useCasesModule from '../run/use-cases.ts';
import { type CommonFlags, clockFrom } from './options.ts';

export type UseCases = Pick<
  typeof useCasesModule,
  'render' | 'plan' | 'apply' | 'local' | 'applyObjects' | 'readSenderSecret'
> &
  Pick<typeof accountUseCasesModule, 'importHostedZone' | 'explain' | 'migrate'>;

/** What is passed from command to command. */
export type Run = { readonly terminal: Terminal; readonly useCases: UseCases; exitCode: ExitCode };

type Said = { readonly errors: readonly ErrorOutput[]; readonly remarks?: readonly RemarkOutput[] };

/** What every use case is given. */
export function common(run: Run, config: Config, flags: CommonFlags, progress: Progress) {
  return { config, clock: clockFrom(flags.now), log: logTo(run, progress), progress: progress.say };
}

/** Warnings and errors only: what goes well is in the results. */
function logTo({ terminal }: Run, progress: Progress): Log {
  return (level, message, fields) => {
    if (level === 'debug' || level === 'info') return;
    const colour = level === 'warn' ? 'yellow' : 'red';
    const details = Object.entries(fields ?? {}).map(
      ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    progress.write(`${terminal.paintError(colour, level)} ${safeText(message + details.join(''))}\n`);
  };
}

/** Shows progress while `work` goes on. */
export async function withProgress<T>(run: Run, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = startProgress(run.terminal.writeError, run.terminal.showsProgress);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** Remarks and, unless the results have them, errors: after the results, on standard error. */
export function sayErrors({ terminal }: Run, output: Said, isJson: boolean): void {
  if (!isJson) terminal.writeError(printErrors(output.errors, terminal.paintError));
  terminal.writeError(printRemarks(output.remarks ?? [], terminal.paintError));
}
