// The stable JSON of `render -o json`, which `apply -o json` also prints, with the Programmed condition. Objects are
// sorted by namespace and name. A value that does not exist is null.

import type { Entry } from '../dns/entry.ts';
import { hashZone } from '../dns/hash.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import {
  acceptedCondition,
  type Condition,
  invalidIn,
  type ProgrammedReason,
  programmedCondition,
  propagatedCondition,
  type Verdict,
} from '../objects/conditions.ts';
import { fieldPathIn } from '../objects/field-path.ts';
import { formatRef, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { ObjectItem } from '../observe/object-item.ts';
import type { Listing, Origin, ReadProblem, ReadRemark } from '../ports/cluster.ts';
import { type Config, refusedTakeover } from '../ports/config.ts';
import { once } from '../ports/once.ts';
import { type Propagation, propagationVerdict } from '../record-sets/propagation.ts';
import { isRecord } from '../sources/source.ts';
import { withNotes } from '../zones/notes.ts';
import type { EndpointOutcome, ResolvedCluster, ResolvedZone } from '../zones/resolve-cluster.ts';
import { buildSoaEntry } from '../zones/zone-entries.ts';
import { describeSources, describeWaiting, type SourceOutput, type WaitingOutput } from './describe-sources.ts';

export type RecordOutput = {
  readonly namespace: string;
  readonly name: string;
  readonly fqdn: string | null;
  readonly parent: ZoneKey | null;
  readonly conditions: readonly Condition[];
  /** The data of an alias that kubectl shows; not part of the JSON. */
  readonly data?: string;
  /** Where its manifest is; not part of the JSON. */
  readonly origin?: Origin;
};

export type ZoneOutput = RecordOutput & {
  readonly hash: string | null;
  readonly serial: number | null;
  readonly entries: readonly Entry[];
};

export type ErrorOutput = ReadProblem;

export type ClusterOutput = {
  /** The id of the cluster; absent where no ledger is read. */
  readonly cluster?: string;
  readonly zones: readonly ZoneOutput[];
  readonly records: readonly RecordOutput[];
  readonly sources: readonly SourceOutput[];
  /** The names that objects ask for and do not get yet. Only `render` shows them. */
  readonly waiting?: readonly WaitingOutput[];
  readonly errors: readonly ErrorOutput[];
  /** For people; not part of the JSON. */
  readonly remarks?: readonly ReadRemark[];
};

/** What only the running system knows: serials, and Route 53's answers (null: there is no Programmed condition). */
export type Knowledge = {
  readonly serialOf: (key: ZoneKey, hash: string) => number;
  readonly zoneProgrammed: (zone: ResolvedZone) => Verdict<ProgrammedReason> | null;
  readonly endpointProgrammed: (outcome: EndpointOutcome) => Verdict<ProgrammedReason> | null;
  /** Absent: there is no Propagated condition. */
  readonly endpointPropagation?: (outcome: EndpointOutcome) => Propagation | null;
};

export function describeCluster(
  resolved: ResolvedCluster,
  listing: Pick<Listing, 'objects' | 'problems' | 'remarks' | 'fieldLine'>,
  knowledge: Knowledge,
): ClusterOutput {
  const originOf = originsIn(listing);
  const placed = <Output extends RecordOutput>(ref: ObjectRef, output: Output): Output => {
    const origin = originOf(ref, invalidIn(output.conditions));
    return origin === undefined ? output : { ...output, origin };
  };
  const zones = [...resolved.zones.values()].toSorted(byName);
  const records = [...resolved.objects.values()]
    .flatMap((outcomes) => outcomes.slice(0, 1))
    .filter(({ ref }) => isRecord(ref))
    .toSorted(byName);
  return {
    zones: zones.map((zone) => {
      const serialOf = (hash: string): number => knowledge.serialOf(zone.key, hash);
      return placed(zone.ref, describeZone(zone, knowledge.zoneProgrammed(zone), serialOf));
    }),
    records: records.map((record) =>
      placed(
        record.ref,
        describeOutcome(record, knowledge.endpointProgrammed(record), knowledge.endpointPropagation?.(record)),
      ),
    ),
    sources: describeOtherObjects(resolved, originOf, knowledge),
    waiting: describeWaiting(resolved, originOf),
    errors: listing.problems,
    ...(listing.remarks === undefined ? {} : { remarks: listing.remarks }),
  };
}

/** Describes the objects that are neither Zones nor Records. */
export function describeOtherObjects(
  resolved: ResolvedCluster,
  originOf: OriginOf,
  { endpointProgrammed, endpointPropagation }: Pick<Knowledge, 'endpointProgrammed' | 'endpointPropagation'>,
): ClusterOutput['sources'] {
  const said = (one: EndpointOutcome) => conditionsOf(one.verdict, endpointProgrammed(one), endpointPropagation?.(one));
  return describeSources(resolved, said, originOf);
}

/** Where an object is; with a problem of it, where the field is that the problem names. */
export type OriginOf = (ref: ObjectRef, problem?: string | undefined) => Origin | undefined;

/** Where the manifest of each object of a listing is. The objects are gone through when the first is asked for. */
export function originsIn({ objects, fieldLine }: Pick<Listing, 'objects' | 'fieldLine'>): OriginOf {
  const origins = once(
    () => new Map(objects.flatMap(({ ref, origin }) => (origin ? [[formatRef(ref), origin] as const] : []))),
  );
  return (ref, problem) => {
    const origin = origins().get(formatRef(ref));
    const path = problem === undefined ? null : fieldPathIn(problem);
    const line = origin === undefined || path === null ? null : (fieldLine?.(origin, path) ?? null);
    return origin === undefined || line === null ? origin : { ...origin, line };
  };
}

export function describeZone(
  zone: ResolvedZone,
  programmed: Verdict<ProgrammedReason> | null,
  serialOf: (hash: string) => number,
): ZoneOutput {
  const { namespace, name } = zone.ref;
  const conditions = conditionsOf(zone.verdict, programmed);
  const base = { namespace, name, fqdn: zone.fqdn, parent: zone.live?.parent ?? null };
  if (zone.live === null) return { ...base, hash: null, serial: null, entries: [], conditions };
  const hash = hashZone(zone.entries, zone.live.spec);
  const serial = serialOf(hash);
  return {
    ...base,
    hash,
    serial,
    entries: [buildSoaEntry(zone.live.fqdn, zone.live.spec, serial), ...zone.entries],
    conditions,
  };
}

/** Adds a note to a Zone whose takeover annotation the configuration does not allow in its namespace. */
export function withRefusedTakeover(
  config: Pick<Config, 'takeover'>,
  object: Pick<ObjectItem, 'ref' | 'takeover'>,
  output: ZoneOutput,
): ZoneOutput {
  const refused = refusedTakeover(config, object);
  if (refused === null) return output;
  const conditions = output.conditions.map((one) =>
    one.type === 'Accepted' ? { ...one, message: withNotes(one.message, [refused]) } : one,
  );
  return { ...output, conditions };
}

/** Describes an object by the outcome of its endpoint, or of all its endpoints together (`summarize`). */
export function describeOutcome(
  record: EndpointOutcome,
  programmed: Verdict<ProgrammedReason> | null,
  propagation: Propagation | null = null,
): RecordOutput {
  const { namespace, name } = record.ref;
  const alias = record.endpoint?.alias;
  return {
    namespace,
    name,
    fqdn: record.fqdn,
    parent: record.parent,
    ...(alias !== undefined && { data: `ALIAS ${alias.target}` }),
    conditions: conditionsOf(record.verdict, programmed, propagation),
  };
}

/** The conditions of the last verdict. Very many objects have the same verdict, and share its conditions. */
const LAST = new WeakMap<
  object,
  { readonly of: Verdict<ProgrammedReason> | null; readonly all: readonly Condition[] }
>();

function conditionsOf(
  accepted: EndpointOutcome['verdict'],
  programmed: Verdict<ProgrammedReason> | null,
  propagation: Propagation | null = null,
): readonly Condition[] {
  // What resolves is not what an object asks for that is not accepted as it is.
  if (propagation !== null && acceptedCondition(accepted).status === 'True')
    return [...conditionsOf(accepted, programmed), propagatedCondition(propagationVerdict(propagation))];
  const last = LAST.get(accepted);
  if (last?.of?.reason === programmed?.reason && last?.of?.message === programmed?.message && last !== undefined)
    return last.all;
  const all = [acceptedCondition(accepted), ...(programmed === null ? [] : [programmedCondition(programmed)])];
  LAST.set(accepted, { of: programmed, all });
  return all;
}

function byName(a: { readonly ref: ObjectRef }, b: { readonly ref: ObjectRef }): number {
  return compareText(a.ref.namespace, b.ref.namespace) || compareText(a.ref.name, b.ref.name);
}

/** The verdict `Drifted` on the objects of what was changed by hand, where the plan has no change that says so. */
export function driftsOf(
  hostedZones: readonly {
    readonly differences: readonly (RecordSetKey & {
      readonly objects: readonly string[];
      readonly message: string;
      readonly isRefused: boolean;
    })[];
    readonly plan: { readonly changes: readonly RecordSetKey[] };
  }[],
): (outcome: EndpointOutcome) => Verdict<ProgrammedReason> | null {
  const found = new Map<string, Verdict<ProgrammedReason>>();
  for (const { differences, plan } of hostedZones) {
    const changed = new Set(plan.changes.map(recordSetId));
    for (const drift of differences)
      if (drift.isRefused && !changed.has(recordSetId(drift)))
        for (const object of drift.objects) found.set(object, { reason: 'Drifted', message: drift.message });
  }
  return ({ ref }) => found.get(formatRef(ref)) ?? null;
}
