// `zone53 plan`: shows the changes that apply would make.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../../lib/ports/config.ts';
import { parseDnsName } from '../account/parse-asked.ts';
import { exitOfPlan, FAIL_WORDS, type FailWord } from '../print/exit-code.ts';
import { filterPlan } from '../print/filter-plan.ts';
import { printMarkdown } from '../print/print-markdown.ts';
import { jsonPlan, planPieces } from '../print/print-plan.ts';
import { sinceBase } from '../print/since-base.ts';
import { jsonPieces } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { requirePlanFile, writePlanFile } from '../run/reviewed-plan.ts';
import {
  addCommonOptions,
  addStoreOptions,
  allOption,
  type CommonFlags,
  collect,
  configFrom,
  contextOption,
  fileOption,
  planFrom,
  releaseWith,
  type SourceFlags,
  type StoreFlags,
  sourceFrom,
  strictOption,
  wantedOf,
} from './options.ts';
import { common, type Run, sayErrors, withProgress } from './run-command.ts';

type PlanFlags = CommonFlags &
  SourceFlags &
  StoreFlags & {
    readonly output?: 'json' | 'markdown';
    readonly out?: string;
    readonly detailedExitcode?: boolean;
    readonly unmanaged?: boolean;
    readonly base?: readonly string[];
    readonly failOn?: readonly FailWord[];
    readonly all?: boolean;
    readonly zone?: string;
    readonly namespace?: string;
  };

/** Adds the command. */
export function addPlan(program: Command, run: Run): void {
  const command = program
    .command('plan')
    .description('show the changes that apply would make; changes nothing in Route 53')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(
      new Option('-o, --output <format>', 'print JSON, or Markdown for a comment').choices(['json', 'markdown']),
    )
    .addOption(strictOption())
    .addOption(allOption())
    .option('--zone <name>', 'show only changes at this name and below; the whole is planned', parseDnsName)
    .option('--namespace <name>', 'show only changes for objects of this namespace; the whole is planned')
    .option('--base <folder>', 'show and judge only what differs from the plan of these; may be repeated', collect)
    .option('--unmanaged', 'list also what stands in the hosted zones and nobody asks for')
    .option('--out <file>', 'write the plan to this file, for apply --plan')
    .option('--detailed-exitcode', 'exit 2 when there are changes, or changes made by hand are known')
    .option('--fail-on <list>', 'exit 4 for any of: held,invalid,foreign', parseFailOn);
  addStoreOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
Examples:
  zone53 plan -f dns/
  zone53 plan -f dns/ --out plan.json && zone53 apply -f dns/ --plan plan.json
  zone53 plan -f dns/ --refresh                  shows manual changes too
  zone53 plan --context prod --table zone53 --detailed-exitcode
  zone53 plan -f dns/ -o markdown --fail-on held,invalid,foreign     for a pull request
  zone53 plan -f dns/ --base ../main/dns/        only what this branch changes
  zone53 plan -f dns/ --namespace team-a         what the plan has for one team
  zone53 plan -f dns/ -o json | jq '.hostedZones[] | {name, digest, held}'

--zone and --namespace are for reading: the whole is planned, the guard counts all of it, and digests and exit codes are
those of the whole. apply always carries out the whole plan.

--base FOLDER has the same manifests as they are without the branch. Only what the branch changes is shown, counted and
judged, by name and type. What is wrong, held or foreign in the base too does not change the exit code.

Exit codes; the JSON has every reason, as problems, errors or reasons:
  0  success, with changes or without
  1  something cannot be read, an object of -f has an invalid spec (with --strict: is not accepted) or no hosted zone, or
     the ledger has published nothing of what Route 53 already has as wanted
  2  with --detailed-exitcode: there are changes, or changes made by hand are known
  3  the guard holds deletes
  4  with --fail-on: a word of the list applies, and everything can be read
`,
  );
  command.action(async (flags: PlanFlags) => {
    const request = { ...planFrom(flags), unmanaged: flags.unmanaged === true };
    if (request.unmanaged && (flags.base !== undefined || !request.reads))
      throw new UsageError(
        '--unmanaged lists what Route 53 has, whatever a branch changes: leave out --base and --no-read',
      );
    const filter = { zone: flags.zone ?? null, namespace: flags.namespace ?? null };
    const isFiltered = filter.zone !== null || filter.namespace !== null;
    if (flags.base !== undefined && flags.context !== undefined) throw new UsageError('--base needs -f, not --context');
    if ((isFiltered || flags.base !== undefined) && flags.out !== undefined)
      throw new UsageError(
        '--zone, --namespace and --base show a part of the plan, and apply carries out the whole: leave them out with --out',
      );
    if (flags.out !== undefined) await requirePlanFile(flags.out);
    const config = await configFrom(flags);
    const plan = await withProgress(run, (progress) =>
      run.useCases.plan({ ...common(run, config, flags, progress), ...request }),
    );
    if (flags.out !== undefined) await writePlanFile(flags.out, jsonPlan(plan));
    const base = flags.base === undefined ? null : await planBase(run, config, flags, flags.base);
    const roots = { branch: flags.file ?? [], base: flags.base ?? [] };
    const since = base === null ? { shown: plan, judged: plan } : sinceBase(plan, base, roots);
    const isJson = flags.output === 'json';
    const shown = isFiltered ? filterPlan(since.shown, filter) : since.shown;
    const how = { all: flags.all === true, release: releaseWith(flags) };
    if (isJson) for (const piece of jsonPieces(jsonPlan(shown, since.shown))) run.terminal.write(piece);
    else if (flags.output === 'markdown') run.terminal.write(printMarkdown(shown));
    else for (const piece of planPieces(shown, run.terminal.paint, how)) run.terminal.write(run.terminal.fit(piece));
    sayErrors(run, since.shown, isJson);
    run.exitCode = exitOfPlan(since.judged, flags.detailedExitcode === true, wantedOf(flags), flags.failOn);
  });
}

/** Plans the objects of the base, with the same ledger. What is to be said of them is not said. */
function planBase(run: Run, config: Config, flags: PlanFlags, paths: readonly string[]) {
  return withProgress(run, (progress) => {
    const source = sourceFrom({ file: paths, ...(flags.strict === true && { strict: true }) });
    const said = { ...common(run, config, flags, progress), log: () => {} };
    return run.useCases.plan({ ...said, ...planFrom(flags), source, acknowledged: [] });
  });
}

/** Parses the list of `--fail-on`. */
function parseFailOn(text: string): readonly FailWord[] {
  return text.split(',').map((word) => {
    const known = FAIL_WORDS.find((one) => one === word.trim());
    if (known === undefined) throw new InvalidArgumentError(`"${word}" is not one of ${FAIL_WORDS.join(', ')}.`);
    return known;
  });
}
