// `zone53 console`: a page in the browser that shows what the commands know, and changes nothing.
import { type Command, Option } from 'commander';
import { safeText } from '../print/terminal-text.ts';
import {
  addCommonOptions,
  addLedgerOptions,
  type CommonFlags,
  configFrom,
  contextOption,
  fileOption,
  parsePort,
  type SourceFlags,
  type StoreFlags,
  sourceIfAny,
  storeFrom,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

/** The port of the console, also that of `zone53 local`. */
export const CONSOLE_PORT = 5390;

type ConsoleFlags = CommonFlags &
  SourceFlags &
  Pick<StoreFlags, 'state' | 'table'> & {
    readonly port: number;
    readonly tokenFile?: string;
    readonly open: boolean;
  };

/** Adds the command. */
export function addConsole(program: Command, run: Run): void {
  const command = program
    .command('console')
    .description('serve a page on this machine with names, what waits, who may, and the history; Ctrl-C stops it')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(
      new Option('--port <port>', 'port of the page; 0 chooses a free one').argParser(parsePort).default(CONSOLE_PORT),
    )
    .addOption(new Option('--token-file <file>', 'take the token from this file, of one line (default: a random one)'))
    .addOption(new Option('--no-open', 'do not open the browser'));
  addLedgerOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
The address has a token, and only who has it is answered. The page works with your own AWS profile and kubeconfig, it
only reads, and it works beside a running zone53. Without -f and --context, the objects are those that the ledger
remembers. zone53 local serves the same page.

Examples:
  zone53 console --state .zone53/local
  zone53 console --table zone53 --context prod
  zone53 console -f dns/ --no-open
  zone53 console --table zone53 --port 0 --token-file ~/.zone53-token
  curl -H "Authorization: Bearer $(cat ~/.zone53-token)" http://127.0.0.1:5390/api/v1/waiting

Exit codes: 0 ended by Ctrl-C; 1 it cannot start.
`,
  );
  command.action(async (flags: ConsoleFlags) => {
    const source = sourceIfAny(flags);
    const store = storeFrom(flags);
    const config = await configFrom(flags);
    const { terminal } = run;
    await withProgress(run, (progress) =>
      run.useCases.console({
        ...common(run, config, flags, progress),
        ...{ source, store, port: flags.port, tokenFile: flags.tokenFile ?? null },
        opens: flags.open && terminal.isTerminal,
        print: (line) => terminal.write(`${safeText(line)}\n`),
        signal: terminal.untilStopped(),
      }),
    );
  });
}
