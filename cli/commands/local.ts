// `zone53 local`: runs the whole pipeline on this machine.
import { type Command, Option } from 'commander';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { UsageError } from '../print/usage-error.ts';
import {
  addCommonOptions,
  type CommonFlags,
  configFrom,
  contextOption,
  fileOption,
  parsePort,
  type SourceFlags,
  sourceFrom,
  stateOption,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type LocalFlags = CommonFlags &
  SourceFlags & {
    readonly state: string;
    readonly dnsPort: number;
    readonly route53Port: number;
    readonly route53: 'local' | 'aws';
    readonly intentsPort?: number;
    readonly webhookPort?: number;
    readonly webhookHost?: string;
    readonly webhookValidate: boolean;
  };

/** The ports of what this command serves in place of AWS. */
const PORTS_OF_OWN = [
  ['dnsPort', '--dns-port'],
  ['route53Port', '--route53-port'],
] as const;

const WEBHOOK_HOST = '127.0.0.1';

function webhookOf({ webhookPort: port, webhookHost: host = WEBHOOK_HOST, webhookValidate: validate }: LocalFlags) {
  return port === undefined ? null : { port, host, validate };
}

/** Adds the command. */
export function addLocal(program: Command, run: Run): void {
  const command = program
    .command('local')
    .description('run the whole pipeline on this machine, with its own Route 53 and DNS server; Ctrl-C stops it')
    .addOption(fileOption())
    .addOption(contextOption())
    .addOption(
      new Option('--dns-port <port>', 'port of the DNS server, UDP and TCP; 0 chooses a free one')
        .argParser(parsePort)
        .default(5300),
    )
    .addOption(
      new Option('--route53-port <port>', 'port of the Route 53 endpoint; 0 chooses a free one')
        .argParser(parsePort)
        .default(5380),
    )
    .addOption(
      new Option(
        '--route53 <which>',
        'publish to the Route 53 that this command serves, or to AWS (endpoint and credentials as the AWS SDK finds them). With aws, there is no DNS server, and hosted zones are created only if createHostedZones allows it',
      )
        .choices(['local', 'aws'])
        .default('local'),
    )
    .addOption(
      new Option(
        '--intents-port <port>',
        'also serve the intent API (docs/intents.md) on this port; 0 chooses a free one',
      ).argParser(parsePort),
    )
    .addOption(
      new Option(
        '--webhook-port <port>',
        'also serve the admission webhook on this port, and write its configuration for kubectl apply to webhook.yaml in the state folder',
      ).argParser(parsePort),
    )
    .addOption(
      new Option(
        '--webhook-host <host>',
        `name or IPv4 address by which the API server reaches this machine (default: ${WEBHOOK_HOST})`,
      ),
    )
    .addOption(
      new Option(
        '--webhook-validate',
        'let the webhook refuse objects that would be InvalidSpec, DelegationDenied or RootNotAllowed',
      ).default(false),
    )
    .addOption(stateOption('keep the state in this folder', '.zone53/local'));
  addCommonOptions(command).addHelpText(
    'after',
    `
Examples:
  zone53 local -f examples/quickstart
  zone53 local --context kind-dev --webhook-port 5343 --webhook-host host.docker.internal
  zone53 local --context seed --route53 aws --config zone53.yaml
  dig @127.0.0.1 -p 5300 www.example.org
  aws --no-sign-request --endpoint-url http://127.0.0.1:5380 route53 list-hosted-zones
`,
  );
  command.action(async (flags: LocalFlags) => {
    if (flags.webhookPort !== undefined && flags.context === undefined)
      throw new UsageError('--webhook-port needs --context NAME: without an API server nobody calls the webhook');
    if (flags.webhookValidate && flags.webhookPort === undefined)
      throw new UsageError('--webhook-validate needs --webhook-port PORT: only a webhook can refuse');
    if (flags.webhookHost !== undefined && flags.webhookPort === undefined)
      throw new UsageError('--webhook-host needs --webhook-port PORT: it is the address of the webhook');
    for (const [option, flag] of PORTS_OF_OWN)
      if (flags.route53 === 'aws' && command.getOptionValueSource(option) === 'cli')
        throw new UsageError(`${flag} has no effect with --route53 aws: then nothing is served there`);
    // In an account of AWS, a hosted zone is created only if the configuration asks for it.
    const createHostedZones = flags.route53 === 'aws' ? 'never' : 'all';
    const config = await configFrom(flags, { ...DEFAULT_CONFIG, createHostedZones });
    const { terminal } = run;
    await withProgress(run, (progress) =>
      run.useCases.local({
        ...common(run, config, flags, progress),
        source: sourceFrom(flags),
        folder: flags.state,
        dnsPort: flags.dnsPort,
        route53Port: flags.route53Port,
        route53: flags.route53,
        intentsPort: flags.intentsPort ?? null,
        webhook: webhookOf(flags),
        print: (line) => {
          // Clears the progress line, which is on the same terminal.
          progress.write('');
          terminal.write(`${line}\n`);
        },
        signal: terminal.untilStopped(),
      }),
    );
  });
}
