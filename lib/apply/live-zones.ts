// The live Zones of a resolved cluster by name, to find the Zone that reports a hosted zone
// (lib/directory/responsible-zone.ts).
import type { responsibleZoneOf } from '../directory/responsible-zone.ts';
import type { ResolvedCluster } from '../zones/resolve-cluster.ts';

/** The live Zones of a resolved cluster by name, for `responsibleZoneOf`. */
export function liveZonesAt(resolved: ResolvedCluster): Parameters<typeof responsibleZoneOf>[1] {
  const byName = new Map(
    [...resolved.zones.values()].flatMap(({ live, placed }) =>
      live === null || placed === null ? [] : [[live.fqdn, { key: live.key, target: placed.target }] as const],
    ),
  );
  return (fqdn) => byName.get(fqdn);
}
