// The zone53 command line: flags in, exit code out. cli/commands has a file for each subcommand, cli/run/use-cases.ts
// what they do, and cli/print what they print.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../lib/adapters/config/config-file.ts';
import { shippedFile } from '../lib/adapters/system/shipped-file.ts';
import { errorMessage } from '../lib/objects/plain.ts';
import { addApply } from './commands/apply.ts';
import { addClusters } from './commands/clusters.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addConsole } from './commands/console.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addExport } from './commands/export.ts';
import { addForget } from './commands/forget.ts';
import { addHistory } from './commands/history.ts';
import { addImport } from './commands/import.ts';
import { addLedger } from './commands/ledger.ts';
import { addLocal } from './commands/local.ts';
import { addManifestsForAccount } from './commands/manifests-for-account.ts';
import { addManifestsForCluster } from './commands/manifests-for-cluster.ts';
import { addMigrate } from './commands/migrate.ts';
import { addPlan } from './commands/plan.ts';
import { addRender } from './commands/render.ts';
import type { Run, UseCases } from './commands/run-command.ts';
import { addTemplate } from './commands/template.ts';
import type { ExitCode } from './print/exit-code.ts';
import type { Terminal } from './print/terminal.ts';
import { safeLines, safeText } from './print/terminal-text.ts';
import { UsageError } from './print/usage-error.ts';

const DESCRIPTION = 'DNS declared in Kubernetes (Zone and Record of kubi.zone), published to Route 53.';

/** Runs the command line. Never throws: an error is printed on standard error and makes exit code 1. */
export async function runProgram(argv: readonly string[], terminal: Terminal, useCases: UseCases): Promise<ExitCode> {
  const run: Run = { terminal, useCases, exitCode: 0 };
  try {
    const program = buildProgram(run);
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(withoutHelpOf(argv, program), { from: 'user' });
    return run.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    terminal.writeError(terminal.fitError(`${terminal.paintError('red', 'error:')} ${safeLines(explain(error))}\n`));
    return 1;
  }
}

function buildProgram(run: Run): Command {
  const program = new Command('zone53')
    .description(DESCRIPTION)
    .version(packageVersion(), '-v, --version')
    .exitOverride()
    // Flags behind a subcommand are its own: `clusters` and `clusters standby` have some of one name.
    .enablePositionalOptions()
    .configureOutput({ writeOut: run.terminal.write, writeErr: (text) => run.terminal.writeError(safeLines(text)) })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', EXAMPLES);
  addLocal(program, run);
  addRender(program, run);
  addPlan(program, run);
  addApply(program, run);
  addExplain(program, run);
  addHistory(program, run);
  addConsole(program, run);
  addMigrate(program, run);
  addForget(program, run);
  addImport(program, run);
  addExport(program, run);
  addClusters(program, run);
  addLedger(program, run);
  addConfig(program, run);
  addDoctor(program, run);
  addManifestsForCluster(program, run);
  addManifestsForAccount(program, run);
  addTemplate(program, run);
  addCompletion(program, run);
  program.configureOutput({ outputError: (text, write) => write(withCommandMeant(text)) });
  for (const command of program.commands)
    if (command.options.some(({ long }) => long === '--file'))
      command.configureOutput({ outputError: (text, write) => write(withFileAdvice(text)) });
  return program;
}

/**
 * `help NAME` of no command is parsed as NAME, so that the error names it, and the command that it resembles. `-V` is
 * an older `-v`.
 */
function withoutHelpOf(argv: readonly string[], program: Command): string[] {
  const [first, name] = argv;
  const isKnown = name === undefined || program.commands.some((command) => command.name() === name);
  if (first === '-V') return ['--version'];
  return first === 'help' && !isKnown ? argv.slice(1) : [...argv];
}

/** A path without its flag is an argument too many: the line says which flag it needs. */
function withFileAdvice(text: string): string {
  return text.startsWith('error: too many arguments') ? `${text}(Files and folders are read with -f)\n` : text;
}

