// Finds the Zone that reports what the guard holds in a hosted zone: the live Zone that has it as its own. If no Zone
// has it any more, that is the nearest live Zone at or above its name that publishes. The annotation of the latter
// releases nothing, since it may have been set long before for something else.

import { ancestorsOf } from '../dns/names/name.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { Target } from '../zones/place-zones.ts';
import type { ResolvedCluster } from '../zones/resolve-cluster.ts';
import { directoryCodec, directoryKey } from './directory-item.ts';

export type ResponsibleZone = { readonly zone: ZoneKey; readonly isOwn: boolean };

type LiveZone = { readonly key: ZoneKey; readonly target: Target };
export type LiveAt = (fqdn: string) => LiveZone | undefined;

/** The Zone that reports a hosted zone, found among the live Zones; null: there is none. */
export function responsibleZoneOf(
  hostedZone: Pick<HostedZoneItem, 'id' | 'name'>,
  liveAt: LiveAt,
): ResponsibleZone | null {
  for (const fqdn of [hostedZone.name, ...ancestorsOf(hostedZone.name)]) {
    const responsible = asResponsible(hostedZone, liveAt(fqdn));
    if (responsible !== null) return responsible;
  }
  return null;
}

function asResponsible({ id }: Pick<HostedZoneItem, 'id'>, zone: LiveZone | undefined): ResponsibleZone | null {
  return zone?.target.kind === 'hosted' ? { zone: zone.key, isOwn: zone.target.hostedZoneId === id } : null;
}

/** The live Zones of a resolved cluster by name. */
export function liveZonesAt(resolved: ResolvedCluster): LiveAt {
  const byName = new Map(
    [...resolved.zones.values()].flatMap(({ live, placed }) =>
      live === null || placed === null ? [] : [[live.fqdn, { key: live.key, target: placed.target }] as const],
    ),
  );
  return (fqdn) => byName.get(fqdn);
}

/**
 * The same, found in the directory. Null also if the directory cannot be read: then no Zone reports the hosted zone and
 * no annotation counts, but it is published.
 */
export async function readResponsibleZone(
  ledger: Ledger,
  hostedZone: Pick<HostedZoneItem, 'id' | 'name' | 'cluster'>,
): Promise<ResponsibleZone | null> {
  for (const fqdn of [hostedZone.name, ...ancestorsOf(hostedZone.name)]) {
    const stored = await ledger.get(directoryKey(hostedZone.cluster, fqdn));
    if (stored === null) continue;
    const live = directoryCodec.read(stored);
    if (live instanceof UnreadableItemError) return null;
    const responsible = asResponsible(hostedZone, live);
    if (responsible !== null) return responsible;
  }
  return null;
}
