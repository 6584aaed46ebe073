// What all commands share: the clock and the log by the flags, progress on standard error, and errors after the
// results.
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import type * as accountUseCasesModule from '../account/use-cases.ts';
import type * as consoleUseCasesModule from '../console/use-cases.ts';
import type { ExitCode } from '../print/exit-code.ts';
import type { ClusterOutput, ErrorOutput, PlanOutput, RemarkOutput } from '../print/output.ts';
import { printErrors, printRemarks } from '../print/print-errors.ts';
import { printNotes } from '../print/print-sources.ts';
import { printTargets } from '../print/print-targets.ts';
import { type Progress, startProgress } from '../print/progress.ts';
import type { Terminal } from '../print/terminal.ts';
import { safeText } from '../print/terminal-text.ts';
import type * as useCasesModule from '../run/use-cases.ts';
import { type CommonFlags, clockFrom } from './options.ts';

export type UseCases = Pick<
  typeof useCasesModule,
  'render' | 'plan' | 'apply' | 'local' | 'applyObjects' | 'readSenderSecret' | 'template'
> &
  Pick<
    typeof accountUseCasesModule,
    | 'importHostedZone'
    | 'importZoneFile'
    | 'explain'
    | 'migrate'
    | 'forget'
    | 'history'
    | 'clusters'
    | 'standby'
    | 'retire'
    | 'rebuilt'
    | 'checkLedger'
    | 'doctor'
  > &
  Pick<typeof consoleUseCasesModule, 'console' | 'consoleOfLocal'>;

/** What each command gets, and where it puts its exit code. */
export type Run = { readonly terminal: Terminal; readonly useCases: UseCases; exitCode: ExitCode };

type Said = {
  readonly errors: readonly ErrorOutput[];
  readonly remarks?: readonly RemarkOutput[];
  readonly sources?: ClusterOutput['sources'];
  readonly zones?: ClusterOutput['zones'];
  readonly resolved?: PlanOutput['resolved'];
};

/** The part of a request that every use case needs. */
export function common(run: Run, config: Config, flags: CommonFlags, progress: Progress) {
  return { config, clock: clockFrom(flags.now), log: logTo(run, progress), progress: progress.say };
}

/** Logs warnings and errors only: the results show what went well. */
export function logTo({ terminal }: Run, progress: Progress): Log {
  return (level, message, fields) => {
    if (level === 'debug' || level === 'info') return;
    const colour = level === 'warn' ? 'yellow' : 'red';
    const details = Object.entries(fields ?? {}).map(
      ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const word = level === 'warn' ? 'warning' : level;
    progress.write(
      terminal.fitError(`${terminal.paintError(colour, `${word}:`)} ${safeText(message + details.join(''))}\n`),
    );
  };
}

/** Shows the progress line while `work` runs. */
export async function withProgress<T>(run: Run, work: (progress: Progress) => Promise<T>): Promise<T> {
  const { writeError, showsProgress, columns } = run.terminal;
  const progress = startProgress(writeError, showsProgress, undefined, columns);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** Prints remarks and notes, and the errors unless the JSON has them, on standard error after the results. */
export function sayErrors({ terminal }: Run, output: Said, isJson: boolean): void {
  const { fitError, paintError } = terminal;
  if (!isJson) terminal.writeError(fitError(printErrors(output.errors, paintError)));
  terminal.writeError(fitError(printRemarks(output.remarks ?? [], paintError)));
  terminal.writeError(fitError(printNotes(output.sources ?? [], paintError)));
  terminal.writeError(fitError(printTargets(output.zones ?? output.resolved?.zones ?? [], paintError)));
}
