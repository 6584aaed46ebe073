// `zone53 doctor`: one screen about what is deployed, what it may reach, and what does not fit.
import { type Command, Option } from 'commander';
import { ConfigError } from '../../lib/adapters/config/config-file.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { type Finding, fine, wrong } from '../account/doctor/finding.ts';
import type { Diagnosis } from '../account/run-doctor.ts';
import type { Terminal } from '../print/terminal.ts';
import { formatJson, safeText } from '../print/terminal-text.ts';
import { type CommonFlags, clusterOption, configFrom, configOption, contextOption, deploymentFrom } from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type DoctorFlags = CommonFlags & {
  readonly context?: string;
  readonly stack?: string;
  readonly table?: string;
  readonly output?: 'json';
};

/** Adds the command. */
export function addDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .description('check what is deployed, what it may reach, and what does not fit; changes nothing')
    .addOption(configOption())
    .addOption(clusterOption())
    .addOption(contextOption())
    .addOption(new Option('--stack <name>', 'check this stack of CloudFormation, its configuration and its table'))
    .addOption(new Option('--table <name>', 'check this DynamoDB table'))
    .addOption(new Option('-o, --output <format>', 'print JSON').choices(['json']))
    .addHelpText(
      'after',
      `
It checks what is given: the configuration and its hosted zones always, the API server with --context, the rest with
--stack and --table. A check takes ten seconds at most. It asks with your own rights, not with those of the functions.

Examples:
  zone53 doctor --config zone53.yaml --context prod --stack Zone53
  zone53 doctor --context kind-dev
  zone53 doctor --table Zone53-Ledger -o json | jq '.checks[] | select(.ok | not)'

Exit codes: 0 nothing is wrong; 1 something is, with what to do.
`,
    )
    .action(async (flags: DoctorFlags) => {
      const { configuration, config } = await configurationOf(flags);
      const deployed = configuration.ok ? await deploymentFrom(flags) : null;
      const { context = null, stack = null, table = null } = flags;
      const diagnosis = await withProgress(run, (progress) =>
        run.useCases.doctor({
          ...common(run, config, flags, progress),
          configuration,
          deployed,
          context,
          stack,
          table,
        }),
      );
      const { terminal } = run;
      terminal.write(flags.output === 'json' ? formatJson(diagnosis) : terminal.fit(printed(diagnosis, terminal)));
      if (diagnosis.checks.some(({ ok }) => !ok)) run.exitCode = 1;
    });
}

/** The configuration, and what is wrong with it; then the defaults stand in for it. */
async function configurationOf(flags: DoctorFlags) {
  try {
    const config = await configFrom(flags);
    const zones = config.hostedZones.length;
    const configuration: Finding = fine(
      `cluster ${config.clusterId}, ${zones} hosted ${zones === 1 ? 'zone' : 'zones'}`,
    );
    return { config, configuration };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'Correct it; zone53 config check FILE judges it without the other checks.';
    return { config: DEFAULT_CONFIG, configuration: wrong(error.message, remedy) };
  }
}

function printed({ checks }: Diagnosis, { paint }: Pick<Terminal, 'paint'>): string {
  const lines = checks.flatMap(({ name, ok, message, remedy }) => [
    `${ok ? paint('green', 'ok   ') : paint('red', 'wrong')} ${safeText(`${name}: ${message}`)}`,
    ...(remedy === null ? [] : [`      ${safeText(remedy)}`]),
  ]);
  const count = checks.filter(({ ok }) => !ok).length;
  const sum = count === 0 ? 'Nothing is wrong.' : `${count} of ${checks.length} checks found something wrong.`;
  return `${[...lines, sum].join('\n')}\n`;
}
