// `zone53 plan`: shows the changes that apply would make.
import { type Command, Option } from 'commander';
import { exitOfPlan } from '../print/exit-code.ts';
import { jsonPlan, planPieces } from '../print/print-plan.ts';
import { jsonPieces } from '../print/terminal-text.ts';
import { requirePlanFile, writePlanFile } from '../run/reviewed-plan.ts';
import {
  addCommonOptions,
  addStoreOptions,
  type CommonFlags,
  configFrom,
  contextOption,
  fileOption,
  planFrom,
  type SourceFlags,
  type StoreFlags,
  strictOption,
  wantedOf,
} from './options.ts';
import { common, type Run, sayErrors, withProgress } from './run-command.ts';

type PlanFlags = CommonFlags &
  SourceFlags &
  StoreFlags & { readonly output?: 'json'; readonly out?: string; readonly detailedExitcode?: boolean };

/** Adds the command. */
export function addPlan(program: Command, run: Run): void {
  const command = program
    .command('plan')
    .description('show the changes that apply would make; changes nothing in Route 53')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addOption(strictOption())
    .option('--out <file>', 'write the plan to this file, for apply --plan')
    .option('--detailed-exitcode', 'exit 2 when there are changes');
  addStoreOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
Examples:
  zone53 plan -f dns/
  zone53 plan -f dns/ --out plan.json && zone53 apply -f dns/ --plan plan.json
  zone53 plan -f dns/ --refresh                  shows manual changes too
  zone53 plan --context prod --table zone53 --detailed-exitcode
  zone53 plan -f dns/ -o json | jq '.hostedZones[] | {name, digest, held}'
`,
  );
  command.action(async (flags: PlanFlags) => {
    const request = planFrom(flags);
    if (flags.out !== undefined) await requirePlanFile(flags.out);
    const config = await configFrom(flags);
    const plan = await withProgress(run, (progress) =>
      run.useCases.plan({ ...common(run, config, flags, progress), ...request }),
    );
    if (flags.out !== undefined) await writePlanFile(flags.out, plan);
    const isJson = flags.output === 'json';
    if (isJson) for (const piece of jsonPieces(jsonPlan(plan))) run.terminal.write(piece);
    else for (const piece of planPieces(plan, run.terminal.paint)) run.terminal.write(piece);
    sayErrors(run, plan, isJson);
    run.exitCode = exitOfPlan(plan, flags.detailedExitcode === true, wantedOf(flags));
  });
}
