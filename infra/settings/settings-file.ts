// The text of `zone53.yaml` as values, and on which line each of its keys is.
import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml';
import { formatSettingsProblem, type SettingsProblem } from '../../functions/runtime/environment.ts';

const ONE_DOCUMENT = 'a configuration is one YAML document: remove this line, or keep only one document';

export type SettingsFile = {
  readonly value: Record<string, unknown>;
  /** Why the text is no YAML; empty if it is. */
  readonly errors: readonly string[];
  /** A problem with the line of its key, or of the mapping that lacks the key. */
  readonly describe: (problem: SettingsProblem) => string;
};

export function readSettingsFile(source: string): SettingsFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter });
  const describe = (problem: SettingsProblem) => {
    const offset = offsetOf(document.contents, problem.path);
    const text = formatSettingsProblem(problem);
    return offset === null ? text : `line ${lineCounter.linePos(offset).line}: ${text}`;
  };
  // After the first error, the parser finds further ones at each later token.
  const errors = document.errors.slice(0, 1).map(({ code, message }) => {
    return code === 'MULTIPLE_DOCS' ? message.replace(/^.*(?= at line)/, ONE_DOCUMENT) : message;
  });
  const refused = errors.length > 0 ? null : refusedAlias(document);
  if (refused !== null) {
    const { line, col } = lineCounter.linePos(refused.alias.range?.[0] ?? 0);
    errors.push(`${refused.reason} at line ${line}, column ${col}`);
  }
  if (errors.length > 0) return { value: {}, errors, describe };
  try {
    return { value: (document.toJS() ?? {}) as Record<string, unknown>, errors, describe };
  } catch (error) {
    // Aliases that stand for more values than anybody writes.
    return { value: {}, errors: [error instanceof Error ? error.message : String(error)], describe };
  }
}

/** The first alias that has no anchor before it, or is in the node of its anchor; null: there is none. */
function refusedAlias(document: Document): { readonly alias: Alias; readonly reason: string } | null {
  let refused: ReturnType<typeof refusedAlias> = null;
  visit(document, {
    Alias(_key, alias, path) {
      const target = alias.resolve(document);
      if (target !== undefined && !path.includes(target)) return undefined;
      const lost = `Unresolved alias (the anchor must be set before the alias): ${alias.source}`;
      refused = { alias, reason: target === undefined ? lost : `The alias "*${alias.source}" contains itself` };
      return visit.BREAK;
    },
  });
  return refused;
}

/** Where the last key of the path begins that is there; null: none is. */
function offsetOf(contents: ParsedNode | null, path: SettingsProblem['path']): number | null {
  let node: unknown = contents;
  let offset: number | null = null;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (!isScalar(pair?.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number') {
      node = node.items[key];
      offset = isNode(node) ? (node.range?.[0] ?? offset) : offset;
    } else break;
  }
  return offset;
}
