// The key `sources` of the stable JSON: the outcome of each endpoint of every object that is neither a Zone nor a
// Record. Sorted by kind, namespace and name; endpoints and their values are sorted like entries.

import { compareText } from '../dns/names/compare-text.ts';
import { compareNames } from '../dns/names/name.ts';
import { PUBLIC, realName, viewOf } from '../dns/names/view.ts';
import { compareRdata, sortRdata } from '../dns/rdata/rdata.ts';
import { typeNumber } from '../dns/record-type.ts';
import { routingFields } from '../dns/routing-policy.ts';
import { type Condition, invalidIn } from '../objects/conditions.ts';
import { type ObjectRef, parseRef, type ZoneKey } from '../objects/object-ref.ts';
import { withoutShare } from '../objects/share-id.ts';
import type { Origin } from '../ports/cluster.ts';
import { isRecord } from '../sources/source.ts';
import { type EndpointOutcome, type ResolvedCluster, viewOfOutcome } from '../zones/resolve-cluster.ts';

/** One endpoint. `ttl` in seconds. */
export type EndpointOutput = {
  readonly fqdn: string | null;
  /** Absent: the public one. */
  readonly view?: string;
  readonly type: string;
  /** Null for an alias, and if neither a Zone nor the object gives one. */
  readonly ttl: number | null;
  /** Null for an alias, and if the spec has no valid values. */
  readonly values: readonly string[] | null;
  readonly alias: {
    readonly dnsName: string;
    readonly hostedZoneId: string | null;
    readonly evaluateTargetHealth: boolean;
  } | null;
  readonly setIdentifier: string | null;
  readonly routing: Readonly<Record<string, unknown>> | null;
  readonly parent: ZoneKey | null;
  readonly conditions: readonly Condition[];
};

export type SourceOutput = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly endpoints: readonly EndpointOutput[];
  readonly problems: readonly string[];
  /** Remarks for its author, although nothing is wrong. */
  readonly notes: readonly string[];
  /** Where its manifest is; not part of the JSON. */
  readonly origin?: Origin;
};

/** A name that an object asks for and does not get yet, although nothing is wrong. `why`: as in Waiting. */
export type WaitingOutput = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly fqdn: string;
  /** Absent: the public one. */
  readonly view?: string;
  readonly why: string;
  /** Where the object's manifest is; not part of the JSON. */
  readonly origin?: Origin;
};

/** The names that wait, by object, and then in canonical order. */
export function describeWaiting(
  { waiting }: Pick<ResolvedCluster, 'waiting'>,
  originOf: (ref: ObjectRef) => Origin | undefined,
): readonly WaitingOutput[] {
  return [...waiting]
    .flatMap(([id, names]) => {
      const ref = parseRef(id);
      const origin = originOf(ref);
      const placed = origin === undefined ? {} : { origin };
      return names.map(
        ({ fqdn, why }): WaitingOutput => ({ ...ref, fqdn: realName(fqdn), view: viewOf(fqdn), why, ...placed }),
      );
    })
    .toSorted((a, b) => byRef(a, b) || compareNames(a.fqdn, b.fqdn));
}

function byRef(a: ObjectRef, b: ObjectRef): number {
  return compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

/** Describes every object of another kind that asks for something, or has a problem or a note. */
export function describeSources(
  resolved: ResolvedCluster,
  conditionsOf: (outcome: EndpointOutcome) => readonly Condition[],
  originOf: (ref: ObjectRef, problem?: string) => Origin | undefined,
): readonly SourceOutput[] {
  const ids = new Set([...resolved.objects.keys(), ...resolved.problems.keys(), ...resolved.notes.keys()]);
  return [...ids]
    .flatMap((id) => {
      const ref = parseRef(id);
      return isRecord(ref) ? [] : [{ id, ref }];
    })
    .map(({ id, ref }): SourceOutput => {
      const outcomes = (resolved.objects.get(id) ?? []).filter(({ endpoint }) => endpoint !== null);
      const endpoints = outcomes.map((outcome) => describeEndpoint(resolved, outcome, conditionsOf(outcome)));
      const problems = resolved.problems.get(id) ?? [];
      const notes = resolved.notes.get(id) ?? [];
      const flaws = endpoints.flatMap(({ conditions }) => invalidIn(conditions) ?? []);
      const origin = originOf(ref, [...problems, ...flaws, ...notes][0]);
      return {
        ...ref,
        endpoints: endpoints.toSorted(compareEndpoints),
        problems,
        notes,
        ...(origin === undefined ? {} : { origin }),
      };
    })
    .filter(({ endpoints, problems, notes }) => endpoints.length + problems.length + notes.length > 0)
    .toSorted(byRef);
}

function describeEndpoint(
  resolved: ResolvedCluster,
  { endpoint, fqdn, parent }: EndpointOutcome,
  conditions: readonly Condition[],
): EndpointOutput {
  if (endpoint === null) throw new Error('an outcome without an endpoint is said of its object');
  const { type, alias, routing, flaw } = endpoint;
  const zone = parent === null ? undefined : resolved.zones.get(parent);
  const target = zone?.placed?.target;
  const ownId = target?.kind === 'hosted' ? withoutShare(target.hostedZoneId) : null;
  const values = sortRdata(type, endpoint.values);
  return {
    fqdn: fqdn === null ? null : realName(fqdn),
    view: viewOfOutcome({ fqdn, endpoint }),
    type,
    ttl: alias === undefined ? (endpoint.ttl ?? zone?.live?.spec.ttl ?? null) : null,
    values: alias !== undefined || values.length === 0 ? null : values,
    alias:
      alias === undefined
        ? null
        : {
            dnsName: realName(alias.target),
            hostedZoneId: alias.hostedZoneId ?? ownId,
            evaluateTargetHealth: alias.evaluateTargetHealth,
          },
    setIdentifier: routing?.setIdentifier ?? flaw?.setIdentifier ?? null,
    routing: routing === undefined ? null : { ...routingFields(routing.policy), healthCheckId: routing.healthCheckId },
    parent,
    conditions,
  };
}

/** Compares like entries: by name, type number, values; aliases last. */
function compareEndpoints(a: EndpointOutput, b: EndpointOutput): number {
  return (
    compareNames(a.fqdn ?? '.', b.fqdn ?? '.') ||
    compareText(a.view ?? PUBLIC, b.view ?? PUBLIC) ||
    (typeNumber(a.type) ?? 0) - (typeNumber(b.type) ?? 0) ||
    Number(a.alias !== null) - Number(b.alias !== null) ||
    compareValues(a, b) ||
    compareText(a.alias?.dnsName ?? '', b.alias?.dnsName ?? '') ||
    compareText(a.setIdentifier ?? '', b.setIdentifier ?? '')
  );
}

function compareValues(a: EndpointOutput, b: EndpointOutput): number {
  const [left, right] = [a.values?.[0], b.values?.[0]];
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return compareRdata(a.type, left, right);
}
