// The output of `clusters standby` and `clusters active`: that of a plan, or of what became of it, with one digest.
import type { AppliedHostedZone } from '../../lib/apply/apply-hosted-zone.ts';
import { digestOf, type PlannedStandby } from '../../lib/apply/plan-standby.ts';
import { describeApplied, describePart } from '../print/describe-plan.ts';
import type { ApplyOutput, PlanOutput } from '../print/output.ts';
import { applyPieces, jsonApply } from '../print/print-apply.ts';
import { jsonPlan, planPieces } from '../print/print-plan.ts';
import type { Paint } from '../print/terminal-text.ts';

export type StandbyOutput = { readonly digest: string } & (
  | { readonly kind: 'planned'; readonly plan: PlanOutput }
  | { readonly kind: 'applied'; readonly applied: ApplyOutput }
);

/** What is planned. */
export function describeStandby(planned: PlannedStandby): Extract<StandbyOutput, { kind: 'planned' }> {
  const plan = { hostedZones: planned.parts.map((part) => describePart(part)), errors: [] };
  return { kind: 'planned', digest: digestOf(planned), plan };
}

/** What became of it. */
export function describeMoved({ digest }: StandbyOutput, hostedZones: readonly AppliedHostedZone[]): StandbyOutput {
  const resolved = { zones: [], records: [], sources: [], errors: [] };
  return { kind: 'applied', digest, applied: describeApplied({ hostedZones, resolved }) };
}

/** The stable JSON: that of `plan`, or of `apply`, with the digest of the whole. */
export function jsonStandby(output: StandbyOutput): object {
  return {
    digest: output.digest,
    ...(output.kind === 'planned' ? jsonPlan(output.plan) : jsonApply(output.applied)),
  };
}

/** The same for people. */
export function printStandby(output: StandbyOutput, paint: Paint): string {
  const pieces = output.kind === 'planned' ? planPieces(output.plan, paint) : applyPieces(output.applied, paint);
  return [...pieces].join('');
}
