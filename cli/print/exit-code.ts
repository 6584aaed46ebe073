// The exit codes: 0 success, 1 error, 2 changes (with --detailed-exitcode), 3 the guard holds deletes. An error
// outweighs the guard, and the guard outweighs changes: after `apply`, 3 means that only held deletes remain. 4 is what
// `plan --fail-on` asks for.
import { saysOnStandby } from '../../lib/objects/claim-settings.ts';
import { isDerived } from '../../lib/record-sets/guarded.ts';
import type { ZoneOutput } from '../../lib/report/describe-cluster.ts';
import { saysCoveredRoot } from '../../lib/zones/notes.ts';
import { lacksHostedZone } from './missing-hosted-zones.ts';
import type { ApplyOutput, ChangeOutput, ClusterOutput, PlanOutput } from './output.ts';
import { isInvalid } from './print-render.ts';
import { areAccepted, isAccepted } from './print-sources.ts';
import { isForeign } from './problems.ts';

export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** 1 for errors, and with `--strict` for any object that is not accepted, and for a root that a live Zone covers. */
export function exitOfRender(resolved: ClusterOutput, strict: boolean): ExitCode {
  if (resolved.errors.length > 0) return 1;
  return strict && !isAsWanted(resolved, 'accepted') ? 1 : 0;
}

/** What the objects must be for exit code 0: accepted, at least valid, or anything. */
export type Wanted = 'accepted' | 'valid' | 'any';

/**
 * With `detailed`, changes make 2, and so does what is known to be changed by hand. An object without a hosted zone is
 * not published, a hosted zone that cannot be read makes the plan incomplete, and a ledger that knows nothing of what
 * stands as wanted is the wrong one: all make 1. A word of `failOn` that applies makes 4, if all could be read.
 */
export function exitOfPlan(
  plan: PlanOutput,
  detailed: boolean,
  wanted: Wanted,
  failOn: readonly FailWord[] = [],
): ExitCode {
  if (plan.errors.length > 0 || plan.hostedZones.some(({ isUnread }) => isUnread === true)) return 1;
  if (failOn.some((word) => FAILS[word](plan))) return 4;
  if (plan.ledger != null || !isAsWanted(plan.resolved, wanted)) return 1;
  if (plan.resolved !== undefined && lacksHostedZone(plan.resolved)) return 1;
  if (plan.hostedZones.some(({ held }) => held)) return 3;
  const changing = [...plan.hostedZones, ...(plan.dnsRecords ?? [])];
  const differs =
    changing.some(({ changes }) => changes.length > 0) || plan.hostedZones.some(({ drifts }) => drifts !== undefined);
  return detailed && differs ? 2 : 0;
}

/** What `--fail-on` may name. */
export const FAIL_WORDS = ['held', 'invalid', 'foreign'] as const;

export type FailWord = (typeof FAIL_WORDS)[number];

/** Whether a word applies to a plan. Invalid is every object that is not accepted. */
const FAILS: Readonly<Record<FailWord, (plan: PlanOutput) => boolean>> = {
  held: (plan) => plan.hostedZones.some(({ held }) => held) || changesOf(plan).some(({ held }) => held === true),
  invalid: ({ resolved }) => {
    if (resolved === undefined) return false;
    const endpoints = resolved.sources.flatMap((source) => source.endpoints);
    return ![...resolved.zones, ...resolved.records, ...endpoints].every(isAccepted) || !areAccepted(resolved.sources);
  },
  foreign: (plan) => changesOf(plan).some(isForeign),
};

function changesOf({ hostedZones, dnsRecords = [] }: PlanOutput) {
  return [...hostedZones, ...dnsRecords].flatMap(({ changes }): readonly ChangeOutput[] => changes);
}

/** Reasons of `Programmed` that are no failure, because the rules want them. */
const AS_WANTED = ['Occluded', 'UnsupportedType', 'HostedElsewhere'];

/**
 * 0 when everything is published, 3 when only held deletes remain, else 1. A DNSRecord that was served must have
 * succeeded, and a hosted zone that was to be compared must have been read.
 */
export function exitOfApply(output: ApplyOutput, wanted: Wanted): ExitCode {
  // What a Zone derives from the addresses of hosts is not wanted where somebody else has a record set.
  const outcomes = output.hostedZones.flatMap(({ changes }) =>
    changes.flatMap((change) => (isDerived(change) && change.outcome === 'foreign' ? [] : [change.outcome])),
  );
  const endpoints = output.sources.flatMap((source) => source.endpoints);
  const reasons = [...output.zones, ...output.records, ...endpoints]
    .filter((object) => isAccepted(object) && !isOwnNameServer(output, object))
    .flatMap(({ conditions }) => conditions)
    .filter(({ type, status, reason }) => type === 'Programmed' && status !== 'True' && !AS_WANTED.includes(reason))
    .filter(({ message }) => !saysOnStandby(message))
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
  if (wanted === 'valid') return !objects.some(isInvalid);
  return objects.every(isAccepted) && areAccepted(resolved.sources) && !resolved.zones.some(isCoveredRoot);
}

function isCoveredRoot({ conditions }: ZoneOutput): boolean {
  return conditions.some(({ type, message }) => type === 'Accepted' && saysCoveredRoot(message));
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
