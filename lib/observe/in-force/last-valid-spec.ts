// Decides what is in force of an object: what it asks for now, or, if that is invalid, the last valid version according
// to the ledger. `render` has no ledger and passes nothing.
//
//   now                                        | what stays in force of names that are no longer asked for
//   -------------------------------------------|-------------------------------------------------------------
//   the object cannot be read at all           | everything, as InvalidSpec
//   an endpoint is invalid                     | the earlier endpoints at its name, as InvalidSpec
//   a problem leaves an endpoint out           | the same (everything, if its name is unknown)
//   a name waits (no load balancer yet)        | the earlier endpoints at that name
//   a related object cannot be read            | everything
//   an alias or a partial name, of which only  | the endpoint that it replaced, which is used if it is invalid
//   the Zones decide whether it is valid       |
//   a Zone whose zoneRef may close a ring      | what it said before, if it does close one (zone-objects.ts)
import { PUBLIC } from '../../dns/names/view.ts';
import { typesExclude } from '../../dns/record-set.ts';
import { annotationNotes, deletionPolicyOf, wrongDeletionPolicy } from '../../objects/annotations.ts';
import { type ClaimSettings, claimSettings } from '../../objects/claim-settings.ts';
import type { Endpoint } from '../../objects/endpoint.ts';
import { formatRef, isZone } from '../../objects/object-ref.ts';
import { NOTHING_RELATED, type RelatedQuery } from '../../objects/related.ts';
import { sameJson } from '../../objects/same-json.ts';
import {
  endpointsMaxOf,
  type InvalidEndpoint,
  isSelected,
  type Source,
  type SourceResult,
  settingsOf,
  type ViewSettings,
  type Waiting,
} from '../../objects/source.ts';
import { tooLarge } from '../../objects/spec-size.ts';
import { annotatedViews, inViews } from '../../objects/views.ts';
import type { ClusterObject } from '../../ports/cluster.ts';
import type { JsonValue } from '../../ports/ledger.ts';
import { parseZoneOnce } from '../../zones/parse-zone.ts';
import type { Gathered } from '../related/gather-related.ts';
import { formersOf, idOf, nameOf, withoutFlaw } from './former-forms.ts';

/** What is in force of an object, as the ledger keeps it. */
export type InForce = {
  /** A Zone's spec as JSON; null if there never was a valid one, and for every other kind. */
  readonly spec: JsonValue;
  /** How all names of a Zone meet those of other clusters; absent: as those of other Zones do. */
  readonly claim?: ClaimSettings;
  /** What an object of another kind asks for; null if there never was a valid spec, and for a Zone. */
  readonly endpoints: readonly Endpoint[] | null;
  /** What is wrong with the object as a whole; empty if it is valid. */
  readonly problems: readonly string[];
  /** What is wrong with parts of the object. The other parts are valid. */
  readonly remarks?: readonly string[];
  /** Names that are left out because parts of the object are invalid, with the reason. */
  readonly leftOut?: readonly LeftOut[];
  /** Names that it asks for and that get no endpoint, although nothing is wrong, with the reason. */
  readonly waiting?: readonly Waiting[];
  /** Remarks for its author, although nothing is wrong. */
  readonly notes?: readonly string[];
  /** The related objects that its source asked for. */
  readonly related?: readonly RelatedQuery[];
  /** For a Zone with a zoneRef: since when this spec has been seen. */
  readonly sinceMs?: number;
  /** For a Zone with a zoneRef: the spec in force before. It stays in force if the zoneRef closes a ring. */
  readonly former?: FormerSpec;
};

/** The spec of a Zone, and since when it was seen, in milliseconds since the epoch. */
export type FormerSpec = { readonly spec: JsonValue; readonly sinceMs: number };

/** When an object is looked at, and for a Zone the spec that was in force then (null: none). */
export type ZoneMemory = { readonly nowMs: number; readonly inForce: FormerSpec | null };

/** What is wrong, and the names whose endpoints are left out because of it. Without `type`, it may be any type. */
export type LeftOut = { readonly message: string; readonly names: readonly string[]; readonly type?: string };

