// The flags that several commands share. Each value is parsed here and nowhere else; the error for a wrong value says
// what to write.
import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Deployment,
  readClusterIds,
  readConfigFile,
  readDeployment,
  readNamedCluster,
  readWebhookScope,
} from '../../lib/adapters/config/config-file.ts';
import type { ClusterChoice } from '../../lib/adapters/config/config-schema.ts';
import { ACKNOWLEDGE_ANNOTATION } from '../../lib/objects/annotations.ts';
import { NAMED_SOURCE_KEYS, type SourceKey, type WebhookScope } from '../../lib/objects/source-settings.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { type Config, DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { parseInstant } from '../account/parse-asked.ts';
import type { Wanted } from '../print/exit-code.ts';
import { safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { type Source, STATE_FOLDER, type Store } from '../run/requests.ts';

const CONFIG_FILE = 'zone53.yaml';
/** Names that are taken for it. If they were passed over, its `roots` would not count. */
const MISNAMED = ['zone53.yml', 'zone53.json', '.zone53.yaml', '.zone53.yml', 'Zone53.yaml', 'zone53.yaml.txt'];

export type CommonFlags = {
  readonly config?: string;
  readonly cluster?: string;
  readonly now?: number;
  readonly source?: readonly SourceKey[];
};
export type SourceFlags = { readonly file?: readonly string[]; readonly context?: string; readonly strict?: boolean };
export type StoreFlags = {
  readonly state: string;
  readonly table?: string;
  readonly createTable?: boolean;
  readonly acknowledge: readonly string[];
  readonly refresh?: boolean;
  readonly read: boolean;
};

export function fileOption(): Option {
  return new Option(
    '-f, --file <path...>',
    'read these files and folders of manifests; - is standard input; may be repeated',
  ).argParser(collect);
}

export function contextOption(): Option {
  return new Option('--context <name>', 'read the cluster of this kubeconfig context instead').conflicts('file');
}

export function strictOption(): Option {
  return new Option(
    '--strict',
    'exit 1 also when an object is not accepted, when a kind is probably misspelt, or when a file has no Zone or Record',
  );
}

export function configOption(): Option {
  return new Option('--config <file>', `read this configuration (default: ${CONFIG_FILE}, if it exists)`);
}

/** The option of the commands that are about one cluster. */
export function clusterOption(): Option {
  return new Option(
    '--cluster <id>',
    'the cluster of the configuration; needed if there are several (docs/fleet.md)',
  ).argParser(parseNotEmpty);
}

export function sourceOption(): Option {
  return new Option(
    '--source <key>',
    `read objects of this kind too: ${NAMED_SOURCE_KEYS.join(', ')}; may be repeated`,
  ).argParser(collectSource);
}

export function nowOption(): Option {
  return new Option('--now <time>', 'set the clock to this time, such as 2026-01-31T12:00:00Z').argParser(parseInstant);
}

export function addCommonOptions(command: Command): Command {
  return command.addOption(configOption()).addOption(clusterOption()).addOption(sourceOption()).addOption(nowOption());
}

export function stateOption(says: string, folder: string): Option {
  return new Option('--state <folder>', says).argParser(parseNotEmpty).default(folder);
}

function tableOption(says: string): Option {
  return new Option('--table <name>', says).argParser(parseNotEmpty).conflicts('state');
}

/** The ledger of a command that only reads it. */
export function addLedgerOptions(command: Command): Command {
  return command
    .addOption(stateOption('read the ledger in this folder', STATE_FOLDER))
    .addOption(tableOption('read the ledger in this DynamoDB table instead'));
}

export function addStoreOptions(command: Command): Command {
  return command
    .addOption(stateOption('keep the ledger in this folder', STATE_FOLDER))
    .addOption(tableOption('keep the ledger in this DynamoDB table instead'))
    .addOption(new Option('--refresh', 'compare with Route 53 first: show drift, and find new hosted zones'))
    .addOption(
      new Option(
        '--no-read',
        'read no record set in Route 53: the plan does not show what stands where it would create',
      ),
    )
    .addOption(
      new Option(
        '--create-table',
        'if the table does not exist, apply creates it, and plan works with an empty ledger',
      ),
    )
    .addOption(
      new Option('--acknowledge <digest>', 'release the held deletes of the plan with this digest; may be repeated')
        .argParser(collectDigest)
        .default([], 'none'),
    );
}

/** The option of what may be long. */
export function allOption(): Option {
  return new Option('--all', 'show every line; without it, a hosted zone with many changes is summed up');
}

/** The commands that release what the guard holds of a Zone: with the same input and ledger as these flags. */
export function releaseWith({
  file = [],
  context,
  config,
  cluster,
  source = [],
  state,
  table,
}: SourceFlags & CommonFlags & StoreFlags) {
  return (zone: string, digest: string): readonly string[] => {
    const [namespace = '', name = ''] = zone.split('/');
    const input = context === undefined ? file.flatMap((path) => ['-f', path]) : ['--context', context];
    const others = [
      ...(cluster === undefined ? [] : ['--cluster', cluster]),
      ...source.flatMap((key) => ['--source', key]),
    ];
    const ledger = ledgerWords({ config, state, table });
    const apply = ['zone53', 'apply', ...input, ...ledger, ...others, '--acknowledge', digest];
    if (context === undefined) return [inShell(apply)];
    const at = ['kubectl', '--context', context, 'annotate', '--overwrite', 'zone', '-n', namespace, name];
    return [inShell([...at, `${ACKNOWLEDGE_ANNOTATION}=${digest}`]), inShell(apply)];
  };
}

/** The command that asks whether to retire a cluster, with the same ledger as these flags. */
export function retireWith(id: string, isRetained: boolean, flags: LedgerFlags): string {
  const retain = isRetained ? ['--retain'] : [];
  return inShell(['zone53', 'clusters', 'retire', id, ...retain, ...ledgerWords(flags)]);
}

type LedgerFlags = {
  readonly config?: string | undefined;
  readonly state: string;
  readonly table?: string | undefined;
};

function ledgerWords({ config, state, table }: LedgerFlags): readonly string[] {
  const ledger = table === undefined ? (state === STATE_FOLDER ? [] : ['--state', state]) : ['--table', table];
  return [...ledger, ...(config === undefined ? [] : ['--config', config])];
}

/** A command as it is typed. */
function inShell(words: readonly string[]): string {
  const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return words.map((word) => quoted(safeText(word))).join(' ');
}

/** A flag that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** `--state "$DIR"` without DIR would keep the ledger in the current folder. */
function parseNotEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty. If it comes from a variable of the shell, set that.');
  return value;
}

