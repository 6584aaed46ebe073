// The hosted zones that applying a plan would create, and those that Route 53 has refused to create.
import { mayCreate } from '../hosting/claim-hosted-zones.ts';
import { hostingOf } from '../hosting/create-hosted-zone.ts';
import { type Hostings, placedNow, unusable } from '../hosting/find-hosted-zones.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { LiveZone } from '../zones/delegation.ts';
import type { Hosting, NameServer } from '../zones/place-zones.ts';

/** What is known of the hosted zones of live Zones. `inUse`: those that exist, by fqdn. */
export type Known = {
  readonly declared: ReadonlyMap<ZoneKey, readonly NameServer[]>;
  readonly inUse: ReadonlyMap<string, Hosting>;
  readonly problems: Hostings['problems'];
  readonly known: Hostings['known'];
  /** No hosted zone is created any more. */
  readonly makesNone: boolean;
};

/** The hostings, by fqdn, of the Zones whose hosted zone is created, or was refused. */
export async function pendingHostings(
  context: Context,
  zones: readonly LiveZone[],
  { declared, inUse, problems, known, makesNone }: Known,
): Promise<ReadonlyMap<string, Hosting>> {
  const pending = new Map<string, Hosting>();
  for (const zone of zones) {
    const { fqdn } = zone;
    if (inUse.has(fqdn) || problems.has(fqdn) || !(await mayCreate(context, zone, declared, inUse, known))) continue;
    const toBeMade = { id: pendingId(fqdn), nameServers: [], made: true };
    const hosting = makesNone ? await refusedHosting(context, fqdn) : hostingOf(context.config, toBeMade);
    if (hosting !== null) pending.set(fqdn, hosting);
  }
  return pending;
}

/** Why the Zone of this name publishes nothing, as claimHostedZones() has found; null: nothing is known. */
async function refusedHosting(context: Context, fqdn: string): Promise<Hosting | null> {
  const target = (await placedNow(context, fqdn))?.target;
  return target?.kind === 'none' && target.reason !== undefined ? unusable(target.reason) : null;
}

/** A substitute for the id of a hosted zone that will be created. */
export function pendingId(fqdn: string): string {
  return `new:${fqdn}`;
}
