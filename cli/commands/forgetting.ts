// What `migrate --to external-dns` and `forget` share: the flags of a plan that is shown, asked for and carried out.
import { type Command, Option } from 'commander';
import type { Config } from '../../lib/ports/config.ts';
import { type ForgettingOutput, isAllForgotten, jsonForgetting } from '../account/describe-forgetting.ts';
import type { ForgettingRequest, ReviewedRequest, ReviewedResult } from '../account/requests.ts';
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
  const isOfAll = asked.what.kind === 'names' && flags.cluster === undefined;
  const config = await (isOfAll ? fleetConfigFrom(flags) : configFrom(flags));
  const output = await reviewedAction<ForgettingOutput>(run, flags, {
    config,
    carry: (request) => run.useCases.forget({ ...request, ...asked, isOfAll }),
    json: jsonForgetting,
    print: printForgetting,
  });
  for (const problem of output.problems)
    terminal.writeError(`${terminal.paintError('red', 'error:')} ${safeText(problem)}\n`);
  run.exitCode = isAllForgotten(output) ? 0 : 1;
}

/** Has a use case plan, show, ask and carry out. Prints what came of it, and returns that. */
export async function reviewedAction<Output>(
  run: Run,
  flags: ForgettingFlags,
  {
    config,
    carry,
    json,
    print,
  }: {
    readonly config: Config;
    readonly carry: (request: ReviewedRequest<Output>) => Promise<ReviewedResult<Output>>;
    readonly json: (output: Output) => object;
    readonly print: (output: Output, paint: Paint) => string;
  },
): Promise<Output> {
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
  const result = await withProgress(run, (progress) => {
    const confirm = async (plan: Output): Promise<boolean> => {
      if (flags.yes === true || ask === null) return true;
      progress.write(terminal.fitError(print(plan, terminal.paintError)));
      progress.say('');
      return /^y(es)?$/i.test((await ask('Apply? [y/N] ')).trim());
    };
    const request = { ...common(run, config, flags, progress), store: storeFrom(flags), isDry, reviewed };
    return carry({ ...request, confirm, untilStopped: terminal.untilStopped });
  });
  if (result.kind === 'declined') throw new UsageError('Nothing was applied');
  if (result.kind === 'stale') {
    const problems = result.problems.map((problem) => `  ${problem}`).join('\n');
    throw new UsageError(
      `The plan differs from the reviewed one, so nothing was applied:\n${problems}\nRun the command again with --out, and review the new plan.`,
    );
  }
  const { output } = result;
  if (flags.out !== undefined) await writePlanFile(flags.out, json(output));
  if (flags.output === 'json') terminal.write(formatJson(json(output)));
  else terminal.write(terminal.fit(print(output, terminal.paint)));
  return output;
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
