// Builds record sets from the accepted endpoints of a name: values of one record set are merged, the lowest TTL wins,
// and weighted record sets of one name and type share one TTL (API_ResourceRecordSet, TTL).

import { buildRecordSet } from '../dns/build-record-set.ts';
import { inViewOf } from '../dns/names/view.ts';
import type { AliasTarget, RecordSet, RecordSetContent } from '../dns/record-set.ts';
import type { ClaimSettings } from '../objects/claim-settings.ts';
import type { EndpointRouting } from '../objects/endpoint.ts';
import { findRef, type ZoneKey } from '../objects/object-ref.ts';
import { withoutShare } from '../objects/share-id.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { PlacedZone } from './place-zones.ts';

/** A record set that the cluster asks for, in one hosted zone. */
export type DesiredRecordSet = RecordSet & {
  readonly hostedZoneId: string;
  /** The Zone that the hosted zone belongs to. */
  readonly zone: ZoneKey;
  readonly objects: readonly string[];
  /** Every object that asks for it, or its Zone, is on standby. Absent: one is not. */
  readonly standby?: true;
  /** How it is shared with other clusters, as all objects that ask for it say, or their Zone; absent: it is not. */
  readonly sharing?: { readonly kind: 'weighted' | 'latency' | 'merge'; readonly weight: number };
  /** Its values are united with those of other clusters. */
  readonly merges?: true;
  /** It is to be shared by latency, and the cluster has no region. */
  readonly lacksRegion?: true;
};

/** One value, or an alias, of a record set in the hosted zone of `place`. */
export type Contribution = {
  readonly place: PlacedZone;
  readonly type: string;
  readonly routing?: EndpointRouting;
  readonly claim?: ClaimSettings;
  readonly objects: readonly string[];
} & ({ readonly ttl: number; readonly rdata: string } | { readonly alias: AliasTarget });

/** The contributions of an endpoint to the hosted zone of `place`. */
export function contributionsOf(
  place: PlacedZone,
  { fqdn, type, ttl, values, alias, routing, claim }: AdoptedEndpoint,
  objects: readonly string[],
): Contribution[] {
  const common = { place, type, objects, ...(routing === undefined ? {} : { routing }), ...(claim && { claim }) };
  if (alias === undefined) return values.map((rdata) => ({ ...common, ttl, rdata }));
  const own = ownHostedZoneId(place);
  const id = alias.hostedZoneId ?? own;
  if (id === null) return [];
  const { target, evaluateTargetHealth } = alias;
  const hostedZoneId = withoutShare(id);
  // An object may name the hosted zone that it is published into. The target is then in its view.
  const dnsName = own !== null && hostedZoneId === withoutShare(own) ? inViewOf(fqdn, target) : target;
  return [{ ...common, alias: { hostedZoneId, dnsName, evaluateTargetHealth } }];
}

/** The hosted zone that a Zone publishes into; null if there is none. */
export function ownHostedZoneId({ target }: PlacedZone): string | null {
  return target.kind === 'hosted' ? target.hostedZoneId : null;
}

/** The record sets of these contributions, the oldest first. */
export function mergeContributions(name: string, contributions: readonly Contribution[]): DesiredRecordSet[] {
  const hosted = contributions.filter(({ place }) => place.target.kind === 'hosted');
  const byType = Map.groupBy(hosted, ({ place, type }) => `${ownHostedZoneId(place)} ${type}`);
  return [...byType.values()].flatMap((ofType) => {
    const bySet = Map.groupBy(ofType, ({ routing }) => routing?.setIdentifier ?? null);
    return sharingTtl([...bySet.values()].map((ofSet) => recordSetOf(name, ofSet)));
  });
}

function recordSetOf(name: string, contributions: readonly Contribution[]): DesiredRecordSet {
  const [first] = contributions as [Contribution];
  const { type, place, routing } = first;
  const target = place.target as Extract<PlacedZone['target'], { kind: 'hosted' }>;
  const setIdentifier = routing?.setIdentifier ?? null;
  const routed =
    routing === undefined ? null : { routing: { policy: routing.policy, healthCheckId: routing.healthCheckId } };
  const content = contentOf(name, contributions);
  const set = {
    name,
    type,
    setIdentifier,
    content: routed === null ? content : { ...content, ...routed },
    hostedZoneId: target.hostedZoneId,
    zone: target.zone,
    objects: contributions.length === 1 && first.objects.length === 1 ? first.objects : objectsOf(contributions),
  };
  // A literal with a spread takes more memory, and there may be very many record sets.
  return contributions.some(({ claim }) => claim !== undefined) ? { ...set, ...claimOf(contributions) } : set;
}

/** On standby if all are; shared as all say. */
function claimOf(contributions: readonly Contribution[]): Pick<DesiredRecordSet, 'standby' | 'sharing'> {
  const [first] = contributions;
  const { sharing: kind = 'exclusive', weight = 1 } = first?.claim ?? {};
  const isShared = kind !== 'exclusive' && contributions.every(({ claim }) => claim?.sharing === kind);
  return {
    ...(contributions.every(({ claim }) => claim?.standby) && { standby: true }),
    ...(isShared && { sharing: { kind, weight } }),
  };
}

/** The objects of these contributions by name, those of the oldest namespace first: the guard counts for that one. */
function objectsOf(contributions: readonly Contribution[]): readonly string[] {
  const objects = [...new Set(contributions.flatMap((one) => one.objects))];
  const oldest = findRef(objects[0] ?? '')?.namespace;
  const [first, others] = [true, false].map((is) =>
    objects.filter((one) => (findRef(one)?.namespace === oldest) === is).toSorted(),
  ) as [string[], string[]];
  return [...first, ...others];
}

function contentOf(name: string, contributions: readonly Contribution[]): RecordSetContent {
  const [first] = contributions as [Contribution];
  if ('alias' in first) return { kind: 'alias', alias: first.alias };
  const values = contributions.flatMap((one) => ('alias' in one ? [] : [one]));
  return buildRecordSet(name, first.type, values).content;
}

/** Weighted record sets of one name and type with the lowest TTL of them all. */
function sharingTtl(sets: readonly DesiredRecordSet[]): readonly DesiredRecordSet[] {
  const ttls = sets.flatMap(({ content }) => (content.kind === 'values' ? [content.ttlSeconds] : []));
  const ttlSeconds = ttls.reduce((lowest, ttl) => Math.min(lowest, ttl), Number.POSITIVE_INFINITY);
  return sets.map((set) => {
    const { content } = set;
    const isWeighted = content.kind === 'values' && content.routing?.policy.kind === 'weight';
    return isWeighted ? { ...set, content: { ...content, ttlSeconds } } : set;
  });
}
