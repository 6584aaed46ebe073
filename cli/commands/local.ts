// `zone53 local`: runs the whole pipeline on this machine.
import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PUBLIC } from '../../lib/dns/names/view.ts';
import { type Config, DEFAULT_CONFIG, viewsOf } from '../../lib/ports/config.ts';
import { parseView } from '../account/parse-asked.ts';
import { UsageError } from '../print/usage-error.ts';
import type { LocalRequest } from '../run/requests.ts';
import { CONSOLE_PORT } from './console.ts';
import {
  addCommonOptions,
  type CommonFlags,
  clusterIdsFrom,
  collect,
  configFrom,
  contextOption,
  fileOption,
  parseDuration,
  parsePort,
  type SourceFlags,
  sourceFrom,
  stateOption,
} from './options.ts';
import { common, type Run, withProgress } from './run-command.ts';

type LocalFlags = CommonFlags &
  Omit<SourceFlags, 'context'> & {
    readonly context?: readonly string[];
    readonly state: string;
    readonly poll?: number;
    readonly dnsPort: number;
    readonly view?: ReadonlyMap<string, number>;
    readonly route53Port: number;
    readonly route53: 'local' | 'aws';
    readonly route53Limits?: Route53Limits;
    readonly consolePort: number;
    readonly intentsPort?: number;
    readonly webhookPort?: number;
    readonly webhookHost?: string;
    readonly webhookValidate: boolean;
  };

/** The ports of what this command serves in place of AWS. */
const PORTS_OF_OWN = [
  ['dnsPort', '--dns-port'],
  ['view', '--view'],
  ['route53Port', '--route53-port'],
] as const;

/** What is served for one cluster alone. */
const OF_ONE = [
  ['webhookPort', '--webhook-port'],
  ['intentsPort', '--intents-port'],
] as const;

type Route53Limits = NonNullable<LocalRequest['route53Limits']>;
type Bucket = NonNullable<Route53Limits['requests']>;
/** The bucket of requests of an account of AWS. */
const REQUESTS: Bucket = { perSecond: 10, size: 50 };

const POLL_MS_MIN = 1_000;
const WEBHOOK_HOST = '127.0.0.1';

function webhookOf({ webhookPort: port, webhookHost: host = WEBHOOK_HOST, webhookValidate: validate }: LocalFlags) {
  return port === undefined ? null : { port, host, validate };
}

/** Limits such as `requests=10/50,changes=100/1000`: refill a second/capacity, or `none`; others have the default. */
function parseLimits(text: string): Route53Limits {
  const limits: { requests: Bucket | null; changes: Bucket | null } = { requests: REQUESTS, changes: null };
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, kind = '', written = ''] = /^(requests|changes)=(none|\d+(?:\.\d+)?\/\d+)$/.exec(part.trim()) ?? [];
    const [perSecond = 0, size = 0] = written.split('/').map(Number);
    if (kind === '' || seen.has(kind) || (written !== 'none' && (perSecond <= 0 || size < 1)))
      throw new InvalidArgumentError('Write limits such as requests=10/50,changes=100/1000, or none for one of them.');
    seen.add(kind);
    limits[kind as keyof Route53Limits] = written === 'none' ? null : { perSecond, size };
  }
  return limits;
}

/** Adds a view and its port to those before: NAME or NAME=PORT. */
function parseViewPort(text: string, before: ReadonlyMap<string, number> = new Map()): ReadonlyMap<string, number> {
  const at = text.indexOf('=');
  const view = parseView(at < 0 ? text : text.slice(0, at));
  if (view === PUBLIC) throw new InvalidArgumentError('The view public answers on --dns-port.');
  if (before.has(view)) throw new InvalidArgumentError('Name each view once.');
  return new Map([...before, [view, at < 0 ? 0 : parsePort(text.slice(at + 1))]]);
}

/** The objects of each cluster, where each input begins with the id of one; null: none does. */
async function inputsByCluster(flags: LocalFlags): Promise<ReadonlyMap<string, readonly string[]> | null> {
  const { file, context, cluster } = flags;
  const [inputs, flag] = context === undefined ? [file ?? [], '-f'] : [context, '--context'];
  if (!inputs.some((input) => input.includes('='))) return null;
  const ids = await clusterIdsFrom(flags);
  const idOf = (input: string) => ids.find((id) => input.startsWith(`${id}=`));
  const isMeant = (input: string) => context === undefined && /^[\w.-]+=/.test(input) && !existsSync(input);
  if (!inputs.some((input) => idOf(input) !== undefined || isMeant(input))) return null;
  const plain = inputs.find((input) => idOf(input) === undefined);
  if (plain !== undefined)
    throw new UsageError(
      `${flag} ${plain}: write the cluster of the configuration before it, such as ${flag} ${ids[0]}=${plain.slice(plain.indexOf('=') + 1)}; its clusters are ${ids.join(', ')}`,
    );
  if (cluster !== undefined)
    throw new UsageError(`--cluster has no effect where ${flag} names the clusters: remove it`);
  const byCluster = Map.groupBy(inputs, (input) => idOf(input) ?? '');
  return new Map([...byCluster].map(([id, of]) => [id, of.map((input) => input.slice(id.length + 1))]));
}

/** Where the objects of one cluster are. */
function inputOf(inputs: readonly string[] | undefined, isContext: boolean): LocalRequest['source'] {
  const [context, second] = inputs ?? [];
  if (!isContext) return sourceFrom(inputs === undefined ? {} : { file: inputs });
  if (second !== undefined)
    throw new UsageError(
      `--context ${second}: a cluster has one context. Several clusters: --context ID=CONTEXT, for each`,
    );
  return sourceFrom({ context: context ?? '' });
}

