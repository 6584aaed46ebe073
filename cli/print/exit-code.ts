// The exit codes: 0 success, 1 error, 2 changes (with --detailed-exitcode), 3 the guard holds deletes. An error
// outweighs the guard, and the guard outweighs changes: after `apply`, 3 means that only held deletes remain.
import { lacksHostedZone } from './missing-hosted-zones.ts';
import type { ApplyOutput, ClusterOutput, PlanOutput } from './output.ts';
import { isInvalid } from './print-render.ts';
import { areAccepted, isAccepted } from './print-sources.ts';

export type ExitCode = 0 | 1 | 2 | 3;

/** 1 for errors, and with `--strict` for any object that is not accepted. */
export function exitOfRender(resolved: ClusterOutput, strict: boolean): ExitCode {
  if (resolved.errors.length > 0) return 1;
  const isWell = [...resolved.zones, ...resolved.records].every(isAccepted) && areAccepted(resolved.sources);
  return strict && !isWell ? 1 : 0;
}

/** What the objects must be for exit code 0: accepted, at least valid, or anything. */
export type Wanted = 'accepted' | 'valid' | 'any';

/**
 * With `detailed`, changes make 2. An object without a hosted zone is not published, and a hosted zone that cannot be
 * read makes the plan incomplete: both make 1.
 */
export function exitOfPlan(plan: PlanOutput, detailed: boolean, wanted: Wanted): ExitCode {
  if (plan.errors.length > 0 || !isAsWanted(plan.resolved, wanted)) return 1;
  if (plan.resolved !== undefined && lacksHostedZone(plan.resolved)) return 1;
  if (plan.hostedZones.some(({ isUnread }) => isUnread === true)) return 1;
  if (plan.hostedZones.some(({ held }) => held)) return 3;
  const changing = [...plan.hostedZones, ...(plan.dnsRecords ?? [])];
  return detailed && changing.some(({ changes }) => changes.length > 0) ? 2 : 0;
}

/** Reasons of `Programmed` that are no failure, because the rules want them. */
const AS_WANTED = ['Occluded', 'UnsupportedType', 'HostedElsewhere'];

/**
 * 0 when everything is published, 3 when only held deletes remain, else 1. A DNSRecord that was served must have
 * succeeded, and a hosted zone that was to be compared must have been read.
 */
export function exitOfApply(output: ApplyOutput, wanted: Wanted): ExitCode {
  const outcomes = output.hostedZones.flatMap(({ changes }) => changes.map(({ outcome }) => outcome));
  const endpoints = output.sources.flatMap((source) => source.endpoints);
  const reasons = [...output.zones, ...output.records, ...endpoints]
    .filter((object) => isAccepted(object) && !isOwnNameServer(output, object))
    .flatMap(({ conditions }) => conditions)
    .filter(({ type, status, reason }) => type === 'Programmed' && status !== 'True' && !AS_WANTED.includes(reason))
    .map(({ reason }) => reason);
  if (output.errors.length > 0 || !isAsWanted(output, wanted)) return 1;
  if (output.hostedZones.some(({ isUnread }) => isUnread === true)) return 1;
  if (outcomes.some((outcome) => outcome !== 'published' && outcome !== 'held')) return 1;
  if (reasons.some((reason) => reason !== 'HeldByGuard')) return 1;
  if ((output.dnsRecords ?? []).some(({ state }) => state !== 'Succeeded')) return 1;
  const held =
    outcomes.includes('held') || reasons.length > 0 || output.hostedZones.some((hostedZone) => hostedZone.held);
  return held ? 3 : 0;
}

function isAsWanted(resolved: PlanOutput['resolved'], wanted: Wanted): boolean {
  if (resolved === undefined || wanted === 'any') return true;
  const endpoints = resolved.sources.flatMap((source) => source.endpoints);
  const objects = [...resolved.zones, ...resolved.records, ...endpoints];
  return wanted === 'accepted' ? objects.every(isAccepted) && areAccepted(resolved.sources) : !objects.some(isInvalid);
}

/**
 * True for a Record of the NS set at a root Zone's apex. Route 53 owns that set and zone53 leaves it alone, so it is no
 * failure that it is not published.
 */
function isOwnNameServer(
  { zones }: ApplyOutput,
  { fqdn, parent }: Pick<ApplyOutput['records'][number], 'fqdn' | 'parent'>,
): boolean {
  const zone = zones.find(({ namespace, name }) => `${namespace}/${name}` === parent);
  if (zone === undefined || zone.parent !== null || zone.fqdn !== fqdn) return false;
  return zone.entries.some((entry) => entry.type === 'NS' && entry.fqdn === fqdn);
}
