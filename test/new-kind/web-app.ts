// An example of a new kind. Its spec lists hosts, each of which gets an A and a TXT record.
import type { Endpoint } from '../../lib/objects/endpoint.ts';
import type { Source } from '../../lib/objects/source.ts';

type Spec = { readonly hosts?: readonly string[]; readonly address?: string };

function endpoint(host: string, type: string, value: string): Endpoint {
  const domainName = { kind: 'full', fqdn: `${host}.` } as const;
  return { domainName, zoneRef: null, type, class: 'IN', ttl: null, values: [value] };
}

export const WEB_APP: Source = {
  kind: 'WebApp',
  group: 'apps.example.com',
  version: 'v1',
  resource: 'webapps',
  status: 'events',
  key: null,
  pageSize: 100,
  endpointsOf: ({ ref, spec }) => {
    const { hosts = [], address } = spec as Spec;
    if (address === undefined) return { ok: false, problems: ['spec.address: expected a string, it is missing'] };
    const owner = `"served by ${ref.namespace}/${ref.name}"`;
    return {
      ok: true,
      endpoints: hosts.flatMap((host) => [endpoint(host, 'A', address), endpoint(host, 'TXT', owner)]),
    };
  },
};
