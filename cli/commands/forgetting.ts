// What `migrate --to external-dns` and `forget` share: the flags of a plan that is shown, asked for and carried out.
import { type Command, Option } from 'commander';
import { type ForgettingOutput, isAllForgotten, jsonForgetting } from '../account/describe-forgetting.ts';
import type { ForgettingRequest } from '../account/requests.ts';
import { applyPieces } from '../print/print-apply.ts';
import { planPieces } from '../print/print-plan.ts';
import { formatJson, type Paint, safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { readReviewed, requirePlanFile, writePlanFile } from '../run/reviewed-plan.ts';
import { type CommonFlags, collect, configFrom, fleetConfigFrom, type StoreFlags, storeFrom } from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

export type ForgettingFlags = CommonFlags &
  Pick<StoreFlags, 'state' | 'table'> & {
    readonly output?: 'json';
    readonly dryRun?: boolean;
    readonly out?: string;
    readonly plan?: readonly string[];
    readonly yes?: boolean;
  };

/** Adds the flags that `apply` and `plan` have for the same. */
export function addForgettingOptions(command: Command): Command {
  return command
    .addOption(new Option('--dry-run', 'show the plan and change nothing'))
    .addOption(new Option('--out <file>', 'write the plan into this file, for --plan, and change nothing'))
    .addOption(
      new Option(
        '--plan <file-or-digest>',
        'carry out only this reviewed plan, without asking: a file written by --out, or a digest',
      ).argParser(collect),
    )
    .addOption(new Option('--yes', 'do not ask'));
}

/** Plans, shows, asks and carries out; sets the exit code. */
export async function forgettingAction(
  run: Run,
  flags: ForgettingFlags,
  asked: Pick<ForgettingRequest, 'what' | 'owner'>,
): Promise<void> {
  const { terminal } = run;
  const isDry = flags.dryRun === true || flags.out !== undefined;
  if (isDry && flags.plan !== undefined)
    throw new UsageError('--plan carries a plan out, and --dry-run and --out do not.');
  if (flags.out !== undefined) await requirePlanFile(flags.out);
  const reviewed = flags.plan === undefined ? null : await readReviewed(flags.plan);
  const { ask } = terminal;
  if (!isDry && reviewed === null && flags.yes !== true && ask === null)
    throw new UsageError(
      'Cannot ask for confirmation, because there is no terminal: pass --yes, or --plan with the reviewed plan',
    );
  const isOfAll = asked.what.kind === 'names' && flags.cluster === undefined;
  const config = await (isOfAll ? fleetConfigFrom(flags) : configFrom(flags));
  const result = await withProgress(run, (progress) => {
    const confirm = async (plan: ForgettingOutput): Promise<boolean> => {
      if (flags.yes === true || ask === null) return true;
      progress.write(terminal.fitError(printForgetting(plan, terminal.paintError)));
      progress.say('');
      return /^y(es)?$/i.test((await ask('Apply? [y/N] ')).trim());
    };
    const request = {
      ...common(run, config, flags, progress),
      store: storeFrom(flags),
      ...asked,
      isOfAll,
      isDry,
      reviewed,
    };
    return run.useCases.forget({ ...request, confirm, untilStopped: terminal.untilStopped });
  });
  if (result.kind === 'declined') throw new UsageError('Nothing was applied');
  if (result.kind === 'stale') {
    const problems = result.problems.map((problem) => `  ${problem}`).join('\n');
    throw new UsageError(
      `The plan differs from the reviewed one, so nothing was applied:\n${problems}\nRun the command again with --out, and review the new plan.`,
    );
  }
  if (flags.out !== undefined) await writePlanFile(flags.out, result.output, jsonForgetting(result.output));
  if (flags.output === 'json') terminal.write(formatJson(jsonForgetting(result.output)));
  else terminal.write(terminal.fit(printForgetting(result.output, terminal.paint)));
  for (const problem of result.output.problems)
    terminal.writeError(`${terminal.paintError('red', 'error:')} ${safeText(problem)}\n`);
  run.exitCode = isAllForgotten(result.output) ? 0 : 1;
}

/** A plan, or what became of it: each change then has an outcome. */
function printForgetting({ hostedZones }: ForgettingOutput, paint: Paint): string {
  const changes = hostedZones.flatMap((one) => one.changes);
  const applied = hostedZones.flatMap((one) => {
    const all = one.changes.flatMap(({ outcome, message = '', ...change }) =>
      outcome === undefined ? [] : [{ ...change, outcome, message }],
    );
    return all.length === one.changes.length ? [{ ...one, changes: all }] : [];
  });
  if (changes.length > 0 && applied.length === hostedZones.length)
    return [...applyPieces({ hostedZones: applied, zones: [], records: [], sources: [], errors: [] }, paint)].join('');
  return [...planPieces({ hostedZones, errors: [] }, paint)].join('');
}
