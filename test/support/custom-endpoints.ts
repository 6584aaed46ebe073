// What a source of the configuration makes of an object as an API server has it, in lines that are easy to compare.
import { NOTHING_RELATED } from '../../lib/objects/related.ts';
import { type Source, settingsOf } from '../../lib/objects/source.ts';

/** An object, with the parts that these tests write. */
export type Written = {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
};

/** The lines `NAME TTL TYPE VALUES ROUTING` of the endpoints, with `-` for a TTL of the Zone, and all that is wrong. */
export type Made = { readonly lines: readonly string[]; readonly wrong: readonly string[]; readonly waits: boolean };

/** What `source` makes of an object, beside related objects by `namespace/name`. Only those that it asks for exist. */
export function endpointsOf(
  source: Source,
  { metadata = {}, spec, status }: Written,
  related: Readonly<Record<string, Written>> = {},
): Made {
  const { namespace = source.scope === 'cluster' ? '' : 'default', name = 'x', annotations = {} } = metadata;
  const settings = settingsOf(source);
  const object = { ref: { kind: source.kind, namespace, name }, annotations, labels: {}, spec, status };
  const asked = new Set(
    (source.relatedOf?.(object, settings, NOTHING_RELATED) ?? []).flatMap((query) =>
      query.code === 'get' ? [`${query.kind} ${query.namespace}/${query.name}`] : [],
    ),
  );
  const [kind] = source.relatedKinds?.(settings) ?? [];
  const result = source.endpointsOf(object, settings, {
    ...NOTHING_RELATED,
    get: (of, within, called) => {
      const found = related[`${within}/${called}`];
      if (found === undefined || kind?.kind !== of || !asked.has(`${of} ${within}/${called}`)) return null;
      return { ref: { kind: of, namespace: within, name: called }, facts: kind.factsOf(found) };
    },
  });
  if (!result.ok) return { lines: [], wrong: result.problems, waits: true };
  const { endpoints, invalid = [], problems = [], waits = [] } = result;
  return {
    lines: endpoints.map(({ domainName, type, ttl, values, alias, routing }) =>
      [
        domainName.kind === 'full' ? domainName.fqdn : '',
        ttl ?? '-',
        type,
        alias === undefined ? values.join(',') : `alias ${alias.target}`,
        ...(routing == null ? [] : [`${routing.setIdentifier} ${JSON.stringify(routing.policy)}`]),
      ].join(' '),
    ),
    wrong: [...invalid, ...problems].map(({ message }) => message),
    waits: waits === true || waits.length > 0,
  };
}
