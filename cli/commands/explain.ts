// `zone53 explain`: what the objects, the ledger and Route 53 say about one name.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { typeNumber } from '../../lib/dns/record-type.ts';
import { parseDnsName } from '../account/parse-asked.ts';
import { jsonExplanation, printExplanation } from '../account/print-explanation.ts';
import { formatJson } from '../print/terminal-text.ts';
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

type ExplainFlags = CommonFlags & SourceFlags & Pick<StoreFlags, 'state' | 'table'> & { readonly output?: 'json' };

/** Adds the command. */
export function addExplain(program: Command, run: Run): void {
  const command = program
    .command('explain')
    .description('show which objects ask for a name, what Route 53 has there, and what to do; changes nothing')
    .argument('<name>', 'the DNS name, such as www.example.org', parseDnsName)
    .argument('[type]', 'only this record type, such as A', parseType)
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']));
  addLedgerOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
Without -f and --context, the objects are those that the ledger remembers. It works beside a running zone53: of a state
folder it reads a copy, and beside zone53 local it reads that Route 53. With --context and without the ledger of the
pipeline, it goes by the status of the objects.

Examples:
  zone53 explain www.example.org -f dns/
  zone53 explain www.example.org A --context prod --table zone53
  zone53 explain www.example.org --state .zone53/local
  zone53 explain '*.example.org' --table zone53 -o json | jq -r .advice

Exit codes: 0 explained, whatever was found; 1 error.
`,
  );
  command.action(async (name: string, type: string | undefined, flags: ExplainFlags) => {
    const source = sourceIfAny(flags);
    const store = storeFrom(flags);
    const config = await configFrom(flags);
    const explained = await withProgress(run, (progress) =>
      run.useCases.explain({ ...common(run, config, flags, progress), source, store, name, type: type ?? null }),
    );
    const { terminal } = run;
    const isJson = flags.output === 'json';
    terminal.write(
      isJson ? formatJson(jsonExplanation(explained)) : terminal.fit(printExplanation(explained, terminal.paint)),
    );
  });
}

function parseType(value: string): string {
  const type = value.toUpperCase();
  if (typeNumber(type) === null)
    throw new InvalidArgumentError('Write a DNS record type, such as A, AAAA, CNAME or TXT.');
  return type;
}
