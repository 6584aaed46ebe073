// Finds Services whose PTR at a name was left out. Otherwise only their number is reported, in the log
// (docs/service-discovery.md).
import type { ClusterPlan } from '../apply/plan-cluster.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import { formatRef } from '../objects/object-ref.ts';
import { declaredIn } from '../observe/read-cluster.ts';
import { adoptEndpoint, type DeclaredObject, type ZoneLookup } from '../zones/adopt-endpoint.ts';
import { type ClusterDns, clusterNameOf } from '../zones/cluster-names.ts';
import type { AskingObject } from './explanation.ts';

/** The Services with a PTR at this name that is not published, with the reason. */
export function leftOutReverse(
  { reading, resolved }: ClusterPlan,
  clusterDns: ClusterDns | null,
  name: string,
): readonly AskingObject[] {
  if (clusterDns === null || !name.endsWith('.arpa.')) return [];
  const liveAt = new Map(
    [...resolved.zones.values()].flatMap(({ live }) => (live === null ? [] : [[live.fqdn, live]])),
  );
  const lookup: ZoneLookup = {
    byKey: (key) => resolved.zones.get(key),
    liveAt: (fqdn) => liveAt.get(fqdn),
    clusterDns,
  };
  return declaredIn(reading).flatMap((object) => {
    const shown = new Set((resolved.objects.get(formatRef(object.ref)) ?? []).map(({ endpoint }) => endpoint));
    return (object.spec ?? [])
      .filter((endpoint) => endpoint.reverse !== undefined && clusterNameOf(endpoint) === name && !shown.has(endpoint))
      .map((endpoint) => leftOut(object, endpoint, lookup));
  });
}

function leftOut(object: DeclaredObject, endpoint: Endpoint, lookup: ZoneLookup): AskingObject {
  const { parent, verdict } = adoptEndpoint(object, endpoint, lookup);
  const accepted =
    parent === null
      ? verdict
      : {
          reason: 'Conflict',
          message: `${endpoint.values.join(', ')} is left out: the address is a cluster IP, and only its Service can have its PTR`,
        };
  return { object: formatRef(object.ref), type: endpoint.type, accepted, programmed: null, parent: null };
}
