// A small source with related objects: a Site asks for its hosts, with the addresses of the Backends that have its
// label, except Backends on a cordoned Host.
import type { Endpoint } from '../../lib/objects/endpoint.ts';
import type { RelatedKind, RelatedObjects } from '../../lib/objects/related.ts';
import type { InvalidEndpoint, Source, SourceProblem } from '../../lib/objects/source.ts';

type SiteSpec = {
  readonly hosts: readonly string[];
  /** Hosts that are invalid, left out, or waiting: they get no endpoint. */
  readonly invalid?: readonly string[];
  readonly leftOut?: readonly string[];
  readonly waiting?: readonly string[];
  /** A name. The hosts get the types that exist there, instead of addresses. */
  readonly like?: string;
};
type BackendSpec = { readonly address: string; readonly host: string };

const RELATED = { group: 'toy.example', version: 'v1', status: 'none', pageSize: 100, key: null } as const;
const BACKEND: RelatedKind = {
  ...RELATED,
  kind: 'Backend',
  resource: 'backends',
  selectedBy: ['site'],
  factsOf: (object) => (object as { readonly spec?: unknown }).spec ?? null,
};
const HOST: RelatedKind = {
  ...RELATED,
  kind: 'Host',
  resource: 'hosts',
  scope: 'cluster',
  selectedBy: [],
  factsOf: (object) => ({ cordoned: (object as { spec?: { cordoned?: boolean } }).spec?.cordoned === true }),
};

export const SITE: Source = {
  ...RELATED,
  kind: 'Site',
  resource: 'sites',
  status: 'events',
  relatedKinds: () => [BACKEND, HOST],
  relatedOf: ({ ref, spec }, _settings, known) => [
    { code: 'list', kind: 'Backend', namespace: ref.namespace, label: { key: 'site', value: ref.name } },
    ...backendsOf(ref, known).map(({ host }) => ({ code: 'get', kind: 'Host', namespace: '', name: host }) as const),
    ...((spec as SiteSpec).like === undefined ? [] : [{ code: 'types', fqdn: (spec as SiteSpec).like ?? '' } as const]),
  ],
  endpointsOf: ({ ref, spec }, _settings, related) => {
    const { hosts, invalid = [], leftOut = [], waiting = [], like } = spec as SiteSpec;
    const values = backendsOf(ref, related)
      .filter(
        ({ host }) => (related.get('Host', '', host)?.facts as { cordoned?: boolean } | undefined)?.cordoned !== true,
      )
      .map(({ address }) => address)
      .toSorted();
    const good = hosts.filter((host) => ![...invalid, ...leftOut, ...waiting].includes(host));
    return {
      ok: true,
      endpoints:
        like === undefined
          ? good.flatMap((host) => (values.length === 0 ? [] : [endpoint(host, 'A', values)]))
          : good.flatMap((host) => related.typesAt(like).map((type) => endpoint(host, type, [VALUES[type] ?? '']))),
      invalid: invalid.map(
        (host): InvalidEndpoint => ({
          fqdn: `${host}.`,
          type: 'A',
          setIdentifier: null,
          message: `${host} is not well`,
        }),
      ),
      problems: leftOut.map((host): SourceProblem => ({ message: `${host} is left out`, leavesOut: `${host}.` })),
      waits: waiting.map((host) => `${host}.`),
    };
  },
};

const VALUES: Readonly<Record<string, string>> = { A: '192.0.2.99', AAAA: '2001:db8::99' };

function backendsOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  related: RelatedObjects,
): readonly BackendSpec[] {
  return related.list('Backend', namespace, { key: 'site', value: name }).map(({ facts }) => facts as BackendSpec);
}

function endpoint(host: string, type: string, values: readonly string[]): Endpoint {
  return { domainName: { kind: 'full', fqdn: `${host}.` }, zoneRef: null, type, class: 'IN', ttl: null, values };
}
