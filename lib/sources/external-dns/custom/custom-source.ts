// Builds a source from a row of `sources.custom`: names, targets and the rest are CEL expressions over the object. The
// annotations of external-dns count as on every other kind, and win over the expressions.
import { quote } from '../../../dns/names/quote.ts';
import { typeMeant, typeNumber } from '../../../dns/record-type.ts';
import type { Kind } from '../../../objects/kind.ts';
import { at, mapping } from '../../../objects/plain.ts';
import type { RelatedKind, RelatedObjects } from '../../../objects/related.ts';
import type { Source, SourceObject, SourceResult } from '../../../objects/source.ts';
import type { SourceSettings } from '../../../objects/source-settings.ts';
import { describe, TTL_SECONDS_MAX } from '../../../objects/spec-fields.ts';
import { parseDurationSeconds } from '../../common/go-duration.ts';
import { queriesOf } from '../../common/record-queries.ts';
import { readAnnotations, type Written, writtenIn } from '../annotations.ts';
import { type Asking, askTargets } from '../ask.ts';
import { askTyped } from '../ask-typed.ts';
import { type Draft, ENDPOINTS_MAX, newDraft } from '../draft.ts';
import { type EndpointOptions, optionsIn } from '../endpoint-options.ts';
import { hostsIn, hostsOfTemplate, namesOf } from '../hostnames.ts';
import { defaultTargets, hasTargets, parseTargets } from '../targets.ts';
import { compileExpression, type Evaluated, type Expression, type Returns, type Seen, visible } from './expression.ts';

/** How an API server serves a kind that the configuration names. */
type ServedRow = Pick<Kind, 'group' | 'version' | 'resource' | 'kind'> & {
  readonly scope?: 'namespaced' | 'cluster' | undefined;
};

/** A row of `sources.custom`. All but `key` and what is served are expressions. */
export type CustomRow = ServedRow & {
  readonly key: string;
  readonly names: string;
  readonly targets: string;
  readonly ttl?: string | undefined;
  readonly ready?: string | undefined;
  readonly type?: string | undefined;
  readonly setIdentifier?: string | undefined;
  readonly weight?: string | undefined;
  readonly related?: (ServedRow & { readonly namespace: string; readonly name: string }) | undefined;
};

/** What is wrong with a row, and with which of its fields. */
export type RowProblem = { readonly path: readonly string[]; readonly message: string };

/** A row whose expressions are compiled. */
export type CustomProgram = {
  readonly row: CustomRow;
  readonly names: Expression<'texts'>;
  readonly targets: Expression<'texts'>;
  readonly ttl: Expression<'number'> | null;
  readonly ready: Expression<'bool'> | null;
  readonly type: Expression<'text'> | null;
  readonly setIdentifier: Expression<'text'> | null;
  readonly weight: Expression<'number'> | null;
  readonly related: {
    readonly kind: RelatedKind;
    readonly namespace: Expression<'text'>;
    readonly name: Expression<'text'>;
  } | null;
};

const CORE_KINDS: Readonly<Record<string, string>> = { services: 'Service', nodes: 'Node', pods: 'Pod' };

/** The kind of the core group with this resource, for a row that does not say it. */
export function coreKindOf(resource: string | undefined): string | undefined {
  return resource !== undefined && Object.hasOwn(CORE_KINDS, resource) ? CORE_KINDS[resource] : undefined;
}

/** Compiles the expressions of a row. Returns all problems at once. */
export function compileRow(
  row: CustomRow,
): { readonly ok: true; readonly program: CustomProgram } | { readonly ok: false; readonly problems: RowProblem[] } {
  const problems: RowProblem[] = [];
  const compile = <Type extends Returns>(path: readonly string[], text: string, returns: Type) => {
    const compiled = compileExpression(text, returns);
    if (!compiled.ok) problems.push({ path, message: compiled.message });
    else if (compiled.expression.usesRelated && (row.related === undefined || path.length > 1))
      problems.push({
        path,
        message:
          path.length > 1
            ? 'related is not known yet: it may only use object'
            : 'it uses related: write related: { resource, namespace, name } beside it',
      });
    return compiled.ok ? compiled.expression : (null as unknown as Expression<Type>);
  };
  const optional = <Type extends Returns>(field: keyof CustomRow, returns: Type): Expression<Type> | null => {
    const text = row[field];
    return typeof text === 'string' ? compile([field], text, returns) : null;
  };
  for (const [path, served] of [[[], row] as const, ...(row.related ? [[['related'], row.related] as const] : [])])
    if (served.group === '' && served.resource === 'secrets')
      problems.push({ path: [...path, 'resource'], message: 'Secrets are never read by a source' });
  const program: CustomProgram = {
    row,
    names: compile(['names'], row.names, 'texts'),
    targets: compile(['targets'], row.targets, 'texts'),
    ttl: optional('ttl', 'number'),
    ready: optional('ready', 'bool'),
    type: optional('type', 'text'),
    setIdentifier: optional('setIdentifier', 'text'),
    weight: optional('weight', 'number'),
    related:
      row.related === undefined
        ? null
        : {
            kind: relatedKindOf(row.related),
            namespace: compile(['related', 'namespace'], row.related.namespace, 'text'),
            name: compile(['related', 'name'], row.related.name, 'text'),
          },
  };
  return problems.length === 0 ? { ok: true, program } : { ok: false, problems };
}

