// The key `sources.custom`: sources whose names and targets are CEL expressions. The expressions are compiled when the
// configuration is read, so a mistake in one is a mistake of the configuration.
import * as z from 'zod';
import type { Source } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import {
  type CustomRow,
  compileRow,
  coreKindOf,
  customSource,
} from '../../sources/external-dns/custom/custom-source.ts';
import { PRESET_NAMES, PRESETS } from '../../sources/external-dns/custom/presets.ts';

const KEY = /^[a-z][A-Za-z0-9]{0,39}$/;
const WRITE_KEY = 'write a word of at most 40 letters and digits that begins with a small letter, such as gateways';
const WRITE_GROUP = 'write an API group, such as networking.istio.io; "" for the core group';
const WRITE_VERSION = 'write a version, such as v1';
const WRITE_RESOURCE = 'write the plural in the paths of the API, such as gateways';
const WRITE_KIND = 'write a kind, such as Gateway';
const WRITE_SCOPE = 'write namespaced or cluster';
const WRITE_EXPRESSION = 'write a CEL expression, such as object.spec.host';

const DOTTED = /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)?$/;
const LABEL = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const WORD = /^[A-Z][A-Za-z0-9]{0,62}$/;

const group = z.string(WRITE_GROUP).max(253, WRITE_GROUP).regex(DOTTED, WRITE_GROUP);
const version = z.string(WRITE_VERSION).regex(LABEL, WRITE_VERSION);
const resource = z.string(WRITE_RESOURCE).regex(LABEL, WRITE_RESOURCE);
const kind = z.string(WRITE_KIND).regex(WORD, WRITE_KIND);
const scope = z.enum(['namespaced', 'cluster'], WRITE_SCOPE);
/** `ttl: 300` and `ready: true` are expressions, too. */
const expression = z
  .unknown()
  .meta({ type: 'string' })
  .transform((value, context): string => {
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    context.addIssue({ code: 'custom', message: WRITE_EXPRESSION });
    return z.NEVER;
  });

const related = z.strictObject(
  {
    group: group.nullish().describe('Its API group. Left out: the core group.'),
    version: version.nullish().describe('Its version. Left out: v1.'),
    resource: resource.nullish().describe('Its plural, such as services. Required.'),
    kind: kind.nullish().describe('Its kind. Required, except for services and nodes.'),
    scope: scope.nullish().describe('`cluster` for objects without a namespace. Left out: namespaced.'),
    namespace: expression.nullish().describe('Its namespace. Left out: that of the object.'),
    name: expression.nullish().describe('Its name. Required.'),
  },
  'write a mapping, such as { resource: services, namespace: "\'infra\'", name: object.spec.service }',
);

/** The fields of a row, without those that every kind has. */
export const customFields = {
  preset: z
    .enum(PRESET_NAMES, `write one of ${PRESET_NAMES.join(', ')}`)
    .nullish()
    .describe('A row that zone53 has: each field that is left out is that of the preset.'),
  key: z
    .string(WRITE_KEY)
    .regex(KEY, WRITE_KEY)
    .nullish()
    .describe('The name of the source. Its objects are shown as `Custom KEY namespace/name`. Required.'),
  group: group.nullish().describe('The API group. Left out: the core group.'),
  version: version.nullish().describe('The version that the expressions read. Required.'),
  resource: resource.nullish().describe('The plural in the paths of the API. Required.'),
  kind: kind.nullish().describe('The kind in manifests. Required.'),
  scope: scope.nullish().describe('`cluster` for objects without a namespace. Left out: namespaced.'),
  names: expression.nullish().describe('The names: a text, or a list of texts. Required.'),
  targets: expression.nullish().describe('The addresses or host names, or the values if there is a `type`. Required.'),
  ttl: expression.nullish().describe('The TTL in seconds.'),
  ready: expression.nullish().describe('While it is false, the names wait, and what is published stays.'),
  type: expression.nullish().describe('The record type. Left out: A, AAAA, CNAME or an alias, as the targets are.'),
  setIdentifier: expression.nullish().describe('The set identifier.'),
  weight: expression.nullish().describe('The weight, for weighted routing.'),
  related: related.nullish().describe('One more object, whose fields the expressions see as `related`.'),
};

type WrittenRow = { readonly [Field in keyof typeof customFields]?: z.output<(typeof customFields)[Field]> };

/** The row with what its preset says, and all of its problems. */
function complete({ preset, ...written }: WrittenRow): { readonly row: CustomRow; readonly missing: string[] } {
  const base: Partial<CustomRow> = preset == null ? {} : PRESETS[preset];
  const said = <Fields extends object>(fields: Fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
  const row = { group: '', ...base, ...said(written) } as CustomRow;
  const missing = (['key', 'version', 'resource', 'kind', 'names', 'targets'] as const).filter(
    (field) => row[field] === undefined,
  ) as string[];
  if (base.related === undefined && written.related == null) return { row, missing };
  const of = {
    group: '',
    version: 'v1',
    namespace: 'object.metadata.namespace',
    ...base.related,
    ...said(written.related ?? {}),
  };
  const others = { kind: coreKindOf((of as { resource?: string }).resource), ...of } as NonNullable<
    CustomRow['related']
  >;
  for (const field of ['resource', 'kind', 'name'] as const)
    if (others[field] === undefined) missing.push(`related.${field}`);
  return { row: { ...row, related: others }, missing };
}

/** Says what is wrong with the rows. */
export function checkRows(rows: readonly WrittenRow[], context: z.RefinementCtx): void {
  const issue = (path: readonly (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path: ['custom', ...path], message });
  const first = new Map<string, number>();
  for (const [index, written] of rows.entries()) {
    const { row, missing } = complete(written);
    for (const field of missing) issue([index, ...field.split('.')], 'missing: it is required');
    const before = first.get(row.key);
    if (row.key !== undefined && before !== undefined)
      issue([index, 'key'], `${row.key} is the key of custom[${before}] already`);
    else first.set(row.key, index);
    if (missing.length > 0) continue;
    const compiled = compileRow(row);
    if (!compiled.ok) for (const { path, message } of compiled.problems) issue([index, ...path], message);
  }
}

/** The source of a row that has been checked. */
export function buildCustomSource(written: WrittenRow, settings: SourceSettings): Source {
  const compiled = compileRow(complete(written).row);
  if (!compiled.ok) throw new Error('Cannot build a source whose row was not checked');
  return customSource(compiled.program, settings);
}
