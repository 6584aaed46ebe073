// Decides which Zone adopts an endpoint. The same function serves a whole cluster and one changed object: it needs only
// the Zone that a zoneRef names, and the live Zones at the names above.

import { type Entry, entryRouting } from '../dns/entry.ts';
import { inNamespace } from '../dns/health-check.ts';
import { ancestorsOf, NAME_OCTETS_MAX, nameOctets } from '../dns/names/name.ts';
import { inViewOf, PUBLIC, viewOf } from '../dns/names/view.ts';
import { type ClaimSettings, claimIn } from '../objects/claim-settings.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import { type Endpoint, type EndpointAlias, type EndpointRouting, openEndpoint } from '../objects/endpoint.ts';
import type { Age, Declared, ObjectRef, ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { withoutShare } from '../objects/share-id.ts';
import { type ClusterDns, dnsVersionName, isClusterName, reservedName, SCHEMA_VERSION } from './cluster-names.ts';
import { delegatesRecord, type LiveZone, sharesRecord } from './delegation.ts';
import { explainDenial } from './explain-denial.ts';
import { missingParent, otherView, overruledBySpec } from './resolve-zones.ts';
import { tooLong } from './rings/long-names.ts';

/** An object with its endpoints in force; null if it never had a valid spec. */
export type DeclaredObject = Declared<readonly Endpoint[]>;

/** The adoption of one endpoint, before its neighbours are judged. `parent` is null if no Zone adopted it. */
export type EndpointAdoption = {
  readonly fqdn: string | null;
  readonly parent: LiveZone | null;
  readonly verdict: Verdict<AcceptedReason>;
  /** For a former endpoint: the endpoints that replaced it. */
  readonly newer?: readonly NewerEndpoint[];
};

/** An adopted alias, or why an endpoint is invalid in any Zone. */
type NewerEndpoint = AdoptedAlias | Verdict<AcceptedReason>;

/** An alias that is valid only if the hosted zone of its target is known. */
export type AdoptedAlias = {
  readonly zone: ZoneKey;
  readonly fqdn: string;
  readonly type: string;
  readonly target: string;
};

/** What adoption needs to know of the Zones. */
export type ZoneLookup = {
  /** Undefined if there is no such Zone; `live` is null if it is not live. */
  readonly byKey: (key: ZoneKey) => { readonly live: LiveZone | null } | undefined;
  readonly liveAt: (fqdn: string) => LiveZone | undefined;
  /** Null, or absent: there is none. */
  readonly clusterDns?: ClusterDns | null;
};

/** Adopts one endpoint of an object, or gives the reason why not. */
export function adoptEndpoint(object: DeclaredObject, endpoint: Endpoint, zones: ZoneLookup): EndpointAdoption {
  const { flaw } = endpoint;
  if (flaw?.isInForce === false) return refused(flawedName(endpoint), { reason: 'InvalidSpec', message: flaw.message });
  const adoption = adoptFormer(object.ref.namespace, endpoint, zones);
  const problems = flaw === undefined ? object.problems : [flaw.message];
  return { ...adoption, verdict: overruledBySpec({ ...object, problems }, adoption.verdict) };
}

/** The verdict on an object that has no endpoint in force. */
export function refuseObject(object: DeclaredObject): EndpointAdoption {
  return refused(null, overruledBySpec(object, { reason: 'InvalidSpec', message: 'the spec is invalid' }));
}

function flawedName({ domainName }: AskedName): string | null {
  return domainName.kind === 'full' ? domainName.fqdn : null;
}

/** Adopts a former endpoint if each one that replaced it is adopted or invalid: otherwise one may become valid. */
function adoptFormer(namespace: string, endpoint: Endpoint, zones: ZoneLookup): EndpointAdoption {
  const adoption = adoptByItsName(namespace, endpoint, zones);
  if (endpoint.standsInFor === undefined) return adoption;
  const newer = endpoint.standsInFor.map((one) => {
    const { fqdn, parent, verdict } = adoptByItsName(namespace, one, zones);
    if (verdict.reason === 'InvalidSpec') return verdict;
    const { type, target } = one;
    return fqdn === null || parent === null || target === null
      ? null
      : { zone: parent.key, fqdn, type, target: inViewOf(fqdn, target) };
  });
  const open = newer.filter((one) => one !== null);
  return open.length < newer.length ? { ...adoption, parent: null } : { ...adoption, newer: open };
}

type AskedName = Pick<Endpoint, 'domainName' | 'zoneRef' | 'type' | 'clusterZone' | 'reverse' | 'view'>;

function adoptByItsName(namespace: string, endpoint: AskedName, zones: ZoneLookup): EndpointAdoption {
  const { clusterZone, reverse } = endpoint;
  if (clusterZone !== undefined && zones.liveAt(clusterZone) === undefined) {
    return refused(flawedName(endpoint), {
      reason: 'ParentNotFound',
      message: `there is no live Zone with exactly the name ${clusterZone}, the value of sources.serviceDiscovery.zone in the configuration: declare it`,
    });
  }
  if (clusterZone !== undefined && reverse === undefined) {
    return adopted(flawedName(endpoint) as string, zones.liveAt(clusterZone) as LiveZone);
  }
  const adoption = adoptByDelegation(namespace, endpoint, zones);
  const dns = zones.clusterDns ?? null;
  return dns !== null && adoption.fqdn !== null && isClusterName(adoption.fqdn, dns.zone)
    ? refused(adoption.fqdn, reservedName(adoption.fqdn, dns.zone))
    : adoption;
}

function adoptByDelegation(namespace: string, endpoint: AskedName, zones: ZoneLookup): EndpointAdoption {
  const { domainName, zoneRef } = endpoint;
  if (zoneRef !== null) return adoptByReference(namespace, endpoint, zoneRef, zones);
  if (domainName.kind !== 'full') throw new Error('an endpoint without a zoneRef has a fully qualified name');
  return adoptByName(namespace, endpoint, domainName.fqdn, zones);
}

function adoptByReference(
  namespace: string,
  endpoint: AskedName,
  target: ZoneKey,
  zones: ZoneLookup,
): EndpointAdoption {
  const zone = zones.byKey(target);
  const live = zone?.live ?? null;
  if (live === null) return refused(null, missingParent(target, zone !== undefined));
  const { view = viewOf(live.fqdn) } = endpoint;
  if (view !== viewOf(live.fqdn)) return refused(null, otherView(target, viewOf(live.fqdn), view));
  const fqdn = endpoint.domainName.kind === 'partial' ? `${endpoint.domainName.labels}.${live.fqdn}` : live.fqdn;
  if (nameOctets(fqdn) > NAME_OCTETS_MAX) return refused(null, tooLong(fqdn));
  return delegatesRecord(live, fqdn, endpoint.type, namespace)
    ? adopted(fqdn, live)
    : denied(live, fqdn, endpoint.type, namespace);
}

function adoptByName(namespace: string, endpoint: AskedName, fqdn: string, zones: ZoneLookup): EndpointAdoption {
  const covering = namesThatMayCover(fqdn, endpoint.type).flatMap((name) => zones.liveAt(name) ?? []);
  const allowing = covering.find((zone) => delegatesRecord(zone, fqdn, endpoint.type, namespace));
  if (allowing !== undefined) return adopted(fqdn, allowing);
  const nearest = covering[0];
  if (nearest !== undefined) return denied(nearest, fqdn, endpoint.type, namespace);
  const message =
    endpoint.type === 'DS'
      ? `no live Zone is above ${fqdn}, as a DS needs: declare a Zone for a name above it, or name one by zoneRef`
      : `no live Zone covers ${fqdn}: declare a Zone for it or for a name above, or mend one that is not accepted; or name one by zoneRef`;
  return refused(fqdn, { reason: 'ParentNotFound', message });
}

/** The names at which a Zone would cover the endpoint, the longest first. A DS needs a Zone strictly above its name. */
function namesThatMayCover(fqdn: string, type: string): string[] {
  return type === 'DS' ? ancestorsOf(fqdn) : [fqdn, ...ancestorsOf(fqdn)];
}

/** The verdict on adopted endpoints, one shared value for each Zone. */
const ADOPTED = new WeakMap<LiveZone, Verdict<AcceptedReason>>();

function adopted(fqdn: string, parent: LiveZone): EndpointAdoption {
  const said = ADOPTED.get(parent);
  const message = `adopted by Zone ${parent.key} (${parent.fqdn})`;
  const verdict = said?.message === message ? said : ({ reason: 'Adopted', message } as const);
  if (verdict !== said) ADOPTED.set(parent, verdict);
  return { fqdn, parent, verdict };
}

function denied(zone: LiveZone, fqdn: string, type: string, namespace: string): EndpointAdoption {
  return refused(fqdn, { reason: 'DelegationDenied', message: explainDenial(zone, fqdn, type, namespace) });
}

function refused(fqdn: string | null, verdict: Verdict<AcceptedReason>): EndpointAdoption {
  return { fqdn, parent: null, verdict };
}

/** An endpoint that a live Zone adopted, with its name and TTL decided. */
export type AdoptedEndpoint = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly zone: ZoneKey;
  readonly fqdn: string;
  readonly type: string;
  readonly class: string;
  /** Seconds. Not used for an alias, which has the TTL of its target. */
  readonly ttl: number;
  readonly values: readonly string[];
  readonly alias?: EndpointAlias;
  readonly routing?: EndpointRouting;
  readonly note?: string;
  readonly tls?: true;
  readonly reverse?: Endpoint['reverse'];
  /** Every delegation that allows it says `shared`. */
  readonly shared?: true;
  /** How it meets what other clusters ask for, by the object and the Zone. */
  readonly claim?: ClaimSettings;
  /** For a former endpoint: it counts only if none of these is valid. */
  readonly standsInFor?: readonly NewerEndpoint[];
};