function collectDigest(value: string, before: readonly string[]): readonly string[] {
  if (!/^[0-9a-f]{64}$/.test(value))
    throw new InvalidArgumentError('A digest has 64 hex digits, as "zone53 plan" prints it.');
  return [...before, value];
}

function collectSource(value: string, before: readonly SourceKey[] | undefined): readonly SourceKey[] {
  const key = NAMED_SOURCE_KEYS.find((one) => one === value);
  if (key === undefined) throw new InvalidArgumentError(`The keys are ${NAMED_SOURCE_KEYS.join(', ')}.`);
  return [...(before ?? []), key];
}

export function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('Write a port from 0 to 65535; 0 chooses a free one.');
  return Number(value);
}

/** Milliseconds of "90", "90s", "5m" or "1h". */
export function parseDuration(value: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})(s|m|h)?$/.exec(value) ?? [];
  if (amount === undefined || Number(amount) === 0)
    throw new InvalidArgumentError('Write a time such as 30s, 5m or 1h.');
  return Number(amount) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as 's' | 'm' | 'h'];
}

/** The machine's clock, or one that starts at `--now`. */
export function clockFrom(now: number | undefined): Clock {
  if (now === undefined) return { nowMs: Date.now };
  const started = performance.now();
  return { nowMs: () => now + Math.floor(performance.now() - started) };
}

/** The configuration of --config, or the one in this folder, or the defaults; with the sources of `--source`. */
export async function configFrom(flags: CommonFlags, defaults: Config = DEFAULT_CONFIG): Promise<Config> {
  const config = await fileConfig(flags.config, defaults, choiceOf(flags));
  const added = (flags.source ?? []).filter((key) => config.sources[key] === undefined);
  if (added.length === 0) return config;
  return {
    ...config,
    sources: { ...config.sources, ...Object.fromEntries(added.map((key) => [key, config.sourceDefaults])) },
  };
}

