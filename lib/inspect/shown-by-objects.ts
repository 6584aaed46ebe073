// What the objects themselves say of their record sets. A pipeline writes its results into their statuses, so they tell
// what it published also where its ledger is not at hand.
import type { ClusterPlan } from '../apply/plan-cluster.ts';
import { sameContent } from '../dns/record-set.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { formatRef } from '../objects/object-ref.ts';
import { type Mapping, mapping, mappingsIn } from '../objects/plain.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { foreignOwn, parentEntry } from '../ports/shown-status.ts';
import type { AskingObject, ExistingSet, OpenChange } from './explanation.ts';

/** `ledger`: there is one with something in it. `statuses`: there is none, and statuses tell. `none`: neither. */
export type Memory = 'ledger' | 'statuses' | 'none';

export type ShownByObjects = {
  readonly memory: Memory;
  /** The object with the Programmed condition of its status, if only statuses tell. */
  readonly statusOf: (asking: AskingObject) => AskingObject;
  /** The record set as zone53's, if an object that is published says so. */
  readonly ownerOf: (objects: readonly AskingObject[]) => (set: ExistingSet) => ExistingSet;
  /** True for a create of what is published, and is in Route 53. */
  readonly isDone: (change: OpenChange, sets: readonly ExistingSet[]) => boolean;
};

const BY_LEDGER: Omit<ShownByObjects, 'memory'> = {
  statusOf: (asking) => asking,
  ownerOf: () => (set) => set,
  isDone: () => false,
};

export function shownByObjects({ reading, hostedZones, resolved }: ClusterPlan, name: string): ShownByObjects {
  const isKnown = [...reading.objects.values()].some(({ before }) => before !== null);
  if (isKnown || hostedZones.some(({ stored }) => stored.size > 0)) return { memory: 'ledger', ...BY_LEDGER };
  const objects = new Map(reading.listing.objects.map((object) => [formatRef(object.ref), object]));
  const conditionOf = (object: string) => programmedIn(objects.get(object));
  if (![...objects.keys()].some((object) => conditionOf(object) !== null)) return { memory: 'none', ...BY_LEDGER };
  const isPublished = (object: string) => conditionOf(object)?.reason === 'Published';
  const desired = (set: Pick<ExistingSet, 'type' | 'setIdentifier' | 'content'>, object: string) =>
    resolved.recordSets.some(
      (one) =>
        one.name === name &&
        one.type === set.type &&
        one.setIdentifier === set.setIdentifier &&
        one.objects.includes(object) &&
        sameContent(one.content, set.content),
    );
  return {
    memory: 'statuses',
    statusOf: (asking) => {
      const programmed = asking.programmed === null ? null : conditionOf(asking.object);
      return programmed === null ? asking : { ...asking, programmed };
    },
    ownerOf: (asking) => (set) => {
      const isOurs = asking.some(({ object }) => isPublished(object) && desired(set, object));
      return isOurs ? { ...set, owner: 'zone53' } : set;
    },
    isDone: ({ type, setIdentifier }, sets) =>
      sets.some((set) => set.owner === 'zone53' && set.type === type && set.setIdentifier === setIdentifier),
  };
}

/** The Programmed condition in the untrusted status of an object; null: it has none. */
function programmedIn(object: ClusterObject | undefined): Verdict<ProgrammedReason> | null {
  if (object === undefined) return null;
  const status = mapping(object.status);
  const conditions = object.statusForm === 'parents' ? parentEntry(status).entry?.conditions : status.conditions;
  const own: Mapping | undefined =
    object.statusForm === undefined
      ? mappingsIn(conditions).find(({ type }) => type === 'Programmed')
      : foreignOwn(conditions).find(({ type }) => type === 'zone53.dev/Programmed');
  if (own === undefined || typeof own.reason !== 'string' || typeof own.message !== 'string') return null;
  const isOlder = typeof own.observedGeneration === 'number' && own.observedGeneration !== object.generation;
  if (isOlder) return { reason: 'Pending', message: 'its status is that of an earlier edit' };
  return { reason: own.reason as ProgrammedReason, message: `${own.message} (as its status says)` };
}
