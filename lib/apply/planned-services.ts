// The Services of a cluster's own DNS whose names a plan deletes. What they ask for is read from the world that is
// planned, what stands of them from the ledger.
import { guardLimitsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { servicesOfDeletes } from '../publish/counts/services.ts';
import type { ServicesView } from '../publish/plan/guard-services.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import { clusterNameOf } from '../zones/cluster-names.ts';
import type { World } from '../zones/resolve-cluster.ts';

/** Whether anything is wanted at a name. */
export type IsWanted = (name: string) => boolean;

/** The names at which a world wants something; gathered at the first question. */
export function wantedIn({ recordSets }: Pick<World, 'recordSets'>): IsWanted {
  let names: ReadonlySet<string> | null = null;
  return (name) => {
    names ??= new Set(recordSets.map((set) => set.name));
    return names.has(name);
  };
}

/** Whether an object asks for a record set by the names of a cluster's own DNS, whatever Zones say. */
export type IsAsked = (key: Pick<RecordSetItem, 'name' | 'type'>) => boolean;

/** What these objects ask for; gathered at the first question. */
export function askedBy(objects: () => readonly DeclaredObject[]): IsAsked {
  let asked: ReadonlySet<string> | null = null;
  return ({ name, type }) => {
    asked ??= new Set(
      objects()
        .flatMap(({ spec }) => spec ?? [])
        .map((endpoint) => `${clusterNameOf(endpoint)} ${endpoint.type}`),
    );
    return asked.has(`${name} ${type}`);
  };
}

/** The Services that what is to be deleted in a hosted zone is of; null: all deletes are judged alike. */
export async function plannedServices(
  { ledger, config, clock }: Context,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
  isWanted: IsWanted,
): Promise<ServicesView | null> {
  const { services: limits } = guardLimitsOf(config);
  return servicesOfDeletes({ ledger, limits, hostedZone, isWanted, nowMs: clock.nowMs() }, items);
}