/** What the same file says of the webhook of a cluster; null: nothing. */
export async function webhookScopeFrom(flags: CommonFlags): Promise<WebhookScope | null> {
  const file = fileOf(flags);
  return file === null ? null : readWebhookScope(file, choiceOf(flags));
}

/** The id of the cluster, if the same file has it below `clusters`; else null. */
export async function namedClusterFrom(flags: CommonFlags): Promise<string | null> {
  const file = fileOf(flags);
  return file === null ? null : readNamedCluster(file, choiceOf(flags));
}

/** What the same file says of its deployment; null: nothing. */
export async function deploymentFrom(flags: CommonFlags): Promise<Deployment | null> {
  const file = fileOf(flags);
  return file === null ? null : readDeployment(file, choiceOf(flags));
}

/** The configuration for a command that is about every cluster: what is common to all, with the keys of the first. */
export async function fleetConfigFrom({ config: file }: CommonFlags): Promise<Config> {
  return fileConfig(file, DEFAULT_CONFIG, 'first');
}

/** The ids of the clusters of the configuration. */
export async function clusterIdsFrom(flags: CommonFlags): Promise<readonly string[]> {
  const file = fileOf(flags);
  return file === null ? [DEFAULT_CONFIG.clusterId] : readClusterIds(file);
}

function choiceOf({ cluster }: CommonFlags): ClusterChoice {
  return cluster === undefined ? 'only' : { id: cluster };
}

function fileOf({ config }: CommonFlags): string | null {
  return config ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : null);
}

async function fileConfig(file: string | undefined, defaults: Config, choice: ClusterChoice): Promise<Config> {
  if (file !== undefined) return readConfigFile(file, defaults, choice);
  if (existsSync(CONFIG_FILE)) return readConfigFile(CONFIG_FILE, defaults, choice);
  const meant = MISNAMED.find((name) => existsSync(name));
  if (meant === undefined && typeof choice !== 'string' && choice.id !== defaults.clusterId)
    throw new UsageError(
      `There is no configuration with a cluster "${choice.id}": write clusters: { ${choice.id}: {} } into ${CONFIG_FILE}, or name the file with --config`,
    );
  if (meant === undefined) return defaults;
  throw new UsageError(
    `${meant} is not read: the configuration is ${CONFIG_FILE}. Rename it, or use --config ${meant}; if it is something else, give it another name`,
  );
}

export function sourceFrom(flags: SourceFlags): Source {
  if (flags.context !== undefined) return { kind: 'context', name: flags.context };
  return { kind: 'manifests', paths: pathsFrom(flags), ...(flags.strict === true ? { strict: true } : {}) };
}

/** Like sourceFrom(), but optional: null means the objects that the ledger remembers. */
export function sourceIfAny(flags: SourceFlags): Source | null {
  return flags.file === undefined && flags.context === undefined ? null : sourceFrom(flags);
}

/** Which objects must be accepted for exit code 0. A cluster has objects of others, so there none must be. */
export function wantedOf(flags: SourceFlags): Wanted {
  if (flags.strict === true) return 'accepted';
  return flags.context === undefined ? 'valid' : 'any';
}

function pathsFrom({ file }: SourceFlags): readonly string[] {
  if (file === undefined)
    throw new UsageError('Missing input: use -f FILE or FOLDER (- is standard input), or --context NAME');
  return file;
}

export function storeFrom({ state, table, createTable }: Pick<StoreFlags, 'state' | 'table' | 'createTable'>): Store {
  if (table !== undefined) return { kind: 'table', table, create: createTable === true };
  if (createTable === true) throw new UsageError('--create-table needs --table NAME');
  return { kind: 'folder', folder: state, isNamed: state !== STATE_FOLDER };
}

/** What the flags of `plan` and `apply` ask for. */
export function planFrom(flags: SourceFlags & StoreFlags) {
  const { acknowledge: acknowledged, refresh = false, read: reads } = flags;
  return { source: sourceFrom(flags), store: storeFrom(flags), acknowledged, refresh, reads };
}
