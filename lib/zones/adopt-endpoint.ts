// Which Zone a Record belongs to. The same function serves a whole cluster at once and one changed Record: it asks only
// for the Zone that a zoneRef names and for the live Zones at the names above (design section 4, "Adoption").
import { ancestorsOf, NAME_OCTETS_MAX, nameOctets } from '../dns/names/name.ts';
import type { AcceptedReason, Entry, Verdict } from '../objects/conditions.ts';
import type { RecordSpec } from '../objects/endpoint.ts';
import type { Age, Declared, ObjectRef, ZoneKey } from '../objects/object-ref.ts';
import { delegatesRecord, type LiveZone } from './delegation.ts';
import { explainDenial } from './explain-denial.ts';
import { missingParent, overruledBySpec, tooLong } from './resolve-zones.ts';

/** What became of one Record before its neighbours are looked at. `parent` is null when no Zone adopted it. */
export type RecordAdoption = {
  readonly fqdn: string | null;
  readonly parent: LiveZone | null;
  readonly verdict: Verdict<AcceptedReason>;
};

/** What adoption needs to know of the Zones. */
export type ZoneLookup = {
  /** Undefined when there is no such Zone; `live` null when it is not live. */
  readonly byKey: (key: ZoneKey) => { readonly live: LiveZone | null } | undefined;
  readonly liveAt: (fqdn: string) => LiveZone | undefined;
};

/** Adopts one Record, or says why not. */
export function adoptRecord(record: Declared<RecordSpec>, zones: ZoneLookup): RecordAdoption {
  const adoption = adoptSpec(record, zones);
  return { ...adoption, verdict: overruledBySpec(record, adoption.verdict) };
}

function adoptSpec(record: Declared<RecordSpec>, zones: ZoneLookup): RecordAdoption {
  const { spec } = record;
  if (spec === null) return refused(null, { reason: 'InvalidSpec', message: 'the spec is invalid' });
  if (spec.zoneRef !== null) return adoptByReference(record.ref.namespace, spec, spec.zoneRef, zones);
  if (spec.domainName.kind !== 'full') throw new Error('a valid spec without a zoneRef has a fully qualified name');
  return adoptByName(record.ref.namespace, spec, spec.domainName.fqdn, zones);
}

function adoptByReference(namespace: string, spec: RecordSpec, target: ZoneKey, zones: ZoneLookup): RecordAdoption {
  const zone = zones.byKey(target);
  const live = zone?.live ?? null;
  if (live === null) return refused(null, missingParent(target, zone !== undefined));
  const fqdn = spec.domainName.kind === 'partial' ? `${spec.domainName.labels}.${live.fqdn}` : live.fqdn;
  if (nameOctets(fqdn) > NAME_OCTETS_MAX) return refused(null, tooLong(fqdn));
  return delegatesRecord(live, fqdn, spec.type, namespace)
    ? adopted(fqdn, live)
    : denied(live, fqdn, spec.type, namespace);
}

function adoptByName(namespace: string, spec: RecordSpec, fqdn: string, zones: ZoneLookup): RecordAdoption {
  const covering = namesThatMayCover(fqdn, spec.type).flatMap((name) => zones.liveAt(name) ?? []);
  const allowing = covering.find((zone) => delegatesRecord(zone, fqdn, spec.type, namespace));
  if (allowing !== undefined) return adopted(fqdn, allowing);
  const nearest = covering[0];
  if (nearest !== undefined) return denied(nearest, fqdn, spec.type, namespace);
  const strictly = spec.type === 'DS' ? ' strictly above it, as a DS needs' : '';
  return refused(fqdn, {
    reason: 'ParentNotFound',
    message: `no live Zone covers ${fqdn}${strictly}: declare a Zone for it or for a name above, or name one by zoneRef`,
  });
}

/** The names at which a Zone would cover a Record's, the longest first: a DS is covered strictly from above. */
function namesThatMayCover(fqdn: string, type: string): string[] {
  return type === 'DS' ? ancestorsOf(fqdn) : [fqdn, ...ancestorsOf(fqdn)];
}

function adopted(fqdn: string, parent: LiveZone): RecordAdoption {
  return { fqdn, parent, verdict: { reason: 'Adopted', message: `adopted by Zone ${parent.key} (${parent.fqdn})` } };
}

function denied(zone: LiveZone, fqdn: string, type: string, namespace: string): RecordAdoption {
  return refused(fqdn, { reason: 'DelegationDenied', message: explainDenial(zone, fqdn, type, namespace) });
}

function refused(fqdn: string | null, verdict: Verdict<AcceptedReason>): RecordAdoption {
  return { fqdn, parent: null, verdict };
}

/** A Record that a live Zone adopted, with its TTL decided. */
export type AdoptedRecord = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly zone: ZoneKey;
  readonly entry: Entry;
};
