// Compares the status of an object with what is to be reported, field by field. Tenants can write the status and the
// labels. In the status of a foreign kind, our report is the conditions `zone53.dev/Programmed` and
// `zone53.dev/Propagated` among those of others; the kind decides where in the status they are.
import { compareText } from '../dns/names/compare-text.ts';
import type { Condition } from '../objects/conditions.ts';
import type { StatusForm } from '../objects/kind.ts';
import { showsParent } from '../objects/parent-label.ts';
import { type Mapping, mapping, mappingsIn } from '../objects/plain.ts';
import { sameJson } from '../objects/same-json.ts';
import type { ClusterObject, ObjectStatus } from './cluster.ts';

/** The types of our conditions in a status of ours. */
export const OURS: ReadonlySet<unknown> = new Set(['Accepted', 'Programmed', 'Propagated']);
/** The types of our conditions in a status that others write too. */
const PROGRAMMED = 'zone53.dev/Programmed';
const PROPAGATED = 'zone53.dev/Propagated';
const TYPES: ReadonlySet<unknown> = new Set([PROGRAMMED, PROPAGATED]);
/** The `controllerName` of our entry in a route's `status.parents`. */
export const CONTROLLER = 'zone53.dev/dns';
/** Maximum number of entries in a route's `status.parents` (Gateway API, RouteStatus). Last verified 2026-11-23. */
const PARENTS_MAX = 32;
/** Maximum length of a condition's message (metav1.Condition). Last verified 2026-11-23. */
const MESSAGE_CHARACTERS_MAX = 32_768;

/** True when the object shows everything in `wanted` and names its parent. Also true when its status was not read. */
export function showsReport(object: ClusterObject, wanted: ObjectStatus): boolean {
  const { statusForm, generation, spec, status } = object;
  if (statusForm !== undefined)
    return status === undefined || showsForeign(statusForm, { generation, spec, status }, wanted.conditions);
  return object.status === undefined || (showsParent(object, wanted.parent) && showsStatus(object.status, wanted));
}

/** True when the untrusted status `shown` says everything in `wanted` and no more in our fields. */
export function showsStatus(shown: unknown, wanted: ObjectStatus): boolean {
  const status = mapping(shown);
  if ((status.fqdn ?? null) !== wanted.fqdn) return false;
  if (!sameJson(ownConditions(status.conditions), ownConditions(wanted.conditions))) return false;
  if (status.data !== wanted.data || !sameJson(status.views, wanted.views)) return false;
  if (wanted.zone === undefined) return true;
  const { entries, hash, serial } = wanted.zone;
  if ((status.hash ?? null) !== hash || (status.serial ?? null) !== serial) return false;
  const listed = Array.isArray(status.entries) ? status.entries : [];
  // A Zone with too many entries lists the first ones and counts the others.
  return (
    listed.length + Number(status.entriesOmitted ?? 0) === entries.length &&
    sameJson(listed, entries.slice(0, listed.length))
  );
}

function ownConditions(conditions: unknown): readonly unknown[] {
  return mappingsIn(conditions)
    .filter(({ type }) => OURS.has(type))
    .map(({ type, status, reason, message, observedGeneration }) => {
      return { type, status, reason, message, observedGeneration };
    })
    .sort((a, b) => compareText(String(a.type), String(b.type)));
}

/** The conditions to write, without their times; none when the object asks for nothing. */
export function foreignConditions(conditions: readonly Condition[]): readonly Mapping[] {
  const programmed = conditions.find(({ type }) => type === 'Programmed');
  const accepted = conditions.find(({ type }) => type === 'Accepted');
  const refused = accepted === undefined || accepted.status === 'True' ? undefined : accepted;
  // That something was refused matters more than the state of what was accepted.
  const said = refused ?? programmed;
  if (said === undefined) return [];
  const propagated = refused === undefined ? conditions.find(({ type }) => type === 'Propagated') : undefined;
  return [foreign(PROGRAMMED, said), ...(propagated === undefined ? [] : [foreign(PROPAGATED, propagated)])];
}

function foreign(type: string, { status, reason, message, observedGeneration }: Condition): Mapping {
  return {
    type,
    status,
    reason,
    message: message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed(),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

/** Our conditions in an untrusted list of conditions. */
export function foreignOwn(conditions: unknown): readonly Mapping[] {
  return mappingsIn(conditions).filter(({ type }) => TYPES.has(type));
}

export function othersConditions(conditions: unknown): readonly Mapping[] {
  return mappingsIn(conditions).filter(({ type }) => !TYPES.has(type));
}

/** True when the existing conditions say what `wanted` says, and there are no more. */
function says(existing: readonly Mapping[], wanted: readonly Mapping[]): boolean {
  if (existing.length !== wanted.length) return false;
  return wanted.every((one) => {
    const found = existing.find(({ type }) => type === one.type) ?? {};
    return ['type', 'status', 'reason', 'message', 'observedGeneration'].every(
      (field) => (found[field] ?? null) === (one[field] ?? null),
    );
  });
}

/** The part of an object that showsForeign() reads. */
export type ShowingObject = { readonly generation: number | null; readonly spec: unknown; readonly status: unknown };

/** True when the object shows these conditions, or when its kind or status has no place for them. */
export function showsForeign(
  form: StatusForm,
  { generation, spec, status: value }: ShowingObject,
  conditions: readonly Condition[],
): boolean {
  const wanted = foreignConditions(conditions);
  const status = mapping(value);
  switch (form) {
    case 'events':
    case 'none':
      return true;
    case 'conditions':
      return says(foreignOwn(status.conditions), wanted);
    case 'observedGeneration': {
      if (generation !== null && status.observedGeneration !== generation) return false;
      // When the CRD drops conditions, a write would not bring them in either.
      const keepsNone = generation !== null && status.conditions === undefined;
      return keepsNone || says(foreignOwn(status.conditions), wanted);
    }
    case 'parents': {
      const { entry, canHold } = parentEntry(status);
      const here = hasParentRef(spec) ? wanted : [];
      if (here.length > 0 && !canHold) return true;
      return says(foreignOwn(entry?.conditions), here) && (here.length > 0 || entry === undefined);
    }
    default:
      return form satisfies never;
  }
}

/** Our entry in a route's untrusted `status.parents`, and whether there is one or room for one. */
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
