// Names of Services by the Kubernetes DNS specification (schema 1.1.0), with later features of clusters: EndpointSlices
// and two address families.
//
//   clusterIPs     A, AAAA, an SRV for each named port, a PTR for each address
//   None           the same for the ready endpoints of its EndpointSlices, each below a hostname (headless.ts)
//   ExternalName   CNAME
import { parseName } from '../../dns/names/name.ts';
import { quote } from '../../dns/names/quote.ts';
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { readAddress } from '../../dns/rdata/reverse-name.ts';
import { listAt, textAt, textsAt } from '../../objects/plain.ts';
import type { RelatedObjects, RelatedQuery } from '../../objects/related.ts';
import { matchesSelector } from '../../objects/selector.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import type { DiscoverySettings } from '../../objects/source-settings.ts';
import { ENDPOINT_SLICE } from '../common/related-kinds.ts';
import { addPort, addReverse, type Discovery } from './discovery.ts';
import { addHeadless, slicesOf } from './headless.ts';
import { newNameTable } from './name-table.ts';

/** The most endpoints of one Service: enough for a headless one with 10,000 addresses, each with a name and a PTR. */
const ENDPOINTS_MAX = 25_000;

export function discoverService(
  object: SourceObject,
  settings: DiscoverySettings,
  related: RelatedObjects,
): SourceResult {
  const table = newNameTable(settings.ttlSeconds);
  const { serviceSelector } = settings;
  if (serviceSelector !== null && !matchesSelector(serviceSelector, object.labels)) return table.result();
  const { namespace, name } = object.ref;
  const base = table.name('metadata.name', [name, namespace, 'svc'], settings.zone);
  if (base === null) return table.result();
  const discovery = { table, settings, base };
  if (textAt(object.spec, 'type') === 'ExternalName') addExternalName(object, discovery);
  else if (hasNoClusterIp(object)) addHeadless(object, discovery, related);
  else addClusterIps(object, discovery);
  return table.result();
}

export function relatedOfService(object: SourceObject): readonly RelatedQuery[] {
  return textAt(object.spec, 'type') !== 'ExternalName' && hasNoClusterIp(object) ? [slicesOf(object.ref)] : [];
}

/** `clusterIPs`, or `clusterIP` if that is empty. */
function clusterIpsOf({ spec }: SourceObject): readonly string[] {
  const several = textsAt(spec, 'clusterIPs');
  const one = textAt(spec, 'clusterIP');
  return several.length > 0 || one === null ? several : [one];
}

function hasNoClusterIp(object: SourceObject): boolean {
  return clusterIpsOf(object).includes('None');
}

function addClusterIps(object: SourceObject, discovery: Discovery): void {
  const { table, settings, base } = discovery;
  const { zone } = settings;
  const field = textsAt(object.spec, 'clusterIPs').length > 0 ? 'spec.clusterIPs' : 'spec.clusterIP';
  const addresses = clusterIpsOf(object).flatMap((text) => {
    const address = readAddress(text);
    if (address === null) table.lack(`${field}: ${quote(text)} is not an IP address; it is left out`, base);
    return address ?? [];
  });
  if (addresses.length === 0) return;
  for (const address of addresses) {
    table.add(base, address.type, address.text, { clusterZone: zone });
    addReverse(address, base, 'clusterIP', discovery);
  }
  for (const port of listAt(object.spec, 'ports')) addPort('spec.ports', port, [base], discovery);
}

function addExternalName(object: SourceObject, { table, settings, base }: Discovery): void {
  const target = textAt(object.spec, 'externalName');
  if (target === null) {
    table.lack('spec.externalName: it is missing; write a host name', base);
    return;
  }
  if (readAddress(target.replace(/\.$/, '')) !== null) {
    table.lack(
      `spec.externalName: ${quote(target)} is an IP address, and a CNAME leads to a name; write a host name, or use a Service without a selector and an EndpointSlice`,
      base,
    );
    return;
  }
  const name = parseName(target);
  const rdata = name.ok ? parseRdata('CNAME', name.name) : name;
  if (rdata.ok) table.add(base, 'CNAME', rdata.rdata, { clusterZone: settings.zone });
  else table.lack(`spec.externalName: ${rdata.problems.join('; ')}; write a host name`, base);
}

/** The source of Services for the cluster's own DNS. */
export const DISCOVERED_SERVICE: Source = {
  kind: 'Service',
  group: '',
  version: 'v1',
  resource: 'services',
  status: 'conditions',
  key: 'serviceDiscovery',
  endpointsMax: ENDPOINTS_MAX,
  endpointsOf: (object, { discovery }, related) =>
    discovery === null ? { ok: true, endpoints: [] } : discoverService(object, discovery, related),
  quietMs: ({ discovery }) => (discovery?.settleSeconds ?? 0) * 1_000,
  relatedOf: relatedOfService,
  relatedKinds: () => [ENDPOINT_SLICE],
};
