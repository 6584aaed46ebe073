// Which of several endpoints of one name came first, and to which namespace the name belongs.
//
// Who has asked for longer is older (name-ages.ts). Within a namespace, and where no age is known, the object that has
// the name already is older, then the object that was created first.

import { compareText } from '../dns/names/compare-text.ts';
import { typeGroup } from '../dns/record-type.ts';
import { routingFields } from '../dns/routing-policy.ts';
import { compareAge, formatRef } from '../objects/object-ref.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import { ageId, type NameAge, older } from './name-ages.ts';

/** What the ledger knows of earlier times. */
export type Past = {
  readonly nowMs: number;
  /** The ages at a name as they were saved last, the oldest first. */
  readonly agesAt: (name: string) => readonly NameAge[];
  /** True if the endpoint's object has its record set already, as far as is known. */
  readonly stands: (endpoint: AdoptedEndpoint) => boolean;
};

/** The ages at one name as they are now, the oldest first, and who has its record sets already. */
export type NameHistory = { readonly ages: readonly NameAge[] } & Pick<Past, 'stands'>;

/** Nothing is known: `render` has no ledger. */
export const NOTHING_KNOWN: NameHistory = { ages: [], stands: () => false };

/** Sorts the oldest first. Endpoints of one object are sorted by content, values before aliases. */
export function compareAdopted({ ages, stands }: NameHistory): (a: AdoptedEndpoint, b: AdoptedEndpoint) => number {
  const ranks = new Map(ages.map((age, rank) => [ageId(age), rank]));
  const rankOf = ({ type, ref }: AdoptedEndpoint) =>
    ranks.get(ageId({ group: typeGroup(type), namespace: ref.namespace })) ?? ages.length;
  return (a, b) =>
    rankOf(a) - rankOf(b) ||
    Number(stands(b)) - Number(stands(a)) ||
    compareAge(a.age, b.age) ||
    compareText(formatRef(a.ref), formatRef(b.ref)) ||
    compareText(a.type, b.type) ||
    Number(a.alias !== undefined) - Number(b.alias !== undefined) ||
    compareText(a.values.join('\n'), b.values.join('\n')) ||
    compareText(askedInWords(a), askedInWords(b));
}

function askedInWords({ alias, routing }: AdoptedEndpoint): string {
  const { target, hostedZoneId, evaluateTargetHealth } = alias ?? {};
  const route = routing === undefined ? null : [routingFields(routing.policy), routing.healthCheckId];
  return JSON.stringify([routing?.setIdentifier, route, target, hostedZoneId, evaluateTargetHealth]);
}

/** How much older `first` is than the other, in words: by their ages, or by the creation of their objects. */
export function seniority({ ages }: NameHistory, first: AdoptedEndpoint, other: AdoptedEndpoint): string {
  const ageOf = ({ type, ref }: AdoptedEndpoint) =>
    ages.find(({ group, namespace }) => group === typeGroup(type) && namespace === ref.namespace)?.sinceMs;
  const timesOf = (one: AdoptedEndpoint) => {
    return { asked: ageOf(one), created: Date.parse(one.age.creationTimestamp ?? '') };
  };
  return older(timesOf(first), timesOf(other));
}

/** True for endpoints that go together at their name, are of different namespaces and do not share it. */
export function isOfAnother(endpoint: AdoptedEndpoint, rival: AdoptedEndpoint): boolean {
  return (
    rival.class === 'IN' &&
    rival.ref.namespace !== endpoint.ref.namespace &&
    typeGroup(rival.type) === typeGroup(endpoint.type) &&
    !(rival.shared === true && endpoint.shared === true)
  );
}

/** The endpoints of one type that the name's namespace asks for, and those that share it. */
export function ofOwners(endpoints: readonly AdoptedEndpoint[], history: NameHistory): readonly AdoptedEndpoint[] {
  const kept: AdoptedEndpoint[] = [];
  for (const endpoint of endpoints.toSorted(compareAdopted(history))) {
    if (!kept.some((rival) => isOfAnother(endpoint, rival))) kept.push(endpoint);
  }
  return kept;
}
