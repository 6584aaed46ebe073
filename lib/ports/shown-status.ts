// Whether an object shows what is reported of it, field by field. Status and label are tenant-writable. In the status
// of a kind that is not zone53's own it is one condition, `zone53.dev/Programmed`, among those of others; where that
// stands depends on the kind.
import type { Condition } from '../objects/conditions.ts';
import type { StatusForm } from '../objects/kind.ts';
import { showsParent } from '../objects/parent-label.ts';
import { sameJson } from '../objects/same-json.ts';
import type { ClusterObject, ObjectStatus } from './cluster.ts';

export type Mapping = Readonly<Record<string, unknown>>;
const OURS: ReadonlySet<unknown> = new Set(['Accepted', 'Programmed']);
/** Our condition in a status that others write too. */
const TYPE = 'zone53.dev/Programmed';
/** Whose entry of a route's `status.parents` is ours. */
export const CONTROLLER = 'zone53.dev/dns';
/** Entries that a route's status may hold (Gateway API, RouteStatus). Last verified 2026-11-23. */
const PARENTS_MAX = 32;
/** Characters of a message at most (metav1.Condition). Last verified 2026-11-23. */
const MESSAGE_CHARACTERS_MAX = 32_768;

/** True when the object, as an API server has it, says all of `wanted` and names its parent. */
export function showsReport(object: ClusterObject, wanted: ObjectStatus): boolean {
  const { statusForm, generation, spec, status } = object;
  if (statusForm !== undefined)
    return status === undefined || showsForeign(statusForm, { generation, spec, status }, wanted.conditions);
  return object.status === undefined || (showsParent(object, wanted.parent) && showsStatus(object.status, wanted));
}

/** True when `shown`, the untrusted status of an object, says all of `wanted` and nothing else in our name. */
export function showsStatus(shown: unknown, wanted: ObjectStatus): boolean {
  const status = mapping(shown);
  if ((status.fqdn ?? null) !== wanted.fqdn) return false;
  if (!sameJson(ownConditions(status.conditions), ownConditions(wanted.conditions))) return false;
  if (wanted.zone === undefined) return true;
  const { entries, hash, serial } = wanted.zone;
  if ((status.hash ?? null) !== hash || (status.serial ?? null) !== serial) return false;
  const listed = Array.isArray(status.entries) ? status.entries : [];
  // Where they outgrow the object, the first ones are listed and the others counted.
  return (
    listed.length + Number(status.entriesOmitted ?? 0) === entries.length &&
    sameJson(listed, entries.slice(0, listed.length))
  );
}

function ownConditions(conditions: unknown): readonly unknown[] {
  const all = Array.isArray(conditions) ? conditions.map(mapping) : [];
  return all
    .filter(({ type }) => OURS.has(type))
    .map(({ type, status, reason, message, observedGeneration }) =>
      Object.fromEntries(
        Object.entries({ type, status, reason, message, observedGeneration }).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    )
    .sort((a, b) => (String(a.type) < String(b.type) ? -1 : 1));
}

export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {};
}

/** The condition as it is to stand, without its time; null: none, for the object asks for nothing. */
export function foreignCondition(conditions: readonly Condition[]): Mapping | null {
  const programmed = conditions.find(({ type }) => type === 'Programmed');
  const accepted = conditions.find(({ type }) => type === 'Accepted');
  const refused = accepted === undefined || accepted.status === 'True' ? undefined : accepted;
  // What is refused of an object weighs more than what of it stands.
  const said = refused ?? programmed;
  if (said === undefined) return null;
  const { status, reason, message, observedGeneration } = said;
  return {
    type: TYPE,
    status,
    reason,
    message: message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed(),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Our condition as it stands in an untrusted list of conditions; undefined where there is none. */
export function standingCondition(conditions: unknown): Mapping | undefined {
  return mappingsIn(conditions).find(({ type }) => type === TYPE);
}

/** An untrusted list of conditions without ours. */
export function othersConditions(conditions: unknown): readonly Mapping[] {
  return mappingsIn(conditions).filter(({ type }) => type !== TYPE);
}

/** True when what stands says the same; null: none is to stand. */
function says(standing: Mapping | undefined, wanted: Mapping | null): boolean {
  if (standing === undefined || wanted === null) return standing === undefined && wanted === null;
  return ['status', 'reason', 'message', 'observedGeneration'].every(
    (field) => (standing[field] ?? null) === (wanted[field] ?? null),
  );
}

/** An object that shows what is said of it, as far as that counts here. */
export type ShowingObject = { readonly generation: number | null; readonly spec: unknown; readonly status: unknown };

/** True when the object says all of these conditions, or cannot. */
export function showsForeign(
  form: StatusForm,
  { generation, spec, status: value }: ShowingObject,
  conditions: readonly Condition[],
): boolean {
  const wanted = foreignCondition(conditions);
  const status = mapping(value);
  switch (form) {
    case 'events':
    case 'none':
      return true;
    case 'conditions':
      return says(standingCondition(status.conditions), wanted);
    case 'observedGeneration': {
      if (generation !== null && status.observedGeneration !== generation) return false;
      // Where a CRD keeps no conditions, they are not there after a write either.
      const keepsNone = generation !== null && status.conditions === undefined;
      return keepsNone || says(standingCondition(status.conditions), wanted);
    }
    case 'parents': {
      const { entry, canHold } = parentEntry(status);
      const here = hasParentRef(spec) ? wanted : null;
      if (here !== null && !canHold) return true;
      return says(standingCondition(entry?.conditions), here) && (here !== null || entry === undefined);
    }
    default:
      return form satisfies never;
  }
}

/** Our entry of a route's untrusted status, and whether there is room for one. */
export function parentEntry(status: Mapping): {
  readonly index: number;
  readonly entry: Mapping | undefined;
  readonly canHold: boolean;
} {
  const parents = mappingsIn(status.parents);
  const index = parents.findIndex(({ controllerName }) => controllerName === CONTROLLER);
  return { index, entry: parents[index], canHold: index >= 0 || parents.length < PARENTS_MAX };
}

function hasParentRef(spec: unknown): boolean {
  return mappingsIn(mapping(spec).parentRefs).length > 0;
}

function mappingsIn(value: unknown): readonly Mapping[] {
  return Array.isArray(value) ? value.map(mapping) : [];
}
