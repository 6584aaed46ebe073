// The PTR records of addresses, for Zones with `spec.ptr`. A pointer says that a host has an address; the PTR at the
// reverse name of the address follows from all pointers there. The Zone of the host asks for it.
//
//   www.example.org.   A      192.0.2.1            1.2.0.192.in-addr.arpa.   PTR   www.example.org.
//   no Zone delegates the PTR to the host's namespace                        none
//   hosts of several namespaces                    those of the oldest, or of all where the delegations are shared
//   anything else is asked for at the reverse name                           none
import { compareText } from '../dns/names/compare-text.ts';
import { inViewOf, realName } from '../dns/names/view.ts';
import { sortRdata } from '../dns/rdata/rdata.ts';
import { isReverseName, readAddress, reverseName } from '../dns/rdata/reverse-name.ts';
import { type Age, compareAge, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import { delegatesRecord, type LiveZone, sharesRecord } from './delegation.ts';
import type { PlacedZone } from './place-zones.ts';
import type { ResolvedName } from './resolve-name.ts';

/** The most values of a PTR record set: what a record set holds in Route 53. */
const HOSTS_MAX = 400;

export type Pointer = {
  /** The reverse name. */
  readonly name: string;
  readonly host: string;
  /** The Zone that publishes the host, with its fqdn. */
  readonly zone: ZoneKey;
  readonly fqdn: string;
  /** The namespace and age of the oldest object that has the address there. */
  readonly namespace: string;
  readonly age: Age;
  /** Seconds. */
  readonly ttl: number;
};

/** True if a Zone of these has `spec.ptr`. */
export function pointsBack(zones: Iterable<PlacedZone>): boolean {
  return [...zones].some(({ live }) => live.spec.ptr === true);
}

/** The pointers of a host, one for each address, in the order of their names. */
export function pointersOf(
  host: string,
  { endpoints }: Pick<ResolvedName, 'endpoints'>,
  placeOf: (zone: ZoneKey) => PlacedZone | undefined,
): readonly Pointer[] {
  if (host.startsWith('*.') || isReverseName(host)) return [];
  const found = new Map<string, Pointer>();
  for (const [{ type, class: recordClass, zone, values, ref, age, ttl }, { refusal, programmed }] of endpoints) {
    const live = placeOf(zone)?.live;
    const isAddress = recordClass === 'IN' && (type === 'A' || type === 'AAAA');
    const isElsewhere = programmed?.reason === 'Occluded' || programmed?.reason === 'HostedElsewhere';
    if (live?.spec.ptr !== true || !isAddress || refusal !== null || isElsewhere) continue;
    for (const value of values) {
      const address = readAddress(value);
      if (address === null) continue;
      const name = inViewOf(host, reverseName(address));
      const known = found.get(name);
      const pointer = { name, host, zone, fqdn: live.fqdn, namespace: ref.namespace, age, ttl };
      if (known === undefined || comparePointers(pointer, known) < 0) found.set(name, pointer);
    }
  }
  return [...found.values()].toSorted((a, b) => compareText(a.name, b.name));
}

/** The oldest first. */
function comparePointers(a: Pointer, b: Pointer): number {
  return compareAge(a.age, b.age) || compareText(a.namespace, b.namespace) || compareText(a.host, b.host);
}

/**
 * The PTR at a reverse name; null if there is none. `chain`: the live Zones at or above the name, the shortest first.
 * `liveAt`: the live Zone at the fqdn of a pointer's.
 */
export function ptrOf(
  name: string,
  pointers: readonly Pointer[],
  chain: readonly PlacedZone[],
  liveAt: (fqdn: string) => LiveZone | undefined,
): AdoptedEndpoint | null {
  const inForce = pointers.filter(({ zone, fqdn }) => {
    const live = liveAt(fqdn);
    return live?.key === zone && live.spec.ptr === true;
  });
  const allowed = inForce.toSorted(comparePointers).flatMap((pointer) => {
    const zone = chain.findLast(({ live }) => delegatesRecord(live, name, 'PTR', pointer.namespace))?.live;
    return zone === undefined ? [] : [{ pointer, zone }];
  });
  const [first] = allowed;
  if (first === undefined) return null;
  const isShared = ({ pointer, zone }: typeof first) => sharesRecord(zone, name, 'PTR', pointer.namespace);
  const together = allowed.filter(
    (one) =>
      one.zone === first.zone &&
      (one.pointer.namespace === first.pointer.namespace || (isShared(one) && isShared(first))),
  );
  const hosts = sortRdata('PTR', new Set(together.map(({ pointer }) => realName(pointer.host))));
  return {
    ref: zoneOfKey(first.pointer.zone),
    age: { creationTimestamp: null, uid: null, order: '' },
    zone: first.zone.key,
    fqdn: name,
    type: 'PTR',
    class: 'IN',
    ttl: Math.min(...together.map(({ pointer }) => pointer.ttl)),
    values: hosts.slice(0, HOSTS_MAX),
  };
}
