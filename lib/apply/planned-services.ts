// The Services of a cluster's own DNS behind the deletes of a plan: what is wanted comes from the world that is planned, and what
// stands from the ledger.
import { guardLimitsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { servicesOfDeletes } from '../publish/counts/services.ts';
import type { ServicesView } from '../publish/plan/guard-services.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import type { World } from '../zones/resolve-cluster.ts';

/** Whether anything is wanted at a name. */
export type IsWanted = (name: string) => boolean;

/** The names at which a world wants something. */
export function wantedIn({ recordSets }: World): IsWanted {
  const names = new Set(recordSets.map(({ name }) => name));
  return (name) => names.has(name);
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