/** The source of a row. Its objects are named by its key: two rows may read one kind, and a built-in source as well. */
export function customSource(program: CustomProgram, settings: SourceSettings): Source {
  const { key, group, version, resource, kind, scope = 'namespaced' } = program.row;
  const endpointsOf: Source['endpointsOf'] = (object, of, related) => endpointsOfCustom(program, object, of, related);
  const { related } = program;
  return {
    kind: `Custom ${key}`,
    apiKind: kind,
    group,
    version,
    resource,
    scope,
    status: 'events',
    pageSize: 100,
    key: null,
    settings,
    endpointsOf,
    relatedOf: queriesOf(endpointsOf),
    ...(related === null ? {} : { relatedKinds: () => [related.kind] }),
  };
}

function relatedKindOf({ group, version, resource, kind, scope = 'namespaced' }: ServedRow): RelatedKind {
  return {
    kind: `Related ${resource}${group === '' ? '' : `.${group}`}`,
    apiKind: kind,
    group,
    version,
    resource,
    scope,
    status: 'none',
    selectedBy: [],
    factsOf: (object) => ({
      metadata: metadataOf({
        ref: { kind, namespace: at(object, 'metadata', 'namespace'), name: at(object, 'metadata', 'name') },
        labels: at(object, 'metadata', 'labels'),
        annotations: at(object, 'metadata', 'annotations'),
      }),
      spec: at(object, 'spec') ?? {},
      status: at(object, 'status') ?? {},
    }),
  };
}

/** An annotation of kubectl that repeats the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The metadata that expressions see. */
function metadataOf({ ref, labels, annotations }: { readonly ref: object; labels: unknown; annotations: unknown }) {
  const { namespace, name } = ref as Readonly<Record<string, unknown>>;
  const { [LAST_APPLIED]: _, ...rest } = mapping(annotations);
  return { namespace: namespace ?? '', name, labels: labels ?? {}, annotations: rest };
}

function endpointsOfCustom(
  program: CustomProgram,
  object: SourceObject,
  settings: SourceSettings,
  related: RelatedObjects,
): SourceResult {
  const draft = newDraft();
  const annotations = readAnnotations(object, settings, draft);
  if (annotations === null) return draft.result();
  const looked = seenOf(program, object, related);
  if (!looked.ok) return { ok: false, problems: [looked.problem] };
  const { seen, missing } = looked.value;
  const written = writtenIn(annotations('target'));
  // Without its related object, nobody knows its names or its targets: what is published stays.
  if (missing !== null && program.names.usesRelated) return { ...(draft.result() as Asked), waits: true };
  const own = textsOf(program, 'names', seen, draft);
  if (own === null) return draft.result();
  const hosts = [...own, ...hostsIn(annotations, true, draft)];
  const names = namesOf(hosts.length > 0 ? hosts : hostsOfTemplate(settings.hostnameTemplate, object.ref), draft);
  if (missing !== null && written.length === 0) {
    for (const name of names) draft.wait(name, missing);
    return draft.result();
  }
  const stated = optionsIn(annotations, draft);
  const options = stated === null ? null : withExpressions(program, stated, seen, draft);
  const ready = program.ready === null ? true : valueIn(program, 'ready', seen, draft);
  const type = typeOf(program, seen, draft);
  if (names.length === 0 || options === null || ready === null || type === undefined) return draft.result();
  const { key } = program.row;
  if (!ready) {
    for (const name of names) draft.wait(name, `the expression ready of the source ${key} is false for it`);
    return draft.result();
  }
  const given = written.length > 0 ? written : textsOf(program, 'targets', seen, draft);
  if (given === null) return draft.result();
  const takesDefaults = type === null || ['A', 'AAAA', 'CNAME'].includes(type);
  const targets = given.length === 0 && takesDefaults ? defaultTargets(settings.defaultTargets) : given;
  const asking: Asking = { options, settings, related, draft };
  for (const name of names) {
    if (targets.length === 0) draft.wait(name, `the expression targets of the source ${key} gives none for it`);
    else if (type !== null) askTyped(name, type, targets, 'targets', asking);
    else askByTargets(name, targets, asking);
  }
  return draft.result();
}

function askByTargets(name: string, targets: readonly Written[], asking: Asking): void {
  const parsed = parseTargets(targets, asking.draft, name);
  if (parsed !== null && hasTargets(parsed)) askTargets(name, parsed, asking);
}

type Asked = Extract<SourceResult, { readonly ok: true }>;

/** What the expressions see. `missing`: why there is no related object although the row asks for one. */
type Looked = { readonly seen: Seen; readonly missing: string | null };

