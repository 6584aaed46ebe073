// Names of a headless Service: the addresses of all ready endpoints of its EndpointSlices, together at the Service's
// name, and each below its hostname. Only slices of type IPv4 and IPv6 count. Without a ready endpoint there is no
// name.
import { quote } from '../../dns/names/quote.ts';
import { type Address, readAddress } from '../../dns/rdata/reverse-name.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { at, listAt, textAt, textsAt } from '../../objects/plain.ts';
import type { RelatedObjects, RelatedQuery } from '../../objects/related.ts';
import type { SourceObject } from '../../objects/source.ts';
import { SERVICE_LABEL } from '../common/record-queries.ts';
import { addressLabel } from './address.ts';
import { addPort, addReverse, type Discovery } from './discovery.ts';

const ADDRESS_TYPES = new Map([
  ['IPv4', 'A'],
  ['IPv6', 'AAAA'],
]);

/** The query for the EndpointSlices of a Service. */
export function slicesOf({ namespace, name }: ObjectRef): Extract<RelatedQuery, { code: 'list' }> {
  return { code: 'list', kind: 'EndpointSlice', namespace, label: { key: SERVICE_LABEL, value: name } };
}

export function addHeadless(object: SourceObject, discovery: Discovery, related: RelatedObjects): void {
  const { kind, namespace, label } = slicesOf(object.ref);
  const showsAll = at(object.spec, 'publishNotReadyAddresses') === true;
  for (const slice of related.list(kind, namespace, label)) {
    const type = ADDRESS_TYPES.get(textAt(slice.facts, 'addressType') ?? '');
    if (type === undefined) continue;
    const path = `EndpointSlice ${slice.ref.name}`;
    const names = new Set<string>();
    for (const endpoint of listAt(slice.facts, 'endpoints')) {
      if (!showsAll && at(endpoint, 'conditions', 'ready') === false) continue;
      const name = addEndpoint(endpoint, type, path, discovery);
      if (name !== null) names.add(name);
    }
    for (const port of listAt(slice.facts, 'ports')) addPort(path, port, names, discovery);
  }
}

/** Adds an endpoint's addresses. Returns its name, or null if it has none. */
function addEndpoint(endpoint: unknown, type: string, path: string, discovery: Discovery): string | null {
  const { table, settings, base } = discovery;
  const addresses = textsAt(endpoint, 'addresses').flatMap((text) => addressesOf(text, type, path, discovery));
  const [first] = addresses;
  if (first === undefined) return null;
  const clusterZone = settings.zone;
  for (const address of addresses) table.add(base, type, address.text, { clusterZone });
  const hostname = textAt(endpoint, 'hostname') ?? addressLabel(first);
  const name = table.name(`${path}: hostname`, [hostname], base);
  if (name === null) return null;
  for (const address of addresses) {
    table.add(name, type, address.text, { clusterZone });
    addReverse(address, name, 'endpoint', discovery);
  }
  return name;
}

function addressesOf(text: string, type: string, path: string, { table }: Discovery): readonly Address[] {
  const address = readAddress(text);
  if (address?.type === type) return [address];
  const family = type === 'A' ? 'IPv4' : 'IPv6';
  table.problem(`${path}: ${quote(text)} is not an ${family} address; it is left out`);
  return [];
}
