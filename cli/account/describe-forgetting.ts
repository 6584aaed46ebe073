// The output of `migrate --to external-dns` and `forget`: that of a plan, with what stays with zone53. Pure.
import type { AppliedHostedZone } from '../../lib/apply/apply-hosted-zone.ts';
import type { PlannedForgetting, Staying } from '../../lib/apply/plan-forgetting.ts';
import { realName, viewOf, withViewsInWords } from '../../lib/dns/names/view.ts';
import { showRecordSet } from '../../lib/dns/record-set.ts';
import { describeApplied, describeChange } from '../print/describe-plan.ts';
import type { AppliedChangeOutput, ChangeOutput, HostedZoneOutput } from '../print/output.ts';
import { jsonChange, jsonHostedZone } from '../print/print-plan.ts';

type Described<Of extends ChangeOutput> = HostedZoneOutput<Of> & { readonly stays: readonly Staying[] };

/** `problems`: what was asked for and is nothing of ours. */
export type ForgettingOutput = {
  readonly hostedZones: readonly Described<ChangeOutput | AppliedChangeOutput>[];
  readonly problems: readonly string[];
  readonly errors: readonly never[];
};

export function describeForgetting(
  planned: readonly PlannedForgetting[],
  problems: readonly string[],
): ForgettingOutput {
  const hostedZones = planned.map(({ hostedZone, digest, changes, stays }) => ({
    ...{ id: hostedZone.id, name: realName(hostedZone.name), view: viewOf(hostedZone.name), zone: hostedZone.zone },
    ...{ digest, held: false, reasons: [] },
    ...{
      stays,
      notes: stays.map(noteOfStaying),
      changes: changes.map((one) => ({ ...describeChange(one), cluster: hostedZone.cluster })),
    },
  }));
  return { hostedZones, problems, errors: [] };
}

/** The same after it was carried out. */
export function describeForgotten(plan: ForgettingOutput, applied: readonly AppliedHostedZone[]): ForgettingOutput {
  const resolved = { zones: [], records: [], sources: [], errors: [] };
  const byId = new Map(
    describeApplied({ hostedZones: applied, resolved }).hostedZones.map((one) => [one.id, one.changes]),
  );
  const hostedZones = plan.hostedZones.map((one) => ({ ...one, changes: byId.get(one.id) ?? [] }));
  return { ...plan, hostedZones };
}

function noteOfStaying({ message, ...key }: Staying): string {
  return `${showRecordSet(key)} stays with zone53: ${message}`;
}

/** The stable JSON: `hostedZones` as in a plan, each with `stays`. */
export function jsonForgetting({ hostedZones, problems }: ForgettingOutput): object {
  return {
    hostedZones: hostedZones.map(({ stays, notes: _, ...one }) => ({
      ...jsonHostedZone(one, jsonChange),
      stays: stays.map(({ name, type, setIdentifier, message }) => ({
        ...{ name: realName(name), type, setIdentifier, message: withViewsInWords(message) },
      })),
    })),
    problems,
  };
}

/** True if all that was asked for is, or can be, forgotten. */
export function isAllForgotten({ hostedZones, problems }: ForgettingOutput): boolean {
  const isDone = ({ outcome }: ChangeOutput) => outcome === undefined || outcome === 'published';
  return (
    problems.length === 0 && hostedZones.every(({ stays, changes }) => stays.length === 0 && changes.every(isDone))
  );
}
