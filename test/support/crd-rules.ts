// The rules and limits that crds/ sets for the spec of an object, read from the files: the field of each, and the API
// server's message to an object that breaks it. A test can then check that some object breaks each of them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { CRDS } from '../engines/kubernetes/apply.ts';

/** A rule at a field, such as `spec.delegations[].zones[]`, and a part of its message that no object changes. */
export type DoorRule = { readonly field: string; readonly says: string };

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly 'x-kubernetes-validations'?: readonly Validation[];
} & Readonly<Record<string, unknown>>;
type Validation = { readonly message: string; readonly messageExpression?: string; readonly fieldPath?: string };

/** The API server's message for each limit. */
const LIMITS: Readonly<Record<string, (limit: number) => string>> = {
  minimum: (limit) => `should be greater than or equal to ${limit}`,
  maximum: (limit) => `should be less than or equal to ${limit}`,
  minLength: (limit) => `should be at least ${limit} chars long`,
  maxLength: (limit) => `may not be more than ${limit} bytes`,
  minItems: (limit) => `should have at least ${limit} items`,
  maxItems: (limit) => `must have at most ${limit} items`,
};

/** The CEL rules and the limits of a kind's spec. */
export function doorRules(kind: 'Zone' | 'Record'): {
  readonly rules: readonly DoorRule[];
  readonly limits: readonly DoorRule[];
} {
  const text = readFileSync(path.join(CRDS, `${kind.toLowerCase()}s.yaml`), 'utf8');
  const { versions } = parse(text).spec as { versions: { schema: { openAPIV3Schema: Schema } }[] };
  const spec = versions[0]?.schema.openAPIV3Schema.properties?.spec;
  if (spec === undefined) throw new Error(`Cannot find the spec in the type of ${kind}`);
  const found = { rules: [] as DoorRule[], limits: [] as DoorRule[] };
  walk(spec, 'spec', (schema, field) => {
    for (const { message, messageExpression, fieldPath = '' } of schema['x-kubernetes-validations'] ?? []) {
      const says = messageExpression === undefined ? message : longestText(messageExpression);
      found.rules.push({ field: `${field}${fieldPath}`, says });
    }
    for (const [limit, says] of Object.entries(LIMITS)) {
      const value = schema[limit];
      if (typeof value === 'number') found.limits.push({ field, says: says(value) });
    }
  });
  return found;
}

/** True when one of these answers refuses an object because of this rule. */
export function isBroken({ field, says }: DoorRule, answers: readonly string[]): boolean {
  const start = new RegExp(`^(\\* |.* is invalid: )${escaped(field).replaceAll('\\[\\]', '\\[\\d+\\]')}: `);
  return answers.some((answer) => answer.split('\n').some((line) => start.test(line) && line.includes(says)));
}

function walk(schema: Schema, field: string, visit: (schema: Schema, field: string) => void): void {
  visit(schema, field);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) walk(inner, `${field}.${name}`, visit);
  if (schema.items !== undefined) walk(schema.items, `${field}[]`, visit);
}

/** The longest quoted text of a CEL expression. */
function longestText(expression: string): string {
  const texts = [...expression.matchAll(/'([^']*)'/g)].map((match) => match[1] as string);
  return texts.reduce((a, b) => (b.length > a.length ? b : a), '');
}

function escaped(text: string): string {
  return text.replace(/[.[\]]/g, '\\$&');
}
