// Shows a part of a plan: `plan --zone` and `plan --namespace`. Only what is shown changes: the plan, its digests and
// what the guard holds are those of the whole.
import { isAtOrBelow } from '../../lib/dns/names/name.ts';
import { findRef } from '../../lib/objects/object-ref.ts';
import { type ChangeOutput, noteOf, type PlanOutput } from './output.ts';
import { counted } from './terminal-text.ts';

export type PlanFilter = {
  /** A canonical name: only it and what is below; null: any. */
  readonly zone: string | null;
  readonly namespace: string | null;
};

/** The plan with what the filter leaves, and a note about the rest. */
export function filterPlan(plan: PlanOutput, filter: PlanFilter): PlanOutput {
  const { zone, namespace } = filter;
  const isNamed = (name: string | null) => zone === null || (name !== null && isAtOrBelow(name, zone));
  const isOf = (object: string) => namespace === null || findRef(object)?.namespace === namespace;
  const isShown = ({ name, objects }: Pick<ChangeOutput, 'name' | 'objects'>) =>
    isNamed(name) && (namespace === null || objects.some(isOf));
  const hostedZones = plan.hostedZones.map((hostedZone) => {
    const changes = hostedZone.changes.filter(isShown);
    const left = hostedZone.changes.length - changes.length;
    const notes =
      left === 0
        ? []
        : [
            `${counted(left, 'other change')} of this hosted zone ${left === 1 ? 'is' : 'are'} not shown, by --zone or --namespace.`,
          ];
    const { drifts: all = [], ...rest } = hostedZone;
    const drifts = all.filter(isShown);
    const hidden = new Set(all.filter((one) => !drifts.includes(one)).map(noteOf));
    const kept = (hostedZone.notes ?? []).filter((note) => !hidden.has(note));
    const unmanaged = hostedZone.unmanaged?.filter((one) => isNamed(one.name));
    return {
      ...{ ...rest, changes, notes: changes.length + drifts.length === 0 ? [] : [...kept, ...notes] },
      ...(unmanaged !== undefined && { unmanaged }),
      ...(drifts.length > 0 && { drifts }),
    };
  });
  const isHere = (of: { readonly namespace: string; readonly fqdn: string | null }) =>
    isNamed(of.fqdn) && (namespace === null || of.namespace === namespace);
  const { resolved } = plan;
  const countOf = (all: readonly { readonly changes: readonly unknown[] }[]) =>
    all.reduce((sum, { changes }) => sum + changes.length, 0);
  return {
    ...plan,
    hidden: countOf(plan.hostedZones) - countOf(hostedZones),
    hostedZones: hostedZones.filter(
      ({ changes, drifts, unmanaged = [] }) => changes.length + unmanaged.length > 0 || drifts !== undefined,
    ),
    ...(resolved !== undefined && {
      resolved: {
        zones: resolved.zones.filter(isHere),
        records: resolved.records.filter(isHere),
        sources: resolved.sources.flatMap((source) => {
          if (namespace !== null && source.namespace !== namespace) return [];
          const endpoints = source.endpoints.filter(({ fqdn }) => isNamed(fqdn));
          return zone !== null && endpoints.length === 0 ? [] : [{ ...source, endpoints }];
        }),
      },
    }),
  };
}
