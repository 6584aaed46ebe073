// Chooses the hosted zone of a DNSRecord that names none in spec or status.
import { isAtOrBelow } from '../../dns/names/name.ts';

export type HostedZoneChoice =
  | { readonly ok: true; readonly id: string }
  /** Ends in ERR_CONFIGURATION_PROBLEM. */
  | { readonly ok: false; readonly problem: string };

/** The public hosted zone with the longest name at or above `name`; a problem if two have it. Names are canonical. */
export function chooseHostedZone(
  name: string,
  hostedZones: readonly { readonly id: string; readonly name: string }[],
): HostedZoneChoice {
  const above = hostedZones.filter((zone) => isAtOrBelow(name, zone.name));
  const longest = above.reduce((length, zone) => Math.max(length, zone.name.length), 0);
  const [first, ...others] = above.filter((zone) => zone.name.length === longest);
  if (first === undefined) return refused(`could not find DNS hosted zone for name ${withoutDot(name)}`);
  if (others.length === 0) return { ok: true, id: first.id };
  const ids = [first, ...others].map(({ id }) => id).toSorted();
  return refused(
    `${ids.length} public hosted zones have the name ${withoutDot(first.name)}: ${ids.join(', ')}; write the id of one of them into spec.zone`,
  );
}

function refused(problem: string): HostedZoneChoice {
  return { ok: false, problem };
}

function withoutDot(name: string): string {
  return name.slice(0, -1);
}