/** Builds the adopted endpoint of an endpoint; null if no Zone adopted it. */
export function adoptedEndpoint(
  { ref, age }: DeclaredObject,
  { type, class: recordClass, ttl, values, alias, routing, note, tls, reverse, clusterZone, claim }: Endpoint,
  { fqdn, parent, newer }: EndpointAdoption,
): AdoptedEndpoint | null {
  if (parent === null || fqdn === null) return null;
  // Names of the cluster's own DNS need no delegation, save PTRs.
  const isDelegated = clusterZone === undefined || reverse !== undefined;
  const said = claimIn(parent.spec.claim, claim);
  // Names of the cluster's own DNS are shared with nobody.
  const settings = clusterZone === undefined || said === undefined ? said : said.standby && { standby: said.standby };
  const shared = isDelegated && sharesRecord(parent, fqdn, type, ref.namespace);
  return {
    ref,
    age,
    zone: parent.key,
    fqdn,
    type,
    class: recordClass,
    ttl: ttl ?? parent.spec.ttl,
    values,
    ...(alias !== undefined && { alias: aliasAt(fqdn, alias) }),
    ...(routing !== undefined && {
      routing: { ...routing, healthCheckId: inNamespace(routing.healthCheckId, ref.namespace) },
    }),
    ...(note !== undefined && { note }),
    ...(tls !== undefined && { tls }),
    ...(reverse !== undefined && { reverse }),
    ...(shared && { shared }),
    ...(settings !== undefined && { claim: settings }),
    ...(newer !== undefined && { standsInFor: newer }),
  };
}

