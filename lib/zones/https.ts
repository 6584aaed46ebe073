// The HTTPS record of a name, for Zones with `spec.https`: it follows from the addresses of the name when all of them
// are of hosts that have TLS. The Zone itself asks for it.
//
//   A and AAAA of hosts with TLS         1 . alpn="h2" ipv4hint=… ipv6hint=…
//   an alias, or routed record sets      1 . alpn="h2"
//   an address of a host without TLS     none: a browser would no longer ask it by http
//   somebody asks for HTTPS at the name  none
import { httpsValue } from '../dns/rdata/https-value.ts';
import { sortRdata } from '../dns/rdata/rdata.ts';
import { type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { PlacedZone } from './place-zones.ts';

/** The HTTPS record that follows from what is accepted at one name, in one piece of the DNS tree; null: none does. */
export function httpsOf(
  accepted: readonly AdoptedEndpoint[],
  placeOf: (zone: ZoneKey) => PlacedZone | undefined,
): AdoptedEndpoint | null {
  const addresses = accepted.filter(
    ({ type, class: recordClass }) => recordClass === 'IN' && (type === 'A' || type === 'AAAA'),
  );
  const zones = [...new Set(addresses.map(({ zone }) => zone))].toSorted().flatMap((zone) => placeOf(zone)?.live ?? []);
  const live = zones.find(({ spec }) => spec.https !== undefined);
  const [first] = addresses;
  if (live?.spec.https === undefined || first === undefined || !allHaveTls(addresses)) return null;
  // Hints of one cluster would be wrong where it shares the name.
  const isPlain = addresses.every(
    ({ alias, routing, claim: { sharing = 'exclusive' } = {} }) =>
      alias === undefined && routing === undefined && sharing === 'exclusive',
  );
  const hints = (type: string) => sortRdata(type, hintsOf(isPlain ? addresses : [], type));
  const ttls = addresses.flatMap(({ alias, ttl }) => (alias === undefined ? [ttl] : []));
  return {
    ref: zoneOfKey(live.key),
    age: { creationTimestamp: null, uid: null, order: '' },
    zone: live.key,
    fqdn: first.fqdn,
    type: 'HTTPS',
    class: 'IN',
    // Hints must not outlive the addresses.
    ttl: ttls.length === 0 ? live.spec.ttl : Math.min(...ttls),
    values: [httpsValue(live.spec.https.alpn, hints('A'), hints('AAAA'))],
    ...(addresses.every(({ claim }) => claim?.standby) && { claim: { standby: true } }),
  };
}

/** True if each address is of a host with TLS. Several objects of one host may share an address, as Ingresses do. */
function allHaveTls(addresses: readonly AdoptedEndpoint[]): boolean {
  const targetsOf = ({ type, values, alias }: AdoptedEndpoint) =>
    alias === undefined ? values.map((value) => `${type} ${value}`) : [`${type} ALIAS ${alias.target}`];
  const withTls = new Set(addresses.filter(({ tls }) => tls === true).flatMap(targetsOf));
  return addresses.flatMap(targetsOf).every((target) => withTls.has(target));
}

function hintsOf(addresses: readonly AdoptedEndpoint[], type: string): Set<string> {
  return new Set(addresses.flatMap((one) => (one.type === type ? one.values : [])));
}
