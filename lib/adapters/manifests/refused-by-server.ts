// What zone53 reads from a file, and an API server would refuse: names, annotations and labels that are no text, and
// the truth values of YAML 1.1, which kubectl reads. It is no problem with `-f`, and is told, since a file that renders
// here could not be applied there.
import { type Node, visit } from 'yaml';
import { quote } from '../../dns/names/quote.ts';
import { isNamespace, isObjectName } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';

/** `code`: of many objects with one of them, the first is named. */
export type ServerRefusal = {
  readonly code: 'name' | 'namespace' | 'text' | 'truth value';
  readonly node: Node | null;
  readonly message: string;
};

/** Texts that YAML 1.1 takes for true or false where they have no quotes, and YAML 1.2 does not. */
const TRUTH_VALUE = /^(?:y|yes|on|n|no|off)$/i;

/** What an API server would refuse of this object. `node`: its syntax tree, if there is one. */
export function refusedByServer(value: Mapping, node: Node | null): readonly ServerRefusal[] {
  const { name, namespace, annotations, labels } = mapping(value.metadata);
  const refusals: ServerRefusal[] = [];
  if (typeof name === 'string' && !isObjectName(name))
    refusals.push({
      code: 'name',
      node,
      message: `an API server refuses the name ${quote(name)}: it takes lower case letters, digits, "-" and "."`,
    });
  if (typeof namespace === 'string' && !isNamespace(namespace))
    refusals.push({
      code: 'namespace',
      node,
      message: `an API server refuses the namespace ${quote(namespace)}: it takes lower case letters, digits and "-"`,
    });
  for (const [what, texts] of [
    ['annotation', annotations],
    ['label', labels],
  ] as const)
    for (const [key, text] of Object.entries(mapping(texts)))
      if (typeof text === 'boolean' || typeof text === 'number')
        refusals.push({
          code: 'text',
          node,
          message: `an API server refuses ${what} ${quote(key)}: it is a ${typeof text}; write "${text}" in quotes`,
        });
  return [...refusals, ...truthValues(value.spec, node)];
}

/** The texts of a spec that kubectl takes for true or false. */
function truthValues(spec: unknown, node: Node | null): readonly ServerRefusal[] {
  if (node === null || !hasTruthValue(spec)) return [];
  const found: ServerRefusal[] = [];
  visit(node, {
    Scalar(key, scalar) {
      const { type, value } = scalar;
      if (key === 'key' || type !== 'PLAIN' || typeof value !== 'string' || !TRUTH_VALUE.test(value)) return;
      const read = /^(?:y|yes|on)$/i.test(value);
      const message = `kubectl reads ${value} as ${read}, and an API server refuses that: write "${value}" in quotes`;
      found.push({ code: 'truth value', node: scalar, message });
    },
  });
  return found;
}

function hasTruthValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 3 && TRUTH_VALUE.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTruthValue);
}
