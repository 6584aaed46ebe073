// `zone53 ledger check`: which items of the ledger this version cannot read.
import { type Command, Option } from 'commander';
import type { LedgerCheck, UnreadItem } from '../account/check-ledger.ts';
import { formatJson, safeText } from '../print/terminal-text.ts';
import {
  addLedgerOptions,
  type CommonFlags,
  clusterOption,
  configFrom,
  configOption,
  type StoreFlags,
  storeFrom,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type CheckFlags = CommonFlags & Pick<StoreFlags, 'state' | 'table'> & { readonly output?: 'json' };

/** Adds the command. */
export function addLedger(program: Command, run: Run): void {
  const command = program
    .command('ledger')
    .description('look after the ledger')
    .command('check')
    .description('list the items of the ledger that this version cannot read; changes nothing')
    .addOption(configOption())
    .addOption(clusterOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']));
  addLedgerOptions(command).addHelpText(
    'after',
    `
An item that cannot be read was written by another version of zone53, or is damaged. It costs its own name or object:
nothing is deleted or overwritten there, and everything else goes on. Each line has the key of the item, what it is
about, its version, and what to do.

Examples:
  zone53 ledger check
  zone53 ledger check --table zone53 --config zone53.yaml
  zone53 ledger check --state .zone53/local -o json | jq -r '.unreadable[].concerns'

Exit codes: 0 every item can be read; 1 at least one cannot, or an error.
`,
  );
  command.action(async (flags: CheckFlags) => {
    const store = storeFrom(flags);
    const config = await configFrom(flags);
    const checked = await withProgress(run, (progress) =>
      run.useCases.checkLedger({ ...common(run, config, flags, progress), store }),
    );
    const { terminal } = run;
    terminal.write(flags.output === 'json' ? formatJson(checked) : terminal.fit(printCheck(checked)));
    if (checked.unreadable.length > 0) run.exitCode = 1;
  });
}

function printCheck({ items, unreadable }: LedgerCheck): string {
  const sum =
    unreadable.length === 0
      ? `Every item can be read: ${items}.`
      : `${unreadable.length} of ${items} items cannot be read.`;
  return `${[...unreadable.map(lineOf), sum].join('\n')}\n`;
}

function lineOf({ partition, sort, concerns, version, problem, remedy }: UnreadItem): string {
  const shown = version === null ? 'no version' : `version ${JSON.stringify(version)}`;
  return safeText(`"${partition}" / "${sort}": ${concerns}, ${shown}: ${problem}. ${remedy}`);
}
