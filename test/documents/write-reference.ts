// Writes docs/reference.md out of the CRDs and the schemas of zone53.yaml: `npm run reference`. Nothing on that page is
// written by hand, so it says what the API server and the command really take. reference.test.ts fails when the page is
// out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { awsSchema } from '../../lib/adapters/config/aws-schema.ts';
import { configSchema } from '../../lib/adapters/config/config-schema.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The page. */
export const REFERENCE = path.join(ROOT, 'docs', 'reference.md');

/** A schema as the CRDs and JSON Schema write one: the parts that the page shows. */
type Schema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly 'x-kubernetes-validations'?: readonly { readonly message: string }[];
};

type Crd = {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly shortNames: readonly string[] };
    readonly versions: readonly [{ readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }];
  };
};

const HEAD = `# Reference: Zone, Record and zone53.yaml

This page is generated from \`crds/zones.yaml\`, \`crds/records.yaml\` and the schemas that read \`zone53.yaml\`.
To change it, change those and run \`npm run reference\`.

All fields without "required" may be left out. A rule below a field is the message of \`kubectl apply\` for a value that
breaks it. Rules that need other objects are not checked by \`kubectl apply\`; they are reported in conditions.
[docs/kubernetes.md](kubernetes.md#conditions-and-reasons) lists the reasons.`;

/** The whole page. */
export function buildReference(): string {
  const sections = [
    HEAD,
    ...['zones', 'records'].map((name) => describeCrd(readCrd(name))),
    '## zone53.yaml',
    'The command reads `zone53.yaml` in the current folder, or the file that `--config` names. A deployment reads it too, and\nthen needs `roots`, `hostedZones` and `access`. An unknown key is an error with its line.',
    describeFields(configOf(configSchema), '', DEFAULT_CONFIG),
    '### aws',
    'Only a deployment by the CDK needs these keys. [docs/deploy.md](deploy.md) says where each value comes from.',
    describeFields(configOf(awsSchema), 'aws', {}),
  ];
  return `${sections.join('\n\n')}\n`;
}

function readCrd(name: string): Crd {
  return parse(readFileSync(path.join(ROOT, 'crds', `${name}.yaml`), 'utf8')) as Crd;
}

/** What may be written, not what it becomes. */
function configOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
}

function describeCrd({ spec: { group, names, versions } }: Crd): string {
  const { name, schema } = versions[0];
  const { spec, status } = schema.openAPIV3Schema.properties ?? {};
  const short = names.shortNames.map((text) => `\`${text}\``).join(', ');
  return [
    `## ${names.kind}`,
    wrap(
      `\`apiVersion: ${group}/${name}\`, \`kind: ${names.kind}\`, short name ${short}. ${forMarkdown(schema.openAPIV3Schema.description ?? '')}`,
      '',
    ).join('\n'),
    describeFields(spec ?? {}, 'spec', {}),
    wrap(`**status.** ${status?.description ?? ''}`, '').join('\n'),
    describeFields(status ?? {}, 'status', {}),
  ].join('\n\n');
}

/** One list item for each field; the fields of a mapping or a list follow, indented. */
function describeFields(schema: Schema, at: string, defaults: unknown): string {
  const own = at === '' ? [] : (schema['x-kubernetes-validations'] ?? []).map(({ message }) => message);
  const rules = own.length === 0 ? [] : [`- \`${at}\`: rules over several fields.`, ...ruleLines(own)];
  return [...rules, ...fieldLines(schema, at, defaults)].join('\n');
}

function fieldLines(schema: Schema, at: string, defaults: unknown): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, given]) => {
    const field = withoutNull(given);
    const here = at === '' ? key : `${at}.${key}`;
    // This key has a section of its own.
    if (here === 'aws') return [];
    const byDefault = field.default ?? (defaults as Record<string, unknown> | null)?.[key];
    const facts = [
      kindOf(field),
      ...(schema.required?.includes(key) === true ? ['required'] : []),
      ...(isPlain(byDefault) ? [`default ${JSON.stringify(byDefault)}`] : []),
    ];
    const item = wrap(`- \`${here}\`: ${facts.join(', ')}. ${forMarkdown(field.description ?? '')}`.trimEnd(), '  ');
    const inner = field.type === 'array' ? withoutNull(field.items ?? {}) : field;
    const rules = [field, ...(inner === field ? [] : [inner])].flatMap((one) => one['x-kubernetes-validations'] ?? []);
    const below = field.type === 'array' ? `${here}[]` : here;
    // The keys of clusters are those at the top.
    const of = here === 'clusters' ? {} : field.additionalProperties;
    const each = typeof of === 'object' ? fieldLines(of, `${here}.<name>`, null) : [];
    return [
      ...item,
      ...ruleLines(rules.map(({ message }) => message)),
      ...fieldLines(inner, below, byDefault),
      ...each,
    ];
  });
}

function ruleLines(messages: readonly string[]): readonly string[] {
  return [...new Set(messages)].flatMap((message) => wrap(`  - Rule: ${forMarkdown(message)}`, '    '));
}

/** A key that may be null is shown as a key that may be omitted. */
function withoutNull(schema: Schema): Schema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? (types[0] ?? '') : types };
  }
  const { anyOf, ...rest } = schema;
  const some = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return some.length === 1 ? { ...some[0], ...rest } : schema;
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** "whole number, 0 to 2147483647". */
function kindOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(kindOf).join(' or ');
  if (schema.const !== undefined) return oneOf([schema.const], '');
  if (schema.enum !== undefined) return oneOf(schema.enum, ' or ');
  const { items = {} } = schema;
  const strings = items.enum === undefined ? 'strings' : oneOf(items.enum, ', ');
  const names: Record<string, string> = {
    object: 'mapping',
    integer: 'whole number',
    boolean: 'true or false',
    array: `list of ${items.type === 'object' ? 'mappings' : strings}`,
  };
  const types = [schema.type ?? 'any value'].flat();
  return [types.map((type) => names[type] ?? type).join(' or '), ...limitsOf(schema)].join(', ');
}

function oneOf(values: readonly unknown[], between: string): string {
  return values.map((value) => `\`${String(value)}\``).join(between);
}

function limitsOf(schema: Schema): readonly string[] {
  const { minimum, exclusiveMinimum, maxLength, maxItems } = schema;
  // JSON Schema also writes the bounds of the number type itself.
  const maximum = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const length = maxLength === undefined ? [] : [`at most ${maxLength} characters`];
  const items = maxItems === undefined ? [] : [`at most ${maxItems} items`];
  if (exclusiveMinimum !== undefined) return [`more than ${exclusiveMinimum}`];
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  if (minimum !== undefined) return [`${minimum} or more`];
  return [...length, ...items];
}

/** The text with the characters escaped that Markdown would take for emphasis or a tag. */
function forMarkdown(text: string): string {
  return text.replace(/[*<]|(?<!\w)_/g, '\\$&');
}

/** Wraps to lines of 120 columns at most; all lines but the first begin with the indent. */
function wrap(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  for (const word of text.trim().split(/\s+/)) {
    const gap = line.trim() === '' ? '' : ' ';
    if (line.length + gap.length + word.length > 120) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line += gap + word;
  }
  return [...lines, line];
}

if (import.meta.main) writeFileSync(REFERENCE, buildReference());
