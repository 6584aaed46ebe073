// `zone53 migrate`: reports what a takeover from external-dns would change. `apply` does it, if the configuration
// allows it.
import { type Command, Option } from 'commander';
import { jsonMigration, printMigration } from '../account/print-migration.ts';
import { printErrors } from '../print/print-errors.ts';
import { formatJson, safeText } from '../print/terminal-text.ts';
import {
  addCommonOptions,
  addLedgerOptions,
  type CommonFlags,
  configFrom,
  contextOption,
  fileOption,
  type SourceFlags,
  type StoreFlags,
  sourceIfAny,
  storeFrom,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type MigrateFlags = CommonFlags &
  SourceFlags &
  Pick<StoreFlags, 'state' | 'table'> & {
    readonly output?: 'json';
    readonly from: 'external-dns';
    readonly owner: string;
  };

/** Adds the command. */
export function addMigrate(program: Command, run: Run): void {
  const command = program
    .command('migrate')
    .description('report what a takeover from external-dns would change; changes nothing')
    .addOption(
      new Option('--from <what>', 'the controller to take over from').choices(['external-dns']).makeOptionMandatory(),
    )
    .addOption(new Option('--owner <id>', 'the --txt-owner-id of that external-dns').makeOptionMandatory())
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']));
  addLedgerOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
If its TXT records have a prefix, a suffix, a wildcard replacement or a key, write them under takeover.externalDns in
the configuration.
Without -f and --context, the objects are those that the ledger remembers.

Examples:
  zone53 migrate --from external-dns --owner prod -f dns/
  zone53 migrate --from external-dns --owner prod --context prod --config zone53.yaml
  zone53 migrate --from external-dns --owner prod -f dns/ -o json | jq '.hostedZones[].unwanted'

Exit codes: 0 reported; 1 an error, or a hosted zone that could not be read (the others are reported).
`,
  );
  command.action(async (flags: MigrateFlags) => {
    const source = sourceIfAny(flags);
    const store = storeFrom(flags);
    const config = await configFrom(flags);
    const report = await withProgress(run, (progress) =>
      run.useCases.migrate({ ...common(run, config, flags, progress), source, store, ownerId: flags.owner }),
    );
    const { terminal } = run;
    const takeover = config.takeover.externalDns.find(({ ownerId }) => ownerId === flags.owner);
    const isJson = flags.output === 'json';
    terminal.write(
      isJson
        ? formatJson(jsonMigration(report))
        : printMigration(report, { owner: flags.owner, takeover: takeover ?? null }, terminal.paint),
    );
    const errors = report.plan.reading.listing.problems;
    terminal.writeError(printErrors(errors, terminal.paintError));
    for (const problem of report.problems)
      terminal.writeError(`${terminal.paintError('red', 'error')} ${safeText(problem)}\n`);
    run.exitCode = report.problems.length + errors.length > 0 ? 1 : 0;
  });
}