const ONLY_PUBLIC: ViewSettings = { known: [PUBLIC], ofInternalLoadBalancers: null };
const NOTHING: InForce = { spec: null, endpoints: null, problems: [] };
const NO_MEMORY: ZoneMemory = { nowMs: 0, inForce: null };

/** The related objects of an object whose source asks for none. */
export const NOTHING_GATHERED: Gathered = { related: NOTHING_RELATED, queries: [], problem: null, isWhole: true };

/** The source of a kind; null if no source that is switched on reads it. */
export function sourceOf(sources: readonly Source[], { kind }: { readonly kind: string }): Source | null {
  return sources.find((source) => source.kind === kind) ?? null;
}

/** True for an object that is read: a Zone, or an object of a kind that a source reads. */
export function isRead(sources: readonly Source[], ref: { readonly kind: string }): boolean {
  return isZone(ref) || sourceOf(sources, ref) !== null;
}

/** The source that reads an object and needs related objects for it; null: none does. */
export function relatedSourceOf(sources: readonly Source[], object: ClusterObject): Source | null {
  const source = sourceOf(sources, object.ref);
  return source?.relatedOf !== undefined && isSelected(object, settingsOf(source)) ? source : null;
}

/** What is in force of an object. `lastValid`: what was in force before. Throws if no source reads its kind. */
export function inForce(
  sources: readonly Source[],
  object: ClusterObject,
  gathered: Gathered = NOTHING_GATHERED,
  lastValid: InForce = NOTHING,
  memory: ZoneMemory = NO_MEMORY,
): InForce {
  const { ref, specOctets } = object;
  const problems = specOctets === undefined ? null : [tooLarge(specOctets)];
  if (isZone(ref)) {
    const { claim, problems: ofClaim } = claimSettings(object);
    const wrong = problems ?? [...(deletionPolicyOf(object) === null ? [wrongDeletionPolicy(object)] : []), ...ofClaim];
    const said = ofClaim.length > 0 ? lastValid.claim : Object.keys(claim).length > 0 ? claim : undefined;
    const ofZone = inForceOfZone(object, wrong.length > 0 ? wrong : null, lastValid, memory);
    return { ...ofZone, ...(said !== undefined && { claim: said }), ...notesOn(object) };
  }
  const source = sourceOf(sources, ref);
  if (source === null) throw new Error(`Cannot read ${formatRef(ref)}: no source has its kind`);
  const refused = gathered.problem ?? problems?.[0] ?? null;
  const now = within(refused === null ? ask(source, object, gathered) : refuse(refused), endpointsMaxOf(source));
  const relatedQueries = gathered.queries.length === 0 ? {} : { related: gathered.queries };
  if (!now.ok) return { spec: null, endpoints: lastValid.endpoints, problems: now.problems, ...relatedQueries };
  const endpoints = withLastValid(gathered.isWhole ? now : { ...now, waits: true }, lastValid.endpoints ?? []);
  const remarks = [...new Set((now.problems ?? []).map(({ message }) => message))];
  const leftOut = leftOutOf(now);
  const { waiting = [], notes = [] } = now;
  const said = {
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return { spec: null, endpoints, problems: [], ...said, ...relatedQueries };
}

/** What is in force of a Zone. `problems`: null, or why its spec is not read. */
function inForceOfZone(
  { ref, spec }: ClusterObject,
  problems: readonly string[] | null,
  lastValid: InForce,
  memory: ZoneMemory,
): InForce {
  const now = problems === null ? parseZoneOnce(spec, ref.namespace) : ({ ok: false, problems } as const);
  if (now.ok) {
    const said = { spec: spec as JsonValue, endpoints: null, problems: [] };
    return now.spec.zoneRef === null ? said : { ...said, ...before(said, lastValid, memory) };
  }
  const stands = lastValid.spec !== null && parseZoneOnce(lastValid.spec, ref.namespace).ok;
  const { spec: last, sinceMs, former } = stands ? lastValid : NOTHING;
  const since = sinceMs === undefined ? {} : { sinceMs };
  return { spec: last, endpoints: null, problems: now.problems, ...since, ...(former && { former }) };
}

/** The notes on the annotations of a Zone. */
function notesOn(zone: ClusterObject): Pick<InForce, 'notes'> {
  const notes = annotationNotes(zone, true);
  return notes.length === 0 ? {} : { notes };
}

/** Since when a Zone has its zoneRef, and which spec was in force before. */
function before({ spec }: InForce, lastValid: InForce, { nowMs, inForce: last }: ZoneMemory): Partial<InForce> {
  if (lastValid.spec === null) return { sinceMs: nowMs };
  if (!sameJson(spec, lastValid.spec)) return { sinceMs: nowMs, ...(last === null ? {} : { former: last }) };
  const { sinceMs, former } = lastValid;
  return { ...(sinceMs === undefined ? {} : { sinceMs }), ...(former === undefined ? {} : { former }) };
}

/** The names that problems leave out: those that a problem names, else all wanted names without an endpoint. */
function leftOutOf({ endpoints, invalid = [], problems = [], waits = [], wants = [] }: Asked): readonly LeftOut[] {
  const named = problems.flatMap(({ message, leavesOut = null, type }) =>
    leavesOut === null ? [] : [{ message, name: leavesOut, type }],
  );
  const open = problems.find(({ leavesOut }) => leavesOut === null);
  const came = new Set([
    ...endpoints.map(nameOf),
    ...invalid.map(({ fqdn }) => fqdn),
    ...named.map(({ name }) => name),
  ]);
  const isLost = (name: string) => waits !== true && !waits.includes(name) && !came.has(name);
  const lost =
    open === undefined ? [] : wants.filter(isLost).map((name) => ({ message: open.message, name, type: undefined }));
  const byMessage = Map.groupBy([...named, ...lost], ({ message }) => message);
  return [...byMessage].map(([message, all]) => {
    const [type, ...others] = new Set(all.map((one) => one.type));
    const ofType = type === undefined || others.length > 0 ? {} : { type };
    return { message, names: all.map(({ name }) => name), ...ofType };
  });
}

function ask(source: Source, object: ClusterObject, { related }: Gathered): SourceResult {
  const settings = settingsOf(source);
  if (!isSelected(object, settings)) return { ok: true, endpoints: [] };
  const asked = source.endpointsOf(object, settings, related);
  if (!asked.ok) return asked;
  const { claim, problems } = claimSettings(object);
  if (problems.length > 0) return asksForNothing(asked) ? asked : { ok: false, problems };
  const said = inItsViews(source, object, asked);
  if (!said.ok || Object.keys(claim).length === 0) return said;
  return { ...said, endpoints: said.endpoints.map((endpoint) => ({ ...endpoint, claim })) };
}

/** What an object asks for, in its views. */
function inItsViews(source: Source, object: ClusterObject, asked: Asked): SourceResult {
  const { views = ONLY_PUBLIC } = source;
  if (asked.views !== undefined) return inViews(asked, asked.views, views.known);
  const annotated = annotatedViews(object);
  if ('problem' in annotated) return asksForNothing(asked) ? asked : refuse(annotated.problem);
  const ofLoadBalancer = source.isInternal?.(object) === true ? views.ofInternalLoadBalancers : null;
  const wanted = annotated.views ?? [ofLoadBalancer ?? PUBLIC];
  return wanted.length === 1 && wanted[0] === PUBLIC ? asked : inViews(asked, wanted, views.known);
}

/** True for an object without any name: what its annotation says of views concerns nobody. */
function asksForNothing({ endpoints, invalid = [], problems = [], waits = [], wants = [] }: Asked): boolean {
  return waits !== true && [...endpoints, ...invalid, ...problems, ...waits, ...wants].length === 0;
}

function refuse(problem: string): SourceResult {
  return { ok: false, problems: [problem] };
}

function within(result: SourceResult, endpointsMax: number): SourceResult {
  const count = result.ok ? result.endpoints.length + (result.invalid ?? []).length : 0;
  return count <= endpointsMax
    ? result
    : refuse(
        `it asks for ${count} endpoints, and one object may ask for ${endpointsMax}: split it into several objects`,
      );
}

type Asked = Extract<SourceResult, { readonly ok: true }>;

function withLastValid(
  { endpoints, invalid = [], problems = [], waits = [] }: Asked,
  before: readonly Endpoint[],
): readonly Endpoint[] {
  const keeping = { invalid, problems, waits };
  const asked = Map.groupBy(endpoints, idOf);
  const types = Map.groupBy(endpoints, nameOf);
  const earlier = before.filter(({ standsInFor, flaw }) => standsInFor === undefined && flaw?.isInForce !== false);
  const asIs = Map.groupBy(earlier, (endpoint) => idOf(withoutFlaw(endpoint)));
  const kept = earlier.flatMap((endpoint) => {
    const valid = withoutFlaw(endpoint);
    const id = idOf(valid);
    if (isReplaced(valid, asked.get(id) ?? [], asIs.get(id) ?? [])) return [];
    // What is asked for now wins.
    const others = types.get(nameOf(valid)) ?? [];
    if (others.some(({ type }) => typesExclude(type, valid.type))) return [];
    return keep(valid, keeping);
  });
  const keptIds = new Set(kept.map(idOf));
  const refused = invalid.map(refusedEndpoint).filter((endpoint) => !keptIds.has(idOf(endpoint)));
  const now = kept.length === 0 ? endpoints : [...endpoints, ...kept];
  const formers = before.length === 0 ? [] : formersOf(now, before);
  if (refused.length + formers.length === 0) return now;
  return [...now, ...refused, ...formers];
}

/**
 * True if those that are asked for now replace an earlier endpoint of their name, type and set identifier. They do not
 * if there were more of them, as in a DNSEndpoint with several: one may be invalid now, and merges with the others.
 */
function isReplaced(valid: Endpoint, now: readonly Endpoint[], earlier: readonly Endpoint[]): boolean {
  if (now.length === 0) return false;
  if (now.length >= earlier.length || valid.type === 'CNAME' || valid.clusterZone !== undefined) return true;
  const merges = (one: Endpoint) =>
    one.alias === undefined && valid.alias === undefined && sameJson(one.routing, valid.routing);
  return !now.every(merges) || now.some((one) => sameJson(one.values, valid.values));
}

/** The endpoints that stay in force for one that is no longer asked for. */
function keep(endpoint: Endpoint, now: Required<Pick<Asked, 'invalid' | 'problems' | 'waits'>>): readonly Endpoint[] {
  const name = nameOf(endpoint);
  if (now.waits === true || now.waits.includes(name)) return [endpoint];
  const id = idOf(endpoint);
  // A wrong annotation must not keep the names of Pods that are gone: those come from another source.
  const isOfClusterDns = endpoint.clusterZone !== undefined;
  const problems = now.problems.filter(({ ofClusterDns = false }) => ofClusterDns === isOfClusterDns);
  const { message } =
    now.invalid.find((one) => idOf(refusedEndpoint(one)) === id) ??
    now.invalid.find(({ fqdn }) => fqdn === name) ??
    problems.find(({ leavesOut }) => leavesOut === name || leavesOut === null) ??
    {};
  return message === undefined ? [] : [{ ...endpoint, flaw: { message, isInForce: true } }];
}

/** An invalid endpoint, which is reported and never published. */
function refusedEndpoint(refused: InvalidEndpoint): Endpoint {
  const { fqdn, type, setIdentifier, message, ttl = null, values = [], alias } = refused;
  const flaw = { message, isInForce: false, setIdentifier };
  const endpoint = { domainName: { kind: 'full', fqdn } as const, zoneRef: null, type, class: 'IN', ttl, values, flaw };
  return alias === undefined ? endpoint : { ...endpoint, alias };
}
