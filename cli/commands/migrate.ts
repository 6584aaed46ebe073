// `zone53 migrate --from external-dns` reports what a takeover would change; `apply` does it, if the configuration
// allows it. `zone53 migrate --to external-dns` gives record sets to an external-dns.
import { type Command, Option } from 'commander';
import type { NextOwner } from '../../lib/apply/plan-forgetting.ts';
import { isOwnerId } from '../../lib/external-dns/text-to-write.ts';
import { jsonMigration, printMigration } from '../account/print-migration.ts';
import { printErrors } from '../print/print-errors.ts';
import { formatJson, safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { addForgettingOptions, type ForgettingFlags, forgettingAction } from './forgetting.ts';
import {
  addCommonOptions,
  addLedgerOptions,
  configFrom,
  contextOption,
  fileOption,
  type SourceFlags,
  sourceIfAny,
  storeFrom,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type MigrateFlags = ForgettingFlags &
  SourceFlags & {
    readonly from?: 'external-dns';
    readonly to?: 'external-dns';
    readonly owner: string;
    readonly txtPrefix?: string;
    readonly txtSuffix?: string;
    readonly txtWildcardReplacement?: string;
  };

/** Adds the command. */
export function addMigrate(program: Command, run: Run): void {
  const command = program
    .command('migrate')
    .description('report what a takeover from external-dns would change, or give record sets to external-dns')
    .addOption(
      new Option('--from <what>', 'report what a takeover from this controller would change; changes nothing').choices([
        'external-dns',
      ]),
    )
    .addOption(
      new Option('--to <what>', 'give all that zone53 has published to this controller').choices(['external-dns']),
    )
    .addOption(new Option('--owner <id>', 'the --txt-owner-id of that external-dns').makeOptionMandatory())
    .addOption(new Option('--txt-prefix <text>', 'with --to: the same flag of that external-dns'))
    .addOption(new Option('--txt-suffix <text>', 'with --to: the same flag of that external-dns'))
    .addOption(new Option('--txt-wildcard-replacement <text>', 'with --to: the same flag of that external-dns'))
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']));
  addLedgerOptions(addCommonOptions(addForgettingOptions(command))).addHelpText(
    'after',
    `
--from: if its TXT records have a prefix, a suffix, a wildcard replacement or a key, write them under takeover.externalDns in
the configuration.
Without -f and --context, the objects are those that the ledger remembers.
--to: shows the plan and asks, as apply does. It writes the TXT record by which external-dns 0.21 owns each record set
that the ledger has as published, and forgets the record set, in one batch a name. It reads no objects. Start
external-dns afterwards. What external-dns cannot own stays with zone53: other types than A, AAAA, CNAME, MX, NAPTR, NS
and SRV, and the apex without a prefix that ends in a dot.

Examples:
  zone53 migrate --from external-dns --owner prod -f dns/
  zone53 migrate --from external-dns --owner prod --context prod --config zone53.yaml
  zone53 migrate --from external-dns --owner prod -f dns/ -o json | jq '.hostedZones[].unwanted'

  zone53 migrate --to external-dns --owner prod --out plan.json
  zone53 migrate --to external-dns --owner prod --plan plan.json
  zone53 migrate --to external-dns --owner prod --txt-prefix '%{record_type}.' --table zone53

Exit codes: 0 reported, or all of it given; 1 an error, a hosted zone that could not be read (the others are reported),
or something stays with zone53 (the rest is given).
`,
  );
  command.action(async (flags: MigrateFlags) => {
    if ((flags.from === undefined) === (flags.to === undefined))
      throw new UsageError('Say --from external-dns or --to external-dns, and not both.');
    if (flags.to !== undefined) return forgettingAction(run, flags, { what: { kind: 'all' }, owner: ownerFrom(flags) });
    const given = GIVING.find((flag) => flags[flag] !== undefined);
    if (given !== undefined) throw new UsageError(`--${dashed(given)} is for --to external-dns.`);
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
        : terminal.fit(printMigration(report, { owner: flags.owner, takeover: takeover ?? null }, terminal.paint)),
    );
    const errors = report.plan.reading.listing.problems;
    terminal.writeError(printErrors(errors, terminal.paintError));
    for (const problem of report.problems)
      terminal.writeError(`${terminal.paintError('red', 'error:')} ${safeText(problem)}\n`);
    run.exitCode = report.problems.length + errors.length > 0 ? 1 : 0;
  });
}

/** The flags that only `--to` has. */
const GIVING = ['txtPrefix', 'txtSuffix', 'txtWildcardReplacement', 'dryRun', 'out', 'plan', 'yes'] as const;

function dashed(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The external-dns that gets the record sets. Throws UsageError if it would not start with these flags. */
function ownerFrom({
  owner,
  txtPrefix = '',
  txtSuffix = '',
  txtWildcardReplacement = '',
  ...flags
}: MigrateFlags): NextOwner {
  if (flags.file !== undefined || flags.context !== undefined)
    throw new UsageError('--to external-dns reads no objects: leave -f and --context out.');
  if (txtPrefix !== '' && txtSuffix !== '')
    throw new UsageError('external-dns takes --txt-prefix or --txt-suffix, and not both.');
  if (!isOwnerId(owner))
    throw new UsageError(`The owner "${owner}" cannot be in a TXT record: leave out blanks, quotes, "," and "=".`);
  return { ownerId: owner, txtPrefix, txtSuffix, wildcardReplacement: txtWildcardReplacement };
}
