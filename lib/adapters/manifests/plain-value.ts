// Turns a YAML document into plain values. Aliases are the dangerous part of YAML: one without an anchor, one that
// contains itself, and more than anybody writes are refused, with their position.
import { type Document, isAlias, isMap, isNode, isScalar, type Node, type Scalar, visit, type YAMLMap } from 'yaml';
import { KEY_TWICE, lostAlias, TOO_DEEP } from './yaml-message.ts';

/** The most uses of aliases in one document; more count as a "billion laughs" attack. */
export const ALIASES_MAX = 10_000;
export const TOO_MANY_ALIASES = `its aliases stand for more than ${ALIASES_MAX} values`;

export type PlainValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly offset?: number | undefined; readonly message: string };

/** The document as plain values, or why its aliases or keys are refused. */
export function plainValue(document: Document.Parsed): PlainValue {
  const { aliases, twice } = lookThrough(document);
  if (twice !== null) return { ok: false, offset: twice.range?.[0], message: KEY_TWICE };
  const lost = aliases.find((alias) => alias.target === undefined);
  if (lost !== undefined) {
    return {
      ok: false,
      offset: lost.offset,
      message: lostAlias(lost.name),
    };
  }
  const ring = aliases.find((alias) => alias.inside);
  if (ring !== undefined)
    return { ok: false, offset: ring.offset, message: `the alias "*${ring.name}" contains itself` };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: ALIASES_MAX }) };
  } catch (error) {
    return { ok: false, offset: aliases[0]?.offset, message: messageOfRefusal(error) };
  }
}

/** An escape of half a surrogate pair, as JSON writes characters beyond U+FFFF. */
const HALF_ESCAPED = /\\(?:u|U0000)d[89a-f]/i;

/**
 * The value as an API server would read it: half of a surrogate pair is no character, and becomes U+FFFD. `text` is
 * what the value was parsed from: only escapes can write such a half.
 */
export function wellFormed(value: unknown, text: string): unknown {
  return HALF_ESCAPED.test(text) ? wellFormedTexts(value) : value;
}

function wellFormedTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormedTexts);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormedTexts(inner)] as const);
  return Object.fromEntries(entries);
}

function messageOfRefusal(error: unknown): string {
  if (error instanceof ReferenceError) return TOO_MANY_ALIASES;
  return error instanceof RangeError ? TOO_DEEP : String(error);
}

type AliasUse = {
  readonly name: string;
  readonly offset: number | undefined;
  readonly target: Node | undefined;
  readonly inside: boolean;
};

/** Every alias with its target, and the first key that its mapping has twice. An anchor counts from its position on. */
function lookThrough(document: Document.Parsed): {
  readonly aliases: readonly AliasUse[];
  readonly twice: Scalar | null;
} {
  let twice: Scalar | null = null;
  const anchors = new Map<string, Node>();
  const uses: AliasUse[] = [];
  visit(document, (_key, node, path) => {
    if (isMap(node)) twice ??= keyTwice(node);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      uses.push({
        name: node.source,
        offset: node.range?.[0],
        target,
        inside: target !== undefined && path.includes(target),
      });
    } else if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string') {
      anchors.set(node.anchor, node);
    }
  });
  return { aliases: uses, twice };
}

/**
 * The first key that the mapping has already; null: none. The library compares each key with all others, which takes
 * minutes for 100,000 keys. Several `<<` are allowed.
 */
function keyTwice({ items }: YAMLMap): Scalar | null {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key) || key.value === '<<') continue;
    if (seen.has(key.value)) return key;
    seen.add(key.value);
  }
  return null;
}
