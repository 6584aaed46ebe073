// The result of a source for an object, as lines: endpoints such as `www.example.org. A 300 192.0.2.1`, and problems.
import type { Endpoint } from '../../lib/objects/endpoint.ts';
import { at, textMap } from '../../lib/objects/plain.ts';
import {
  type Aliases,
  queryText,
  type RelatedKind,
  type RelatedObject,
  type RelatedObjects,
} from '../../lib/objects/related.ts';
import type { Source } from '../../lib/objects/source.ts';
import { DEFAULT_SETTINGS, type SourceSettings } from '../../lib/objects/source-settings.ts';
import * as kinds from '../../lib/sources/common/related-kinds.ts';

/** An object as its manifest has it. */
export type Manifest = {
  readonly kind?: string;
  readonly metadata?: unknown;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [key: string]: unknown;
};

export type Lines = {
  readonly endpoints: readonly string[];
  readonly invalid: readonly string[];
  readonly problems: readonly string[];
  readonly waits: readonly string[];
};

type Around = {
  readonly settings?: Partial<SourceSettings>;
  readonly related?: readonly Manifest[];
  /** The types that exist at names in DNS. */
  readonly types?: Readonly<Record<string, readonly string[]>>;
  /** The targets of names that are aliases themselves, by type. */
  readonly aliases?: Readonly<Record<string, Aliases>>;
};

const KINDS: readonly RelatedKind[] = Object.values(kinds);

/** The kinds of related objects, as the source reads them with these settings. */
function kindsOf({ relatedKinds }: Source, settings: SourceSettings): readonly RelatedKind[] {
  return [...(relatedKinds?.(settings) ?? []), ...KINDS];
}

/** The lines of an object. Throws when the source cannot read the object at all. */
export function linesOf(source: Source, object: Manifest, around: Around = {}): Lines {
  const result = resultOf(source, object, around);
  if (!result.ok) throw new Error(`cannot be read: ${result.problems.join('; ')}`);
  const { endpoints, invalid = [], problems = [], waits = [] } = result;
  return {
    endpoints: endpoints.map(lineOf),
    invalid: invalid.map(
      ({ fqdn, type, setIdentifier, message }) => `${fqdn} ${type} ${setIdentifier ?? '-'} ${message}`,
    ),
    problems: problems.map(({ message }) => message),
    waits: waits === true ? ['*'] : waits,
  };
}

/** The result of a source for an object, with only the related objects that it asks for. */
export function resultOf(
  source: Source,
  object: Manifest,
  { settings = {}, related = [], types = {}, aliases = {} }: Around = {},
) {
  const all = { ...DEFAULT_SETTINGS, ...settings };
  const subject = {
    ref: {
      kind: source.kind,
      namespace: textOf(object, 'namespace') ?? 'default',
      name: textOf(object, 'name') ?? 'web',
    },
    annotations: textMap(at(object.metadata, 'annotations')),
    labels: textMap(at(object.metadata, 'labels')),
    spec: object.spec,
    status: object.status,
  };
  const world = relatedOf(related, kindsOf(source, all), types, aliases);
  const asked = new Set<string>();
  for (let before = -1; before < asked.size; ) {
    before = asked.size;
    for (const query of source.relatedOf?.(subject, all, limited(world, asked)) ?? []) asked.add(queryText(query));
  }
  return source.endpointsOf(subject, all, limited(world, asked));
}

function textOf(object: Manifest, field: string): string | null {
  const text = at(object.metadata, field);
  return typeof text === 'string' ? text : null;
}

/** Returns only the related objects that were asked for, as zone53 does. */
function limited(world: RelatedObjects, asked: ReadonlySet<string>): RelatedObjects {
  return {
    get: (kind, namespace, name) =>
      asked.has(queryText({ code: 'get', kind, namespace, name })) ? world.get(kind, namespace, name) : null,
    list: (kind, namespace, label) =>
      asked.has(queryText({ code: 'list', kind, namespace, label })) ? world.list(kind, namespace, label) : [],
    typesAt: (fqdn) => (asked.has(queryText({ code: 'types', fqdn })) ? world.typesAt(fqdn) : []),
    aliasesAt: (fqdn) => (asked.has(queryText({ code: 'types', fqdn })) ? world.aliasesAt(fqdn) : {}),
  };
}

function relatedOf(
  manifests: readonly Manifest[],
  known: readonly RelatedKind[],
  types: NonNullable<Around['types']>,
  aliases: NonNullable<Around['aliases']>,
): RelatedObjects {
  const objects = manifests.map((manifest) => {
    const kind = known.find((one) => one.kind === manifest.kind) as RelatedKind;
    const namespace = kind.scope === 'cluster' ? '' : (textOf(manifest, 'namespace') ?? 'default');
    const ref = { kind: kind.kind, namespace, name: textOf(manifest, 'name') ?? 'x' };
    const object: RelatedObject = { ref, facts: kind.factsOf(manifest) };
    return { object, labels: textMap(at(manifest.metadata, 'labels')) };
  });
  return {
    get: (kind, namespace, name) =>
      objects.find(({ object: { ref } }) => ref.kind === kind && ref.namespace === namespace && ref.name === name)
        ?.object ?? null,
    list: (kind, namespace, label) =>
      objects
        .filter(({ object: { ref } }) => ref.kind === kind && (namespace === null || ref.namespace === namespace))
        .filter(({ labels }) => label === null || labels[label.key] === label.value)
        .map(({ object }) => object),
    typesAt: (fqdn) => types[fqdn] ?? [],
    aliasesAt: (fqdn) => aliases[fqdn] ?? {},
  };
}

function lineOf({ domainName, type, ttl, values, alias, routing }: Endpoint): string {
  const name = domainName.kind === 'full' ? domainName.fqdn : '?';
  const { target = '', hostedZoneId, evaluateTargetHealth } = alias ?? {};
  const content =
    alias === undefined
      ? values.join(',')
      : `ALIAS ${target} ${hostedZoneId ?? 'own'}${evaluateTargetHealth ? '' : ' no-health'}`;
  const how = routing === undefined ? '' : ` ${routing.setIdentifier} ${JSON.stringify(routing.policy)}`;
  return `${name} ${type} ${ttl === null ? '' : `${ttl} `}${content}${how}`;
}
