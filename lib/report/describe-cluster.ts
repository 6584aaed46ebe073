// The stable JSON of `render -o json`, which `apply -o json` also prints, with the Programmed condition. Objects are
// sorted by namespace and name. A value that does not exist is null.

import { type Entry, realEntry } from '../dns/entry.ts';
import { hashZone } from '../dns/hash.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { PUBLIC, realName } from '../dns/names/view.ts';
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
import {
  type EndpointOutcome,
  type ResolvedCluster,
  type ResolvedZone,
  viewOfOutcome,
} from '../zones/resolve-cluster.ts';
import { buildSoaEntry } from '../zones/zone-entries.ts';
import { describeSources, describeWaiting, type SourceOutput, type WaitingOutput } from './describe-sources.ts';
import { type JudgedOutcome, summarize } from './object-outcomes.ts';

/** An object in one of its views. */
export type ViewOutput = {
  readonly view: string;
  readonly parent: ZoneKey | null;
  readonly conditions: readonly Condition[];
};

export type RecordOutput = {
  readonly namespace: string;
  readonly name: string;
  readonly fqdn: string | null;
  /** Absent if it asks in several views. */
  readonly view?: string;
  /** Only if it asks in several: then `parent` is null. */
  readonly views?: readonly ViewOutput[];
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
    .flatMap(([first]) => (first === undefined || !isRecord(first.ref) ? [] : [first]))
    .toSorted(byName);
  const judged = (outcome: EndpointOutcome): JudgedOutcome => ({
    outcome,
    programmed: knowledge.endpointProgrammed(outcome),
    propagation: knowledge.endpointPropagation?.(outcome) ?? null,
  });
  const describeRecord = (first: EndpointOutcome): RecordOutput => {
    const all = resolved.objects.get(formatRef(first.ref)) ?? [first];
    return describeObject(first.ref, all.map(judged)) as RecordOutput;
  };
  return {
    zones: zones.map((zone) => {
      const serialOf = (hash: string): number => knowledge.serialOf(zone.key, hash);
      return placed(zone.ref, describeZone(zone, knowledge.zoneProgrammed(zone), serialOf));
    }),
    records: records.map((record) => placed(record.ref, describeRecord(record))),
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

/** Describes a Zone, with its entries as DNS has them. */
export function describeZone(
  zone: ResolvedZone,
  programmed: Verdict<ProgrammedReason> | null,
  serialOf: (hash: string) => number,
): ZoneOutput {
  const { namespace, name } = zone.ref;
  const conditions = conditionsOf(zone.verdict, programmed);
  const { view } = zone;
  const fqdn = zone.fqdn === null ? null : realName(zone.fqdn);
  const base = { namespace, name, fqdn, view, parent: zone.live?.parent ?? null };
  if (zone.live === null) return { ...base, hash: null, serial: null, entries: [], conditions };
  const entries = view === PUBLIC ? zone.entries : zone.entries.map(realEntry);
  const hash = hashZone(entries, zone.live.spec);
  const serial = serialOf(hash);
  return {
    ...base,
    hash,
    serial,
    entries: [buildSoaEntry(realName(zone.live.fqdn), zone.live.spec, serial), ...entries],
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
function describeOutcome(
  record: EndpointOutcome,
  programmed: Verdict<ProgrammedReason> | null,
  propagation: Propagation | null = null,
  view: string = viewOfOutcome(record),
): RecordOutput {
  const { namespace, name } = record.ref;
  const alias = record.endpoint?.alias;
  return {
    namespace,
    name,
    fqdn: record.fqdn === null ? null : realName(record.fqdn),
    view,
    parent: record.parent,
    ...(alias !== undefined && { data: `ALIAS ${realName(alias.target)}` }),
    conditions: conditionsOf(record.verdict, programmed, propagation),
  };
}

/**
 * Describes an object by the outcomes of its endpoints, with a line for each view if it asks in several. Null: it asks
 * for nothing. `problems`: as for summarize().
 */
export function describeObject(
  ref: ObjectRef,
  outcomes: readonly JudgedOutcome[],
  problems: readonly string[] = [],
): RecordOutput | null {
  // A Record has one endpoint in each view. Several are those of former specs that stand in for it.
  const all = isRecord(ref) ? firstInEachView(outcomes) : outcomes;
  const said = summarize(ref, all, problems);
  if (said === null) return null;
  const byView = [...Map.groupBy(all, ({ outcome }) => viewOfOutcome(outcome))];
  if (byView.length < 2) return describeOutcome(said.outcome, said.programmed, said.propagation, byView[0]?.[0]);
  const worst = all.find((one) => one.programmed !== null && one.programmed === said.programmed);
  const isPublished = said.programmed === null || said.programmed.reason === 'Published' || worst === undefined;
  // Where it is published in one view and not accepted in another one, it is not Programmed as a whole.
  const isEverywhere = all.every((one) => one.programmed !== null);
  const programmed =
    said.programmed === null || isPublished
      ? isEverywhere
        ? said.programmed
        : null
      : { ...said.programmed, message: `in view ${viewOfOutcome(worst.outcome)}: ${said.programmed.message}` };
  const { view: _, ...whole } = describeOutcome(said.outcome, programmed, said.propagation);
  const names = new Set(all.flatMap(({ outcome: { fqdn } }) => (fqdn === null ? [] : [realName(fqdn)])));
  return {
    ...whole,
    fqdn: names.size === 1 ? ([...names][0] ?? null) : null,
    parent: null,
    views: byView.flatMap(([view, some]) => {
      const one = summarize(ref, some);
      if (one === null) return [];
      const { parent, conditions } = describeOutcome(one.outcome, one.programmed, one.propagation);
      return [{ view, parent, conditions }];
    }),
  };
}

function firstInEachView(all: readonly JudgedOutcome[]): readonly JudgedOutcome[] {
  if (all.length < 2) return all;
  return [...Map.groupBy(all, ({ outcome }) => viewOfOutcome(outcome)).values()].flatMap((some) => some.slice(0, 1));
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
