// The deprecated names of Pods, `<a-b-c-d>.<namespace>.pod.<zone>`, for the addresses of Pods that are Running and not
// on the host network. The specification wants an answer for every possible address; that cannot be published.
import { quote } from '../../dns/names/quote.ts';
import { readAddress } from '../../dns/rdata/reverse-name.ts';
import { at, listAt, textAt } from '../../objects/plain.ts';
import type { Source, SourceObject, SourceResult } from '../../objects/source.ts';
import type { DiscoverySettings } from '../../objects/source-settings.ts';
import { addressLabel } from './address.ts';
import { newNameTable } from './name-table.ts';

export function discoverPod(object: SourceObject, settings: DiscoverySettings): SourceResult {
  const table = newNameTable(settings.ttlSeconds);
  const isOnHost = at(object.spec, 'hostNetwork') === true;
  if (settings.pods === 'none' || isOnHost || textAt(object.status, 'phase') !== 'Running') return table.result();
  for (const text of podIpsOf(object)) {
    const address = readAddress(text);
    if (address === null) {
      table.problem(`status.podIPs: ${quote(text)} is not an IP address; it is left out`);
      continue;
    }
    const name = table.name('status.podIPs', [addressLabel(address), object.ref.namespace, 'pod'], settings.zone);
    if (name !== null) table.add(name, address.type, address.text, { clusterZone: settings.zone });
  }
  return table.result();
}

/** `podIPs`, or `podIP` if that is empty. */
function podIpsOf({ status }: SourceObject): readonly string[] {
  const several = listAt(status, 'podIPs').flatMap((one) => textAt(one, 'ip') ?? []);
  const one = textAt(status, 'podIP');
  return several.length > 0 || one === null ? several : [one];
}

/** The source of Pods for the cluster's own DNS. */
export const DISCOVERED_POD: Source = {
  kind: 'Pod',
  group: '',
  version: 'v1',
  resource: 'pods',
  status: 'events',
  key: 'serviceDiscovery',
  isOn: ({ discovery }) => discovery?.pods === 'verified',
  endpointsOf: (object, { discovery }) =>
    discovery === null ? { ok: true, endpoints: [] } : discoverPod(object, discovery),
};