function seenOf({ related: of }: CustomProgram, object: SourceObject, related: RelatedObjects): Evaluated<Looked> {
  const { spec, status } = object;
  const own = visible({ metadata: metadataOf(object), spec: spec ?? {}, status: status ?? {} }, 'object');
  if (!own.ok) return own;
  const seen: Seen = { object: own.value, related: null };
  if (of === null) return { ok: true, value: { seen, missing: null } };
  const [namespace, name] = [of.namespace.evaluate(seen), of.name.evaluate(seen)];
  if (!namespace.ok) return { ok: false, problem: `related.namespace: ${namespace.problem}` };
  if (!name.ok) return { ok: false, problem: `related.name: ${name.problem}` };
  const within = of.kind.scope === 'cluster' ? '' : (namespace.value ?? object.ref.namespace);
  const found = name.value === null ? null : related.get(of.kind.kind, within, name.value);
  if (found === null) {
    const which =
      name.value === null ? 'its related object has no name' : `there is no ${of.kind.apiKind} ${within}/${name.value}`;
    return { ok: true, value: { seen, missing: which } };
  }
  const facts = visible(found.facts, 'related');
  return facts.ok ? { ok: true, value: { seen: { ...seen, related: facts.value }, missing: null } } : facts;
}

/** The texts of an expression, which are used one by one; null if it has no value, which is a problem. */
function textsOf(
  program: CustomProgram,
  field: 'names' | 'targets',
  seen: Seen,
  draft: Draft,
): readonly Written[] | null {
  const texts = valueIn(program, field, seen, draft);
  // One more than an object may have, so that the draft says that there are too many.
  return texts?.slice(0, ENDPOINTS_MAX + 1).map((text) => ({ text, path: aboutField(program, field) })) ?? null;
}

type Field = 'names' | 'targets' | 'ttl' | 'ready' | 'type' | 'setIdentifier' | 'weight';
type ValueOf<F extends Field> =
  NonNullable<CustomProgram[F]> extends { readonly evaluate: (seen: Seen) => Evaluated<infer T> } ? T : never;

/** The value of an expression; null if it has none, which is a problem that leaves all endpoints out. */
function valueIn<F extends Field>(program: CustomProgram, field: F, seen: Seen, draft: Draft): ValueOf<F> | null {
  const evaluated = program[field]?.evaluate(seen) as Evaluated<ValueOf<F>>;
  if (evaluated.ok) return evaluated.value;
  draft.problem(`${aboutField(program, field)}: ${evaluated.problem}`, null);
  return null;
}

/** `names of sources.custom gateways`, as messages name the expression. */
function aboutField({ row }: CustomProgram, field: string): string {
  return `${field} of the source ${row.key}`;
}

/** The record type; null if the targets decide, undefined if there is none, which is a problem. */
function typeOf(program: CustomProgram, seen: Seen, draft: Draft): string | null | undefined {
  if (program.type === null) return null;
  const evaluated = program.type.evaluate(seen);
  if (evaluated.ok && evaluated.value === null) return null;
  const type = evaluated.ok ? (evaluated.value as string).toUpperCase() : '';
  if (evaluated.ok && typeNumber(type) !== null) return type;
  const why = evaluated.ok
    ? `${quote(evaluated.value ?? '')} is not a DNS record type; ${typeMeant(type)}`
    : evaluated.problem;
  draft.problem(`${aboutField(program, 'type')}: ${why}`, null);
  return undefined;
}

/** The options of the annotations, and those of the expressions beside them; null if one is invalid. */
function withExpressions(
  program: CustomProgram,
  stated: EndpointOptions,
  seen: Seen,
  draft: Draft,
): EndpointOptions | null {
  let whole = true;
  const optional = (field: 'ttl' | 'setIdentifier' | 'weight') => {
    const evaluated = program[field]?.evaluate(seen) ?? { ok: true, value: null };
    if (evaluated.ok) return evaluated.value;
    whole = false;
    draft.problem(`${aboutField(program, field)}: ${evaluated.problem}`, null);
    return null;
  };
  const ttl = stated.ttl ?? secondsOf(program, optional('ttl'), draft);
  const setIdentifier = stated.setIdentifier ?? (optional('setIdentifier') as string | null);
  const weight = optional('weight');
  if (!whole) return null;
  const routing = {
    ...(setIdentifier === null ? {} : { setIdentifier }),
    ...(weight === null ? {} : { weight: Number(weight) }),
    ...stated.routing,
  };
  return { ...stated, ttl, setIdentifier, routing: Object.keys(routing).length === 0 ? null : routing };
}

/** A TTL in seconds; null if there is none, or if it is invalid, which is a problem. */
function secondsOf(program: CustomProgram, ttl: string | number | null, draft: Draft): number | null {
  if (ttl === null || ttl === 0) return null;
  const seconds = typeof ttl === 'number' ? ttl : /^[0-9]+$/.test(ttl) ? Number(ttl) : parseDurationSeconds(ttl);
  if (seconds !== null && Number.isInteger(seconds) && seconds >= 1 && seconds <= TTL_SECONDS_MAX) return seconds;
  draft.problem(
    `${aboutField(program, 'ttl')}: ${describe(ttl)} is not a TTL, so the default applies; it must be seconds from 1 to ${TTL_SECONDS_MAX}, or a duration such as 1m30s`,
  );
  return null;
}
