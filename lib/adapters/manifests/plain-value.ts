// Turns a YAML document into plain values. Aliases are the dangerous part of YAML: one without an anchor, one that
// contains itself, and more than anybody writes are refused, with their position.
import { type Document, isAlias, isNode, type Node, visit } from 'yaml';
import { TOO_DEEP } from './yaml-message.ts';

/** The most uses of aliases in one document; more count as a "billion laughs" attack. */
const ALIASES_MAX = 10_000;

export type PlainValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly offset?: number | undefined; readonly message: string };

/** The document as plain values, or why its aliases are refused. */
export function plainValue(document: Document.Parsed): PlainValue {
  const aliases = aliasesOf(document);
  const lost = aliases.find((alias) => alias.target === undefined);
  if (lost !== undefined) {
    return {
      ok: false,
      offset: lost.offset,
      message: `the alias "*${lost.name}" has no anchor "&${lost.name}" before it`,
    };
  }
  const ring = aliases.find((alias) => alias.inside);
  if (ring !== undefined)
    return { ok: false, offset: ring.offset, message: `the alias "*${ring.name}" contains itself` };
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: ALIASES_MAX }) };
  } catch (error) {
    return { ok: false, offset: aliases[0]?.offset, message: refusal(error) };
  }
}

function refusal(error: unknown): string {
  if (error instanceof ReferenceError) return `its aliases stand for more than ${ALIASES_MAX} values`;
  return error instanceof RangeError ? TOO_DEEP : String(error);
}

type AliasUse = {
  readonly name: string;
  readonly offset: number | undefined;
  readonly target: Node | undefined;
  readonly inside: boolean;
};

/** Every alias with its target, in one pass: an anchor counts from its position on. */
function aliasesOf(document: Document.Parsed): readonly AliasUse[] {
  const anchors = new Map<string, Node>();
  const uses: AliasUse[] = [];
  visit(document, (_key, node, path) => {
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
  return uses;
}
