// Reads `zone53.yaml`, the operator's configuration. config-schema.ts validates it. All problems are found at once,
// each with its line and what to write instead.
import { readFile } from 'node:fs/promises';
import { type Document, isMap, isScalar, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { escapeControls } from '../../dns/names/quote.ts';
import { mapping } from '../../objects/plain.ts';
import type { WebhookScope } from '../../objects/source-settings.ts';
import type { ReadProblem } from '../../ports/cluster.ts';
import { type Config, DEFAULT_CONFIG } from '../../ports/config.ts';
import { checkSize } from '../manifests/check-size.ts';
import { formatProblem } from '../manifests/format-problem.ts';
import { plainValue } from '../manifests/plain-value.ts';
import { reasonOf } from '../manifests/read-file.ts';
import { yamlProblem } from '../manifests/yaml-message.ts';
import type { ClusterAccess } from './access-schema.ts';
import { awsProblems } from './aws-schema.ts';
import {
  type ClusterChoice,
  type ConfigPath,
  type ConfigProblem,
  formatConfigPath,
  type OneConfig,
  parseConfigValue,
  shortForm,
} from './config-schema.ts';
import { parseDeployed } from './deployed-config.ts';

/** The problems of a configuration. The message has a line for each: `file:line:column: what`, or `what` alone. */
export class ConfigError extends Error {
  readonly problems: readonly ReadProblem[];

  constructor(problems: readonly ReadProblem[]) {
    super(problems.map((problem) => escapeControls(formatProblem(problem))).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads a configuration file. Throws `ConfigError` with every problem in it, or when it cannot be read. */
export async function readConfigFile(
  file: string,
  defaults: Config = DEFAULT_CONFIG,
  choice: ClusterChoice = 'only',
): Promise<Config> {
  return parseConfig(await readConfigSource(file), file, defaults, choice);
}

/** Reads the ids of the clusters of a configuration file. Throws as `readConfigFile()`. */
export async function readClusterIds(file: string): Promise<readonly string[]> {
  const { value, errorOf } = parseConfigText(await readConfigSource(file), file);
  const parsed = parseConfigValue(value, DEFAULT_CONFIG, 'first');
  if (!parsed.ok) throw errorOf(parsed.problems);
  return parsed.clusterIds;
}

/** Reads what a configuration file says of one cluster. Throws as `readConfigFile()`. */
async function readOne(file: string, choice: ClusterChoice): Promise<OneConfig & { readonly value: unknown }> {
  const { value, errorOf } = parseConfigText(await readConfigSource(file), file);
  const parsed = parseConfigValue(value, DEFAULT_CONFIG, choice);
  if (!parsed.ok) throw errorOf(parsed.problems);
  return { ...parsed, value };
}

/** Reads what a configuration file says of the webhook; null: nothing. Throws as `readConfigFile()`. */
export async function readWebhookScope(file: string, choice: ClusterChoice): Promise<WebhookScope | null> {
  return (await readOne(file, choice)).deployment.events.webhook;
}

/** Reads the id of the cluster, if a configuration file has it below `clusters`; else null. Throws likewise. */
export async function readNamedCluster(file: string, choice: ClusterChoice): Promise<string | null> {
  const { config, deployment } = await readOne(file, choice);
  return deployment.at.length === 0 ? null : config.clusterId;
}

/** What a configuration says of its deployment. */
export type Deployment = {
  readonly access: ClusterAccess;
  /** Whether the functions are in a VPC. */
  readonly hasVpc: boolean;
  /** Null: it says none. */
  readonly region: string | null;
};

/** Reads what a configuration file says of its deployment; null: nothing. Throws as `readConfigFile()`. */
export async function readDeployment(file: string, choice: ClusterChoice): Promise<Deployment | null> {
  const { value, deployment } = await readOne(file, choice);
  const { access } = deployment;
  const { vpc, region } = mapping(shortForm(value).aws);
  return access === null ? null : { access, hasVpc: vpc != null, region: typeof region === 'string' ? region : null };
}

/** The text of a configuration file. Throws `ConfigError` when it cannot be read. */
async function readConfigSource(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError([{ file, line: 0, message: `Cannot read configuration "${file}": ${reasonOf(error)}` }]);
  });
}

/**
 * Reads the configuration of a deployment. Returns its keys, in their short form. Throws `ConfigError` with every
 * problem in it, or when it cannot be read.
 */
export async function readDeployedFile(file: string): Promise<readonly string[]> {
  const { value, errorOf } = parseConfigText(await readConfigSource(file), file);
  const short = shortForm(value);
  const deployed = parseDeployed(value);
  const problems = [...(deployed.ok ? [] : deployed.problems), ...(short.aws == null ? [] : awsProblems(short.aws))];
  if (problems.length > 0) throw errorOf(problems);
  // With several clusters, each has keys of its own.
  return [
    ...new Set([
      ...Object.keys(short),
      ...Object.values(mapping(short.clusters)).flatMap((one) => Object.keys(mapping(one))),
    ]),
  ];
}

const ONE_DOCUMENT = 'a configuration is one YAML document: remove this line, or keep only one document';

/** Parses a configuration; missing keys are those of `defaults`. Throws `ConfigError` with all problems. */
export function parseConfig(
  source: string,
  file: string,
  defaults: Config = DEFAULT_CONFIG,
  choice: ClusterChoice = 'only',
): Config {
  const { value, errorOf } = parseConfigText(source, file);
  const parsed = parseConfigValue(value, defaults, choice);
  if (parsed.ok) return parsed.config;
  throw errorOf(parsed.problems);
}

/** The text of a configuration as a value, which nothing has checked yet. */
export type ConfigText = {
  readonly value: unknown;
  /** The error with these problems, each at the place of its key. */
  readonly errorOf: (problems: readonly ConfigProblem[]) => ConfigError;
};

/** Parses the YAML of a configuration. Throws `ConfigError` with what is no YAML. */
export function parseConfigText(source: string, file: string): ConfigText {
  const refusal = checkSize(source);
  if (refusal !== null) {
    const lines = source.slice(0, refusal.offset).split('\n');
    const at = { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    throw new ConfigError([{ ...at, message: `Cannot parse YAML: ${refusal.message}` }]);
  }
  const counter = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: counter,
    prettyErrors: false,
    version: '1.2',
    logLevel: 'error',
  });
  const problemAt = (offset: number, message: string): ReadProblem => {
    const { line, col } = counter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), message };
  };
  const problemOf = (error: YAMLError): ReadProblem => {
    if (error.code === 'MULTIPLE_DOCS') return problemAt(error.pos[0], ONE_DOCUMENT);
    const { message, offset } = yamlProblem(error, source);
    return problemAt(offset, `Cannot parse YAML: ${message}`);
  };
  if (document.errors.length > 0) {
    throw new ConfigError(
      worthShowing(document.errors, (error) => counter.linePos(error.pos[0]).line).map((error) => problemOf(error)),
    );
  }
  const plain = plainValue(document);
  if (!plain.ok) throw new ConfigError([problemAt(plain.offset ?? 0, `Cannot parse YAML: ${plain.message}`)]);
  const placed = ({ path, message, unknownKey, other }: ConfigProblem): ReadProblem => {
    const at = formatConfigPath(path);
    const offset = unknownKey ? offsetOfKey(document, path) : offsetOf(document, path);
    const lineOfOther = other === undefined ? null : counter.linePos(offsetOfKey(document, other)).line;
    const beside = other === undefined ? '' : ` (${formatConfigPath(other)} is in line ${lineOfOther})`;
    return problemAt(offset, `${at === '' ? message : `${at}: ${message}`}${beside}`);
  };
  return { value: plain.value ?? {}, errorOf: (problems) => new ConfigError(problems.map(placed)) };
}