/** The clusters to serve, the first one first. */
async function clustersFrom(flags: LocalFlags, defaults: Config) {
  const isContext = flags.context !== undefined;
  const byCluster = await inputsByCluster(flags);
  if (byCluster === null)
    return [{ config: await configFrom(flags, defaults), source: inputOf(flags.context ?? flags.file, isContext) }];
  return Promise.all(
    [...byCluster].map(async ([cluster, inputs]) => ({
      config: await configFrom({ ...flags, cluster }, defaults),
      source: inputOf(inputs, isContext),
    })),
  );
}

/** Adds the command. */
export function addLocal(program: Command, run: Run): void {
  const command = program
    .command('local')
    .description('run the whole pipeline on this machine, with its own Route 53 and DNS server; Ctrl-C stops it')
    .addOption(fileOption())
    .addOption(contextOption().argParser(collect))
    .addOption(
      new Option(
        '--poll <duration>',
        'ask the API server for changes this often, from 1s on, instead of watching it; with --context',
      ).argParser(parseDuration),
    )
    .addOption(
      new Option('--dns-port <port>', 'port of the DNS server, UDP and TCP; 0 chooses a free one')
        .argParser(parsePort)
        .default(5300),
    )
    .addOption(
      new Option(
        '--view <name[=port]>',
        'also answer for this view of the configuration, on a DNS port of its own (default: a free one). Repeatable',
      ).argParser(parseViewPort),
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
        '--route53-limits <limits>',
        'limits of the Route 53 that this command serves, as refill a second/capacity, or none (default: requests=10/50,changes=none)',
      ).argParser(parseLimits),
    )
    .addOption(
      new Option(
        '--console-port <port>',
        'port of the page (zone53 console); 0 chooses a free one, as does the default if it is taken',
      )
        .argParser(parsePort)
        .default(CONSOLE_PORT),
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
  zone53 local --context kind-dev --poll 5s
  zone53 local -f eu=examples/fleet/eu -f us=examples/fleet/us --config examples/fleet/zone53.yaml
  zone53 local --context prod-eu=kind-eu --context prod-us=kind-us
  zone53 local -f examples/inside-and-outside --config examples/inside-and-outside/zone53.yaml --view internal=5301
  zone53 local --context seed --route53 aws --config zone53.yaml
  dig @127.0.0.1 -p 5300 www.example.org
  aws --no-sign-request --endpoint-url http://127.0.0.1:5380 route53 list-hosted-zones
  zone53 local -f dns --route53-limits requests=10/50,changes=100/1000

The configuration is read once, at the start: after a change, start again. Manifests are read again at each change.

Exit codes: 0 ended by Ctrl-C; 1 it cannot start, or cannot go on.
`,
  );
  command.action(async (flags: LocalFlags) => {
    if (flags.poll !== undefined && flags.context === undefined)
      throw new UsageError('--poll needs --context NAME: files are watched');
    if (flags.poll !== undefined && flags.poll < POLL_MS_MIN) throw new UsageError('--poll needs 1s or more');
    if (flags.webhookPort !== undefined && flags.context === undefined)
      throw new UsageError('--webhook-port needs --context NAME: without an API server nobody calls the webhook');
    if (flags.webhookValidate && flags.webhookPort === undefined)
      throw new UsageError('--webhook-validate needs --webhook-port PORT: only a webhook can refuse');
    if (flags.webhookHost !== undefined && flags.webhookPort === undefined)
      throw new UsageError('--webhook-host needs --webhook-port PORT: it is the address of the webhook');
    for (const [option, flag] of PORTS_OF_OWN)
      if (flags.route53 === 'aws' && command.getOptionValueSource(option) === 'cli')
        throw new UsageError(`${flag} has no effect with --route53 aws: then nothing is served there`);
    if (flags.route53 === 'aws' && flags.route53Limits !== undefined)
      throw new UsageError('--route53-limits has no effect with --route53 aws: AWS has limits of its own');
    // In an account of AWS, a hosted zone is created only if the configuration asks for it.
    const createHostedZones = flags.route53 === 'aws' ? 'never' : 'all';
    const [first, ...others] = await clustersFrom(flags, { ...DEFAULT_CONFIG, createHostedZones });
    if (first === undefined) return;
    const { config } = first;
    const ofOne = others.length === 0 ? undefined : OF_ONE.find(([option]) => flags[option] !== undefined);
    if (ofOne !== undefined)
      throw new UsageError(`${ofOne[1]} is for one cluster: remove it, or serve one cluster with --cluster ID`);
    for (const view of flags.view?.keys() ?? [])
      if (!config.hostedZones.some((one) => one.view === view))
        throw new UsageError(
          `--view ${view}: hostedZones of the configuration has no view ${view}; known are ${viewsOf(config).join(', ')}`,
        );
    const { terminal } = run;
    await withProgress(run, (progress) =>
      run.useCases.local({
        ...common(run, config, flags, progress),
        source: first.source,
        others,
        pollMs: flags.poll ?? null,
        folder: flags.state,
        dnsPort: flags.dnsPort,
        ...(flags.view !== undefined && { viewPorts: flags.view }),
        route53Port: flags.route53Port,
        route53: flags.route53,
        ...(flags.route53Limits !== undefined && { route53Limits: flags.route53Limits }),
        console: {
          port: flags.consolePort,
          mayMove: command.getOptionValueSource('consolePort') !== 'cli',
          serve: run.useCases.consoleOfLocal,
        },
        intentsPort: flags.intentsPort ?? null,
        webhook: webhookOf(flags),
        paint: terminal.paint,
        print: (line) => {
          // Clears the progress line, which is on the same terminal.
          progress.write('');
          terminal.write(terminal.fit(`${line}\n`));
        },
        signal: terminal.untilStopped(),
      }),
    );
  });
}
