// The delegations of ACME challenges, for Zones with `spec.acme`: for every host name that the Zone publishes an
// address of, a CNAME from the name of its challenge to a name below `delegateTo`, so that whoever solves challenges
// needs rights in that one hosted zone. The Zone itself asks for them.
//
//   www.example.org.   A      _acme-challenge.www.example.org.   CNAME   www.example.org.<delegateTo>
//   *.example.org.     A      _acme-challenge.example.org.       CNAME   example.org.<delegateTo>
//   too long                  _acme-challenge.<name>             CNAME   <hash of the name>.<delegateTo>
//
// If anything else is asked for at the name of the challenge, there is no delegation.
import { createHash } from 'node:crypto';
import { isAtOrBelow, NAME_OCTETS_MAX, nameOctets } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import { type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { PlacedZone } from './place-zones.ts';
import type { ResolvedName } from './resolve-name.ts';

const CHALLENGE = '_acme-challenge.';
/** 128 bits are enough: two names with one hash would share a challenge. */
const HASH_DIGITS = 32;

/** The name of the challenge for a host; null if it is too long, or if the name is no host's. */
export function challengeOf(host: string): string | null {
  const name = host.startsWith('*.') ? host.slice(2) : host;
  if (name.startsWith('_') || name === '') return null;
  const challenge = `${CHALLENGE}${name}`;
  return nameOctets(challenge) > NAME_OCTETS_MAX ? null : challenge;
}

/** The hosts whose challenge has this name; none if it is no name of a challenge. */
export function hostsOf(challenge: string): readonly string[] {
  const name = challenge.startsWith(CHALLENGE) ? challenge.slice(CHALLENGE.length) : '';
  return name === '' || challengeOf(name) === null ? [] : [name, `*.${name}`];
}

/** True if a Zone of these has `spec.acme`. */
export function delegateChallenges(zones: Iterable<PlacedZone>): boolean {
  return [...zones].some(({ live }) => live.spec.acme !== undefined);
}

/** Where a challenge is answered. */
function answeredAt(host: string, delegateTo: string): string {
  const long = `${host}${delegateTo}`;
  if (nameOctets(long) <= NAME_OCTETS_MAX) return long;
  return `${createHash('sha256').update(host).digest('hex').slice(0, HASH_DIGITS)}.${delegateTo}`;
}

/** The delegation of a challenge that follows from the addresses at its hosts; null if there is none. */
export function delegationOf(
  challenge: string,
  hosts: readonly Pick<ResolvedName, 'endpoints'>[],
  placeOf: (zone: ZoneKey) => PlacedZone | undefined,
): AdoptedEndpoint | null {
  const [host] = hostsOf(challenge);
  if (host === undefined) return null;
  const published = hosts.flatMap(({ endpoints }) =>
    [...endpoints].flatMap(([{ type, class: recordClass, zone }, { refusal, programmed }]) => {
      const isAddress = recordClass === 'IN' && (type === 'A' || type === 'AAAA');
      return isAddress && refusal === null && programmed?.reason !== 'Occluded' ? [zone] : [];
    }),
  );
  const zones = [...new Set(published)].toSorted().flatMap((zone) => placeOf(zone)?.live ?? []);
  const live = zones.find(({ spec }) => spec.acme !== undefined && !isAtOrBelow(realName(host), spec.acme.delegateTo));
  if (live?.spec.acme === undefined) return null;
  return {
    ref: zoneOfKey(live.key),
    age: { creationTimestamp: null, uid: null, order: '' },
    zone: live.key,
    fqdn: challenge,
    type: 'CNAME',
    class: 'IN',
    ttl: live.spec.ttl,
    values: [answeredAt(realName(host), live.spec.acme.delegateTo)],
    ...(live.spec.claim?.standby && { claim: { standby: true } }),
  };
}
