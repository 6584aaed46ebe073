// `zone53 forget`: record sets stay in Route 53 as they are, and zone53 does not manage them any more.
import { type Command, Option } from 'commander';
import { parseDnsName } from '../account/parse-asked.ts';
import { UsageError } from '../print/usage-error.ts';
import { addForgettingOptions, type ForgettingFlags, forgettingAction } from './forgetting.ts';
import { addLedgerOptions, clusterOption, configOption, nowOption } from './options.ts';
import type { Run } from './run-command.ts';

type ForgetFlags = ForgettingFlags & { readonly zone?: string };

/** Adds the command. */
export function addForget(program: Command, run: Run): void {
  const command = program
    .command('forget')
    .description('leave record sets in Route 53 as they are, and manage them no longer')
    .argument('[names...]', 'the DNS names, such as www.example.org')
    .addOption(new Option('--zone <ns/name>', 'all that is published for this Zone instead'))
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addOption(configOption())
    .addOption(clusterOption())
    .addOption(nowOption());
  addLedgerOptions(addForgettingOptions(command)).addHelpText(
    'after',
    `
For a move to another tool, or to another ledger. Nothing is written to Route 53. From then on the record sets are
foreign: if an object still asks for one, its status says ForeignRecord. A record set whose Zone takes over what is
foreign stays, because zone53 would take it back at once: remove the annotation zone53.dev/takeover first. One that
is not published as it is wanted now stays, too. zone53 migrate --to external-dns also writes the TXT records that
external-dns needs. NAMES are forgotten for every cluster of the ledger, or for that of --cluster alone.

Examples:
  zone53 forget www.example.org api.example.org --dry-run
  zone53 forget www.example.org --table zone53 --yes
  zone53 forget --zone dns/example-org --out plan.json
  zone53 forget --zone dns/example-org --plan plan.json

Exit codes: 0 all of it is forgotten; 1 an error, or something stays with zone53 (the rest is forgotten).
`,
  );
  command.action((names: readonly string[], flags: ForgetFlags) => {
    if ((names.length === 0) === (flags.zone === undefined))
      throw new UsageError('Name DNS names, or a Zone with --zone NAMESPACE/NAME, and not both.');
    if (flags.zone !== undefined && !/^[^/\s]+\/[^/\s]+$/.test(flags.zone))
      throw new UsageError(`--zone takes NAMESPACE/NAME, such as dns/example-org, and not "${flags.zone}".`);
    const what =
      flags.zone === undefined
        ? { kind: 'names' as const, names: names.map(parseDnsName) }
        : { kind: 'zone' as const, zone: flags.zone };
    return forgettingAction(run, flags, { what, owner: null });
  });
}
