// The verdicts on accepted endpoints that are not published, with what to do about it.
import type { Entry } from '../dns/entry.ts';
import { PUBLIC, realName, viewOf } from '../dns/names/view.ts';
import { isAccountRefusal } from '../objects/account-refusal.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { foreignInWords } from './foreign-cuts.ts';
import type { PlacedZone } from './place-zones.ts';

/** Why the entries of a Zone are not published; null if they have a hosted zone. */
export function verdictOfTarget({ target }: PlacedZone): Verdict<ProgrammedReason> | null {
  switch (target.kind) {
    case 'hosted':
      return null;
    case 'elsewhere':
      return {
        reason: 'HostedElsewhere',
        message: `Zone ${target.zone} (${target.fqdn}) declares its own name servers and has no hosted zone here: only its NS and glue are published, by its parent`,
      };
    case 'none':
      return {
        reason:
          target.reason !== undefined && isAccountRefusal(target.reason) ? 'AccountRefused' : 'HostedZoneNotFound',
        message: target.reason ?? hostedZoneNotFound(target.fqdn),
      };
    default:
      return target satisfies never;
  }
}

/** How to get a hosted zone for a Zone that has none. */
function hostedZoneNotFound(fqdn: string): string {
  const view = viewOf(fqdn);
  if (view !== PUBLIC)
    return `the configuration names no hosted zone for ${fqdn}, and one of a view is never found by its name: add hostedZones: [{ zone: ${realName(fqdn)}, id: Z..., view: ${view} }], or correct the view`;
  const plain = fqdn.slice(0, -1);
  return `the account has no public hosted zone ${plain}: create one (aws route53 create-hosted-zone --name ${plain} --caller-reference "$(date)"), or name one in the configuration, hostedZones: [{ zone: ${fqdn}, id: Z... }]`;
}

export function unsupported(entry: Pick<Entry, 'type' | 'class'>): Verdict<ProgrammedReason> {
  if (entry.class !== 'IN')
    return { reason: 'UnsupportedType', message: `Route 53 has no class ${entry.class}, only IN` };
  if (entry.type === 'SOA')
    return {
      reason: 'UnsupportedType',
      message: 'zone53 makes the SOA from the Zone: set its timers in the spec of the Zone',
    };
  return { reason: 'UnsupportedType', message: `Route 53 has no type ${entry.type}` };
}

/** The name is at or below a zone cut. */
export function occluded(name: string, cut: PlacedZone): Verdict<ProgrammedReason> {
  return {
    reason: 'Occluded',
    message:
      cut.foreign === undefined
        ? `${name} is at or below the zone cut ${cut.live.fqdn} of Zone ${cut.live.key}: declare it in that Zone`
        : `${name} is at or below ${foreignInWords(cut.foreign)}: declare it in that cluster`,
  };
}

/** The Zone has a hosted zone of its own, but the NS that delegate to it would be at or below a zone cut. */
export function occludedDelegation({ live }: PlacedZone, cut: PlacedZone): Verdict<ProgrammedReason> {
  const why = `no resolver finds it: its parent, Zone ${live.parent}, cannot delegate to it, because ${live.fqdn} is below`;
  return {
    reason: 'Occluded',
    message:
      cut.foreign === undefined
        ? `${why} the zone cut ${cut.live.fqdn} of Zone ${cut.live.key}; to mend that, let that Zone adopt it`
        : `${why} ${foreignInWords(cut.foreign)}; to mend that, declare it in that cluster, or have that cluster delegate it`,
  };
}

/** The hosted zone of the Zone makes no cut, because another cluster owns names at or below it. */
export function ownedBelow(fqdn: string, cluster: string): Verdict<ProgrammedReason> {
  return {
    reason: 'OwnedByAnotherCluster',
    message: `Cluster ${cluster} owns names at or below ${fqdn} in a hosted zone above. What this hosted zone has is published, but nothing delegates to it until cluster ${cluster} asks for those names no longer, or is on standby.`,
  };
}

/** NS that resolvers do not follow. */
export function notDelegated(name: string): Verdict<ProgrammedReason> {
  return {
    reason: 'Rejected',
    message: `resolvers ignore delegations from and to private hosted zones, so the NS of ${name} are not published: remove them`,
  };
}