const LINES_MAX = 3;

/**
 * After an error, the YAML library finds others at each later token, and nesting that is too deep at each level. So
 * only the first of a line counts, in the first lines that have one. A key that is there twice disturbs nothing.
 */
function worthShowing(errors: readonly YAMLError[], lineOf: (error: YAMLError) => number): readonly YAMLError[] {
  const tooDeep = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooDeep !== undefined) return [tooDeep];
  if (errors.every(({ code }) => code === 'DUPLICATE_KEY')) return errors;
  const firstOfLine = new Map(errors.toReversed().map((error) => [lineOf(error), error]));
  const lines = [...firstOfLine.keys()].toSorted((a, b) => a - b).slice(0, LINES_MAX);
  return errors.filter((error) => firstOfLine.get(lineOf(error)) === error && lines.includes(lineOf(error)));
}

/** The position of a value, or of the nearest node around it. */
function offsetOf(document: Document.Parsed, path: ConfigPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as { readonly range?: readonly number[] } | undefined;
    const offset = node?.range?.[0];
    if (offset !== undefined) return offset;
  }
  return document.contents?.range?.[0] ?? 0;
}

function offsetOfKey(document: Document.Parsed, whole: ConfigPath): number {
  const [path, key] = [whole.slice(0, -1), String(whole.at(-1))];
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && String(item.key.value) === key) : undefined;
  return (isScalar(pair?.key) ? pair.key.range?.[0] : undefined) ?? offsetOf(document, path);
}
