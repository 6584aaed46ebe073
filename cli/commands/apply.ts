// `zone53 apply`: carries out the plan that was reviewed, or that the user confirms.
import { type Command, Option } from 'commander';
import { exitOfApply } from '../print/exit-code.ts';
import { GUARD_HOLDS } from '../print/how-to-release.ts';
import type { PlanOutput } from '../print/output.ts';
import { applyPieces, jsonApply } from '../print/print-apply.ts';
import { printErrors, printRemarks } from '../print/print-errors.ts';
import { printPlan } from '../print/print-plan.ts';
import { jsonPieces } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { APPLY_TIMEOUT_MS } from '../run/requests.ts';
import { readReviewed } from '../run/reviewed-plan.ts';
import {
  addCommonOptions,
  addStoreOptions,
  allOption,
  type CommonFlags,
  collect,
  configFrom,
  contextOption,
  fileOption,
  parseDuration,
  planFrom,
  releaseWith,
  type SourceFlags,
  type StoreFlags,
  strictOption,
  wantedOf,
} from './options.ts';
import { common, type Run, sayErrors, withProgress } from './run-command.ts';

type ApplyFlags = CommonFlags &
  SourceFlags &
  StoreFlags & {
    readonly output?: 'json';
    readonly plan?: readonly string[];
    readonly yes?: boolean;
    readonly all?: boolean;
    readonly wait?: boolean;
    readonly timeout: number;
  };

/** Adds the command. */
export function addApply(program: Command, run: Run): void {
  const command = program
    .command('apply')
    .description('show the changes, ask, and apply exactly these')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addOption(
      new Option(
        '--plan <file-or-digest>',
        'apply only this reviewed plan, without asking: a file written by plan --out, or a digest',
      ).argParser(collect),
    )
    .addOption(strictOption())
    .addOption(allOption())
    .option('--yes', 'do not ask')
    .option('--wait', 'wait until resolvers answer it, for at most --timeout if that is given')
    .addOption(
      new Option('--timeout <time>', 'give up when nothing is published for this long, such as 30s or 5m')
        .argParser(parseDuration)
        .default(APPLY_TIMEOUT_MS, '2m'),
    );
  addStoreOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
Examples:
  zone53 apply -f dns/                           shows the plan and asks
  zone53 apply -f dns/ --yes -o json             for scripts
  zone53 apply -f dns/ --plan plan.json          applies exactly the reviewed plan
  zone53 apply -f dns/ --acknowledge DIGEST      also sends the held deletes with this digest of 64 hex digits

Exit codes; the JSON has every reason, as problems, errors or outcomes:
  0  Route 53 has what is wanted
  1  something is not published, or cannot be read; with --wait: resolvers may not answer it yet; an object of -f has an invalid spec (with --strict: is not
     accepted); or the reviewed plan is not the plan any more, and nothing was written
  3  all but the deletes that the guard holds is published
`,
  );
  command.action((flags: ApplyFlags) =>
    applyAction(run, flags, command.getOptionValueSource('timeout') === 'cli' ? flags.timeout : null),
  );
}

/** `waitMs`: the longest wait for resolvers; null: as long as it takes. */
async function applyAction(run: Run, flags: ApplyFlags, waitMs: number | null): Promise<void> {
  const { terminal } = run;
  const request = planFrom(flags);
  const reviewed = flags.plan === undefined ? null : await readReviewed(flags.plan);
  const ask = flags.file?.includes('-') ? null : terminal.ask;
  if (reviewed === null && flags.yes !== true && ask === null) {
    throw new UsageError(
      'Cannot ask for confirmation, because there is no terminal: pass --yes, or --plan with the reviewed plan',
    );
  }
  const config = await configFrom(flags);
  if (flags.wait === true && !config.propagation)
    throw new UsageError('Cannot wait: the configuration has propagation: false');
  const how = { all: flags.all === true, release: releaseWith(flags) };
  let wasShown = false;
  const result = await withProgress(run, (progress) => {
    const confirm = async (plan: PlanOutput): Promise<boolean> => {
      if (flags.yes === true || ask === null) return true;
      wasShown = terminal.isTerminal;
      const text = `${printPlan(plan, terminal.paintError, how)}${printErrors(plan.errors, terminal.paintError)}`;
      progress.write(terminal.fitError(text + printRemarks(plan.remarks ?? [], terminal.paintError)));
      progress.say('');
      return /^y(es)?$/i.test((await ask('Apply? [y/N] ')).trim());
    };
    const base = common(run, config, flags, progress);
    return run.useCases.apply({
      ...base,
      // The text says it with the hosted zone.
      log: (level, message, fields) => {
        if (flags.output === 'json' || !message.startsWith(GUARD_HOLDS)) base.log(level, message, fields);
      },
      ...request,
      reviewed,
      confirm,
      timeoutMs: flags.timeout,
      ...(flags.wait === true && { wait: { timeoutMs: waitMs } }),
      untilStopped: terminal.untilStopped,
    });
  });
  if (result.kind === 'declined') throw new UsageError('Nothing was applied');
  if (result.kind === 'stale') {
    const problems = result.problems.map((problem) => `  ${problem}`).join('\n');
    throw new UsageError(
      `The plan differs from the reviewed one, so nothing was applied:\n${problems}\nRun "zone53 plan" again, and review the new plan.`,
    );
  }
  const isJson = flags.output === 'json';
  if (isJson) for (const piece of jsonPieces(jsonApply(result.output))) terminal.write(piece);
  else
    for (const piece of applyPieces(result.output, terminal.paint, { ...how, wasShown }))
      terminal.write(terminal.fit(piece));
  sayErrors(run, result.output, isJson);
  const exit = exitOfApply(result.output, wantedOf(flags));
  const { unresolved = null } = result;
  if (unresolved !== null) terminal.writeError(`Not resolved yet: ${unresolved}.\n`);
  run.exitCode = exit === 0 && unresolved !== null ? 1 : exit;
}
