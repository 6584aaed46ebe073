// The output of `clusters standby`, `active` and `retire`: that of a plan, or of what became of it, with one digest.
import type { AppliedHostedZone } from '../../lib/apply/apply-hosted-zone.ts';
import { digestOf, type PlannedStandby } from '../../lib/apply/plan-standby.ts';
import { describeApplied, describePart } from '../print/describe-plan.ts';
import { withoutHow } from '../print/how-to-release.ts';
import type { ApplyOutput, ChangeOutput, HostedZoneOutput, PlanOutput } from '../print/output.ts';
import { applyPieces, jsonApply } from '../print/print-apply.ts';
import { jsonPlan, planPieces, type Shown } from '../print/print-plan.ts';
import type { Paint } from '../print/terminal-text.ts';

export type StandbyOutput = { readonly digest: string } & (
  | { readonly kind: 'planned'; readonly plan: PlanOutput }
  | { readonly kind: 'applied'; readonly applied: ApplyOutput; readonly isWhole: boolean }
);

/** The same without that `apply` releases what is held: it needs the objects of a cluster. */
export function withoutApply(output: StandbyOutput): StandbyOutput {
  const mended = <One extends ChangeOutput>({ changes, ...one }: HostedZoneOutput<One>): HostedZoneOutput<One> => {
    const said = (text: string) => withoutHow(text, one.heldDigest ?? null);
    const saidOf = (change: One) => ({ ...change, ...(change.message && { message: said(change.message) }) });
    return { ...one, reasons: one.reasons.map(said), changes: changes.map(saidOf) };
  };
  if (output.kind === 'planned')
    return { ...output, plan: { ...output.plan, hostedZones: output.plan.hostedZones.map(mended) } };
  return { ...output, applied: { ...output.applied, hostedZones: output.applied.hostedZones.map(mended) } };
}

/** What is planned. */
export function describeStandby(planned: Pick<PlannedStandby, 'parts'>): Extract<StandbyOutput, { kind: 'planned' }> {
  const plan = { hostedZones: planned.parts.map((part) => describePart(part)), errors: [] };
  return { kind: 'planned', digest: digestOf(planned), plan };
}

/** What became of it. `isWhole` false: something is left to do, even if each change was made. */
export function describeMoved(
  { digest }: StandbyOutput,
  hostedZones: readonly AppliedHostedZone[],
  isWhole = true,
): StandbyOutput {
  const resolved = { zones: [], records: [], sources: [], errors: [] };
  return { kind: 'applied', digest, applied: describeApplied({ hostedZones, resolved }), isWhole };
}

/** The stable JSON: that of `plan`, or of `apply`, with the digest of the whole. */
export function jsonStandby(output: StandbyOutput): object {
  return {
    digest: output.digest,
    ...(output.kind === 'planned' ? jsonPlan(output.plan) : jsonApply(output.applied)),
  };
}

/** The same for people. */
export function printStandby(output: StandbyOutput, paint: Paint, shown: Shown = {}): string {
  const pieces =
    output.kind === 'planned' ? planPieces(output.plan, paint, shown) : applyPieces(output.applied, paint, shown);
  return [...pieces].join('');
}
