// Reads `zone53.yaml`, the operator's configuration. config-schema.ts validates it. All problems are found at once,
// each with its line and what to write instead.
import { readFile } from 'node:fs/promises';
import { type Document, isMap, isScalar, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { ReadProblem } from '../../ports/cluster.ts';
import { type Config, DEFAULT_CONFIG } from '../../ports/config.ts';
import { formatProblem } from '../manifests/format-problem.ts';
import { plainValue } from '../manifests/plain-value.ts';
import { reasonOf } from '../manifests/read-file.ts';
import { yamlMessage } from '../manifests/yaml-message.ts';
import { type ConfigPath, formatConfigPath, parseConfigValue } from './config-schema.ts';

/** The problems of a configuration. The message has a line for each: `file:line:column: what`, or `what` alone. */
export class ConfigError extends Error {
  readonly problems: readonly ReadProblem[];

  constructor(problems: readonly ReadProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads a configuration file. Throws `ConfigError` with every problem in it, or when it cannot be read. */
export async function readConfigFile(file: string, defaults: Config = DEFAULT_CONFIG): Promise<Config> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ConfigError([{ file, line: 0, message: `Cannot read configuration "${file}": ${reasonOf(error)}` }]);
  });
  return parseConfig(bytes.toString('utf8'), file, defaults);
}

const ONE_DOCUMENT = 'a configuration is one YAML document: remove this line, or keep only one document';

/** Parses a configuration; missing keys are those of `defaults`. Throws `ConfigError` with all problems. */
export function parseConfig(source: string, file: string, defaults: Config = DEFAULT_CONFIG): Config {
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
  if (document.errors.length > 0) {
    throw new ConfigError(
      worthShowing(document.errors, (error) => counter.linePos(error.pos[0]).line).map((error) =>
        problemAt(
          error.pos[0],
          error.code === 'MULTIPLE_DOCS' ? ONE_DOCUMENT : `Cannot parse YAML: ${yamlMessage(error)}`,
        ),
      ),
    );
  }
  const plain = plainValue(document);
  if (!plain.ok) throw new ConfigError([problemAt(plain.offset ?? 0, `Cannot parse YAML: ${plain.message}`)]);
  const parsed = parseConfigValue(plain.value ?? {}, defaults);
  if (parsed.ok) return parsed.config;
  throw new ConfigError(
    parsed.problems.map(({ path, message, unknownKey }) => {
      const at = formatConfigPath(path);
      const offset = unknownKey ? offsetOfKey(document, path) : offsetOf(document, path);
      return problemAt(offset, at === '' ? message : `${at}: ${message}`);
    }),
  );
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
