// The zone53 command: flags in, exit code out. What each subcommand does is in use-cases.ts, what it prints in print-*.ts;
// here they meet.
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../lib/adapters/config-file.ts';
import { DEFAULT_CONFIG } from '../lib/reconcile/config.ts';
import type { Log } from '../lib/reconcile/context.ts';
import { type ExitCode, exitOfApply, exitOfPlan, exitOfRender } from './exit-code.ts';
import {
  addCommonOptions,
  addStoreOptions,
  type CommonFlags,
  clockFrom,
  collect,
  configFrom,
  contextOption,
  fileOption,
  parsePort,
  pathsFrom,
  type SourceFlags,
  type StoreFlags,
  sourceFrom,
  storeFrom,
} from './options.ts';
import type { ErrorOutput, PlanOutput } from './output.ts';
import { readReviewed, writePlanFile } from './plan-file.ts';
import { jsonApply, printApply } from './print-apply.ts';
import { printErrors } from './print-errors.ts';
import { jsonPlan, printPlan } from './print-plan.ts';
import { jsonWorld, printConditions, printRender, printZoneFiles } from './print-render.ts';
import { type Progress, startProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { formatJson, safeLines, safeText } from './terminal-text.ts';
import { UsageError } from './usage-error.ts';
import type * as useCasesModule from './use-cases.ts';

export type UseCases = Pick<typeof useCasesModule, 'render' | 'plan' | 'apply' | 'local'>;

const DESCRIPTION = 'DNS declared in Kubernetes (Zone and Record of kubi.zone), published to Route 53.';

/** What is passed from command to command. */
type Run = { readonly terminal: Terminal; readonly useCases: UseCases; exitCode: ExitCode };

/** Runs the command line. Never throws: what goes wrong is said on standard error, and the exit code is 1. */
export async function runProgram(argv: readonly string[], terminal: Terminal, useCases: UseCases): Promise<ExitCode> {
  const run: Run = { terminal, useCases, exitCode: 0 };
  try {
    await buildProgram(run).parseAsync([...argv], { from: 'user' });
    return run.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    terminal.writeError(`${terminal.paintError('red', 'error:')} ${safeLines(explain(error))}\n`);
    return 1;
  }
}

function buildProgram(run: Run): Command {
  const program = new Command('zone53')
    .description(DESCRIPTION)
    .version(packageVersion(), '-V, --version')
    .exitOverride()
    .configureOutput({ writeOut: run.terminal.write, writeErr: (text) => run.terminal.writeError(safeLines(text)) })
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText('after', EXAMPLES);
  addLocal(program, run);
  addRender(program, run);
  addPlan(program, run);
  addApply(program, run);
  return program;
}

const EXAMPLES = `
Start here:
  zone53 local -f examples/quickstart     then: dig @127.0.0.1 -p 5300 www.example.org
  zone53 render -f dns/                   what the rules make of these manifests
  zone53 plan -f dns/                     what would change in Route 53
  zone53 apply -f dns/                    shows the plan, asks, applies it

Exit codes: 0 as wanted; 1 error; 2 changes (plan --detailed-exitcode); 3 only the guard stands in the way.
`;

type LocalFlags = CommonFlags &
  SourceFlags & {
    readonly state: string;
    readonly dnsPort: number;
    readonly route53Port: number;
    readonly webhookPort?: number;
    readonly webhookHost: string;
  };

function addLocal(program: Command, run: Run): void {
  const command = program
    .command('local')
    .description('run the whole pipeline on this machine, with a Route 53 that dig can ask; Ctrl-C stops it')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(
      new Option('--dns-port <port>', 'where the DNS server listens, UDP and TCP').argParser(parsePort).default(5300),
    )
    .addOption(
      new Option('--route53-port <port>', 'where the Route 53 endpoint listens').argParser(parsePort).default(5380),
    )
    .addOption(
      new Option(
        '--webhook-port <port>',
        'serve the admission webhook there too, and write its configuration, to be applied, into the state folder',
      ).argParser(parsePort),
    )
    .addOption(
      new Option('--webhook-host <host>', 'how the API server reaches this machine: a name or an IPv4 address').default(
        '127.0.0.1',
      ),
    )
    .addOption(new Option('--state <folder>', 'keep the state in this folder').default('.zone53/local'));
  addCommonOptions(command).addHelpText(
    'after',
    `
Examples:
  zone53 local -f examples/quickstart
  zone53 local --context kind-dev --webhook-port 5343 --webhook-host host.docker.internal
  dig @127.0.0.1 -p 5300 www.example.org
  AWS_ENDPOINT_URL_ROUTE_53=http://127.0.0.1:5380 aws route53 list-hosted-zones
`,
  );
  command.action(async (flags: LocalFlags) => {
    if (flags.webhookPort !== undefined && flags.context === undefined)
      throw new UsageError('--webhook-port needs --context NAME: files have no API server that would call it');
    const config = await configFrom(flags.config, { ...DEFAULT_CONFIG, createHostedZones: 'all' });
    const { terminal } = run;
    await withProgress(run, (progress) =>
      run.useCases.local({
        ...common(run, config, flags, progress),
        source: sourceFrom(flags),
        folder: flags.state,
        dnsPort: flags.dnsPort,
        route53Port: flags.route53Port,
        webhook: flags.webhookPort === undefined ? null : { port: flags.webhookPort, host: flags.webhookHost },
        print: (line) => terminal.write(`${line}\n`),
        signal: terminal.untilStopped(),
      }),
    );
  });
}

type RenderFlags = CommonFlags & SourceFlags & { readonly output?: 'json' | 'zonefile'; readonly strict?: boolean };

function addRender(program: Command, run: Run): void {
  const command = program
    .command('render')
    .description('show what the rules make of these manifests; touches nothing')
    .addOption(fileOption())
    .addOption(
      new Option('-o, --output <format>', 'print JSON, or the live Zones as zone files').choices(['json', 'zonefile']),
    )
    .option('--strict', 'exit 1 also when an object is not accepted');
  addCommonOptions(command).addHelpText(
    'after',
    `
Examples:
  zone53 render -f dns/ -f extra.yaml
  kubectl get zones,records -A -o yaml | zone53 render -f - --strict
  zone53 render -f dns/ -o json | jq '.zones[].entries'
  zone53 render -f dns/example.yaml -o zonefile > example.org.zone
`,
  );
  command.action(async (flags: RenderFlags) => {
    const paths = pathsFrom(flags);
    const config = await configFrom(flags.config);
    const world = await withProgress(run, (progress) =>
      run.useCases.render({ ...common(run, config, flags, progress), paths }),
    );
    const { terminal } = run;
    if (flags.output === 'json') terminal.write(formatJson(jsonWorld(world)));
    else if (flags.output === 'zonefile') {
      terminal.write(printZoneFiles(world));
      terminal.writeError(printConditions(world, terminal.paintError));
    } else terminal.write(printRender(world, terminal.paint));
    if (flags.output !== 'json') sayErrors(run, world.errors);
    run.exitCode = exitOfRender(world, flags.strict === true);
  });
}

type PlanFlags = CommonFlags &
  SourceFlags &
  StoreFlags & { readonly output?: 'json'; readonly out?: string; readonly detailedExitcode?: boolean };

function addPlan(program: Command, run: Run): void {
  const command = program
    .command('plan')
    .description('show the changes that apply would make')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .option('--out <file>', 'write the plan to a file for apply --plan')
    .option('--detailed-exitcode', 'exit 2 when there are changes');
  addStoreOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
Examples:
  zone53 plan -f dns/
  zone53 plan -f dns/ --out plan.json && zone53 apply -f dns/ --plan plan.json
  zone53 plan --context prod --table zone53 --detailed-exitcode
  zone53 plan -f dns/ -o json | jq '.hostedZones[] | {name, digest, held}'
`,
  );
  command.action(async (flags: PlanFlags) => {
    const request = { source: sourceFrom(flags), store: storeFrom(flags), acknowledged: flags.acknowledge };
    const config = await configFrom(flags.config);
    const plan = await withProgress(run, (progress) =>
      run.useCases.plan({ ...common(run, config, flags, progress), ...request }),
    );
    if (flags.out !== undefined) await writePlanFile(flags.out, plan);
    if (flags.output === 'json') run.terminal.write(formatJson(jsonPlan(plan)));
    else {
      run.terminal.write(printPlan(plan, run.terminal.paint));
      sayErrors(run, plan.errors);
    }
    run.exitCode = exitOfPlan(plan, flags.detailedExitcode === true);
  });
}

type ApplyFlags = CommonFlags &
  SourceFlags &
  StoreFlags & { readonly output?: 'json'; readonly plan?: readonly string[]; readonly yes?: boolean };

function addApply(program: Command, run: Run): void {
  const command = program
    .command('apply')
    .description('make the changes: exactly the plan that was reviewed, or after asking')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addOption(
      new Option(
        '--plan <file-or-digest>',
        'apply this plan and no other: a file of plan --out, or a digest',
      ).argParser(collect),
    )
    .option('--yes', 'do not ask');
  addStoreOptions(addCommonOptions(command)).addHelpText(
    'after',
    `
Examples:
  zone53 apply -f dns/                           shows the plan and asks
  zone53 apply -f dns/ --yes -o json             for scripts
  zone53 apply -f dns/ --plan plan.json          what was reviewed, or nothing
  zone53 apply -f dns/ --yes --acknowledge 3f…   and the deletes that the guard held
`,
  );
  command.action((flags: ApplyFlags) => applyAction(run, flags));
}

async function applyAction(run: Run, flags: ApplyFlags): Promise<void> {
  const { terminal } = run;
  const request = { source: sourceFrom(flags), store: storeFrom(flags), acknowledged: flags.acknowledge };
  const reviewed = flags.plan === undefined ? null : await readReviewed(flags.plan);
  const ask = flags.file?.includes('-') ? null : terminal.ask;
  if (reviewed === null && flags.yes !== true && ask === null) {
    throw new UsageError(
      'Cannot ask whether to apply, as nobody is at a terminal: pass --yes, or --plan with what was reviewed',
    );
  }
  const config = await configFrom(flags.config);
  const result = await withProgress(run, (progress) => {
    const confirm = async (plan: PlanOutput): Promise<boolean> => {
      if (flags.yes === true || ask === null) return true;
      progress.write(`${printPlan(plan, terminal.paintError)}${printErrors(plan.errors, terminal.paintError)}`);
      progress.say('');
      return /^y(es)?$/i.test((await ask('Apply? [y/N] ')).trim());
    };
    return run.useCases.apply({ ...common(run, config, flags, progress), ...request, reviewed, confirm });
  });
  if (result.kind === 'declined') throw new UsageError('Nothing was applied');
  if (result.kind === 'stale') {
    const problems = result.problems.map((problem) => `  ${problem}`).join('\n');
    throw new UsageError(`The plan is not the one that was reviewed, so nothing was applied:\n${problems}`);
  }
  if (flags.output === 'json') terminal.write(formatJson(jsonApply(result.output)));
  else {
    terminal.write(printApply(result.output, terminal.paint));
    sayErrors(run, result.output.errors);
  }
  run.exitCode = exitOfApply(result.output);
}

function common(run: Run, config: Awaited<ReturnType<typeof configFrom>>, flags: CommonFlags, progress: Progress) {
  return { config, clock: clockFrom(flags.now), log: logTo(run, progress), progress: progress.say };
}

/** Warnings and errors only: what goes well is in the results. */
function logTo({ terminal }: Run, progress: Progress): Log {
  return (level, message, fields) => {
    if (level === 'debug' || level === 'info') return;
    const colour = level === 'warn' ? 'yellow' : 'red';
    const details = Object.entries(fields ?? {}).map(
      ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    progress.write(`${terminal.paintError(colour, level)} ${safeText(message + details.join(''))}\n`);
  };
}

async function withProgress<T>(run: Run, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = startProgress(run.terminal.writeError, run.terminal.showsProgress);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

function sayErrors({ terminal }: Run, errors: readonly ErrorOutput[]): void {
  terminal.writeError(printErrors(errors, terminal.paintError));
}

/** The message and its causes; the stack only where the fault is ours. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError || error instanceof ConfigError) return error.message;
  const ours = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const cause = error.cause === undefined ? '' : `\n  because: ${explain(error.cause)}`;
  return `${ours ? (error.stack ?? error.message) : error.message}${cause}`;
}

/** From the package's own file: two folders up when compiled, one in a checkout. */
function packageVersion(): string {
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string }).version;
    } catch {
      // The other place.
    }
  }
  return 'unknown';
}