/** Words of similar programs, and how the same is asked here. */
const MEANT: Readonly<Record<string, string>> = {
  validate: 'zone53 render -f DIR --strict checks manifests',
  check: 'zone53 render -f DIR --strict checks manifests',
  lint: 'zone53 render -f DIR --strict checks manifests',
  diff: 'zone53 plan -f DIR shows the changes; with --refresh also what was changed by hand',
  preview: 'zone53 plan -f DIR shows the changes',
  dashboard: 'zone53 console serves a page on this machine',
  ui: 'zone53 console serves a page on this machine',
  status: 'zone53 explain NAME says what became of a name; zone53 plan -f DIR what is not as wanted',
  get: 'zone53 explain NAME says what became of a name',
  drift: 'zone53 plan -f DIR --refresh shows what was changed by hand',
  refresh: 'zone53 plan -f DIR --refresh compares with Route 53',
  push: 'zone53 apply -f DIR publishes',
  sync: 'zone53 apply -f DIR publishes',
  destroy: 'zone53 apply deletes what the manifests no longer have: remove them, and see zone53 plan -f DIR',
  delete: 'zone53 apply deletes what the manifests no longer have: remove them, and see zone53 plan -f DIR',
  fmt: 'manifests are plain YAML, and zone53 formats none; zone53 render -f DIR -o zonefile prints zone files',
  format: 'manifests are plain YAML, and zone53 formats none; zone53 render -f DIR -o zonefile prints zone files',
  init: 'nothing has to be prepared: write manifests, or let zone53 import write those of a hosted zone',
  start: 'zone53 local -f DIR runs everything on this machine',
  serve: 'zone53 local -f DIR runs everything on this machine',
};

/** The error of a command that is another program's word says what it is called here. */
function withCommandMeant(text: string): string {
  const [, word = ''] = /^error: unknown command '([a-z-]+)'/.exec(text) ?? [];
  const meant = Object.hasOwn(MEANT, word) ? MEANT[word] : undefined;
  return meant === undefined ? text : `error: zone53 has no command "${word}": ${meant}\n`;
}

const EXAMPLES = `
Start here:
  zone53 local -f examples/quickstart     then: dig @127.0.0.1 -p 5300 www.example.org
  zone53 render -f dns/                   the zones that these manifests make
  zone53 plan -f dns/                     what would change in Route 53
  zone53 apply -f dns/                    shows the plan, asks, applies it
  zone53 explain www.example.org -f dns/  which objects ask for a name, and what Route 53 has
  zone53 import --hosted-zone ID -o dns/  write manifests of a hosted zone's record sets
  zone53 migrate --help                   from external-dns to zone53 and back, without a gap
  zone53 template --config zone53.yaml    a CloudFormation template, to deploy without CDK
  zone53 manifests-for-cluster --help     what a cluster needs to work with a stack in AWS

Exit codes: 0 success; 1 error; 2 changes (plan --detailed-exitcode); 3 the guard holds deletes.
`;

/** The message with its causes; also the stack trace if the error is a bug of zone53. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return safeText(String(error));
  // Their lines are ours. Any other message may quote the text of a tenant, who would write lines of the output.
  if (error instanceof UsageError || error instanceof ConfigError) return error.message;
  const ours = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const stack = error.stack ?? '';
  const frames = ours ? stack.slice(stack.indexOf(error.message) + error.message.length) : '';
  return `${ours ? `${error.name}: ` : ''}${safeText(error.message)}${frames}${because(error)}`;
}

/** Advice if there is any for this cause, else the cause, unless the message contains it already. */
function because({ message, cause }: Error): string {
  if (cause === undefined) return '';
  const fault = errorMessage(cause);
  const [, found] = ADVICE.find(([pattern]) => pattern.test(fault)) ?? [];
  const advice = typeof found === 'function' ? found(message) : found;
  const said = advice === undefined ? explain(cause) : safeText(fault);
  const again = safeText(message).includes(said) ? '' : `\n  because: ${said}`;
  return advice === undefined ? again : `${again}\n  ${advice}`;
}

/** Advice by the message of the AWS SDK, or of Node, and by what failed with it. */
const ADVICE: readonly (readonly [fault: RegExp, advice: string | ((said: string) => string)])[] = [
  [
    /^Could not load credentials/,
    'There are no credentials for AWS: set AWS_PROFILE to a profile that has them, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. "zone53 local" needs none.',
  ],
  [/^Region is missing/, 'Set AWS_REGION, or write a region into the profile.'],
  [/^Invalid URL/, 'AWS_ENDPOINT_URL_ROUTE_53 and the like must be URLs, such as http://127.0.0.1:5380.'],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/,
    (said) =>
      /hosted zone|Route 53|record set/i.test(said)
        ? 'Check that this Route 53 can be reached. AWS_ENDPOINT_URL_ROUTE_53 has its address, if it is not that of AWS.'
        : 'Check that the server runs, and its address: the kubeconfig has that of an API server, AWS_ENDPOINT_URL_ROUTE_53 that of a Route 53 other than AWS.',
  ],
];

function packageVersion(): string {
  return (JSON.parse(shippedFile('package.json')) as { readonly version: string }).version;
}
