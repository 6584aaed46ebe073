// Route 53's refusals of a record set next to others of its name and type, and of an alias, in Route 53's words. The
// account in memory (memory-hosted-zones.ts) uses them.
import type { RecordSet } from '../../lib/dns/record-set.ts';
import type { RoutingPolicy } from '../../lib/dns/routing-policy.ts';

const ROUTED_MAX = 100;

/** The value that only one record set of a name and type may have; null: any number of them may. */
function claimOf(policy: RoutingPolicy): string | null {
  switch (policy.kind) {
    case 'region':
      return policy.region;
    case 'failover':
      return policy.failover;
    case 'geolocation':
      return JSON.stringify(policy.geolocation);
    case 'cidr':
      return policy.location;
    default:
      return null;
  }
}

function headOf({ name, type, setIdentifier }: RecordSet): string {
  const identifier = setIdentifier === null ? '' : `, SetIdentifier ${setIdentifier}`;
  return `RRSet with DNS name ${name}, type ${type}${identifier}`;
}

/** Why the CNAME rule does not permit a record set next to these of its name; null: it does. `apex`: of its zone. */
export function cnameProblem({ name, type }: RecordSet, ofName: readonly RecordSet[], apex: string): string | null {
  const head = `RRSet of type ${type} with DNS name ${name} is not permitted`;
  if (type === 'CNAME' && name === apex) return `${head} at apex in zone ${apex}`;
  if (type === 'CNAME' && ofName.some((other) => other.type !== 'CNAME'))
    return `${head} as it conflicts with other records with the same DNS name in zone ${apex}`;
  if (type !== 'CNAME' && ofName.some((other) => other.type === 'CNAME'))
    return `${head} because a conflicting RRSet of type CNAME with the same DNS name already exists in zone ${apex}`;
  return null;
}

/** Why a record set cannot exist next to these of its name and type; null: it can. */
export function besideProblem(recordSet: RecordSet, same: readonly RecordSet[]): string | null {
  const { routing } = recordSet.content;
  if ((recordSet.setIdentifier === null) !== (routing === undefined))
    return 'Invalid request: SetIdentifier and routing';
  const others = same.filter((other) => other.setIdentifier !== recordSet.setIdentifier);
  if (others.length === 0) return null;
  const head = headOf(recordSet);
  if (routing === undefined) return `${head} cannot be created as other RRSets exist with the same name and type.`;
  const { policy } = routing;
  if (others.some((other) => other.content.routing?.policy.kind !== policy.kind)) {
    return `${head} cannot be created as a non-${policy.kind} set exists with the same name and type.`;
  }
  const claim = claimOf(policy);
  const claims = others.map(({ content }) => (content.routing === undefined ? null : claimOf(content.routing.policy)));
  if (claim !== null && claims.includes(claim)) {
    return `${head} cannot be created because a ${policy.kind} RRSet with the same name, type and ${policy.kind} already exists.`;
  }
  const ttls = new Set(
    [recordSet, ...others].flatMap(({ content }) => (content.kind === 'values' ? [content.ttlSeconds] : [])),
  );
  if (policy.kind === 'weight' && ttls.size > 1) {
    return `${head} cannot be created as weighted sets must contain the same TTL.`;
  }
  return others.length < ROUTED_MAX ? null : `${head} cannot be created as it exceeds the limit of ${ROUTED_MAX} sets.`;
}

/** Why an alias cannot exist in this hosted zone; null: it can, or is no alias. `at`: the record sets at a name. */
export function aliasProblem(
  { name, type, content }: RecordSet,
  hostedZone: { readonly id: string; readonly name: string },
  at: (name: string) => readonly RecordSet[],
): string | null {
  if (content.kind !== 'alias' || content.alias.hostedZoneId !== hostedZone.id) return null;
  const { dnsName, hostedZoneId } = content.alias;
  const isThere = dnsName !== name && at(dnsName).some((other) => other.type === type);
  const head = `Tried to create an alias that targets ${dnsName}, type ${type} in zone ${hostedZoneId}`;
  return isThere ? null : `${head}, but that target was not found`;
}