/** An alias at a name. A target within the hosted zone of the name is of the same view. */
function aliasAt(fqdn: string, alias: EndpointAlias): EndpointAlias {
  if (alias.hostedZoneId !== null || viewOf(fqdn) === PUBLIC) return alias;
  return { ...alias, target: inViewOf(fqdn, alias.target) };
}

/** Leaves out endpoints for which a former one of the same object stands in, which then reports what is wrong. */
export function withoutReplaced<One>(all: readonly One[], endpointOf: (one: One) => Endpoint | null): readonly One[] {
  const replaced = all.flatMap((one) => endpointOf(one)?.standsInFor ?? []);
  if (replaced.length === 0) return all;
  return all.filter((one) => {
    const endpoint = endpointOf(one);
    if (endpoint === null || endpoint.standsInFor !== undefined) return true;
    const open = openEndpoint(endpoint);
    return open === null || !replaced.some((other) => sameJson(other, open));
  });
}

/** The TXT with the version of a cluster's DNS, which no object asks for; none unless `live` is its Zone. */
export function dnsVersion(live: LiveZone | undefined, dns: ClusterDns | null): readonly AdoptedEndpoint[] {
  if (live === undefined || dns === null || live.fqdn !== dns.zone) return [];
  const [namespace = '', name = ''] = live.key.split('/');
  return [
    {
      ref: { kind: 'Zone', namespace, name },
      age: { creationTimestamp: null, uid: null, order: '' },
      zone: live.key,
      fqdn: dnsVersionName(dns),
      type: 'TXT',
      class: 'IN',
      ttl: dns.ttlSeconds,
      values: [`"${SCHEMA_VERSION}"`],
    },
  ];
}

/** The entries of an adopted endpoint: one for each value, or its alias. `ownHostedZoneId`: where it publishes. */
export function entriesOf(endpoint: AdoptedEndpoint, ownHostedZoneId: string | null): Entry[] {
  const { fqdn, type, class: recordClass, ttl, values, alias, routing } = endpoint;
  const routed = routing === undefined ? {} : { routing: entryRouting(routing) };
  if (alias === undefined) return values.map((rdata) => ({ fqdn, type, class: recordClass, ttl, rdata, ...routed }));
  const hostedZoneId = alias.hostedZoneId ?? (ownHostedZoneId === null ? null : withoutShare(ownHostedZoneId));
  const { target, evaluateTargetHealth } = alias;
  const ownAlias = { target, hostedZoneId, evaluateTargetHealth };
  return [{ fqdn, type, class: recordClass, ttl: null, alias: ownAlias, ...routed }];
}
